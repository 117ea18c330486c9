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
    """Makes clients of either kind, and closes them."""
    opened: list[AnyClient] = []

    def open_client(target: str, **options: Any) -> AnyClient:
        opened.append(request.param(target, **options))
        return opened[-1]

    yield open_client
    for client in opened:
        await ask(client.close())


@pytest.fixture
def client(connect: Connect, server: str) -> AnyClient:
    """A client of either kind, of the real server."""
    return connect(server)


@pytest.fixture(scope="session")
def token() -> str:
    """The token that the guarded servers know."""
    return secrets.token_urlsafe()


@pytest.fixture(scope="session")
def token_file(token: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file that they know it by."""
    file = tmp_path_factory.mktemp("tokens") / "tokens"
    file.write_text(f"tests {hashlib.sha256(token.encode()).hexdigest()}\n")
    return str(file)


@pytest.fixture(scope="session")
def guarded(token_file: str) -> Iterator[str]:
    """The address of a real server that asks for the token."""
    with real_server("--token-file", token_file) as address:
        yield address


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """Who vouches for the certificates of the tests."""
    return trustme.CA()


@pytest.fixture(scope="session")
def proxy(server: str, authority: trustme.CA) -> Iterator[str]:
    """The address of a proxy whose certificate is for `localhost` and for `arbiter.test`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost", "arbiter.test").configure_cert(context)
    with tls_proxy(server, context) as port:
        yield f"localhost:{port}"


@pytest.fixture(scope="session")
def mutual_proxy(server: str, authority: trustme.CA) -> Iterator[str]:
    """The same, but it wants a certificate of the client."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.verify_mode = ssl.CERT_REQUIRED
    authority.issue_cert("localhost").configure_cert(context)
    authority.configure_trust(context)
    with tls_proxy(server, context) as port:
        yield f"localhost:{port}"


@pytest.fixture(scope="session")
def guarded_by_tls(token_file: str, authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a real server that asks for the token, and has a certificate for `localhost`."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "server.pem", folder / "server.key"
    shown = authority.issue_cert("localhost")
    shown.cert_chain_pems[0].write_to_path(certificate)
    shown.private_key_pem.write_to_path(key)
    tls = ["--tls-cert", str(certificate), "--tls-key", str(key)]
    with real_server("--token-file", token_file, *tls) as address:
        yield address.replace("127.0.0.1", "localhost")
