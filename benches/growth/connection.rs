//! A single HTTP/2 connection, and streams on it.

use arbiter::wire::proto::{self, answer};
use bytes::{Bytes, BytesMut};
use h2::{Ping, RecvStream, SendStream, client::SendRequest};
use http::Request;
use prost::Message;
use tokio::net::TcpStream;

use super::frames::next_message;

/// A connection. Closed on drop.
pub struct Connection {
    sender: SendRequest<Bytes>,
    address: String,
}

impl Connection {
    /// Opens a connection and waits until the server has answered a ping.
    pub async fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server is reachable");
        stream.set_nodelay(true).expect("the option can be set");
        let (sender, mut connection) = h2::client::handshake(stream).await.expect("the handshake succeeds");
        let mut pings = connection.ping_pong().expect("no other ping handle is taken");
        // Errors surface in the streams.
        tokio::spawn(connection);
        pings.ping(Ping::opaque()).await.expect("the server speaks HTTP/2");
        Self { sender, address: address.to_owned() }
    }

    /// Makes a unary call that must succeed.
    pub async fn call(&self, path: &str, message: &Bytes) {
        self.start(path, message, true).await.finish().await;
    }

    /// Opens a stream with a first message.
    pub async fn stream(&self, path: &str, message: &Bytes) -> Stream {
        self.start(path, message, false).await
    }

    async fn start(&self, path: &str, message: &Bytes, end_stream: bool) -> Stream {
        let request = Request::post(format!("http://{}{path}", self.address))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(())
            .expect("the request is valid");
        let mut sender = self.sender.clone().ready().await.expect("the connection is open");
        let (response, mut sent) = sender.send_request(request, false).expect("a stream can be opened");
        sent.send_data(message.clone(), end_stream).expect("the message is sent");
        let received = response.await.expect("the server responds").into_body();
        Stream { sent, received, unread: BytesMut::new() }
    }
}

/// A call in flight.
pub struct Stream {
    sent: SendStream<Bytes>,
    received: RecvStream,
    unread: BytesMut,
}

impl Stream {
    pub fn send(&mut self, message: &Bytes) {
        self.sent.send_data(message.clone(), false).expect("the message is sent");
    }

    /// Waits for the next response message.
    pub async fn receive(&mut self) -> Bytes {
        loop {
            if let Some(message) = next_message(&mut self.unread) {
                return message.freeze();
            }
            let data = self
                .received
                .data()
                .await
                .expect("the stream has not ended")
                .expect("the connection stays open");
            self.received.flow_control().release_capacity(data.len()).expect("the capacity was received");
            self.unread.extend_from_slice(&data);
        }
    }

    /// Closes the stream, which must end with OK.
    pub async fn close(mut self) {
        self.sent.send_data(Bytes::new(), true).expect("the stream is open");
        self.finish().await;
    }

    async fn finish(mut self) {
        while let Some(data) = self.received.data().await {
            let _ = data.expect("the connection stays open");
        }
        let trailers = self.received.trailers().await.expect("the stream ends").unwrap_or_default();
        assert_eq!(trailers["grpc-status"], "0", "the call ends with OK");
    }
}

/// Checks that a response of a stream is a successful `ApplyMove`.
pub fn assert_applied(response: &[u8]) {
    let answer = proto::EvaluateResponse::decode(response).expect("the response decodes").answer;
    let kind = proto::Answer::decode(&*answer).expect("the answer decodes").kind;
    assert!(matches!(kind, Some(answer::Kind::ApplyMove(_))), "the move was not applied: {kind:?}");
}
