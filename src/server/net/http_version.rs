//! Detects the HTTP version of a connection by its first bytes.

use std::io;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt};

/// The connection preface of HTTP/2. No request of HTTP/1.1 starts like this.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The HTTP version of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HttpVersion {
    Http1,
    Http2,
}

/// Reads from a connection until its version is known. Returns the version and what was read. None: the client has closed the
/// connection before.
pub(super) async fn detect_version(
    io: &mut (impl AsyncRead + Unpin),
) -> io::Result<Option<(HttpVersion, Bytes)>> {
    let (mut received, mut length) = ([0; PREFACE.len()], 0);
    while length < PREFACE.len() && PREFACE.starts_with(&received[..length]) {
        match io.read(&mut received[length..]).await? {
            0 => return Ok(None),
            read => length += read,
        }
    }
    let version = if received == *PREFACE { HttpVersion::Http2 } else { HttpVersion::Http1 };
    Ok(Some((version, Bytes::copy_from_slice(&received[..length]))))
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncWriteExt, duplex};

    use super::*;

    /// The version of a client that sends these parts, and how many bytes were read.
    async fn detect(parts: &[&[u8]]) -> Option<(HttpVersion, usize)> {
        let (mut near, mut far) = duplex(1024);
        let send = async {
            for part in parts {
                far.write_all(part).await.expect("it is sent");
                tokio::task::yield_now().await;
            }
            drop(far);
        };
        let (detected, ()) = tokio::join!(detect_version(&mut near), send);
        detected.expect("it is read").map(|(version, read)| (version, read.len()))
    }

    #[tokio::test]
    async fn the_preface_is_http2() {
        assert_eq!(detect(&[PREFACE]).await, Some((HttpVersion::Http2, 24)));
        assert_eq!(
            detect(&[&PREFACE[..1], &PREFACE[1..20], &PREFACE[20..]]).await,
            Some((HttpVersion::Http2, 24))
        );
    }

    #[tokio::test]
    async fn anything_else_is_http1() {
        assert_eq!(detect(&[b"GET / HTTP/1.1\r\n"]).await, Some((HttpVersion::Http1, 16)));
        assert_eq!(detect(&[b"P", b"OST"]).await, Some((HttpVersion::Http1, 4)));
        assert_eq!(detect(&[b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r."]).await, Some((HttpVersion::Http1, 24)));
    }

    #[tokio::test]
    async fn an_incomplete_preface_is_nothing() {
        assert_eq!(detect(&[]).await, None);
        assert_eq!(detect(&[&PREFACE[..23]]).await, None);
    }
}
