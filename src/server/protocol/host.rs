//! The `Host` header of HTTP/1 requests (RFC 9112, section 3.2). A proxy and a server that choose different hosts for the same
//! request can be attacked, so a request must name exactly one.

use std::net::Ipv6Addr;

use http::{Request, Version, header};

/// Checks the `Host` header of a request. An error says what is wrong: respond with status 400 and close the connection.
///
/// HTTP/2 has no such rule, and HTTP/1.0 requests need no `Host`.
pub(in crate::server) fn check_host<B>(request: &Request<B>) -> Result<(), &'static str> {
    if request.version() > Version::HTTP_11 {
        return Ok(());
    }
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if request.version() < Version::HTTP_11 => Ok(()),
        (None, _) => {
            Err("The Host header is missing: an HTTP/1.1 request has one, such as Host: play.example:50051.")
        }
        (Some(_), Some(_)) => Err("The request has more than one Host header."),
        (Some(host), None) if is_host(host.as_bytes()) => Ok(()),
        (Some(_), None) => Err(
            "The Host header is invalid: expected a host and an optional port, such as play.example:50051.",
        ),
    }
}

/// Whether a value is a host and an optional port (RFC 3986, section 3.2). Both may be empty.
fn is_host(value: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(value) else { return false };
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (text, ""),
    };
    let is_port =
        port.is_empty() || port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    let ip_literal = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    is_port && ip_literal.map_or_else(|| is_name(host), |address| address.parse::<Ipv6Addr>().is_ok())
}

/// Whether a host is a name or an IPv4 address: unreserved characters, sub-delimiters and percent-encoded bytes.
fn is_name(host: &str) -> bool {
    let mut bytes = host.bytes();
    while let Some(byte) = bytes.next() {
        let is_valid = match byte {
            b'%' => [bytes.next(), bytes.next()]
                .iter()
                .all(|digit| digit.is_some_and(|digit| digit.is_ascii_hexdigit())),
            _ => byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte),
        };
        if !is_valid {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_with_and_without_a_port_are_valid() {
        for host in [
            "",
            "localhost",
            "play.example",
            "play.example:50051",
            "play.example:",
            "PLAY_1.example.",
            "127.0.0.1:1",
            "[::1]",
            "[2001:db8::1]:65535",
            "a%2Fb",
        ] {
            assert!(is_host(host.as_bytes()), "{host:?}");
        }
    }

    #[test]
    fn anything_else_is_invalid() {
        for host in [
            "play.example/path",
            "http://play.example",
            "me@play.example",
            "play example",
            "a, b",
            "play.example:x",
            "play.example:+1",
            "play.example:65536",
            "play.example:1:2",
            "::1",
            "[::1",
            "[::1]x",
            "[play.example]",
            "a%2",
            "a%zz",
            "play?",
            "play#",
            "pl\u{e4}y",
            "play\t",
        ] {
            assert!(!is_host(host.as_bytes()), "{host:?}");
        }
        assert!(!is_host(b"\xff"));
    }
}
