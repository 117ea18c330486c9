//! When the certificates and CRLs in use expire.

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
        let mut add = |name, help, expiry: SystemTime| {
            let gauge = ConstGauge::new(unix_seconds(expiry));
            gauge.encode(encoder.encode_descriptor(name, help, None, gauge.metric_type())?)
        };
        add(
            "arbiter_tls_certificate_expiry_timestamp_seconds",
            "When the first certificate of the server's chain expires, in seconds since the Unix epoch.",
            self.0.certificate_expiry(),
        )?;
        self.0.crl_expiry().map_or(Ok(()), |expiry| {
            add(
                "arbiter_tls_client_crl_expiry_timestamp_seconds",
                "When the first CRL for client certificates expires, in seconds since the Unix epoch.",
                expiry,
            )
        })
    }
}

fn unix_seconds(time: SystemTime) -> i64 {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    i64::try_from(seconds).unwrap_or(i64::MAX)
}
