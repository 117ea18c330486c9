"""How the service is reached: in plaintext or by TLS, with a token or without, with retries or without."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import grpc

SERVICE = "arbiter.v1.RulesService"

# Every call has the same answer whenever it is made, so making it again does no harm. RESOURCE_EXHAUSTED is no reason
# to: it also says that a message is too large.
RETRIES = {
    "methodConfig": [
        {
            "name": [{"service": SERVICE}],
            "retryPolicy": {
                "maxAttempts": 4,
                "initialBackoff": "0.1s",
                "maxBackoff": "1s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ]
}


@dataclass(frozen=True)
class Tls:
    """What TLS needs to know. All of it may be left out. Certificates and keys are PEM."""

    roots: bytes | None = None
    """The certificates that vouch for the server. Left out: those of this system."""
    certificate: bytes | None = None
    """The certificate that this client shows, for mutual TLS."""
    key: bytes | None = None
    """The private key of the certificate."""
    server_name: str | None = None
    """The name that the server's certificate must have. Left out: that of the target."""

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("a certificate needs its key, and a key its certificate")

    def credentials(self) -> grpc.ChannelCredentials:
        """The same for gRPC."""
        roots = system_roots() if self.roots is None else self.roots
        return grpc.ssl_channel_credentials(roots, self.key, self.certificate)


def system_roots() -> bytes | None:
    """The certificates that this system trusts. None if it has none: gRPC takes those that it brings along then."""
    certificates = ssl.create_default_context().get_ca_certs(binary_form=True)
    return "".join(map(ssl.DER_cert_to_PEM_cert, certificates)).encode() or None


TokenLike: TypeAlias = str | Callable[[], str]
"""A token, or a function that gives the present one."""


def check_token(token: str) -> str:
    """Gives a token back if a header can hold it. The error does not repeat it: errors are written to logs."""
    if re.fullmatch(r"[!-~]+", token) is None:
        raise ValueError("a token is one or more visible ASCII characters, without spaces and line breaks")
    return token


def call_metadata(token: TokenLike | None) -> list[tuple[str, str]]:
    """What gRPC is told about a call: the token that it shows, if there is one."""
    if token is None:
        return []
    return [("authorization", f"Bearer {check_token(token() if callable(token) else token)}")]


def channel_options(tls: Tls | None, *, retry: bool) -> list[tuple[str, int | str]]:
    """What gRPC is told about a channel."""
    options: list[tuple[str, int | str]] = [
        # How large the answers of a batch may be is the service's to decide.
        ("grpc.max_receive_message_length", -1),
    ]
    if retry:
        options.append(("grpc.service_config", json.dumps(RETRIES)))
    if tls and tls.server_name:
        options.append(("grpc.ssl_target_name_override", tls.server_name))
    return options
