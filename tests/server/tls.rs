//! TLS: handshakes, client certificates, and reloading of certificates.

use std::{
    io,
    ops::Range,
    process::{ExitStatus, Stdio},
    sync::LazyLock,
    time::{Duration, SystemTime},
};

use arbiter::wire::proto::{self, rules_service_client::RulesServiceClient};
use http::Version;
use hyper_util::rt::TokioIo;
use prost::Message;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::client::TlsStream;
use tonic::transport::Endpoint;

use crate::support::{
    certificates::{ALPN_HTTP2, ALPN_HTTP11, CertificateAuthority, Identity, peer_certificate, tls_connect},
    grpc_client::GrpcClient,
    http_client::{HttpClient, JSON, STATE_AFTER_MOVE, VALID_MOVE, VERSIONS},
    http2_frames::PREFACE,
    process::{Log, Process, arbiter, arbiter_on_fixed_port},
    requests::{apply_move, framed},
    temp_dir::TempDir,
    wait::{TIMEOUT, eventually, with_timeout},
};

/// A timeout that never expires during a test.
const LONG_TIMEOUT: &str = "60s";

/// Longer than two polling intervals of the files.
const TWO_POLLS: Duration = Duration::from_millis(2500);

/// A server with TLS, and the CA that its clients trust.
struct TlsServer {
    process: Process,
    log: Log,
    dir: TempDir,
    authority: CertificateAuthority,
    /// The certificate at startup.
    identity: Identity,
}

impl TlsServer {
    fn start(flags: &[&str]) -> Self {
        Self::start_in(TempDir::new(), flags)
    }

    /// Starts a server with mutual TLS. Returns the CA of the clients, too.
    fn start_mutual() -> (Self, CertificateAuthority) {
        let (dir, clients) = (TempDir::new(), CertificateAuthority::new("client CA"));
        let file = dir.write("clients.pem", clients.pem());
        (Self::start_in(dir, &["--tls-client-ca", &file]), clients)
    }

    /// Starts a server with mutual TLS and these CRLs. Returns the CA of the clients, too.
    fn start_with_crls(crls: impl FnOnce(&CertificateAuthority) -> String) -> (Self, CertificateAuthority) {
        let (dir, clients) = (TempDir::new(), CertificateAuthority::new("client CA"));
        let authorities = dir.write("clients.pem", clients.pem());
        let crls = dir.write("crls.pem", crls(&clients));
        (Self::start_in(dir, &["--tls-client-ca", &authorities, "--tls-client-crl", &crls]), clients)
    }

    fn start_in(dir: TempDir, flags: &[&str]) -> Self {
        let authority = CertificateAuthority::new("server CA");
        let identity = authority.server();
        Self::start_as(identity, authority, dir, flags)
    }

    /// Starts a server with a certificate that is valid for these days from now.
    fn start_valid(days: Range<i64>) -> Self {
        let authority = CertificateAuthority::new("server CA");
        let identity = authority.server_valid(in_days(days.start), in_days(days.end));
        Self::start_as(identity, authority, TempDir::new(), &[])
    }

    fn start_as(identity: Identity, authority: CertificateAuthority, dir: TempDir, flags: &[&str]) -> Self {
        let certificate = dir.write("server.pem", identity.certificate_pem());
        let key = dir.write("server.key", identity.key_pem());
        let tls = ["--tls-cert", &certificate, "--tls-key", &key];
        // Few connections: the machine may limit the number of open files, about which the server would warn.
        let common = ["--log-format", "json", "--drain-delay", "0s", "--max-connections", "100"];
        let flags = [&common, &tls[..], flags].concat();
        let mut process = Process::start(arbiter_on_fixed_port().args(flags).stderr(Stdio::piped()));
        let log = process.capture_log();
        Self { process, log, dir, authority, identity }
    }

    fn address(&self) -> &str {
        &self.process.address
    }

    async fn try_connect(
        &self,
        presented: Option<&Identity>,
        offered: &[&[u8]],
    ) -> io::Result<TlsStream<TcpStream>> {
        let connecting = tls_connect(self.address(), "localhost", &self.authority, presented, offered);
        with_timeout("a connection", connecting).await
    }

    async fn connect(&self, offered: &[&[u8]]) -> TlsStream<TcpStream> {
        self.try_connect(None, offered).await.expect("the server is trusted")
    }

    async fn http_client(&self, version: Version) -> HttpClient {
        let offered = if version == Version::HTTP_2 { ALPN_HTTP2 } else { ALPN_HTTP11 };
        HttpClient::over(self.connect(&[offered]).await, self.address(), version).await
    }

    async fn assert_call_succeeds(&self) {
        self.http_client(Version::HTTP_11).await.assert_call_succeeds().await;
    }

    /// Whether a client with this certificate gets a response. In TLS 1.3 a client learns of a rejection only after
    /// its handshake.
    async fn accepts(&self, presented: Option<&Identity>) -> bool {
        let Ok(mut stream) = self.try_connect(presented, &[ALPN_HTTP11]).await else { return false };
        let request = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        let mut response = Vec::new();
        let exchange = async {
            stream.write_all(request.as_bytes()).await?;
            stream.read_to_end(&mut response).await
        };
        let _ = with_timeout("a response or the end of the connection", exchange).await;
        response.starts_with(b"HTTP/1.1 ")
    }

    /// The certificate that a new connection receives.
    async fn presented_certificate(&self) -> Vec<u8> {
        peer_certificate(&self.connect(&[]).await).to_vec()
    }

    /// Replaces the certificate and its key by new ones of the same CA.
    fn replace_certificate(&self) -> Identity {
        let other = self.authority.server();
        self.dir.write("server.key", other.key_pem());
        self.dir.write("server.pem", other.certificate_pem());
        other
    }

    /// Replaces the certificate and its key by ones that are valid for these days from now.
    fn replace_with_valid(&self, days: Range<i64>) {
        let other = self.authority.server_valid(in_days(days.start), in_days(days.end));
        self.dir.write("server.key", other.key_pem());
        self.dir.write("server.pem", other.certificate_pem());
    }

    /// Waits until a warning is logged, and checks that it is the only one.
    async fn only_warning(&self) -> serde_json::Value {
        eventually("a warning is logged", async || !self.log.at_level("WARN").is_empty()).await;
        let mut warnings = self.log.at_level("WARN");
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        warnings.remove(0)
    }

    /// Waits for the only warning, and checks that it names the file of the certificate.
    async fn assert_warns(&self, message: &str, field: &str, time: SystemTime) {
        let warning = self.only_warning().await;
        let text = |name: &str| warning[name].as_str().unwrap_or_default();
        assert!(text("message").contains(message), "{warning}");
        assert_eq!(text("file"), format!("--tls-cert {}", self.dir.path("server.pem")));
        assert_eq!(text(field), humantime::format_rfc3339_seconds(time).to_string());
    }

    /// Waits until the metrics count this many rejected handshakes.
    async fn wait_for_rejected(&self, handshakes: u64) {
        let name = "arbiter_tls_handshakes_refused_total";
        eventually("the rejection is counted", async || self.process.metric(name).await == handshakes).await;
    }

    /// The reason for the only rejected handshake, from the log.
    async fn rejection_reason(&self) -> String {
        let warning = self.only_warning().await;
        assert!(
            warning["peer"].as_str().is_some_and(|peer| peer.starts_with("127.0.0.1:")),
            "the log names the peer"
        );
        warning["reason"].as_str().expect("the log has a reason").to_owned()
    }

    async fn assert_exits_successfully(&mut self) {
        let status = self.process.wait(TIMEOUT).await;
        assert!(status.as_ref().is_some_and(ExitStatus::success), "the server exits with 0: {status:?}");
    }
}

#[tokio::test]
async fn a_grpc_call_succeeds_over_tls() {
    let server = TlsServer::start(&[]);
    let stream = server.connect(&[ALPN_HTTP2]).await;
    let mut once = Some(TokioIo::new(stream));
    let connector = tower::service_fn(move |_| {
        let stream = once.take().ok_or_else(|| io::Error::other("a second connection"));
        async { stream }
    });
    let channel = Endpoint::from_static("https://localhost").connect_with_connector(connector).await;
    let mut client = RulesServiceClient::new(channel.expect("the server speaks HTTP/2"));
    let response =
        with_timeout("a response", client.apply_move(apply_move())).await.expect("a valid call succeeds");
    let expected = proto::State::notation(STATE_AFTER_MOVE);
    assert_eq!(response.into_inner().state, Some(expected));
}

#[tokio::test]
async fn json_calls_succeed_over_http1_and_http2() {
    let server = TlsServer::start(&[]);
    for version in VERSIONS {
        server.http_client(version).await.assert_call_succeeds().await;
    }
}

#[tokio::test]
async fn the_http_version_is_negotiated_by_alpn() {
    let server = TlsServer::start(&[]);
    for (offered, negotiated) in [
        (&[ALPN_HTTP2][..], Some(ALPN_HTTP2)),
        (&[ALPN_HTTP11], Some(ALPN_HTTP11)),
        (&[ALPN_HTTP11, ALPN_HTTP2], Some(ALPN_HTTP2)),
        (&[], None),
    ] {
        let stream = server.connect(offered).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), negotiated, "offered: {offered:?}");
    }
}

#[tokio::test]
async fn without_alpn_the_http_version_is_detected() {
    let server = TlsServer::start(&[]);
    for version in VERSIONS {
        let stream = server.connect(&[]).await;
        HttpClient::over(stream, server.address(), version).await.assert_call_succeeds().await;
    }
}

#[tokio::test]
async fn the_server_closes_connections_with_close_notify() {
    let server = TlsServer::start(&[]);
    let mut stream = server.connect(&[ALPN_HTTP11]).await;
    let request = b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.expect("the data is sent");
    let mut response = Vec::new();
    let end = with_timeout("the end of the connection", stream.read_to_end(&mut response)).await;
    assert!(end.is_ok(), "closed without close_notify: {end:?}");
}

#[tokio::test]
async fn the_banner_shows_a_command_for_tls() {
    let server = TlsServer::start(&[]);
    let grpcurl = server.process.banner.lines().find(|line| line.contains("grpcurl"));
    assert!(grpcurl.is_some_and(|line| !line.contains("-plaintext")), "{grpcurl:?}");
}

#[tokio::test]
async fn a_client_that_trusts_another_ca_rejects_the_server() {
    let server = TlsServer::start(&[]);
    let other_ca = CertificateAuthority::new("another CA");
    let result = with_timeout(
        "the end of the handshake",
        tls_connect(server.address(), "localhost", &other_ca, None, &[]),
    )
    .await;
    let error = result.expect_err("the server is not trusted").to_string();
    assert!(error.contains("UnknownIssuer"), "{error}");
    assert!(server.rejection_reason().await.contains("UnknownCA"), "the server logs the alert of the client");
}

#[tokio::test]
async fn the_certificate_is_also_valid_for_the_ip_address() {
    let server = TlsServer::start(&[]);
    let connecting = tls_connect(server.address(), "127.0.0.1", &server.authority, None, &[]);
    assert!(with_timeout("a connection", connecting).await.is_ok());
}

/// Sends these bytes and reads everything until the server closes the connection.
async fn send_and_read_until_closed(server: &TlsServer, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(server.address()).await.expect("the server is reachable");
    stream.write_all(bytes).await.expect("the data is sent");
    let mut received = Vec::new();
    // The connection may end with a reset.
    let _ = with_timeout("the server closes the connection", stream.read_to_end(&mut received)).await;
    received
}

#[tokio::test]
async fn a_client_without_tls_is_rejected_and_the_server_keeps_serving() {
    let server = TlsServer::start(&[]);
    let http1 = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".as_slice();
    for (before, bytes) in [http1, PREFACE].into_iter().enumerate() {
        let received = send_and_read_until_closed(&server, bytes).await;
        // At most a TLS alert.
        assert!(matches!(received.first(), None | Some(21)), "{received:?}");
        server.wait_for_rejected(before as u64 + 1).await;
    }
    server.assert_call_succeeds().await;
}

#[tokio::test]
async fn an_unfinished_handshake_is_closed() {
    let server = TlsServer::start(&["--call-timeout", "300ms"]);
    let partial_hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
    assert_eq!(send_and_read_until_closed(&server, partial_hello).await, b"");
    server.wait_for_rejected(1).await;
    assert_eq!(server.rejection_reason().await, "timeout");
}

#[tokio::test]
async fn a_client_that_sends_nothing_after_the_handshake_is_closed() {
    let server = TlsServer::start(&["--call-timeout", "300ms"]);
    let mut idle = server.connect(&[ALPN_HTTP2]).await;
    let mut received = Vec::new();
    // The connection may end with a reset.
    let _ = with_timeout("the idle client is closed", idle.read_to_end(&mut received)).await;
    assert_eq!(received, b"");
}

#[tokio::test]
async fn an_unfinished_handshake_does_not_block_other_connections() {
    let server = TlsServer::start(&["--call-timeout", LONG_TIMEOUT, "--threads", "1"]);
    let mut slow = TcpStream::connect(server.address()).await.expect("the server is reachable");
    slow.write_all(b"\x16\x03\x01").await.expect("the data is sent");
    server.assert_call_succeeds().await;
}

#[tokio::test]
async fn a_client_certificate_of_the_ca_is_accepted() {
    let (server, clients) = TlsServer::start_mutual();
    assert!(server.accepts(Some(&clients.client())).await);
    server.wait_for_rejected(0).await;
}

/// Checks that a client with the identity that `identity` derives from the CA is rejected for this reason.
async fn assert_rejected(identity: impl FnOnce(&CertificateAuthority) -> Option<Identity>, expected: &str) {
    let (server, clients) = TlsServer::start_mutual();
    assert!(!server.accepts(identity(&clients).as_ref()).await, "the client is accepted");
    let reason = server.rejection_reason().await;
    assert!(reason.contains(expected), "{reason}");
    server.wait_for_rejected(1).await;
    assert!(server.accepts(Some(&clients.client())).await, "the server keeps serving");
}

#[tokio::test]
async fn a_client_without_a_certificate_is_rejected() {
    assert_rejected(|_| None, "peer sent no certificates").await;
}

#[tokio::test]
async fn an_expired_client_certificate_is_rejected() {
    assert_rejected(|clients| Some(clients.expired_client()), "expired").await;
}

#[tokio::test]
async fn a_client_certificate_of_another_ca_is_rejected() {
    assert_rejected(|_| Some(CertificateAuthority::new("another CA").client()), "UnknownIssuer").await;
}

#[tokio::test]
async fn a_client_certificate_of_a_ca_with_the_same_name_is_rejected() {
    assert_rejected(|_| Some(CertificateAuthority::new("client CA").client()), "BadSignature").await;
}

#[tokio::test]
async fn a_server_certificate_presented_by_a_client_is_rejected() {
    assert_rejected(|clients| Some(clients.server()), "extended key usage").await;
}

/// The time this many days from now, in whole seconds, as in certificates.
fn in_days(days: i64) -> SystemTime {
    static NOW: LazyLock<i64> = LazyLock::new(|| unix_seconds(SystemTime::now()).cast_signed());
    let seconds = *NOW + days * 24 * 60 * 60;
    SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.cast_unsigned())
}

fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).expect("the time is after 1970").as_secs()
}

const EXPIRY_METRIC: &str = "arbiter_tls_certificate_expiry_timestamp_seconds";

#[tokio::test]
async fn an_expired_certificate_is_logged_at_startup_and_used() {
    let server = TlsServer::start_valid(-2..-1);
    server.assert_warns("has expired", "valid_until", in_days(-1)).await;
    let error = server.try_connect(None, &[]).await.expect_err("clients reject the certificate");
    assert!(error.to_string().contains("expired"), "{error}");
}

#[tokio::test]
async fn a_certificate_that_is_not_valid_yet_is_logged_at_startup() {
    let server = TlsServer::start_valid(1..100);
    server.assert_warns("is not valid yet", "valid_from", in_days(1)).await;
}

#[tokio::test]
async fn a_certificate_that_expires_within_14_days_is_logged_at_startup() {
    let server = TlsServer::start_valid(-1..13);
    server.assert_warns("expires soon", "valid_until", in_days(13)).await;
}

#[tokio::test]
async fn a_certificate_that_expires_later_is_not_logged() {
    let server = TlsServer::start_valid(-1..15);
    server.assert_call_succeeds().await;
    assert_eq!(server.log.at_level("WARN"), [""; 0]);
}

#[tokio::test]
async fn an_expired_certificate_is_logged_at_a_reload() {
    let server = TlsServer::start_valid(-1..100);
    server.replace_with_valid(-2..-1);
    server.assert_warns("has expired", "valid_until", in_days(-1)).await;
}

#[tokio::test]
async fn an_expired_certificate_of_the_chain_is_logged_with_its_number() {
    let server = TlsServer::start_valid(-1..100);
    let expired = server.authority.server_valid(in_days(-2), in_days(-1));
    server.dir.write("server.pem", server.identity.certificate_pem() + &expired.certificate_pem());
    server.assert_warns("has expired", "valid_until", in_days(-1)).await;
    assert_eq!(server.log.at_level("WARN")[0]["number"], 2);
    eventually("the metric has the first expiry of the chain", async || {
        server.process.metric(EXPIRY_METRIC).await == unix_seconds(in_days(-1))
    })
    .await;
}

#[tokio::test]
async fn a_metric_has_the_expiry_of_the_certificate_in_use() {
    let server = TlsServer::start_valid(-1..100);
    assert_eq!(server.process.metric(EXPIRY_METRIC).await, unix_seconds(in_days(100)));
    server.replace_with_valid(-1..200);
    eventually("the metric has the new expiry", async || {
        server.process.metric(EXPIRY_METRIC).await == unix_seconds(in_days(200))
    })
    .await;
}

#[tokio::test]
async fn without_tls_there_is_no_expiry_metric() {
    let server = Process::start_on_fixed_port(&["--log", "off"]);
    assert!(!server.metrics().await.contains(EXPIRY_METRIC));
}

#[tokio::test]
async fn new_connections_receive_a_replaced_certificate() {
    let server = TlsServer::start(&[]);
    assert_eq!(server.presented_certificate().await, server.identity.certificate.to_vec());
    let new = server.replace_certificate();
    eventually("the new certificate is presented", async || {
        server.presented_certificate().await == new.certificate.to_vec()
    })
    .await;
}

#[tokio::test]
async fn retargeting_a_symlink_replaces_the_certificate() {
    let dir = TempDir::new();
    let authority = CertificateAuthority::new("server CA");
    let set_link = |to: &str| {
        std::os::unix::fs::symlink(to, dir.path("new")).expect("the symlink can be created");
        std::fs::rename(dir.path("new"), dir.path("current")).expect("the symlink can be renamed");
    };
    let [_, new] = ["first", "second"].map(|name| {
        let identity = authority.server();
        std::fs::create_dir(dir.path(name)).expect("the directory can be created");
        dir.write(&format!("{name}/server.pem"), identity.certificate_pem());
        dir.write(&format!("{name}/server.key"), identity.key_pem());
        identity
    });
    set_link("first");
    let files = ["current/server.pem", "current/server.key"].map(|name| dir.path(name));
    let server =
        Process::start_on_fixed_port(&["--log", "off", "--tls-cert", &files[0], "--tls-key", &files[1]]);
    set_link("second");
    eventually("the new certificate is presented", async || {
        let stream = tls_connect(&server.address, "localhost", &authority, None, &[]).await;
        peer_certificate(&stream.expect("the server is trusted")) == new.certificate
    })
    .await;
}

#[tokio::test]
async fn an_open_connection_survives_a_certificate_reload() {
    let server = TlsServer::start(&[]);
    let mut client = server.http_client(Version::HTTP_2).await;
    client.assert_call_succeeds().await;
    let new = server.replace_certificate();
    eventually("the new certificate is presented", async || {
        server.presented_certificate().await == new.certificate.to_vec()
    })
    .await;
    client.assert_call_succeeds().await;
}

#[tokio::test]
async fn a_replaced_client_ca_accepts_only_its_own_certificates() {
    let (server, before) = TlsServer::start_mutual();
    let after = CertificateAuthority::new("new client CA");
    server.dir.write("clients.pem", after.pem());
    let (old, new) = (before.client(), after.client());
    eventually("the new certificate is accepted", async || server.accepts(Some(&new)).await).await;
    assert!(!server.accepts(Some(&old)).await, "the old certificate is still accepted");
}

#[tokio::test]
async fn several_client_cas_can_be_trusted() {
    let (dir, authorities) = (TempDir::new(), ["one", "two"].map(CertificateAuthority::new));
    let file = dir.write("clients.pem", authorities.each_ref().map(CertificateAuthority::pem).concat());
    let server = TlsServer::start_in(dir, &["--tls-client-ca", &file]);
    for authority in &authorities {
        assert!(server.accepts(Some(&authority.client())).await);
    }
}

/// The serial number of a certificate that is revoked in tests.
const REVOKED: u64 = 7;

const CRL_EXPIRY_METRIC: &str = "arbiter_tls_client_crl_expiry_timestamp_seconds";

fn valid_crl(authority: &CertificateAuthority, revoked: &[u64]) -> String {
    authority.crl(revoked, in_days(-1), in_days(100))
}

#[tokio::test]
async fn a_revoked_client_certificate_is_rejected_and_another_is_accepted() {
    let (server, clients) = TlsServer::start_with_crls(|clients| valid_crl(clients, &[REVOKED]));
    assert!(!server.accepts(Some(&clients.client_with_serial(REVOKED))).await, "the client is accepted");
    let reason = server.rejection_reason().await;
    assert!(reason.contains("Revoked"), "{reason}");
    server.wait_for_rejected(1).await;
    assert!(server.accepts(Some(&clients.client_with_serial(REVOKED + 1))).await, "not revoked");
}

#[tokio::test]
async fn a_replaced_crl_applies_without_a_restart() {
    let (server, clients) = TlsServer::start_with_crls(|clients| valid_crl(clients, &[]));
    let client = clients.client_with_serial(REVOKED);
    assert!(server.accepts(Some(&client)).await, "not revoked yet");
    server.dir.write("crls.pem", valid_crl(&clients, &[REVOKED]));
    eventually("the certificate is revoked", async || !server.accepts(Some(&client)).await).await;
}

#[tokio::test]
async fn an_invalid_new_crl_keeps_the_current_one() {
    let (server, clients) = TlsServer::start_with_crls(|clients| valid_crl(clients, &[REVOKED]));
    server.dir.write("crls.pem", "garbage");
    eventually("the error is logged", async || !server.log.at_level("ERROR").is_empty()).await;
    let errors = server.log.at_level("ERROR");
    assert!(
        errors[0]["error"].as_str().is_some_and(|error| error.contains("--tls-client-crl")),
        "{errors:?}"
    );
    assert!(!server.accepts(Some(&clients.client_with_serial(REVOKED))).await, "still revoked");
    assert!(server.accepts(Some(&clients.client())).await, "another client is accepted");
}

#[tokio::test]
async fn the_latest_crl_of_a_ca_applies() {
    for is_latest_first in [true, false] {
        let (server, clients) = TlsServer::start_with_crls(|clients| {
            let mut crls = [valid_crl(clients, &[REVOKED]), clients.crl(&[], in_days(-2), in_days(100))];
            if !is_latest_first {
                crls.reverse();
            }
            crls.concat()
        });
        assert!(!server.accepts(Some(&clients.client_with_serial(REVOKED))).await, "the client is accepted");
        assert!(server.accepts(Some(&clients.client())).await, "another client is accepted");
    }
}

#[tokio::test]
async fn an_expired_crl_is_logged_and_still_applies() {
    let (server, clients) =
        TlsServer::start_with_crls(|clients| clients.crl(&[REVOKED], in_days(-2), in_days(-1)));
    let warning = server.only_warning().await;
    assert_eq!(warning["file"], format!("--tls-client-crl {}", server.dir.path("crls.pem")));
    assert_eq!(warning["valid_until"], humantime::format_rfc3339_seconds(in_days(-1)).to_string());
    assert_eq!(server.process.metric(CRL_EXPIRY_METRIC).await, unix_seconds(in_days(-1)));
    assert!(!server.accepts(Some(&clients.client_with_serial(REVOKED))).await, "still revoked");
    assert!(server.accepts(Some(&clients.client())).await, "another client is accepted");
}

#[tokio::test]
async fn a_client_of_a_ca_without_a_crl_is_rejected_and_the_ca_is_logged() {
    let (dir, authorities) = (TempDir::new(), ["one", "two"].map(CertificateAuthority::new));
    let file = dir.write("clients.pem", authorities.each_ref().map(CertificateAuthority::pem).concat());
    let crls = dir.write("crls.pem", valid_crl(&authorities[0], &[]));
    let server = TlsServer::start_in(dir, &["--tls-client-ca", &file, "--tls-client-crl", &crls]);
    let warning = server.only_warning().await;
    assert_eq!(warning["authorities"], format!("--tls-client-ca {file}"));
    assert_eq!(warning["number"], 2, "{warning}");
    assert!(server.accepts(Some(&authorities[0].client())).await, "its CA has a CRL");
    assert!(!server.accepts(Some(&authorities[1].client())).await, "its CA has no CRL");
}

#[tokio::test]
async fn without_crls_there_is_no_metric_of_their_expiry() {
    let (server, _) = TlsServer::start_mutual();
    assert!(!server.process.metrics().await.contains(CRL_EXPIRY_METRIC));
}

/// Checks that a broken file keeps the current certificate and is logged once.
async fn assert_certificate_kept(break_file: impl FnOnce(&TempDir), flag: &str) {
    let server = TlsServer::start(&[]);
    break_file(&server.dir);
    eventually("the error is logged", async || !server.log.at_level("ERROR").is_empty()).await;
    tokio::time::sleep(TWO_POLLS).await;
    let errors = server.log.at_level("ERROR");
    assert_eq!(errors.len(), 1, "not logged exactly once: {errors:?}");
    assert!(errors[0]["error"].as_str().is_some_and(|error| error.contains(flag)), "{errors:?}");
    assert_eq!(server.presented_certificate().await, server.identity.certificate.to_vec());
}

#[tokio::test]
async fn an_invalid_new_certificate_keeps_the_current_one() {
    assert_certificate_kept(|dir| drop(dir.write("server.pem", "garbage")), "--tls-cert").await;
}

#[tokio::test]
async fn a_new_certificate_without_its_key_keeps_the_current_one() {
    let other = CertificateAuthority::new("server CA").server();
    assert_certificate_kept(|dir| drop(dir.write("server.pem", other.certificate_pem())), "--tls-cert").await;
}

#[tokio::test]
async fn a_removed_key_keeps_the_current_certificate() {
    assert_certificate_kept(|dir| dir.remove("server.key"), "--tls-key").await;
}

#[tokio::test]
async fn a_valid_certificate_after_an_invalid_one_is_loaded() {
    let server = TlsServer::start(&[]);
    server.dir.write("server.pem", "garbage");
    eventually("the error is logged", async || !server.log.at_level("ERROR").is_empty()).await;
    let new = server.replace_certificate();
    eventually("the new certificate is presented", async || {
        server.presented_certificate().await == new.certificate.to_vec()
    })
    .await;
}

#[tokio::test]
async fn an_error_that_recurs_is_logged_again() {
    let server = TlsServer::start(&[]);
    for errors in 1..=2 {
        server.dir.write("server.pem", "garbage");
        eventually("the error is logged", async || server.log.at_level("ERROR").len() == errors).await;
        server.dir.write("server.pem", server.identity.certificate_pem());
        tokio::time::sleep(TWO_POLLS).await;
    }
}

/// Checks that the server does not start with these files and names the invalid one.
fn assert_exits_with_64(flags: &[&str], expected: &str) {
    let free_ports = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    let output = arbiter().args(free_ports).args(flags).output().expect("the binary runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{flags:?}: {errors}");
    assert!(errors.contains(expected), "{flags:?}: {expected} is not in the error message: {errors}");
    assert_eq!(output.stdout, b"", "{flags:?}: standard output must be empty");
}

/// The files of a valid certificate and its key.
fn valid_files(dir: &TempDir) -> [String; 2] {
    let identity = CertificateAuthority::new("server CA").server();
    [dir.write("valid.pem", identity.certificate_pem()), dir.write("valid.key", identity.key_pem())]
}

#[test]
fn a_certificate_without_a_key_exits_with_64() {
    let dir = TempDir::new();
    let [certificate, _] = valid_files(&dir);
    assert_exits_with_64(&["--tls-cert", &certificate], "--tls-key");
}

#[test]
fn a_key_without_a_certificate_exits_with_64() {
    let dir = TempDir::new();
    let [_, key] = valid_files(&dir);
    assert_exits_with_64(&["--tls-key", &key], "--tls-cert");
}

#[test]
fn a_client_ca_without_a_server_certificate_exits_with_64() {
    let dir = TempDir::new();
    let [authority, _] = valid_files(&dir);
    assert_exits_with_64(&["--tls-client-ca", &authority], "--tls-cert");
}

#[test]
fn a_key_of_another_certificate_exits_with_64() {
    let dir = TempDir::new();
    let [certificate, _] = valid_files(&dir);
    let key = dir.write("other.key", CertificateAuthority::new("another CA").server().key_pem());
    assert_exits_with_64(&["--tls-cert", &certificate, "--tls-key", &key], "--tls-cert");
}

#[test]
fn crls_without_a_client_ca_exit_with_64() {
    let dir = TempDir::new();
    let [certificate, key] = valid_files(&dir);
    let crls = dir.write("crls.pem", valid_crl(&CertificateAuthority::new("client CA"), &[]));
    let flags = ["--tls-cert", &certificate, "--tls-key", &key, "--tls-client-crl", &crls];
    assert_exits_with_64(&flags, "--tls-client-ca");
}

/// Checks that the server exits with 64 and names the flag, whichever of its files is this invalid one.
fn assert_invalid_file(make: impl Fn(&TempDir) -> String) {
    let dir = TempDir::new();
    let [certificate, key] = valid_files(&dir);
    let invalid = make(&dir);
    let crl = dir.write("valid.crl", valid_crl(&CertificateAuthority::new("client CA"), &[]));
    for [cert, key, authority, crls, flag] in [
        [&invalid, &key, &certificate, &crl, "--tls-cert"],
        [&certificate, &invalid, &certificate, &crl, "--tls-key"],
        [&certificate, &key, &invalid, &crl, "--tls-client-ca"],
        [&certificate, &key, &certificate, &invalid, "--tls-client-crl"],
    ] {
        let flags =
            ["--tls-cert", cert, "--tls-key", key, "--tls-client-ca", authority, "--tls-client-crl", crls];
        assert_exits_with_64(&flags, &format!("{flag} {invalid}: "));
    }
}

#[test]
fn a_missing_file_exits_with_64_and_names_the_flag() {
    assert_invalid_file(|dir| dir.path("missing"));
}

#[test]
fn an_empty_file_exits_with_64_and_names_the_flag() {
    assert_invalid_file(|dir| dir.write("empty", ""));
}

#[test]
fn a_binary_file_exits_with_64_and_names_the_flag() {
    assert_invalid_file(|dir| dir.write("garbage", [0xff; 100]));
}

#[test]
fn malformed_pem_content_exits_with_64_and_names_the_flag() {
    let text = ["CERTIFICATE", "PRIVATE KEY", "X509 CRL"]
        .map(|label| format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n"))
        .concat();
    assert_invalid_file(|dir| dir.write("garbage", &text));
}

#[tokio::test]
async fn a_call_in_flight_succeeds_after_the_listener_has_closed() {
    for version in VERSIONS {
        let mut server = TlsServer::start(&["--drain-timeout", LONG_TIMEOUT, "--call-timeout", LONG_TIMEOUT]);
        let mut client = server.http_client(version).await;
        client.assert_call_succeeds().await;
        let call = client.open("ApplyMove", &[JSON]);
        eventually("the call is in flight", async || {
            server.process.metric("arbiter_calls_in_flight").await == 1
        })
        .await;
        server.process.terminate();
        eventually("the listener closes", async || TcpStream::connect(server.address()).await.is_err()).await;
        let response = call.finish(VALID_MOVE).await;
        assert_eq!(response.json()["state"]["notation"], STATE_AFTER_MOVE);
        drop(client);
        server.assert_exits_successfully().await;
    }
}

#[tokio::test]
async fn a_client_receives_goaway_over_tls() {
    let mut server = TlsServer::start(&["--drain-timeout", LONG_TIMEOUT]);
    let stream = server.connect(&[ALPN_HTTP2]).await;
    let client = GrpcClient::over(stream).await.expect("the server speaks HTTP/2");
    client.send("ApplyMove", &[], framed(&apply_move().encode_to_vec())).await;
    server.process.terminate();
    let _ = with_timeout("the connection is closed", client.driver).await;
    assert!(
        !client.received.lock().expect("the lock is not poisoned").go_aways.is_empty(),
        "no GOAWAY was received"
    );
    server.assert_exits_successfully().await;
}

#[tokio::test]
async fn an_unfinished_handshake_does_not_block_shutdown() {
    let mut server = TlsServer::start(&["--drain-timeout", "300ms", "--call-timeout", LONG_TIMEOUT]);
    let mut slow = TcpStream::connect(server.address()).await.expect("the server is reachable");
    slow.write_all(b"\x16\x03\x01").await.expect("the data is sent");
    eventually("the connection is accepted", async || {
        server.process.metric("arbiter_connections").await == 1
    })
    .await;
    server.process.terminate();
    server.assert_exits_successfully().await;
}
