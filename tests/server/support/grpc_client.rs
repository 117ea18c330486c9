//! A gRPC client over a raw HTTP/2 connection. It can leave calls half open, send malformed bodies and record the
//! frames that the server sends.

use std::{
    error::Error,
    io,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, ready},
};

use bytes::{Buf, Bytes, BytesMut};
use h2::{
    SendStream,
    client::{ResponseFuture, SendRequest},
};
use http::HeaderMap;
use prost::Message;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    task::JoinSet,
};
use tonic::{Code, Status};
use tonic_types::StatusExt;

use super::{
    http2_frames::{GoAway, ReceivedFrames},
    requests::{apply_move, framed},
    wait::with_timeout,
};

/// The code and the reason of an error status of the service.
pub fn code_and_reason(status: &Status) -> (Code, String) {
    let info = status.get_details_error_info().unwrap_or_else(|| panic!("no ErrorInfo in {status:?}"));
    assert_eq!(info.domain, "arbiter.v1", "domain of {status:?}");
    (status.code(), info.reason)
}

/// A complete response.
#[derive(Debug)]
pub struct GrpcResponse {
    pub headers: HeaderMap,
    pub status: Status,
    pub messages: Vec<Bytes>,
}

impl GrpcResponse {
    pub fn is_ok(&self) -> bool {
        self.status.code() == Code::Ok
    }

    pub fn message<M: Message + Default>(&self) -> M {
        assert!(self.is_ok(), "the call failed: {:?}", self.status);
        M::decode(self.messages[0].clone()).expect("the response decodes")
    }
}

/// Reads a response to its end.
pub async fn read(response: ResponseFuture) -> Result<GrpcResponse, h2::Error> {
    let (head, mut body) = response.await?.into_parts();
    let mut data = BytesMut::new();
    while let Some(chunk) = body.data().await {
        let chunk = chunk?;
        data.extend_from_slice(&chunk);
        body.flow_control().release_capacity(chunk.len())?;
    }
    let trailers = body.trailers().await?.unwrap_or_default();
    let status = status_in(&trailers).or_else(|| status_in(&head.headers)).expect("a response has a status");
    Ok(GrpcResponse { headers: head.headers, status, messages: split_messages(data.freeze()) })
}

fn status_in(headers: &HeaderMap) -> Option<Status> {
    Status::from_header_map(headers)
}

fn split_messages(mut data: Bytes) -> Vec<Bytes> {
    let mut messages = Vec::new();
    while data.has_remaining() {
        assert_eq!(data.get_u8(), 0, "a response is not compressed unless requested");
        let length = data.get_u32() as usize;
        messages.push(data.split_to(length));
    }
    messages
}

/// A call whose headers are sent, with an open request body.
pub struct OpenCall {
    pub body: SendStream<Bytes>,
    pub response: ResponseFuture,
}

impl OpenCall {
    /// Sends the body and waits for the response.
    pub async fn finish(mut self, body: Bytes) -> Result<GrpcResponse, h2::Error> {
        self.body.send_data(body, true)?;
        read(self.response).await
    }

    /// Waits for the response with the request body still open.
    pub async fn response(self) -> GrpcResponse {
        let Self { body, response } = self;
        let response = with_timeout("a response", read(response)).await.expect("the connection stays open");
        drop(body);
        response
    }
}

/// Accepts any number of small DATA frames. Many responses that share one flow-control window arrive in small pieces,
/// which h2 would otherwise treat as an attack.
fn builder() -> h2::client::Builder {
    let mut builder = h2::client::Builder::new();
    builder.data_frame_budget(usize::MAX);
    builder
}

/// One HTTP/2 connection.
pub struct GrpcClient {
    sender: SendRequest<Bytes>,
    pub received: Arc<Mutex<ReceivedFrames>>,
    /// Ends with the connection.
    pub driver: tokio::task::JoinHandle<Result<(), h2::Error>>,
}

impl GrpcClient {
    pub async fn connect(address: &str) -> Self {
        with_timeout("connect", Self::try_connect(address)).await.expect("the server is reachable")
    }

    pub async fn try_connect(address: &str) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self::over(stream).await?)
    }

    /// Connects with this flow-control window for responses, in bytes.
    pub async fn connect_with_window(address: &str, window: u32) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server is reachable");
        let mut builder = builder();
        builder.initial_window_size(window).initial_connection_window_size(window);
        Self::handshake(&builder, stream).await.expect("the server speaks HTTP/2")
    }

    /// Uses an open connection.
    pub async fn over<S>(stream: S) -> Result<Self, h2::Error>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        Self::handshake(&builder(), stream).await
    }

    async fn handshake<S>(builder: &h2::client::Builder, stream: S) -> Result<Self, h2::Error>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let received = Arc::<Mutex<ReceivedFrames>>::default();
        let stream = RecordingStream { stream, received: received.clone() };
        let (sender, connection) = builder.handshake(stream).await?;
        Ok(Self { sender, received, driver: tokio::spawn(connection) })
    }

    /// The maximum number of concurrent streams that the server has announced. Known after the first response.
    pub fn max_streams(&self) -> usize {
        self.sender.current_max_send_streams()
    }

    /// Sends only the headers of a call, to a method of `RulesService` or to a path.
    pub async fn open(&self, method: &str, headers: &[(&str, &str)]) -> Result<OpenCall, h2::Error> {
        let path = if method.starts_with('/') {
            method.to_owned()
        } else {
            format!("/arbiter.v1.RulesService/{method}")
        };
        let mut request = http::Request::post(format!("http://localhost{path}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut sender = self.sender.clone().ready().await?;
        let (response, body) = sender.send_request(request.body(()).expect("the request is valid"), false)?;
        Ok(OpenCall { body, response })
    }

    /// Makes a call with this body, which includes the gRPC framing.
    pub async fn send(&self, method: &str, headers: &[(&str, &str)], body: Bytes) -> GrpcResponse {
        let call = async { self.open(method, headers).await?.finish(body).await };
        with_timeout("a response", call).await.expect("the connection stays open")
    }

    pub async fn call(&self, method: &str, request: &impl Message) -> GrpcResponse {
        self.send(method, &[], framed(&request.encode_to_vec())).await
    }

    pub async fn assert_call_succeeds(&self) {
        let response = self.call("ApplyMove", &apply_move()).await;
        assert!(response.is_ok(), "a valid call failed: {:?}", response.status);
    }

    fn go_away(&self) -> Option<GoAway> {
        self.received.lock().expect("the lock is not poisoned").go_aways.last().copied()
    }
}

/// The results of the calls on one connection.
#[derive(Debug, Default)]
pub struct CallCounts {
    pub succeeded: usize,
    /// Calls above the last stream id of the GOAWAY: the server has not processed them, so a client may retry them.
    pub unprocessed: usize,
}

/// Makes concurrent calls on one connection until the server sends GOAWAY. Every call up to the last stream id of the
/// GOAWAY must have succeeded.
///
/// `None` if the server did not accept the connection.
pub async fn call_until_goaway(address: &str) -> Option<CallCounts> {
    const CONCURRENT_CALLS: usize = 8;
    let client = Arc::new(GrpcClient::try_connect(address).await.ok()?);
    let body = framed(&apply_move().encode_to_vec());
    let mut callers = JoinSet::new();
    for _ in 0..CONCURRENT_CALLS {
        let (client, body) = (client.clone(), body.clone());
        callers.spawn(async move {
            let mut calls = Vec::new();
            while client.go_away().is_none() {
                let Ok(call) = client.open("ApplyMove", &[]).await else { break };
                let id = call.response.stream_id().as_u32();
                calls.push((id, call.finish(body.clone()).await));
            }
            calls
        });
    }
    let calls = with_timeout("the server sends GOAWAY", callers.join_all()).await;
    let Some(GoAway { last_stream_id, .. }) = client.go_away() else {
        assert_eq!(
            client.received.lock().expect("the lock is not poisoned").frames,
            0,
            "closed without a GOAWAY"
        );
        return None;
    };
    let mut counts = CallCounts::default();
    for (id, response) in calls.into_iter().flatten() {
        match response {
            Ok(response) if response.is_ok() => counts.succeeded += 1,
            Err(_) if id > last_stream_id => counts.unprocessed += 1,
            lost => panic!("call {id} was accepted (up to {last_stream_id}) and lost: {lost:?}"),
        }
    }
    Some(counts)
}

/// A stream that records the frames read from it.
struct RecordingStream<S> {
    stream: S,
    received: Arc<Mutex<ReceivedFrames>>,
}

impl<S: AsyncRead + Unpin> AsyncRead for RecordingStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.received.lock().expect("the lock is not poisoned").parse(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for RecordingStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, data)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
