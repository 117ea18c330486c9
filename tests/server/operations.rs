//! `docs/operations.md` describes every flag, every metric and every alert.

use std::{
    collections::BTreeSet,
    fs,
    time::{Duration, SystemTime},
};

use arbiter::{config::Config, wire::proto};
use clap::CommandFactory;

use crate::support::{TestServer, certificates::CertificateAuthority, temp_dir::TempDir};

fn read(path: &str) -> String {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The code spans in the first column of the tables of a section.
fn listed(page: &str, heading: &str) -> BTreeSet<String> {
    let section =
        page.split("\n## ").find(|section| section.starts_with(heading)).expect("the page has the section");
    let first_columns = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    first_columns.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

#[test]
fn every_flag_is_documented_with_its_default() {
    let page = read("docs/operations.md");
    let command = Config::command();
    let flags: Vec<_> = command.get_arguments().filter(|flag| flag.get_long().is_some()).collect();
    let names = flags.iter().filter_map(|flag| flag.get_long()).filter(|name| *name != "help");
    let names: BTreeSet<_> =
        names.filter(|name| *name != "version").map(|name| format!("--{name}")).collect();
    assert_eq!(listed(&page, "Flags"), names);
    for flag in flags {
        let name = flag.get_long().unwrap_or_default();
        if let [default] = flag.get_default_values() {
            let line = format!("| `--{name}` | `{}` |", default.to_string_lossy());
            assert!(page.contains(&line), "no line starts with {line}");
        }
    }
}

/// The metrics of a server with TLS and CRLs. Some exist only with them.
fn metrics_with_tls() -> String {
    let (dir, authority) = (TempDir::new(), CertificateAuthority::new("test CA"));
    let identity = authority.server();
    let certificate = dir.write("server.pem", identity.certificate_pem());
    let key = dir.write("server.key", identity.key_pem());
    let authorities = dir.write("clients.pem", authority.pem());
    let now = SystemTime::now();
    let crl = dir.write("crl.pem", authority.crl(&[], now, now + Duration::from_hours(1)));
    let server = TestServer::start_with(&[
        "--log",
        "off",
        "--tls-cert",
        &certificate,
        "--tls-key",
        &key,
        "--tls-client-ca",
        &authorities,
        "--tls-client-crl",
        &crl,
    ]);
    server.admin_get("/metrics").1
}

#[tokio::test]
async fn every_metric_is_documented() {
    let server = TestServer::start_with(&["--log", "off"]);
    // Metrics with labels appear after their first increment.
    let mut client = server.client().await;
    client.list_games(proto::ListGamesRequest::default()).await.expect("the call succeeds");
    let call = proto::Call { kind: Some(proto::call::Kind::ListGames(proto::ListGamesRequest::default())) };
    client.evaluate_batch(proto::EvaluateBatchRequest::from_iter([call])).await.expect("the call succeeds");
    let exposition = server.admin_get("/metrics").1 + &metrics_with_tls();
    let samples = exposition.lines().filter(|line| !line.starts_with('#'));
    let names = samples.filter_map(|line| line.split(['{', ' ']).next());
    let without_histogram_suffix = |name: &str| {
        let suffix = ["_bucket", "_sum", "_count"].into_iter().find(|suffix| name.ends_with(suffix));
        name.strip_suffix(suffix.unwrap_or_default()).unwrap_or(name).to_owned()
    };
    let names: BTreeSet<_> = names.map(without_histogram_suffix).collect();
    assert!(names.len() > 10, "{exposition}");
    assert_eq!(listed(&read("docs/operations.md"), "Metrics"), names);
}

#[test]
fn every_alert_has_a_section() {
    let page = read("docs/operations.md");
    let alerts = read("deploy/prometheus/alerts.yaml");
    let named = alerts.lines().filter_map(|line| line.trim().strip_prefix("- alert: "));
    let named: BTreeSet<_> = named.collect();
    assert!(!named.is_empty());
    let sections = page.lines().filter_map(|line| line.strip_prefix("### "));
    let sections: BTreeSet<_> = sections.filter(|section| section.starts_with("Arbiter")).collect();
    assert_eq!(sections, named);
}
