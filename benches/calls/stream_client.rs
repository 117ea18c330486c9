//! A client for one stream that needs less CPU than the server: raw HTTP/2 frames with encoded messages.

use bytes::{BufMut, Bytes, BytesMut};
use h2::{RecvStream, SendStream, client::SendRequest};
use http::{HeaderValue, Method, Request, Uri, header, uri::PathAndQuery};
use tokio::net::TcpStream;

use super::{
    frames::{next_message, put_message},
    load_generator::{LoadGenerator, WINDOW},
};

/// Maximum number of messages per send.
const MAX_MESSAGES_PER_SEND: usize = 100;

/// How messages that are ready at the same time are put into HTTP/2 frames. Clients differ in this.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// All in one frame.
    Shared,
    /// One frame per message.
    Separate,
}

/// The messages to send over a stream, repeated.
pub struct Messages {
    path: PathAndQuery,
    count: usize,
    /// The offset of each message in `bytes`. The first messages are repeated at the end, so that any sequence is contiguous.
    starts: Vec<usize>,
    bytes: Bytes,
}

impl Messages {
    pub fn new(path: PathAndQuery, messages: &[Bytes]) -> Self {
        let mut bytes = BytesMut::new();
        let mut starts = vec![0];
        for message in messages.iter().cycle().take(messages.len() + MAX_MESSAGES_PER_SEND) {
            put_message(&mut bytes, message);
            starts.push(bytes.len());
        }
        Self { path, count: messages.len(), starts, bytes: bytes.freeze() }
    }

    /// The next `count` messages after the first `sent`.
    fn slice(&self, sent: usize, count: usize) -> Bytes {
        let first = sent % self.count;
        self.bytes.slice(self.starts[first]..self.starts[first + count])
    }
}

/// A connection for consecutive streams.
pub struct StreamClient<'a> {
    load: &'a LoadGenerator,
    authority: String,
    sender: SendRequest<Bytes>,
}

impl<'a> StreamClient<'a> {
    pub fn new(load: &'a LoadGenerator, address: &str) -> Self {
        let sender = load.runtime.block_on(async {
            let stream = TcpStream::connect(address).await.expect("the server is reachable");
            stream.set_nodelay(true).expect("the option can be set");
            let (sender, connection) = h2::client::Builder::new()
                .initial_window_size(WINDOW)
                .initial_connection_window_size(WINDOW)
                .handshake(stream)
                .await
                .expect("the server speaks HTTP/2");
            tokio::spawn(connection);
            sender
        });
        Self { load, authority: address.to_owned(), sender }
    }

    /// Runs one stream with `count` messages, `in_flight` of them at a time: each batch of responses is followed by as many
    /// messages. Calls `inspect` with every response.
    pub fn run(
        &self,
        messages: &Messages,
        count: usize,
        in_flight: usize,
        framing: Framing,
        inspect: impl FnMut(&[u8]),
    ) {
        let exchange = self.exchange(messages, count, in_flight, framing, inspect);
        self.load.runtime.block_on(exchange).expect("the stream succeeds");
    }

    async fn exchange(
        &self,
        messages: &Messages,
        count: usize,
        in_flight: usize,
        framing: Framing,
        mut inspect: impl FnMut(&[u8]),
    ) -> Result<(), h2::Error> {
        let mut sender = self.sender.clone().ready().await?;
        let (response, mut calls) = sender.send_request(self.head(messages), false)?;
        let mut sent = in_flight.min(count);
        send(&mut calls, messages, 0, sent, framing)?;
        let mut responses = response.await?.into_body();
        let (mut received, mut unread) = (0, BytesMut::new());
        while received < count {
            read(&mut responses, &mut unread).await?;
            while let Some(message) = next_message(&mut unread) {
                inspect(&message);
                received += 1;
            }
            let more = (received + in_flight).min(count) - sent;
            send(&mut calls, messages, sent, more, framing)?;
            sent += more;
        }
        calls.send_data(Bytes::new(), true)?;
        assert!(responses.data().await.is_none(), "there are more responses than calls");
        let trailers = responses.trailers().await?.unwrap_or_default();
        assert_eq!(trailers.get("grpc-status").map(HeaderValue::as_bytes), Some(&b"0"[..]));
        Ok(())
    }

    fn head(&self, messages: &Messages) -> Request<()> {
        let uri = Uri::builder()
            .scheme("http")
            .authority(self.authority.as_str())
            .path_and_query(messages.path.clone())
            .build();
        let mut request = Request::new(());
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri.expect("the URI is valid");
        request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        request.headers_mut().insert(header::TE, HeaderValue::from_static("trailers"));
        request
    }
}

fn send(
    calls: &mut SendStream<Bytes>,
    messages: &Messages,
    sent: usize,
    count: usize,
    framing: Framing,
) -> Result<(), h2::Error> {
    let per_frame = if framing == Framing::Shared { count } else { 1 };
    for done in (0..count).step_by(per_frame.max(1)) {
        calls.send_data(messages.slice(sent + done, per_frame), false)?;
    }
    Ok(())
}

async fn read(responses: &mut RecvStream, unread: &mut BytesMut) -> Result<(), h2::Error> {
    let data = responses.data().await.expect("the stream has not ended")?;
    responses.flow_control().release_capacity(data.len())?;
    unread.put(data);
    Ok(())
}
