//! What a well-behaved client cannot do: calls left half open, bodies that are wrong, frames written by hand,
//! a look at the frames that the server sends, and the server as a process with its output in view.

use std::{
    error::Error,
    future::Future,
    io::{self, BufRead, BufReader},
    net::TcpListener,
    pin::Pin,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use arbiter::wire::proto::{self, r#move};
use bytes::{Buf, BufMut, Bytes, BytesMut};
use h2::{
    SendStream,
    client::{ResponseFuture, SendRequest},
};
use http::HeaderMap;
use prost::Message;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf},
    net::TcpStream,
    task::JoinSet,
};
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// Longer than anything here takes, on a machine that is busy.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What every HTTP/2 connection begins with.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub mod frame_kind {
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PING: u8 = 6;
    pub const GOAWAY: u8 = 7;
}

/// Waits for something that must come.
pub async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("{what}: not in {PATIENCE:?}"))
}

/// Asks again and again until the answer is yes.
pub async fn eventually(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    soon(what, async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}

/// The state and the move of a request that is answered well.
pub fn turn() -> (Option<proto::State>, Option<proto::Move>) {
    let state = proto::State::notation("c4:7x6x4:4453");
    let mv = proto::Move { kind: Some(r#move::Kind::Notation("4".to_owned())) };
    (Some(state), Some(mv))
}

pub fn apply_move() -> proto::ApplyMoveRequest {
    let (state, r#move) = turn();
    proto::ApplyMoveRequest { state, r#move }
}

/// The dearest of calls with one of the smallest answers: a game of Queen and rooks of a thousand moves in which nothing
/// happens.
pub fn long_replay() -> proto::ReplayGameRequest {
    let state = proto::State::notation("qr:2rq/2rr/RR2/QR2:1");
    let round = ["b3-c3", "c2-b2", "c3-b3", "b2-c2"];
    let moves = round.map(|text| proto::Move { kind: Some(r#move::Kind::Notation(text.to_owned())) });
    proto::ReplayGameRequest { state: Some(state), moves: moves.into_iter().cycle().take(1000).collect() }
}

/// A message as gRPC frames it.
pub fn framed(message: &[u8]) -> Bytes {
    framed_with(0, message)
}

/// A message framed with this compression flag.
pub fn framed_with(flag: u8, message: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(5 + message.len());
    frame.put_u8(flag);
    frame.put_u32(u32::try_from(message.len()).expect("a message of a test is small"));
    frame.put_slice(message);
    frame.freeze()
}

/// A frame of HTTP/2.
pub fn http2_frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(9 + payload.len());
    frame.put_uint(payload.len() as u64, 3);
    frame.put_u8(kind);
    frame.put_u8(flags);
    frame.put_u32(stream);
    frame.put_slice(payload);
    frame
}

/// The code and the reason of a refusal, which must say that it is ours.
pub fn refusal(status: &Status) -> (Code, String) {
    let info = status.get_details_error_info().unwrap_or_else(|| panic!("no ErrorInfo in {status:?}"));
    assert_eq!(info.domain, "arbiter.v1", "the domain of {status:?}");
    (status.code(), info.reason)
}

/// An answer, whole.
#[derive(Debug)]
pub struct Reply {
    pub headers: HeaderMap,
    pub status: Status,
    pub messages: Vec<Bytes>,
}

impl Reply {
    pub fn is_ok(&self) -> bool {
        self.status.code() == Code::Ok
    }

    pub fn message<M: Message + Default>(&self) -> M {
        assert!(self.is_ok(), "refused: {:?}", self.status);
        M::decode(self.messages[0].clone()).expect("the answer is a message of its type")
    }
}

/// Reads an answer to its end.
pub async fn read(answer: ResponseFuture) -> Result<Reply, h2::Error> {
    let (head, mut body) = answer.await?.into_parts();
    let mut data = BytesMut::new();
    while let Some(chunk) = body.data().await {
        let chunk = chunk?;
        data.extend_from_slice(&chunk);
        body.flow_control().release_capacity(chunk.len())?;
    }
    let trailers = body.trailers().await?.unwrap_or_default();
    let status = status_in(&trailers).or_else(|| status_in(&head.headers)).expect("an answer has a status");
    Ok(Reply { headers: head.headers, status, messages: unframed(data.freeze()) })
}

fn status_in(headers: &HeaderMap) -> Option<Status> {
    Status::from_header_map(headers)
}

fn unframed(mut data: Bytes) -> Vec<Bytes> {
    let mut messages = Vec::new();
    while data.has_remaining() {
        assert_eq!(data.get_u8(), 0, "an answer is not compressed unless asked");
        let length = data.get_u32() as usize;
        messages.push(data.split_to(length));
    }
    messages
}

/// A call whose headers are sent and whose body is still to come.
pub struct OpenCall {
    pub body: SendStream<Bytes>,
    pub answer: ResponseFuture,
}

impl OpenCall {
    /// Sends the rest and waits for the answer.
    pub async fn finish(mut self, body: Bytes) -> Result<Reply, h2::Error> {
        self.body.send_data(body, true)?;
        read(self.answer).await
    }

    /// Sends nothing more and waits for the answer, with the call still open.
    pub async fn reply(self) -> Reply {
        let Self { body, answer } = self;
        let reply = soon("an answer", read(answer)).await.expect("the connection holds");
        drop(body);
        reply
    }
}

/// However small the frames are that a server sends: many answers that share one window come in shreds, and h2 would take a
/// caller who is slow to gather them for the victim of an attack.
fn builder() -> h2::client::Builder {
    let mut builder = h2::client::Builder::new();
    builder.data_frame_budget(usize::MAX);
    builder
}

/// One HTTP/2 connection.
pub struct Client {
    sender: SendRequest<Bytes>,
    pub seen: Arc<Mutex<Seen>>,
    /// Lives as long as the connection.
    pub driver: tokio::task::JoinHandle<Result<(), h2::Error>>,
}

impl Client {
    pub async fn connect(address: &str) -> Self {
        soon("a connection", Self::try_connect(address)).await.expect("the server can be reached")
    }

    pub async fn try_connect(address: &str) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self::over(stream).await?)
    }

    /// Connects with so much room for answers, in bytes.
    pub async fn connect_with_window(address: &str, window: u32) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server can be reached");
        let mut builder = builder();
        builder.initial_window_size(window).initial_connection_window_size(window);
        Self::built(&builder, stream).await.expect("the server speaks HTTP/2")
    }

    /// Speaks over a connection that is open.
    pub async fn over<S>(stream: S) -> Result<Self, h2::Error>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        Self::built(&builder(), stream).await
    }

    async fn built<S>(builder: &h2::client::Builder, stream: S) -> Result<Self, h2::Error>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let seen = Arc::<Mutex<Seen>>::default();
        let tap = Tap { stream, seen: seen.clone() };
        let (sender, connection) = builder.handshake(tap).await?;
        Ok(Self { sender, seen, driver: tokio::spawn(connection) })
    }

    /// How many calls the server takes at once on this connection. Known once it has answered something.
    pub fn max_streams(&self) -> usize {
        self.sender.current_max_send_streams()
    }

    /// Sends the headers of a call of the referee, or of any path, and nothing else.
    pub async fn open(&self, call: &str, headers: &[(&str, &str)]) -> Result<OpenCall, h2::Error> {
        let path =
            if call.starts_with('/') { call.to_owned() } else { format!("/arbiter.v1.RulesService/{call}") };
        let mut request = http::Request::post(format!("http://localhost{path}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut sender = self.sender.clone().ready().await?;
        let (answer, body) = sender.send_request(request.body(()).expect("the request is one"), false)?;
        Ok(OpenCall { body, answer })
    }

    /// Makes a call with this body, framing and all.
    pub async fn send(&self, call: &str, headers: &[(&str, &str)], body: Bytes) -> Reply {
        let call = async { self.open(call, headers).await?.finish(body).await };
        soon("an answer", call).await.expect("the connection holds")
    }

    pub async fn call(&self, call: &str, request: &impl Message) -> Reply {
        self.send(call, &[], framed(&request.encode_to_vec())).await
    }

    pub async fn assert_answers(&self) {
        let reply = self.call("ApplyMove", &apply_move()).await;
        assert!(reply.is_ok(), "a good call is refused: {:?}", reply.status);
    }

    fn go_away(&self) -> Option<GoAway> {
        self.seen.lock().expect("nobody panics here").go_aways.last().copied()
    }
}

/// What became of the calls of one connection.
#[derive(Debug, Default)]
pub struct Tally {
    pub answered: usize,
    /// Calls that the server declared not to have taken, and that may be made again elsewhere.
    pub turned_away: usize,
}

/// Makes calls on one connection, several at a time, until the server asks to go; then holds it to its word:
/// every call up to the last stream that it claims to have taken must have been answered well.
///
/// Nothing when the server never took the connection.
pub async fn call_until_sent_away(address: &str) -> Option<Tally> {
    const AT_A_TIME: usize = 8;
    let client = Arc::new(Client::try_connect(address).await.ok()?);
    let body = framed(&apply_move().encode_to_vec());
    let mut callers = JoinSet::new();
    for _ in 0..AT_A_TIME {
        let (client, body) = (client.clone(), body.clone());
        callers.spawn(async move {
            let mut calls = Vec::new();
            while client.go_away().is_none() {
                let Ok(call) = client.open("ApplyMove", &[]).await else { break };
                let id = call.answer.stream_id().as_u32();
                calls.push((id, call.finish(body.clone()).await));
            }
            calls
        });
    }
    let calls = soon("the server lets every caller go", callers.join_all()).await;
    let Some(GoAway { last: last_taken, .. }) = client.go_away() else {
        assert_eq!(client.seen.lock().expect("nobody panics here").frames, 0, "cut off without a GOAWAY");
        return None;
    };
    let mut tally = Tally::default();
    for (id, reply) in calls.into_iter().flatten() {
        match reply {
            Ok(reply) if reply.is_ok() => tally.answered += 1,
            Err(_) if id > last_taken => tally.turned_away += 1,
            lost => panic!("call {id} was taken (up to {last_taken}) and lost: {lost:?}"),
        }
    }
    Some(tally)
}

/// What the server has sent.
#[derive(Debug, Default)]
pub struct Seen {
    unparsed: BytesMut,
    pub frames: usize,
    pub pings: usize,
    pub go_aways: Vec<GoAway>,
}

/// The server asks its peer to go.
#[derive(Clone, Copy, Debug)]
pub struct GoAway {
    /// The last stream that it has taken.
    pub last: u32,
    pub code: u32,
}

impl Seen {
    pub fn read(&mut self, data: &[u8]) {
        self.unparsed.extend_from_slice(data);
        while let Some(mut header) = self.unparsed.get(..9) {
            let length = header.get_uint(3) as usize;
            let kind = header.get_u8();
            if self.unparsed.len() < 9 + length {
                return;
            }
            let mut frame = self.unparsed.split_to(9 + length);
            self.frames += 1;
            frame.advance(9);
            match kind {
                frame_kind::PING => self.pings += 1,
                frame_kind::GOAWAY => {
                    self.go_aways.push(GoAway { last: frame.get_u32() & 0x7fff_ffff, code: frame.get_u32() });
                }
                _ => {}
            }
        }
    }
}

/// A socket that notes what is read from it.
struct Tap<S> {
    stream: S,
    seen: Arc<Mutex<Seen>>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Tap<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.seen.lock().expect("nobody panics here").read(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Tap<S> {
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

/// The binary, not yet run, with nothing of the environment that would configure it.
pub fn arbiter() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arbiter"));
    let configures = |name: &str| name.starts_with("ARBITER_") || name.starts_with("OTEL_");
    for (name, _) in std::env::vars().filter(|(name, _)| configures(name)) {
        command.env_remove(name);
    }
    command
}

/// An address that nobody listens on, with a port below the ephemeral ones: there a client may come to connect to
/// itself.
pub fn free_address() -> String {
    static TRIED: AtomicU32 = AtomicU32::new(0);
    std::iter::repeat_with(|| {
        20_000 + (std::process::id() * 37 + TRIED.fetch_add(1, Ordering::Relaxed)) % 12_000
    })
    .take(1000)
    .map(|port| format!("127.0.0.1:{port}"))
    .find(|address| TcpListener::bind(address).is_ok())
    .expect("a port is free")
}

/// The binary, not yet run, with an address to listen on that nobody takes after the server has gone.
pub fn on_low_port() -> Command {
    let mut command = arbiter();
    command.args(["--listen", &free_address(), "--admin-listen", "127.0.0.1:0"]);
    command
}

/// A running server and what it printed. It is killed when it is dropped.
pub struct Process {
    child: Child,
    pub banner: String,
    pub address: String,
    pub admin_address: String,
}

impl Process {
    /// Runs a command and reads its banner.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("standard output is piped")).lines();
        let mut banner = String::new();
        while let Some(Ok(line)) = lines.next() {
            banner += &line;
            banner.push('\n');
            if line.contains("grpcurl") {
                break;
            }
        }
        let told = |label: &str| {
            let line = banner.lines().find_map(|line| line.trim().strip_prefix(label));
            let address = line.and_then(|line| line.split_whitespace().next());
            address.unwrap_or_else(|| panic!("no {label} address in {banner:?}")).to_owned()
        };
        let (address, admin) = (told("gRPC"), told("admin"));
        let admin_address = admin.trim_start_matches("http://").to_owned();
        Self { child, banner, address, admin_address }
    }

    /// Starts a server on a port that [`on_low_port`] chooses.
    pub fn start_on_low_port(flags: &[&str]) -> Self {
        Self::start(on_low_port().args(flags))
    }

    pub fn terminate(&self) {
        let pid = self.child.id().to_string();
        let status = Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs");
        assert!(status.success(), "the server can be signalled");
    }

    /// Waits until the process has ended.
    pub async fn wait(&mut self, within: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + within;
        loop {
            match self.child.try_wait().expect("the process can be waited for") {
                None if Instant::now() < end => tokio::time::sleep(Duration::from_millis(10)).await,
                status => return status,
            }
        }
    }

    /// Everything that it counts.
    pub async fn metrics(&self) -> String {
        let mut stream =
            TcpStream::connect(&self.admin_address).await.expect("the admin port can be reached");
        let request = b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await.expect("it can be asked");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("it answers");
        answer
    }

    /// One of the numbers that it counts, which must have no labels.
    pub async fn metric(&self, name: &str) -> u64 {
        let answer = self.metrics().await;
        let told = answer.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
        told.unwrap_or_else(|| panic!("no {name} in {answer}"))
    }

    /// Waits until so many calls are under way.
    pub async fn has_under_way(&self, calls: u64) {
        eventually("the calls are under way", async || self.metric("arbiter_calls_in_flight").await == calls)
            .await;
    }

    /// What it writes to standard error, which must be piped.
    pub fn log(&mut self) -> Log {
        let errors = self.child.stderr.take().expect("standard error is piped");
        let (lines, ended) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicBool>::default());
        let log = Log { lines: lines.clone(), ended: ended.clone() };
        // Read all along: a pipe that is full would hold the server up.
        std::thread::spawn(move || {
            for line in BufReader::new(errors).lines() {
                lines.lock().expect("nobody panics here").push(line.expect("it is text"));
            }
            ended.store(true, Ordering::Release);
        });
        log
    }

    /// Everything that it writes to standard error, which must be piped, once it has ended.
    pub fn errors(&mut self) -> impl FnOnce() -> String + use<> {
        let mut errors = self.child.stderr.take().expect("standard error is piped");
        // Read all along: a pipe that is full would hold the server up.
        let reader = std::thread::spawn(move || io::read_to_string(&mut errors).expect("it is text"));
        || reader.join().expect("it is read")
    }
}

/// A log in JSON, as far as it has been written.
pub struct Log {
    lines: Arc<Mutex<Vec<String>>>,
    ended: Arc<AtomicBool>,
}

impl Log {
    pub fn lines(&self) -> Vec<serde_json::Value> {
        let lines = self.lines.lock().expect("nobody panics here");
        let read = |line: &String| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        lines.iter().map(read).collect()
    }

    /// The lines of a level.
    pub fn at(&self, level: &str) -> Vec<serde_json::Value> {
        self.lines().into_iter().filter(|line| line["level"] == level).collect()
    }

    /// The lines of calls.
    pub fn calls(&self) -> Vec<serde_json::Value> {
        self.lines().into_iter().filter(|line| line["method"].is_string()).collect()
    }

    /// Waits until whoever writes it has ended.
    pub async fn end(&self) {
        eventually("the log ends", async || self.ended.load(Ordering::Acquire)).await;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answer to a batch, with its answers read.
#[derive(Clone, PartialEq, Message)]
pub struct BatchAnswer {
    #[prost(message, repeated, tag = "1")]
    pub answers: Vec<proto::Answer>,
}
