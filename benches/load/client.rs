//! A client that is cheaper than the server: frames of HTTP/2, requests that are already encoded, answers that are
//! thrown away. Only their status is looked at.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use arbiter::wire::proto::ErrorReason;
use bytes::{Bytes, BytesMut};
use h2::client::SendRequest;
use http::{HeaderMap, HeaderValue, Method, Request, Uri, header};
use tokio::{
    net::TcpStream,
    sync::Semaphore,
    time::{Instant, timeout_at},
};
use tonic::{Code, Status};
use tonic_types::StatusExt;

use super::frames::put_message;

/// Calls under way on a connection: as many as the server lets a client have (`--max-streams-per-connection`).
pub const STREAMS: usize = 200;

/// Room for answers, so that the server never waits for the client to make some.
const WINDOW: u32 = 8 << 20;

/// A call, with its request already encoded and framed.
#[derive(Clone)]
pub struct Call {
    path: &'static str,
    request: Bytes,
}

impl Call {
    pub fn new(path: &'static str, message: &[u8]) -> Self {
        let mut request = BytesMut::with_capacity(5 + message.len());
        put_message(&mut request, message);
        Self { path, request: request.freeze() }
    }
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Served,
    Refused(Code, ErrorReason),
    /// Its time was over before an answer came.
    GivenUp,
    /// There was no answer, and never will be.
    Broken(String),
}

/// When and how a call was answered.
pub struct Answer {
    pub outcome: Outcome,
    /// Whether it had to wait in the client, because every connection had as many calls under way as it may.
    pub waited: bool,
}

/// Some connections to a server.
pub struct Client {
    authority: String,
    connections: Vec<Connection>,
    places: Semaphore,
    next: AtomicUsize,
}

struct Connection {
    sender: SendRequest<Bytes>,
    under_way: AtomicUsize,
}

impl Client {
    pub async fn connect(address: &str, connections: usize) -> Arc<Self> {
        let mut connected = Vec::new();
        for _ in 0..connections {
            connected.push(Connection::open(address).await);
        }
        Arc::new(Self {
            authority: address.to_owned(),
            connections: connected,
            places: Semaphore::new(connections * STREAMS),
            next: AtomicUsize::new(0),
        })
    }

    /// Makes a call. With `patience` it is given up that long after it was due.
    pub async fn call(&self, call: &Call, due: Instant, patience: Option<Duration>) -> Answer {
        let mut waited = false;
        let deadline = patience.map(|patience| due + patience);
        let answered = self.answer(call, deadline, &mut waited);
        let outcome = match deadline {
            None => answered.await,
            Some(deadline) => match timeout_at(deadline, answered).await {
                Ok(outcome) if Instant::now() <= deadline => outcome,
                _ => Outcome::GivenUp,
            },
        };
        Answer { outcome, waited }
    }

    async fn answer(&self, call: &Call, deadline: Option<Instant>, waited: &mut bool) -> Outcome {
        *waited = self.places.available_permits() == 0;
        let _place = self.places.acquire().await.expect("the places stay");
        let connection = UnderWay::begin(self.free_connection());
        let answered = connection.0.exchange(&self.authority, call, deadline).await;
        answered.unwrap_or_else(|error| Outcome::Broken(error.to_string()))
    }

    /// The next connection that has room, in turn.
    fn free_connection(&self) -> &Connection {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        (0..self.connections.len())
            .map(|offset| &self.connections[(first + offset) % self.connections.len()])
            .find(|connection| connection.under_way.load(Ordering::Relaxed) < STREAMS)
            .expect("there is a place for each call that was let through")
    }
}

/// A call that counts among those of its connection.
struct UnderWay<'a>(&'a Connection);

impl<'a> UnderWay<'a> {
    fn begin(connection: &'a Connection) -> Self {
        connection.under_way.fetch_add(1, Ordering::Relaxed);
        Self(connection)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connection {
    async fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server can be reached");
        stream.set_nodelay(true).expect("a socket option");
        let (sender, connection) = h2::client::Builder::new()
            .initial_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .initial_max_send_streams(STREAMS)
            .handshake(stream)
            .await
            .expect("the server speaks HTTP/2");
        // If it ends the calls on it are told why.
        tokio::spawn(connection);
        Self { sender, under_way: AtomicUsize::new(0) }
    }

    async fn exchange(
        &self,
        authority: &str,
        call: &Call,
        deadline: Option<Instant>,
    ) -> Result<Outcome, h2::Error> {
        let mut sender = self.sender.clone().ready().await?;
        let (response, mut sent) = sender.send_request(head(authority, call, deadline), false)?;
        sent.send_data(call.request.clone(), true)?;
        let (head, mut body) = response.await?.into_parts();
        if let Some(outcome) = outcome(&head.headers) {
            return Ok(outcome);
        }
        while let Some(data) = body.data().await {
            body.flow_control().release_capacity(data?.len())?;
        }
        let trailers = body.trailers().await?.unwrap_or_default();
        Ok(outcome(&trailers).unwrap_or_else(|| Outcome::Broken("an answer without a status".to_owned())))
    }
}

fn head(authority: &str, call: &Call, deadline: Option<Instant>) -> Request<()> {
    let uri = Uri::builder().scheme("http").authority(authority).path_and_query(call.path).build();
    let mut request = Request::new(());
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri.expect("an address and a path");
    let headers = request.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
    if let Some(deadline) = deadline {
        let micros = deadline.saturating_duration_since(Instant::now()).as_micros();
        headers.insert("grpc-timeout", format!("{micros}u").parse().expect("a number and a unit"));
    }
    request
}

/// What a status says, if there is one.
fn outcome(headers: &HeaderMap) -> Option<Outcome> {
    if headers.get("grpc-status")? == "0" {
        return Some(Outcome::Served);
    }
    let status = Status::from_header_map(headers)?;
    let details = status.get_details_error_info();
    let reason = details.and_then(|info| ErrorReason::from_str_name(&info.reason));
    Some(Outcome::Refused(status.code(), reason.unwrap_or_default()))
}
