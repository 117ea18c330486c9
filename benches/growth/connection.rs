//! A connection of its own, and streams on it.

use arbiter::wire::proto::{self, answer};
use bytes::{Bytes, BytesMut};
use h2::{Ping, RecvStream, SendStream, client::SendRequest};
use http::Request;
use prost::Message;
use tokio::net::TcpStream;

use super::frames::next_message;

/// A connection, open until it is dropped.
pub struct Connection {
    sender: SendRequest<Bytes>,
    address: String,
}

impl Connection {
    /// A connection on which both sides have shaken hands: the server has answered to a ping.
    pub async fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server can be reached");
        stream.set_nodelay(true).expect("a socket option");
        let (sender, mut connection) = h2::client::handshake(stream).await.expect("a connection");
        let mut pings = connection.ping_pong().expect("nobody else pings");
        // If it ends whoever uses it is told why.
        tokio::spawn(connection);
        pings.ping(Ping::opaque()).await.expect("the server speaks HTTP/2");
        Self { sender, address: address.to_owned() }
    }

    /// Makes a call of one message, and sees that it ends well.
    pub async fn call(&self, path: &str, message: &Bytes) {
        self.begin(path, message, true).await.finish().await;
    }

    /// Begins a stream with a message.
    pub async fn stream(&self, path: &str, message: &Bytes) -> Stream {
        self.begin(path, message, false).await
    }

    async fn begin(&self, path: &str, message: &Bytes, last: bool) -> Stream {
        let request = Request::post(format!("http://{}{path}", self.address))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(())
            .expect("a request");
        let mut sender = self.sender.clone().ready().await.expect("the connection is open");
        let (answer, mut sent) = sender.send_request(request, false).expect("a stream can be opened");
        sent.send_data(message.clone(), last).expect("a message can be sent");
        let received = answer.await.expect("the server answers").into_body();
        Stream { sent, received, unread: BytesMut::new() }
    }
}

/// A call under way.
pub struct Stream {
    sent: SendStream<Bytes>,
    received: RecvStream,
    unread: BytesMut,
}

impl Stream {
    /// Sends one more message.
    pub fn send(&mut self, message: &Bytes) {
        self.sent.send_data(message.clone(), false).expect("a message can be sent");
    }

    /// The next answer.
    pub async fn answer(&mut self) -> Bytes {
        loop {
            if let Some(answer) = next_message(&mut self.unread) {
                return answer.freeze();
            }
            let data = self.received.data().await.expect("the stream goes on").expect("a frame");
            self.received.flow_control().release_capacity(data.len()).expect("as much as there was");
            self.unread.extend_from_slice(&data);
        }
    }

    /// Ends the stream, and sees that it ends well.
    pub async fn end(mut self) {
        self.sent.send_data(Bytes::new(), true).expect("the stream is open");
        self.finish().await;
    }

    async fn finish(mut self) {
        while let Some(data) = self.received.data().await {
            let _ = data.expect("a frame");
        }
        let trailers = self.received.trailers().await.expect("the stream ends").unwrap_or_default();
        assert_eq!(trailers["grpc-status"], "0", "the call ends well");
    }
}

/// Looks at what a stream has answered: a move that was made.
pub fn assert_applied(answer: &[u8]) {
    let answer = proto::EvaluateResponse::decode(answer).expect("an answer").answer;
    let kind = proto::Answer::decode(&*answer).expect("it says something").kind;
    assert!(matches!(kind, Some(answer::Kind::ApplyMove(_))), "the move is made: {kind:?}");
}
