//! Origins of web pages, as browsers send them.
//!
//! An origin is compared with the header `origin` byte by byte, so one that browsers write differently would never match.
//! Each is refused with what to write instead.

use std::net::{Ipv4Addr, Ipv6Addr};

use http::HeaderValue;

/// Parses an origin, or `*` for all: a scheme, a host and an optional port.
pub(super) fn origin(text: &str) -> Result<HeaderValue, String> {
    if text != "*" {
        check(text).map_err(|problem| {
            format!("{problem}; expected an origin such as https://play.example:8443, or *")
        })?;
    }
    HeaderValue::from_str(text).map_err(|error| error.to_string())
}

fn check(text: &str) -> Result<(), String> {
    if text.contains(char::is_whitespace) {
        return Err("an origin has no spaces, and a list only commas".to_owned());
    }
    if text.contains('*') {
        return Err("* cannot be part of an origin: list each origin, such as \
                    https://a.example,https://b.example, or allow all with *"
            .to_owned());
    }
    if text == "null" {
        return Err("null is the origin of every local file and sandboxed page, and cannot be allowed on its own: serve \
                    the page over HTTP"
            .to_owned());
    }
    if !text.is_ascii() {
        return Err(
            "browsers send the ASCII form of a host (Punycode): https://xn--bcher-kva.example instead of \
                    https://bücher.example"
                .to_owned(),
        );
    }
    if text.contains(|c: char| c.is_ascii_uppercase()) {
        return Err(format!("browsers send origins in lower case: {}", text.to_ascii_lowercase()));
    }
    let (scheme, authority) = text.split_once("://").ok_or("the scheme is missing: https:// or http://")?;
    let default_port = match scheme {
        "https" => 443,
        "http" => 80,
        _ => {
            return Err(
                "the scheme must be https or http: allow the origin of an app or an extension with *"
                    .to_owned(),
            );
        }
    };
    if let Some(end) = authority.find(['/', '?', '#', '\\']) {
        return Err(format!("an origin ends after the host and port: {scheme}://{}", &authority[..end]));
    }
    if let Some((_, host)) = authority.rsplit_once('@') {
        return Err(format!("an origin has no user name: {scheme}://{host}"));
    }
    let (host, port) = split_port(authority);
    check_host(host)?;
    match port {
        Some(port) if port.parse() == Ok(default_port) => {
            Err(format!("browsers leave out the default port: {scheme}://{host}"))
        }
        Some(port) => check_port(port),
        None => Ok(()),
    }
}

/// Splits off the port. The colons of an IPv6 address are within brackets.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

fn check_port(port: &str) -> Result<(), String> {
    // Browsers write it without leading zeros.
    match port.parse::<u16>() {
        Ok(number) if number > 0 && number.to_string() == port => Ok(()),
        _ => Err(format!("{port:?} is not a port from 1 to 65535")),
    }
}

fn check_host(host: &str) -> Result<(), String> {
    if let Some(address) = host.strip_prefix('[') {
        let address = address.strip_suffix(']').and_then(|address| address.parse().ok());
        let address: Ipv6Addr =
            address.ok_or(format!("{host} is not an IPv6 address in brackets, such as [::1]"))?;
        return expect(host, &format!("[{}]", ipv6_text(address)));
    }
    if host.is_empty() {
        return Err("the host is missing".to_owned());
    }
    if let Some(without_dot) = host.strip_suffix('.') {
        return Err(format!("the host ends with a dot: {without_dot}"));
    }
    // Browsers read a host whose last label is a number as an IPv4 address.
    let last_label = host.rsplit('.').next().unwrap_or_default();
    let is_number = last_label.bytes().all(|byte| byte.is_ascii_digit()) || last_label.starts_with("0x");
    if is_number && host.parse::<Ipv4Addr>().is_err() {
        return Err(format!("{host} is not an IPv4 address of four decimal numbers, such as 127.0.0.1"));
    }
    let is_host_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    if !host.bytes().all(is_host_byte) || host.split('.').any(str::is_empty) {
        return Err(format!("{host:?} is not a host"));
    }
    Ok(())
}

/// An IPv6 address as browsers write it: unlike Rust, also the embedded IPv4 address in hexadecimal digits.
fn ipv6_text(address: Ipv6Addr) -> String {
    match (address.to_ipv4_mapped(), address.segments()) {
        (Some(_), [.., high, low]) => format!("::ffff:{high:x}:{low:x}"),
        _ => address.to_string(),
    }
}

fn expect(host: &str, expected: &str) -> Result<(), String> {
    if host == expected { Ok(()) } else { Err(format!("browsers write {host} as {expected}")) }
}
