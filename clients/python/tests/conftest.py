"""The server and the clients of the tests."""

import hashlib
import secrets
import ssl
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import trustme

from arbiter_client import AsyncClient, Client
from support.both import AnyClient, Connect, ask
from support.server import real_server
from support.tls import tls_proxy


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a real server."""
    with real_server() as address:
        yield address


@pytest.fixture(params=[Client, AsyncClient])
async def connect(request: pytest.FixtureRequest) -> AsyncIterator[Connect]:
    """Creates clients of both kinds, and closes them."""
    opened: list[AnyClient] = []

    def open_client(target: str, **options: Any) -> AnyClient:
        opened.append(request.param(target, **options))
        return opened[-1]

    yield open_client
    for client in opened:
        await ask(client.close())


@pytest.fixture
def client(connect: Connect, server: str) -> AnyClient:
    """A client of the real server, of both kinds."""
    return connect(server)


@pytest.fixture(scope="session")
def token() -> str:
    """The token of the servers that require one."""
    return secrets.token_urlsafe()


@pytest.fixture(scope="session")
def token_file(token: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The token file of these servers."""
    file = tmp_path_factory.mktemp("tokens") / "tokens"
    file.write_text(f"tests {hashlib.sha256(token.encode()).hexdigest()}\n")
    return str(file)


@pytest.fixture(scope="session")
def token_server(token_file: str) -> Iterator[str]:
    """The address of a real server that requires the token."""
    with real_server("--token-file", token_file) as address:
        yield address


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """The CA of the tests."""
    return trustme.CA()


@pytest.fixture(scope="session")
def proxy(server: str, authority: trustme.CA) -> Iterator[str]:
    """The address of a TLS proxy with a certificate for `localhost` and `arbiter.test`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost", "arbiter.test").configure_cert(context)
    with tls_proxy(server, context) as port:
        yield f"localhost:{port}"


@pytest.fixture(scope="session")
def mutual_proxy(server: str, authority: trustme.CA) -> Iterator[str]:
    """The address of a TLS proxy that requires a client certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.verify_mode = ssl.CERT_REQUIRED
    authority.issue_cert("localhost").configure_cert(context)
    authority.configure_trust(context)
    with tls_proxy(server, context) as port:
        yield f"localhost:{port}"


@pytest.fixture(scope="session")
def tls_token_server(token_file: str, authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real server with TLS, for `localhost`, that requires the token."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "server.pem", folder / "server.key"
    issued = authority.issue_cert("localhost")
    issued.cert_chain_pems[0].write_to_path(certificate)
    issued.private_key_pem.write_to_path(key)
    tls = ["--tls-cert", str(certificate), "--tls-key", str(key)]
    with real_server("--token-file", token_file, *tls) as address:
        yield address.replace("127.0.0.1", "localhost")
