//! TLS: who is spoken with, whose certificates are let in, and what becomes of certificates that are replaced.

use std::{
    io,
    process::{ExitStatus, Stdio},
    time::Duration,
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
    certificates::{Authority, HTTP_2, HTTP_11, Identity, connect_to, shown_by},
    folder::Folder,
    raw::{
        Client, Log, PATIENCE, PREFACE, Process, apply_move, arbiter, eventually, framed, on_low_port, soon,
    },
    web::{GOOD_MOVE, JSON, STATE_AFTER_IT, VERSIONS, WebClient},
};

/// Long enough for whatever must happen in it, on a busy machine; the tests that use it do not wait for its end.
const LONG: &str = "60s";

/// Longer than two looks at the files.
const TWO_LOOKS: Duration = Duration::from_millis(2500);

/// A server with a certificate, and what its clients need.
struct Secured {
    process: Process,
    log: Log,
    folder: Folder,
    authority: Authority,
    /// What the server shows at its start.
    identity: Identity,
}

impl Secured {
    fn start(flags: &[&str]) -> Self {
        Self::start_in(Folder::new(), flags)
    }

    /// Starts a server that asks its clients for a certificate of an authority.
    fn start_mutual() -> (Self, Authority) {
        let (folder, clients) = (Folder::new(), Authority::new("who signs clients"));
        let file = folder.write("clients.pem", clients.pem());
        (Self::start_in(folder, &["--tls-client-ca", &file]), clients)
    }

    fn start_in(folder: Folder, flags: &[&str]) -> Self {
        let authority = Authority::new("who signs servers");
        let identity = authority.server();
        let certificate = folder.write("server.pem", identity.certificate_pem());
        let key = folder.write("server.key", identity.key_pem());
        let secure = ["--tls-cert", &certificate, "--tls-key", &key];
        let flags = [&["--log-format", "json", "--drain-delay", "0s"], &secure[..], flags].concat();
        let mut process = Process::start(on_low_port().args(flags).stderr(Stdio::piped()));
        let log = process.log();
        Self { process, log, folder, authority, identity }
    }

    fn address(&self) -> &str {
        &self.process.address
    }

    async fn try_connect(
        &self,
        shown: Option<&Identity>,
        offered: &[&[u8]],
    ) -> io::Result<TlsStream<TcpStream>> {
        let connecting = connect_to(self.address(), "localhost", &self.authority, shown, offered);
        soon("a connection", connecting).await
    }

    async fn connect(&self, offered: &[&[u8]]) -> TlsStream<TcpStream> {
        self.try_connect(None, offered).await.expect("the server is trusted")
    }

    async fn web_client(&self, version: Version) -> WebClient {
        let offered = if version == Version::HTTP_2 { HTTP_2 } else { HTTP_11 };
        WebClient::over(self.connect(&[offered]).await, self.address(), version).await
    }

    async fn assert_answers(&self) {
        self.web_client(Version::HTTP_11).await.assert_answers().await;
    }

    /// Whether someone who shows this certificate is answered. Who is refused learns it with the first answer.
    async fn answers(&self, shown: Option<&Identity>) -> bool {
        let Ok(mut stream) = self.try_connect(shown, &[HTTP_11]).await else { return false };
        let request = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        let mut answer = Vec::new();
        let asking = async {
            stream.write_all(request.as_bytes()).await?;
            stream.read_to_end(&mut answer).await
        };
        let _ = soon("an answer or an end", asking).await;
        answer.starts_with(b"HTTP/1.1 ")
    }

    /// What a new connection is shown.
    async fn shows(&self) -> Vec<u8> {
        shown_by(&self.connect(&[]).await).to_vec()
    }

    /// Puts another certificate of the same authority, and its key, in the place of the first.
    fn replace(&self) -> Identity {
        let other = self.authority.server();
        self.folder.write("server.key", other.key_pem());
        self.folder.write("server.pem", other.certificate_pem());
        other
    }

    /// Waits until the metrics tell that so many handshakes were refused.
    async fn assert_refused(&self, handshakes: u64) {
        let name = "arbiter_tls_handshakes_refused_total";
        eventually("it is counted", async || self.process.metric(name).await == handshakes).await;
    }

    /// Why the only handshake that was refused was refused, as the log warns of it.
    async fn reason(&self) -> String {
        eventually("the refusal is logged", async || !self.log.at("WARN").is_empty()).await;
        let warnings = self.log.at("WARN");
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(
            warnings[0]["peer"].as_str().is_some_and(|peer| peer.starts_with("127.0.0.1:")),
            "who it was"
        );
        warnings[0]["reason"].as_str().expect("there is a reason").to_owned()
    }

    async fn assert_ends_well(&mut self) {
        let ended = self.process.wait(PATIENCE).await;
        assert!(ended.as_ref().is_some_and(ExitStatus::success), "the server ends well: {ended:?}");
    }
}

#[tokio::test]
async fn a_client_of_grpc_is_answered() {
    let server = Secured::start(&[]);
    let stream = server.connect(&[HTTP_2]).await;
    let mut once = Some(TokioIo::new(stream));
    let connector = tower::service_fn(move |_| {
        let stream = once.take().ok_or_else(|| io::Error::other("it connects again"));
        async { stream }
    });
    let channel = Endpoint::from_static("https://localhost").connect_with_connector(connector).await;
    let mut client = RulesServiceClient::new(channel.expect("the server speaks HTTP/2"));
    let answer = soon("an answer", client.apply_move(apply_move())).await.expect("a good call is answered");
    let wanted = proto::State::notation(STATE_AFTER_IT);
    assert_eq!(answer.into_inner().state, Some(wanted));
}

#[tokio::test]
async fn json_is_answered_over_both_versions_of_http() {
    let server = Secured::start(&[]);
    for version in VERSIONS {
        server.web_client(version).await.assert_answers().await;
    }
}

#[tokio::test]
async fn the_version_of_http_is_agreed_on() {
    let server = Secured::start(&[]);
    for (offered, agreed) in [
        (&[HTTP_2][..], Some(HTTP_2)),
        (&[HTTP_11], Some(HTTP_11)),
        (&[HTTP_11, HTTP_2], Some(HTTP_2)),
        (&[], None),
    ] {
        let stream = server.connect(offered).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), agreed, "of {offered:?}");
    }
}

#[tokio::test]
async fn a_client_that_offers_no_version_of_http_is_answered_in_the_one_it_speaks() {
    let server = Secured::start(&[]);
    for version in VERSIONS {
        let stream = server.connect(&[]).await;
        WebClient::over(stream, server.address(), version).await.assert_answers().await;
    }
}

#[tokio::test]
async fn the_end_of_a_connection_is_told_within_tls() {
    let server = Secured::start(&[]);
    let mut stream = server.connect(&[HTTP_11]).await;
    let request = b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.expect("it can be sent");
    let mut answer = Vec::new();
    let end = soon("an end", stream.read_to_end(&mut answer)).await;
    assert!(end.is_ok(), "someone could have cut it off: {end:?}");
}

#[tokio::test]
async fn the_banner_shows_calls_over_tls() {
    let server = Secured::start(&[]);
    let grpcurl = server.process.banner.lines().find(|line| line.contains("grpcurl"));
    assert!(grpcurl.is_some_and(|line| !line.contains("-plaintext")), "{grpcurl:?}");
}

#[tokio::test]
async fn a_client_that_trusts_another_authority_refuses_the_server() {
    let server = Secured::start(&[]);
    let stranger = Authority::new("another");
    let refused = soon("an end", connect_to(server.address(), "localhost", &stranger, None, &[])).await;
    let error = refused.expect_err("the server is not trusted").to_string();
    assert!(error.contains("UnknownIssuer"), "{error}");
    assert!(server.reason().await.contains("UnknownCA"), "the server is told why");
}

#[tokio::test]
async fn the_certificate_holds_for_the_address_too() {
    let server = Secured::start(&[]);
    let connecting = connect_to(server.address(), "127.0.0.1", &server.authority, None, &[]);
    assert!(soon("a connection", connecting).await.is_ok());
}

/// Everything that the server sends until it closes the connection, after these bytes.
async fn until_closed(server: &Secured, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(server.address()).await.expect("the server can be reached");
    stream.write_all(bytes).await.expect("it can be sent");
    let mut received = Vec::new();
    // An end or a reset.
    let _ = soon("it is closed", stream.read_to_end(&mut received)).await;
    received
}

#[tokio::test]
async fn who_speaks_without_tls_is_refused_and_the_server_goes_on() {
    let server = Secured::start(&[]);
    let http1 = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".as_slice();
    for (before, bytes) in [http1, PREFACE].into_iter().enumerate() {
        let received = until_closed(&server, bytes).await;
        // An alert of TLS, at most.
        assert!(matches!(received.first(), None | Some(21)), "{received:?}");
        server.assert_refused(before as u64 + 1).await;
    }
    server.assert_answers().await;
}

#[tokio::test]
async fn who_never_finishes_the_handshake_is_closed() {
    let server = Secured::start(&["--call-timeout", "300ms"]);
    let hello_begun = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
    assert_eq!(until_closed(&server, hello_begun).await, b"");
    server.assert_refused(1).await;
    assert_eq!(server.reason().await, "timeout");
}

#[tokio::test]
async fn who_says_nothing_after_the_handshake_is_closed() {
    let server = Secured::start(&["--call-timeout", "300ms"]);
    let mut silent = server.connect(&[HTTP_2]).await;
    let mut received = Vec::new();
    // An end or a reset.
    let _ = soon("the silent client is closed", silent.read_to_end(&mut received)).await;
    assert_eq!(received, b"");
}

#[tokio::test]
async fn a_handshake_that_is_under_way_does_not_keep_the_others_waiting() {
    let server = Secured::start(&["--call-timeout", LONG, "--threads", "1"]);
    let mut slow = TcpStream::connect(server.address()).await.expect("the server can be reached");
    slow.write_all(b"\x16\x03\x01").await.expect("it can be sent");
    server.assert_answers().await;
}

#[tokio::test]
async fn who_shows_a_certificate_of_the_authority_is_answered() {
    let (server, clients) = Secured::start_mutual();
    assert!(server.answers(Some(&clients.client())).await);
    server.assert_refused(0).await;
}

/// A client that shows what `shown` makes of the authority is refused, and the log says why.
async fn assert_refused(shown: impl FnOnce(&Authority) -> Option<Identity>, why: &str) {
    let (server, clients) = Secured::start_mutual();
    assert!(!server.answers(shown(&clients).as_ref()).await, "it is answered");
    let reason = server.reason().await;
    assert!(reason.contains(why), "{reason}");
    server.assert_refused(1).await;
    assert!(server.answers(Some(&clients.client())).await, "the server goes on");
}

#[tokio::test]
async fn who_shows_no_certificate_is_refused() {
    assert_refused(|_| None, "peer sent no certificates").await;
}

#[tokio::test]
async fn who_shows_an_expired_certificate_is_refused() {
    assert_refused(|clients| Some(clients.expired_client()), "expired").await;
}

#[tokio::test]
async fn who_shows_a_certificate_of_another_authority_is_refused() {
    assert_refused(|_| Some(Authority::new("another").client()), "UnknownIssuer").await;
}

#[tokio::test]
async fn who_shows_a_certificate_of_an_authority_of_the_same_name_is_refused() {
    assert_refused(|_| Some(Authority::new("who signs clients").client()), "BadSignature").await;
}

#[tokio::test]
async fn who_shows_a_certificate_that_is_not_for_clients_is_refused() {
    assert_refused(|clients| Some(clients.server()), "extended key usage").await;
}

#[tokio::test]
async fn who_connects_after_a_certificate_is_replaced_is_shown_the_new_one() {
    let server = Secured::start(&[]);
    assert_eq!(server.shows().await, server.identity.certificate.to_vec());
    let new = server.replace();
    eventually("the new one is shown", async || server.shows().await == new.certificate.to_vec()).await;
}

#[tokio::test]
async fn a_link_that_is_set_to_another_folder_replaces_the_certificate() {
    let folder = Folder::new();
    let authority = Authority::new("who signs servers");
    let link = |to: &str| {
        std::os::unix::fs::symlink(to, folder.path("new")).expect("a link can be made");
        std::fs::rename(folder.path("new"), folder.path("current")).expect("it can be put in its place");
    };
    let [_, new] = ["first", "second"].map(|name| {
        let identity = authority.server();
        std::fs::create_dir(folder.path(name)).expect("a folder can be made");
        folder.write(&format!("{name}/server.pem"), identity.certificate_pem());
        folder.write(&format!("{name}/server.key"), identity.key_pem());
        identity
    });
    link("first");
    let files = ["current/server.pem", "current/server.key"].map(|name| folder.path(name));
    let server =
        Process::start_on_low_port(&["--log", "off", "--tls-cert", &files[0], "--tls-key", &files[1]]);
    link("second");
    eventually("the new one is shown", async || {
        let stream = connect_to(&server.address, "localhost", &authority, None, &[]).await;
        shown_by(&stream.expect("the server is trusted")) == new.certificate
    })
    .await;
}

#[tokio::test]
async fn a_connection_goes_on_after_the_certificate_is_replaced() {
    let server = Secured::start(&[]);
    let mut client = server.web_client(Version::HTTP_2).await;
    client.assert_answers().await;
    let new = server.replace();
    eventually("the new one is shown", async || server.shows().await == new.certificate.to_vec()).await;
    client.assert_answers().await;
}

#[tokio::test]
async fn an_authority_of_clients_that_is_replaced_lets_in_only_its_own() {
    let (server, before) = Secured::start_mutual();
    let after = Authority::new("who signs clients now");
    server.folder.write("clients.pem", after.pem());
    let (old, new) = (before.client(), after.client());
    eventually("the new one is let in", async || server.answers(Some(&new)).await).await;
    assert!(!server.answers(Some(&old)).await, "the old one is still let in");
}

#[tokio::test]
async fn several_authorities_of_clients_can_be_trusted() {
    let (folder, authorities) = (Folder::new(), ["one", "two"].map(Authority::new));
    let file = folder.write("clients.pem", authorities.each_ref().map(Authority::pem).concat());
    let server = Secured::start_in(folder, &["--tls-client-ca", &file]);
    for authority in &authorities {
        assert!(server.answers(Some(&authority.client())).await);
    }
}

/// What is done to the files leaves the certificate as it was, and is told once.
async fn assert_kept(spoil: impl FnOnce(&Folder), flag: &str) {
    let server = Secured::start(&[]);
    spoil(&server.folder);
    eventually("it is told", async || !server.log.at("ERROR").is_empty()).await;
    tokio::time::sleep(TWO_LOOKS).await;
    let errors = server.log.at("ERROR");
    assert_eq!(errors.len(), 1, "it is told once: {errors:?}");
    assert!(errors[0]["error"].as_str().is_some_and(|error| error.contains(flag)), "{errors:?}");
    assert_eq!(server.shows().await, server.identity.certificate.to_vec());
}

#[tokio::test]
async fn a_certificate_that_is_replaced_by_rubbish_stays_as_it_was() {
    assert_kept(|folder| drop(folder.write("server.pem", "rubbish")), "--tls-cert").await;
}

#[tokio::test]
async fn a_certificate_that_is_replaced_without_its_key_stays_as_it_was() {
    let other = Authority::new("who signs servers").server();
    assert_kept(|folder| drop(folder.write("server.pem", other.certificate_pem())), "--tls-cert").await;
}

#[tokio::test]
async fn a_key_that_is_removed_stays_as_it_was() {
    assert_kept(|folder| folder.remove("server.key"), "--tls-key").await;
}

#[tokio::test]
async fn a_certificate_that_is_good_again_after_rubbish_is_taken_over() {
    let server = Secured::start(&[]);
    server.folder.write("server.pem", "rubbish");
    eventually("it is told", async || !server.log.at("ERROR").is_empty()).await;
    let new = server.replace();
    eventually("the new one is shown", async || server.shows().await == new.certificate.to_vec()).await;
}

#[tokio::test]
async fn what_is_wrong_again_is_told_again() {
    let server = Secured::start(&[]);
    for told in 1..=2 {
        server.folder.write("server.pem", "rubbish");
        eventually("it is told", async || server.log.at("ERROR").len() == told).await;
        server.folder.write("server.pem", server.identity.certificate_pem());
        tokio::time::sleep(TWO_LOOKS).await;
    }
}

/// A server with these files does not start, and says which of them is the reason.
fn assert_no_start(flags: &[&str], named: &str) {
    let free_ports = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"];
    let output = arbiter().args(free_ports).args(flags).output().expect("the binary runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(64), "{flags:?}: {errors}");
    assert!(errors.contains(named), "{flags:?} is refused without a word of {named}: {errors}");
    assert_eq!(output.stdout, b"", "{flags:?} is refused, and yet something is printed");
}

/// A good certificate and its key, as files.
fn good_files(folder: &Folder) -> [String; 2] {
    let identity = Authority::new("who signs servers").server();
    [folder.write("good.pem", identity.certificate_pem()), folder.write("good.key", identity.key_pem())]
}

#[test]
fn a_certificate_without_a_key_ends_with_64() {
    let folder = Folder::new();
    let [certificate, _] = good_files(&folder);
    assert_no_start(&["--tls-cert", &certificate], "--tls-key");
}

#[test]
fn a_key_without_a_certificate_ends_with_64() {
    let folder = Folder::new();
    let [_, key] = good_files(&folder);
    assert_no_start(&["--tls-key", &key], "--tls-cert");
}

#[test]
fn an_authority_of_clients_without_a_certificate_ends_with_64() {
    let folder = Folder::new();
    let [authority, _] = good_files(&folder);
    assert_no_start(&["--tls-client-ca", &authority], "--tls-cert");
}

#[test]
fn a_key_of_another_certificate_ends_with_64() {
    let folder = Folder::new();
    let [certificate, _] = good_files(&folder);
    let key = folder.write("other.key", Authority::new("another").server().key_pem());
    assert_no_start(&["--tls-cert", &certificate, "--tls-key", &key], "--tls-cert");
}

/// What is no file that can be used: it is named with its flag.
fn assert_bad_file(make: impl Fn(&Folder) -> String) {
    let folder = Folder::new();
    let [certificate, key] = good_files(&folder);
    let bad = make(&folder);
    for [cert, key, authority, flag] in [
        [&bad, &key, &certificate, "--tls-cert"],
        [&certificate, &bad, &certificate, "--tls-key"],
        [&certificate, &key, &bad, "--tls-client-ca"],
    ] {
        let flags = ["--tls-cert", cert, "--tls-key", key, "--tls-client-ca", authority];
        assert_no_start(&flags, &format!("{flag} {bad}: "));
    }
}

#[test]
fn a_missing_file_ends_with_64_and_the_name_of_its_flag() {
    assert_bad_file(|folder| folder.path("missing"));
}

#[test]
fn an_empty_file_ends_with_64_and_the_name_of_its_flag() {
    assert_bad_file(|folder| folder.write("empty", ""));
}

#[test]
fn rubbish_ends_with_64_and_the_name_of_its_flag() {
    assert_bad_file(|folder| folder.write("rubbish", [0xff; 100]));
}

#[test]
fn rubbish_that_looks_like_a_file_of_its_kind_ends_with_64_and_the_name_of_its_flag() {
    let text = ["CERTIFICATE", "PRIVATE KEY"]
        .map(|label| format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n"))
        .concat();
    assert_bad_file(|folder| folder.write("rubbish", &text));
}

#[tokio::test]
async fn a_call_under_way_is_answered_after_the_listener_has_closed() {
    for version in VERSIONS {
        let mut server = Secured::start(&["--drain-timeout", LONG, "--call-timeout", LONG]);
        let mut client = server.web_client(version).await;
        client.assert_answers().await;
        let call = client.open("ApplyMove", &[JSON]);
        eventually("the call is under way", async || {
            server.process.metric("arbiter_calls_in_flight").await == 1
        })
        .await;
        server.process.terminate();
        eventually("the listener closes", async || TcpStream::connect(server.address()).await.is_err()).await;
        let answer = call.finish(GOOD_MOVE).await;
        assert_eq!(answer.json()["state"]["notation"], STATE_AFTER_IT);
        drop(client);
        server.assert_ends_well().await;
    }
}

#[tokio::test]
async fn who_is_asked_to_go_is_told_so_within_tls() {
    let mut server = Secured::start(&["--drain-timeout", LONG]);
    let stream = server.connect(&[HTTP_2]).await;
    let client = Client::over(stream).await.expect("the server speaks HTTP/2");
    client.send("ApplyMove", &[], framed(&apply_move().encode_to_vec())).await;
    server.process.terminate();
    let _ = soon("the connection is closed", client.driver).await;
    assert!(!client.seen.lock().expect("nobody panics here").go_aways.is_empty(), "there is no GOAWAY");
    server.assert_ends_well().await;
}

#[tokio::test]
async fn a_handshake_that_is_never_finished_does_not_keep_the_server_from_ending() {
    let mut server = Secured::start(&["--drain-timeout", "300ms", "--call-timeout", LONG]);
    let mut slow = TcpStream::connect(server.address()).await.expect("the server can be reached");
    slow.write_all(b"\x16\x03\x01").await.expect("it can be sent");
    eventually("it is accepted", async || server.process.metric("arbiter_connections").await == 1).await;
    server.process.terminate();
    server.assert_ends_well().await;
}
