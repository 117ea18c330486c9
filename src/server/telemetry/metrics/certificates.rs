//! When the certificates in use expire.

use std::{fmt, time::SystemTime};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::gauge::ConstGauge,
};

use crate::server::net::Tls;

/// The certificates in use.
#[derive(Debug)]
pub(super) struct CertificateMetrics(pub(super) Tls);

impl Collector for CertificateMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let expiry = ConstGauge::new(unix_seconds(self.0.certificate_expiry()));
        let name = "arbiter_tls_certificate_expiry_timestamp_seconds";
        let help =
            "When the first certificate of the server's chain expires, in seconds since the Unix epoch.";
        expiry.encode(encoder.encode_descriptor(name, help, None, expiry.metric_type())?)
    }
}

fn unix_seconds(time: SystemTime) -> i64 {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    i64::try_from(seconds).unwrap_or(i64::MAX)
}
