//! A client that needs less CPU than the server: raw HTTP/2 frames with encoded requests. It discards response messages
//! and checks only the status.

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

/// Maximum number of calls in flight per connection, as the server allows (`--max-streams-per-connection`).
pub const MAX_STREAMS: usize = 200;

/// A flow-control window so large that the server never waits for it.
const WINDOW: u32 = 8 << 20;

/// A call with an encoded and framed request.
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

/// The outcome of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Succeeded,
    Failed(Code, ErrorReason),
    /// The timeout of the client expired.
    TimedOut,
    /// The connection failed, or the response was invalid.
    TransportError(String),
}

pub struct CallResult {
    pub outcome: Outcome,
    /// Whether the call waited in the client because all connections had the maximum number of calls in flight.
    pub waited: bool,
}

/// A pool of connections to a server.
pub struct Client {
    authority: String,
    connections: Vec<Connection>,
    permits: Semaphore,
    next: AtomicUsize,
}

struct Connection {
    sender: SendRequest<Bytes>,
    in_flight: AtomicUsize,
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
            permits: Semaphore::new(connections * MAX_STREAMS),
            next: AtomicUsize::new(0),
        })
    }

    /// Makes a call. `timeout` counts from `due`.
    pub async fn call(&self, call: &Call, due: Instant, timeout: Option<Duration>) -> CallResult {
        let mut waited = false;
        let deadline = timeout.map(|timeout| due + timeout);
        let response = self.call_until(call, deadline, &mut waited);
        let outcome = match deadline {
            None => response.await,
            Some(deadline) => match timeout_at(deadline, response).await {
                Ok(outcome) if Instant::now() <= deadline => outcome,
                _ => Outcome::TimedOut,
            },
        };
        CallResult { outcome, waited }
    }

    async fn call_until(&self, call: &Call, deadline: Option<Instant>, waited: &mut bool) -> Outcome {
        *waited = self.permits.available_permits() == 0;
        let _permit = self.permits.acquire().await.expect("the semaphore is not closed");
        let connection = InFlightGuard::new(self.free_connection());
        let outcome = connection.0.exchange(&self.authority, call, deadline).await;
        outcome.unwrap_or_else(|error| Outcome::TransportError(error.to_string()))
    }

    /// The next connection below the maximum, round robin.
    fn free_connection(&self) -> &Connection {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        (0..self.connections.len())
            .map(|offset| &self.connections[(first + offset) % self.connections.len()])
            .find(|connection| connection.in_flight.load(Ordering::Relaxed) < MAX_STREAMS)
            .expect("a permit guarantees a free stream")
    }
}

/// Counts a call as in flight on its connection until dropped.
struct InFlightGuard<'a>(&'a Connection);

impl<'a> InFlightGuard<'a> {
    fn new(connection: &'a Connection) -> Self {
        connection.in_flight.fetch_add(1, Ordering::Relaxed);
        Self(connection)
    }
}

impl Drop for InFlightGuard<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connection {
    async fn open(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server is reachable");
        stream.set_nodelay(true).expect("the option can be set");
        let (sender, connection) = h2::client::Builder::new()
            .initial_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .initial_max_send_streams(MAX_STREAMS)
            .handshake(stream)
            .await
            .expect("the server speaks HTTP/2");
        // Errors surface in the calls.
        tokio::spawn(connection);
        Self { sender, in_flight: AtomicUsize::new(0) }
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
        Ok(outcome(&trailers)
            .unwrap_or_else(|| Outcome::TransportError("response without a status".to_owned())))
    }
}

fn head(authority: &str, call: &Call, deadline: Option<Instant>) -> Request<()> {
    let uri = Uri::builder().scheme("http").authority(authority).path_and_query(call.path).build();
    let mut request = Request::new(());
    *request.method_mut() = Method::POST;
    *request.uri_mut() = uri.expect("the URI is valid");
    let headers = request.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
    if let Some(deadline) = deadline {
        let micros = deadline.saturating_duration_since(Instant::now()).as_micros();
        headers.insert("grpc-timeout", format!("{micros}u").parse().expect("the timeout is a valid header"));
    }
    request
}

/// The outcome for the status in the headers, if there is one.
fn outcome(headers: &HeaderMap) -> Option<Outcome> {
    if headers.get("grpc-status")? == "0" {
        return Some(Outcome::Succeeded);
    }
    let status = Status::from_header_map(headers)?;
    let details = status.get_details_error_info();
    let reason = details.and_then(|info| ErrorReason::from_str_name(&info.reason));
    Some(Outcome::Failed(status.code(), reason.unwrap_or_default()))
}
