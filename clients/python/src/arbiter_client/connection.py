"""The connection to the service: TLS, tokens, retries."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import grpc

SERVICE = "arbiter.v1.RulesService"

# No call has side effects, so every call may be retried. RESOURCE_EXHAUSTED is not retried: it is also the status of a
# message that is too large.
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
    """The settings of TLS, all optional. Certificates and keys are PEM."""

    roots: bytes | None = None
    """The root certificates to trust. Default: those of the system."""
    certificate: bytes | None = None
    """The client certificate, for mutual TLS."""
    key: bytes | None = None
    """The private key of the certificate."""
    server_name: str | None = None
    """The name to expect in the server's certificate. Default: the host of the target."""

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("a certificate needs its key, and a key its certificate")

    def credentials(self) -> grpc.ChannelCredentials:
        """The settings as gRPC credentials."""
        roots = system_roots() if self.roots is None else self.roots
        return grpc.ssl_channel_credentials(roots, self.key, self.certificate)


def system_roots() -> bytes | None:
    """The root certificates of the system. None if there are none: gRPC then uses its built-in ones."""
    certificates = ssl.create_default_context().get_ca_certs(binary_form=True)
    return "".join(map(ssl.DER_cert_to_PEM_cert, certificates)).encode() or None


TokenLike: TypeAlias = str | Callable[[], str]
"""A token, or a function that returns the current one."""


def check_token(token: str) -> str:
    """Returns the token if it is a valid header value. The error does not contain it: errors end up in logs."""
    if re.fullmatch(r"[!-~]+", token) is None:
        raise ValueError("a token is one or more visible ASCII characters, without spaces and line breaks")
    return token


def call_metadata(token: TokenLike | None) -> list[tuple[str, str]]:
    """The metadata of a call: the token, if there is one."""
    if token is None:
        return []
    return [("authorization", f"Bearer {check_token(token() if callable(token) else token)}")]


def channel_options(tls: Tls | None, *, retry: bool) -> list[tuple[str, int | str]]:
    """The options of a gRPC channel."""
    options: list[tuple[str, int | str]] = [
        # The service limits the size of a batch's response.
        ("grpc.max_receive_message_length", -1),
    ]
    if retry:
        options.append(("grpc.service_config", json.dumps(RETRIES)))
    if tls and tls.server_name:
        options.append(("grpc.ssl_target_name_override", tls.server_name))
    return options
