//! Graceful shutdown: health reports it first, the listener closes, calls in flight finish, the process exits in time.

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

use crate::support::{
    grpc_client::{GrpcClient, call_until_goaway, code_and_reason},
    http2_frames::PREFACE,
    process::{Process, arbiter_in_shell, free_address},
    requests::{apply_move, framed},
    wait::{TIMEOUT, eventually, with_timeout},
};

/// A timeout that never expires during a test.
const LONG_TIMEOUT: &str = "60s";

/// Starts a server and waits until it is ready.
async fn start(flags: &[&str]) -> Process {
    let server = Process::start_on_fixed_port(&[&["--log", "off"], flags].concat());
    assert_eq!(readiness_status(&server).await, "200");
    server
}

fn valid_body() -> Bytes {
    framed(&apply_move().encode_to_vec())
}

async fn health(server: &Process) -> HealthClient<Channel> {
    let endpoint = Channel::from_shared(format!("http://{}", server.address)).expect("the address is valid");
    HealthClient::new(endpoint.connect().await.expect("the server is reachable"))
}

async fn readiness_status(server: &Process) -> String {
    let mut stream = TcpStream::connect(&server.admin_address).await.expect("the admin port is reachable");
    let request = b"GET /ready HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.expect("the request is sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).await.expect("the response is text");
    response.split(' ').nth(1).unwrap_or_default().to_owned()
}

async fn listener_is_closed(server: &Process) -> bool {
    TcpStream::connect(&server.address).await.is_err()
}

async fn assert_exits_successfully(server: &mut Process) {
    let status = server.wait(TIMEOUT).await;
    assert!(status.as_ref().is_some_and(ExitStatus::success), "the server exits with 0: {status:?}");
}

#[tokio::test]
async fn a_signal_right_after_the_banner_shuts_down_gracefully() {
    // Repeated, since a race would not show every time.
    for _ in 0..10 {
        let mut server = Process::start_on_fixed_port(&["--log", "off", "--drain-delay", "0s"]);
        server.terminate();
        assert_exits_successfully(&mut server).await;
    }
}

#[tokio::test]
async fn a_server_without_clients_does_not_wait_for_the_drain_timeout() {
    let mut server = start(&["--drain-delay", "0s", "--drain-timeout", LONG_TIMEOUT]).await;
    server.terminate();
    assert_exits_successfully(&mut server).await;
}

#[tokio::test]
async fn during_the_drain_delay_health_is_not_serving_and_calls_still_succeed() {
    let server = start(&["--drain-delay", LONG_TIMEOUT]).await;
    let mut health = health(&server).await;
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    server.terminate();

    eventually("/ready returns 503", async || readiness_status(&server).await == "503").await;
    for service in ["", "arbiter.v1.RulesService"] {
        eventually("health is NOT_SERVING", async || {
            let response = health.check(HealthCheckRequest { service: service.to_owned() }).await;
            response.expect("the service is known").into_inner().status() == ServingStatus::NotServing
        })
        .await;
    }
    client.assert_call_succeeds().await;
    GrpcClient::connect(&server.address).await.assert_call_succeeds().await;
}

#[tokio::test]
async fn health_watchers_receive_not_serving() {
    let server = start(&["--drain-delay", LONG_TIMEOUT]).await;
    let mut health = health(&server).await;
    let watch = health.watch(HealthCheckRequest { service: "arbiter.v1.RulesService".to_owned() }).await;
    let mut statuses = watch.expect("health can be watched").into_inner();
    let mut next = async || {
        let status = with_timeout("a status", statuses.message()).await.expect("the stream stays open");
        status.expect("the stream has not ended").status()
    };
    assert_eq!(next().await, ServingStatus::Serving);
    server.terminate();
    assert_eq!(next().await, ServingStatus::NotServing);
}

#[tokio::test]
async fn calls_in_flight_finish_after_the_listener_has_closed() {
    let mut server =
        start(&["--drain-delay", "0s", "--drain-timeout", LONG_TIMEOUT, "--call-timeout", LONG_TIMEOUT])
            .await;
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    let call = client.open("ApplyMove", &[]).await.expect("the connection stays open");
    server.wait_for_in_flight(1).await;
    server.terminate();
    eventually("the listener closes", async || listener_is_closed(&server).await).await;
    let response =
        with_timeout("a response", call.finish(valid_body())).await.expect("the connection stays open");
    assert!(response.is_ok(), "{:?}", response.status);
    assert_exits_successfully(&mut server).await;
}

#[tokio::test]
async fn the_connection_age_grace_does_not_shorten_the_drain_timeout() {
    let mut server = start(&[
        "--drain-delay",
        "0s",
        "--drain-timeout",
        LONG_TIMEOUT,
        "--call-timeout",
        LONG_TIMEOUT,
        "--max-connection-age-grace",
        "100ms",
    ])
    .await;
    let client = GrpcClient::connect(&server.address).await;
    let call = client.open("ApplyMove", &[]).await.expect("the connection stays open");
    server.wait_for_in_flight(1).await;
    server.terminate();
    eventually("the listener closes", async || listener_is_closed(&server).await).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let response =
        with_timeout("a response", call.finish(valid_body())).await.expect("the connection stays open");
    assert!(response.is_ok(), "{:?}", response.status);
    assert_exits_successfully(&mut server).await;
}

#[tokio::test]
async fn a_large_response_is_sent_completely_to_a_slow_reader() {
    let server = start(&["--drain-delay", "0s", "--drain-timeout", LONG_TIMEOUT]).await;
    let client = GrpcClient::connect(&server.address).await;
    // Much larger than the flow-control window.
    let kind = Some(proto::call::Kind::ListGames(proto::ListGamesRequest::default()));
    let batch = proto::EvaluateBatchRequest::from_iter(vec![proto::Call { kind }; 1000]);
    let mut call = client.open("EvaluateBatch", &[]).await.expect("the connection stays open");
    call.body.send_data(framed(&batch.encode_to_vec()), true).expect("the data is sent");
    let (_, mut body) =
        with_timeout("response headers", call.response).await.expect("the call succeeds").into_parts();
    server.terminate();
    eventually("the listener closes", async || listener_is_closed(&server).await).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    while let Some(chunk) = with_timeout("response data", body.data()).await {
        let length = chunk.expect("the response is not truncated").len();
        body.flow_control().release_capacity(length).expect("the stream is open");
    }
    let trailers = with_timeout("trailers", body.trailers()).await.expect("the response ends");
    let status = trailers.and_then(|trailers| tonic::Status::from_header_map(&trailers));
    assert_eq!(status.map(|status| status.code()), Some(Code::Ok));
}

#[tokio::test]
async fn an_open_stream_is_ended_after_the_drain_timeout() {
    let mut server = start(&["--drain-delay", "0s", "--drain-timeout", "300ms"]).await;
    let client = GrpcClient::connect(&server.address).await;
    let stream = client.open("Evaluate", &[]).await.expect("the connection stays open");
    server.wait_for_in_flight(1).await;
    server.terminate();
    let expected = (Code::Unavailable, "ERROR_REASON_SHUTTING_DOWN".to_owned());
    assert_eq!(code_and_reason(&stream.response().await.status), expected);
    assert_exits_successfully(&mut server).await;
}

#[tokio::test]
async fn a_stream_is_served_until_the_drain_timeout() {
    let server = start(&["--drain-delay", "0s", "--drain-timeout", LONG_TIMEOUT]).await;
    let client = GrpcClient::connect(&server.address).await;
    let stream = client.open("Evaluate", &[]).await.expect("the connection stays open");
    server.wait_for_in_flight(1).await;
    server.terminate();
    eventually("the listener closes", async || listener_is_closed(&server).await).await;
    let kind = Some(proto::call::Kind::ApplyMove(apply_move()));
    let call = proto::EvaluateRequest { call: Some(proto::Call { kind }) };
    let response = with_timeout("a response", stream.finish(framed(&call.encode_to_vec()))).await;
    let response = response.expect("the connection stays open");
    assert_eq!((response.status.code(), response.messages.len()), (Code::Ok, 1));
}

#[tokio::test]
async fn open_connections_calls_and_watchers_cannot_block_shutdown() {
    let mut server =
        start(&["--drain-delay", "0s", "--drain-timeout", "500ms", "--call-timeout", LONG_TIMEOUT]).await;
    let mut idle = TcpStream::connect(&server.address).await.expect("the server is reachable");
    idle.write_all(&PREFACE[..10]).await.expect("the data is sent");
    let client = GrpcClient::connect(&server.address).await;
    client.assert_call_succeeds().await;
    let _unfinished = client.open("ApplyMove", &[]).await.expect("the connection stays open");
    let mut health = health(&server).await;
    let _watch = health.watch(HealthCheckRequest::default()).await.expect("health can be watched");
    server.terminate();
    assert_exits_successfully(&mut server).await;
}

#[tokio::test]
async fn idle_clients_do_not_delay_shutdown() {
    let mut server = start(&["--drain-delay", "0s", "--drain-timeout", LONG_TIMEOUT]).await;
    let mut idle = TcpStream::connect(&server.address).await.expect("the server is reachable");
    idle.write_all(&PREFACE[..10]).await.expect("the data is sent");
    let mut health = health(&server).await;
    let _watch = health.watch(HealthCheckRequest::default()).await.expect("health can be watched");
    server.terminate();
    assert_exits_successfully(&mut server).await;
}

#[tokio::test]
async fn every_signal_drains_and_a_second_one_exits_immediately() {
    for (signal, exit_code) in [("TERM", 143), ("INT", 130), ("HUP", 129)] {
        // The tests may run under `nohup`, and a shell cannot stop to ignore a signal that it ignored from the start.
        let mut command = arbiter_in_shell("exec env --default-signal=HUP \"$@\"");
        command.args(["--listen", &free_address(), "--admin-listen", "127.0.0.1:0", "--log", "off"]);
        let mut server = Process::start(command.args(["--drain-delay", LONG_TIMEOUT]));
        let client = GrpcClient::connect(&server.address).await;
        server.send_signal(signal);
        eventually("the server is draining", async || readiness_status(&server).await == "503").await;
        client.assert_call_succeeds().await;
        server.send_signal(signal);
        let status = server.wait(TIMEOUT / 4).await;
        assert_eq!(status.and_then(|status| status.code()), Some(exit_code), "{signal}");
    }
}

#[tokio::test]
async fn a_server_that_is_started_by_nohup_ignores_sighup() {
    let mut command = arbiter_in_shell("exec nohup \"$@\" 2>&-");
    command.args(["--listen", &free_address(), "--admin-listen", "127.0.0.1:0", "--drain-delay", "0s"]);
    let mut server = Process::start(&mut command);
    server.send_signal("HUP");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(readiness_status(&server).await, "200");
    server.terminate();
    assert_exits_successfully(&mut server).await;
}

/// Connects and disconnects repeatedly until the listener is closed or the time is over.
async fn connect_repeatedly(address: std::net::SocketAddr, end: Instant) {
    while Instant::now() < end {
        let socket = TcpSocket::new_v4().expect("a socket can be created");
        // Avoids ports in TIME_WAIT.
        socket.set_zero_linger().expect("the option can be set");
        if socket.connect(address).await.is_err() {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clients_that_reconnect_do_not_block_shutdown() {
    let mut server = start(&["--drain-delay", "0s", "--drain-timeout", "500ms"]).await;
    let address = server.address.parse().expect("the address is valid");
    let end = Instant::now() + Duration::from_secs(8);
    let mut clients = JoinSet::new();
    for _ in 0..16 {
        clients.spawn(connect_repeatedly(address, end));
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    server.terminate();
    let status = server.wait(Duration::from_secs(6)).await;
    clients.shutdown().await;
    assert!(status.as_ref().is_some_and(ExitStatus::success), "the server exits in time: {status:?}");
}

/// Shuts a server down while clients on several connections make calls and reconnect after GOAWAY.
async fn shut_down_under_load() {
    const CONNECTIONS: usize = 6;
    // No call is shed, however busy the machine is.
    let flags = ["--drain-delay", "100ms", "--drain-timeout", "10s", "--max-wait", "1m"];
    let mut server = start(&flags).await;
    let mut clients = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let address = server.address.clone();
        clients.spawn(async move {
            let mut succeeded = 0;
            // Each reconnects once after GOAWAY, like a client that retries.
            for _ in 0..2 {
                succeeded += call_until_goaway(&address).await.map_or(0, |counts| counts.succeeded);
            }
            succeeded
        });
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    server.terminate();
    let succeeded: usize =
        with_timeout("all connections are closed", clients.join_all()).await.into_iter().sum();
    assert!(succeeded > CONNECTIONS, "too little load: {succeeded} calls");
    assert_exits_successfully(&mut server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_accepted_call_is_lost_during_shutdown() {
    for _ in 0..4 {
        shut_down_under_load().await;
    }
}
