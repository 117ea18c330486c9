//! How the server ends: it says so first, takes nothing new, loses nothing that it has taken, and is gone in time.

use std::{process::ExitStatus, time::Duration};

use arbiter::wire::proto;
use bytes::Bytes;
use prost::Message;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    task::JoinSet,
    time::Instant,
};
use tonic::{Code, transport::Channel};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

use crate::support::raw::{
    Client, PATIENCE, PREFACE, Process, apply_move, call_until_sent_away, eventually, framed, refusal, soon,
};

/// Long enough for whatever must happen in it, on a busy machine; the tests that use it do not wait for its end.
const LONG: &str = "60s";

/// Starts a server and waits until it is ready.
async fn start(flags: &[&str]) -> Process {
    let server = Process::start_on_low_port(&[&["--log", "off"], flags].concat());
    assert_eq!(ready(&server).await, "200");
    server
}

fn good_body() -> Bytes {
    framed(&apply_move().encode_to_vec())
}

async fn health(server: &Process) -> HealthClient<Channel> {
    let endpoint = Channel::from_shared(format!("http://{}", server.address)).expect("the address is one");
    HealthClient::new(endpoint.connect().await.expect("the server can be reached"))
}

async fn ready(server: &Process) -> String {
    let mut stream = TcpStream::connect(&server.admin_address).await.expect("the admin port can be reached");
    let request = b"GET /ready HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.expect("it can be asked");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("it answers");
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

async fn listener_is_closed(server: &Process) -> bool {
    TcpStream::connect(&server.address).await.is_err()
}

async fn assert_ends_well(server: &mut Process) {
    let ended = server.wait(PATIENCE).await;
    assert!(ended.as_ref().is_some_and(ExitStatus::success), "the server ends well: {ended:?}");
}

#[tokio::test]
async fn whoever_has_seen_its_banner_can_end_it_well() {
    // Several times, since it would only sometimes be too early.
    for _ in 0..10 {
        let mut server = Process::start_on_low_port(&["--log", "off", "--drain-delay", "0s"]);
        server.terminate();
        assert_ends_well(&mut server).await;
    }
}

#[tokio::test]
async fn a_server_without_clients_ends_at_once() {
    let mut server = start(&["--drain-delay", "0s", "--drain-timeout", LONG]).await;
    server.terminate();
    assert_ends_well(&mut server).await;
}

#[tokio::test]
async fn it_says_that_it_is_going_while_it_still_answers() {
    let server = start(&["--drain-delay", LONG]).await;
    let mut health = health(&server).await;
    let client = Client::connect(&server.address).await;
    client.assert_answers().await;
    server.terminate();

    eventually("/ready says no", async || ready(&server).await == "503").await;
    for service in ["", "arbiter.v1.RulesService"] {
        eventually("health says NOT_SERVING", async || {
            let answer = health.check(HealthCheckRequest { service: service.to_owned() }).await;
            answer.expect("it is known").into_inner().status() == ServingStatus::NotServing
        })
        .await;
    }
    client.assert_answers().await;
    Client::connect(&server.address).await.assert_answers().await;
}

#[tokio::test]
async fn who_watches_its_health_is_told() {
    let server = start(&["--drain-delay", LONG]).await;
    let mut health = health(&server).await;
    let watch = health.watch(HealthCheckRequest { service: "arbiter.v1.RulesService".to_owned() }).await;
    let mut statuses = watch.expect("it can be watched").into_inner();
    let mut next = async || {
        let status = soon("a status", statuses.message()).await.expect("the stream holds");
        status.expect("there is one").status()
    };
    assert_eq!(next().await, ServingStatus::Serving);
    server.terminate();
    assert_eq!(next().await, ServingStatus::NotServing);
}

#[tokio::test]
async fn calls_under_way_finish_after_the_listener_has_closed() {
    let mut server = start(&["--drain-delay", "0s", "--drain-timeout", LONG, "--call-timeout", LONG]).await;
    let client = Client::connect(&server.address).await;
    client.assert_answers().await;
    let call = client.open("ApplyMove", &[]).await.expect("the connection holds");
    server.has_under_way(1).await;
    server.terminate();
    eventually("the listener closes", async || listener_is_closed(&server).await).await;
    let reply = soon("the answer", call.finish(good_body())).await.expect("the connection holds");
    assert!(reply.is_ok(), "{:?}", reply.status);
    assert_ends_well(&mut server).await;
}

#[tokio::test]
async fn calls_under_way_have_the_drain_timeout_however_old_a_connection_may_grow() {
    let mut server = start(&[
        "--drain-delay",
        "0s",
        "--drain-timeout",
        LONG,
        "--call-timeout",
        LONG,
        "--max-connection-age-grace",
        "100ms",
    ])
    .await;
    let client = Client::connect(&server.address).await;
    let call = client.open("ApplyMove", &[]).await.expect("the connection holds");
    server.has_under_way(1).await;
    server.terminate();
    eventually("the listener closes", async || listener_is_closed(&server).await).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let reply = soon("the answer", call.finish(good_body())).await.expect("the connection holds");
    assert!(reply.is_ok(), "{:?}", reply.status);
    assert_ends_well(&mut server).await;
}

#[tokio::test]
async fn a_long_answer_is_sent_to_its_end_even_to_a_slow_reader() {
    let server = start(&["--drain-delay", "0s", "--drain-timeout", LONG]).await;
    let client = Client::connect(&server.address).await;
    // Far more than the reader lets the server send before it reads.
    let kind = Some(proto::call::Kind::ListGames(proto::ListGamesRequest::default()));
    let batch = proto::EvaluateBatchRequest::from_iter(vec![proto::Call { kind }; 1000]);
    let mut call = client.open("EvaluateBatch", &[]).await.expect("the connection holds");
    call.body.send_data(framed(&batch.encode_to_vec()), true).expect("it can be sent");
    let (_, mut body) = soon("the answer begins", call.answer).await.expect("it begins").into_parts();
    server.terminate();
    eventually("the listener closes", async || listener_is_closed(&server).await).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    while let Some(chunk) = soon("more of the answer", body.data()).await {
        let length = chunk.expect("the answer is not cut off").len();
        body.flow_control().release_capacity(length).expect("the stream is open");
    }
    let trailers = soon("the end", body.trailers()).await.expect("the answer ends");
    let status = trailers.and_then(|trailers| tonic::Status::from_header_map(&trailers));
    assert_eq!(status.map(|status| status.code()), Some(Code::Ok));
}

#[tokio::test]
async fn a_stream_that_stays_open_is_ended_when_the_time_is_over() {
    let mut server = start(&["--drain-delay", "0s", "--drain-timeout", "300ms"]).await;
    let client = Client::connect(&server.address).await;
    let stream = client.open("Evaluate", &[]).await.expect("the connection holds");
    server.has_under_way(1).await;
    server.terminate();
    let expected = (Code::Unavailable, "ERROR_REASON_SHUTTING_DOWN".to_owned());
    assert_eq!(refusal(&stream.reply().await.status), expected);
    assert_ends_well(&mut server).await;
}

#[tokio::test]
async fn a_stream_is_answered_until_the_time_is_over() {
    let server = start(&["--drain-delay", "0s", "--drain-timeout", LONG]).await;
    let client = Client::connect(&server.address).await;
    let stream = client.open("Evaluate", &[]).await.expect("the connection holds");
    server.has_under_way(1).await;
    server.terminate();
    eventually("the listener closes", async || listener_is_closed(&server).await).await;
    let kind = Some(proto::call::Kind::ApplyMove(apply_move()));
    let call = proto::EvaluateRequest { call: Some(proto::Call { kind }) };
    let reply = soon("the answer", stream.finish(framed(&call.encode_to_vec()))).await;
    let reply = reply.expect("the connection holds");
    assert_eq!((reply.status.code(), reply.messages.len()), (Code::Ok, 1));
}

#[tokio::test]
async fn nobody_can_keep_it_from_ending() {
    let mut server =
        start(&["--drain-delay", "0s", "--drain-timeout", "500ms", "--call-timeout", LONG]).await;
    let mut silent = TcpStream::connect(&server.address).await.expect("the server can be reached");
    silent.write_all(&PREFACE[..10]).await.expect("it can be sent");
    let client = Client::connect(&server.address).await;
    client.assert_answers().await;
    let _half_open = client.open("ApplyMove", &[]).await.expect("the connection holds");
    let mut health = health(&server).await;
    let _watch = health.watch(HealthCheckRequest::default()).await.expect("it can be watched");
    server.terminate();
    assert_ends_well(&mut server).await;
}

#[tokio::test]
async fn idle_clients_do_not_keep_it_for_the_whole_drain_timeout() {
    let mut server = start(&["--drain-delay", "0s", "--drain-timeout", LONG]).await;
    let mut silent = TcpStream::connect(&server.address).await.expect("the server can be reached");
    silent.write_all(&PREFACE[..10]).await.expect("it can be sent");
    let mut health = health(&server).await;
    let _watch = health.watch(HealthCheckRequest::default()).await.expect("it can be watched");
    server.terminate();
    assert_ends_well(&mut server).await;
}

#[tokio::test]
async fn a_second_signal_ends_it_at_once() {
    let mut server = start(&["--drain-delay", LONG]).await;
    server.terminate();
    eventually("it is going", async || ready(&server).await == "503").await;
    server.terminate();
    assert!(server.wait(PATIENCE / 4).await.is_some(), "it still waits for the drain delay");
}

/// Connects and leaves, over and over, until nobody answers any more or the time is over.
async fn connect_over_and_over(address: std::net::SocketAddr, end: Instant) {
    while Instant::now() < end {
        let socket = TcpSocket::new_v4().expect("a socket");
        // Leaves no port behind that would have to wait.
        socket.set_zero_linger().expect("it can be set");
        if socket.connect(address).await.is_err() {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clients_that_come_back_at_once_do_not_keep_it_from_ending() {
    let mut server = start(&["--drain-delay", "0s", "--drain-timeout", "500ms"]).await;
    let address = server.address.parse().expect("it is an address");
    let end = Instant::now() + Duration::from_secs(8);
    let mut comers = JoinSet::new();
    for _ in 0..16 {
        comers.spawn(connect_over_and_over(address, end));
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.terminate();
    let ended = server.wait(Duration::from_secs(6)).await;
    comers.shutdown().await;
    assert!(ended.as_ref().is_some_and(ExitStatus::success), "the server ends in time: {ended:?}");
}

/// Ends a server while clients on several connections make calls, and comes back with those who are sent away.
async fn end_under_load() {
    const CONNECTIONS: usize = 6;
    let mut server = start(&["--drain-delay", "100ms", "--drain-timeout", "10s"]).await;
    let mut clients = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let address = server.address.clone();
        clients.spawn(async move {
            let mut answered = 0;
            // Each comes back once after it was sent away, as a client that retries does.
            for _ in 0..2 {
                answered += call_until_sent_away(&address).await.map_or(0, |tally| tally.answered);
            }
            answered
        });
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    server.terminate();
    let answered: usize = soon("all clients are let go", clients.join_all()).await.into_iter().sum();
    assert!(answered > CONNECTIONS, "there was hardly any load: {answered} calls");
    assert_ends_well(&mut server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_call_that_it_has_taken_is_lost() {
    for _ in 0..4 {
        end_under_load().await;
    }
}
