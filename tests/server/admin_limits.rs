//! The limits of the admin port.

use std::time::Duration;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::support::{process::Process, wait::with_timeout};

const MAX_CONNECTIONS: usize = 256;

async fn connect(server: &Process) -> TcpStream {
    TcpStream::connect(&server.admin_address).await.expect("the admin port is reachable")
}

/// Sends a request and returns all that the server sends until it closes the connection.
async fn response(mut stream: TcpStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).await.expect("the request is sent");
    let mut response = String::new();
    with_timeout("a response", stream.read_to_string(&mut response)).await.expect("the response is text");
    response
}

async fn assert_live(server: &Process) {
    let request = "GET /live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let response = response(connect(server).await, request).await;
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
}

/// Whether the server has closed a connection.
async fn is_closed(stream: &mut TcpStream) -> bool {
    matches!(timeout(Duration::from_millis(500), stream.read(&mut [0])).await, Ok(Ok(0) | Err(_)))
}

#[tokio::test]
async fn one_connection_more_than_the_maximum_closes_the_oldest() {
    let server = Process::start_on_fixed_port(&[]);
    let mut connections = Vec::new();
    for _ in 0..MAX_CONNECTIONS {
        connections.push(connect(&server).await);
    }
    assert!(!is_closed(&mut connections[0]).await, "the maximum is allowed");
    assert_live(&server).await;
    assert!(is_closed(&mut connections[0]).await, "the oldest is closed");
    assert!(!is_closed(&mut connections[1]).await, "no other is closed");
    assert!(server.metric("arbiter_admin_connections_evicted_total").await >= 1);
}

#[tokio::test]
async fn a_request_body_that_does_not_arrive_is_timed_out() {
    let server = Process::start_on_fixed_port(&[]);
    let head =
        "PUT /log-level HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 5\r\n\r\nin";
    let response = response(connect(&server).await, head).await;
    assert!(response.starts_with("HTTP/1.1 408 "), "{response}");
}

#[tokio::test]
async fn a_request_body_that_breaks_off_is_not_a_filter() {
    let server = Process::start_on_fixed_port(&[]);
    let mut stream = connect(&server).await;
    let request =
        "PUT /log-level HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 9\r\n\r\ndebug";
    stream.write_all(request.as_bytes()).await.expect("the request is sent");
    stream.shutdown().await.expect("the connection is half closed");
    let mut response = String::new();
    let _ = with_timeout("the end", stream.read_to_string(&mut response)).await;
    assert!(response.is_empty() || response.starts_with("HTTP/1.1 400 "), "{response}");
    assert_live(&server).await;
}

#[tokio::test]
async fn headers_have_at_most_8_kib() {
    let server = Process::start_on_fixed_port(&[]);
    let request = format!("GET /live HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "a".repeat(9 * 1024));
    let response = response(connect(&server).await, &request).await;
    assert!(response.starts_with("HTTP/1.1 431 "), "{response}");
    assert_live(&server).await;
}
