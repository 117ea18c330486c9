"""TLS and mutual TLS, with a proxy in front of the real server."""

import pytest
import trustme

from arbiter_client import Tls, UnreachableError
from support.both import Connect, ask


def pem(authority: trustme.CA) -> bytes:
    return authority.cert_pem.bytes()


async def test_a_trusted_root(connect: Connect, proxy: str, authority: trustme.CA) -> None:
    assert (await ask(connect(proxy, tls=Tls(roots=pem(authority))).list_games())).games


async def test_an_untrusted_root_is_unreachable(connect: Connect, proxy: str) -> None:
    client = connect(proxy, tls=Tls(roots=pem(trustme.CA())))
    with pytest.raises(UnreachableError, match="CERTIFICATE_VERIFY_FAILED"):
        await ask(client.list_games())


async def test_the_roots_of_the_system_are_the_default(
    connect: Connect, proxy: str, authority: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UnreachableError, match="CERTIFICATE_VERIFY_FAILED"):
        await ask(connect(proxy, tls=Tls()).list_games())
    with authority.cert_pem.tempfile() as path:
        monkeypatch.setenv("SSL_CERT_FILE", path)
        client = connect(proxy, tls=Tls())
    assert (await ask(client.list_games())).games


async def test_the_server_name_can_be_set(connect: Connect, proxy: str, authority: trustme.CA) -> None:
    address = proxy.replace("localhost", "127.0.0.1")
    with pytest.raises(UnreachableError):
        await ask(connect(address, tls=Tls(roots=pem(authority))).list_games())
    assert (await ask(connect(address, tls=Tls(roots=pem(authority), server_name="arbiter.test")).list_games())).games


async def test_mutual_tls(connect: Connect, mutual_proxy: str, authority: trustme.CA) -> None:
    with pytest.raises(UnreachableError):
        await ask(connect(mutual_proxy, tls=Tls(roots=pem(authority))).list_games())
    issued = authority.issue_cert("player@arbiter.test")
    certificate = b"".join(blob.bytes() for blob in issued.cert_chain_pems)
    tls = Tls(roots=pem(authority), certificate=certificate, key=issued.private_key_pem.bytes())
    assert (await ask(connect(mutual_proxy, tls=tls).list_games())).games


def test_a_certificate_without_its_key_is_an_error() -> None:
    with pytest.raises(ValueError, match="a certificate needs its key"):
        Tls(certificate=b"")


async def test_a_plaintext_client_cannot_reach_a_service_with_tls(connect: Connect, proxy: str) -> None:
    with pytest.raises(UnreachableError):
        await ask(connect(proxy).list_games())
