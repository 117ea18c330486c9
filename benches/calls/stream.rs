//! A client of one stream that is cheaper than the server: frames of HTTP/2, and messages that are already encoded.

use bytes::{BufMut, Bytes, BytesMut};
use h2::{RecvStream, SendStream, client::SendRequest};
use http::{HeaderValue, Method, Request, Uri, header, uri::PathAndQuery};
use tokio::net::TcpStream;

use super::{
    frames::{next_message, put_message},
    load::{Load, WINDOW},
};

/// The most messages that are sent at once.
const MOST_AT_ONCE: usize = 100;

/// How messages that can be sent at once are put into frames of HTTP/2. Clients differ in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Frames {
    /// All into one.
    Shared,
    /// Each into one of its own.
    Apart,
}

/// What is sent over a stream: messages, in turn, over and over.
pub struct Messages {
    path: PathAndQuery,
    count: usize,
    /// Where each begins in `bytes`. After the last the first ones follow once more, so that any run is one piece.
    starts: Vec<usize>,
    bytes: Bytes,
}

impl Messages {
    pub fn new(path: PathAndQuery, messages: &[Bytes]) -> Self {
        let mut bytes = BytesMut::new();
        let mut starts = vec![0];
        for message in messages.iter().cycle().take(messages.len() + MOST_AT_ONCE) {
            put_message(&mut bytes, message);
            starts.push(bytes.len());
        }
        Self { path, count: messages.len(), starts, bytes: bytes.freeze() }
    }

    /// So many of them, after the first `sent`.
    fn piece(&self, sent: usize, count: usize) -> Bytes {
        let first = sent % self.count;
        self.bytes.slice(self.starts[first]..self.starts[first + count])
    }
}

/// A connection for one stream after the other.
pub struct Streamer<'a> {
    load: &'a Load,
    authority: String,
    sender: SendRequest<Bytes>,
}

impl<'a> Streamer<'a> {
    pub fn new(load: &'a Load, address: &str) -> Self {
        let sender = load.runtime.block_on(async {
            let stream = TcpStream::connect(address).await.expect("the server can be reached");
            stream.set_nodelay(true).expect("a socket option");
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

    /// One stream of so many messages, of which so many are under way: as many more are sent at once as answers have come.
    /// Whoever looks is shown every answer.
    pub fn run(
        &self,
        messages: &Messages,
        count: usize,
        under_way: usize,
        frames: Frames,
        look: impl FnMut(&[u8]),
    ) {
        let exchange = self.exchange(messages, count, under_way, frames, look);
        self.load.runtime.block_on(exchange).expect("the stream is answered");
    }

    async fn exchange(
        &self,
        messages: &Messages,
        count: usize,
        under_way: usize,
        frames: Frames,
        mut look: impl FnMut(&[u8]),
    ) -> Result<(), h2::Error> {
        let mut sender = self.sender.clone().ready().await?;
        let (response, mut calls) = sender.send_request(self.head(messages), false)?;
        let mut sent = under_way.min(count);
        send(&mut calls, messages, 0, sent, frames)?;
        let mut answers = response.await?.into_body();
        let (mut answered, mut unread) = (0, BytesMut::new());
        while answered < count {
            read(&mut answers, &mut unread).await?;
            while let Some(answer) = next_message(&mut unread) {
                look(&answer);
                answered += 1;
            }
            let more = (answered + under_way).min(count) - sent;
            send(&mut calls, messages, sent, more, frames)?;
            sent += more;
        }
        calls.send_data(Bytes::new(), true)?;
        assert!(answers.data().await.is_none(), "there are as many answers as calls");
        let trailers = answers.trailers().await?.unwrap_or_default();
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
        *request.uri_mut() = uri.expect("an address and a path");
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
    frames: Frames,
) -> Result<(), h2::Error> {
    let at_once = if frames == Frames::Shared { count } else { 1 };
    for done in (0..count).step_by(at_once.max(1)) {
        calls.send_data(messages.piece(sent + done, at_once), false)?;
    }
    Ok(())
}

async fn read(answers: &mut RecvStream, unread: &mut BytesMut) -> Result<(), h2::Error> {
    let data = answers.data().await.expect("every call is answered")?;
    answers.flow_control().release_capacity(data.len())?;
    unread.put(data);
    Ok(())
}
