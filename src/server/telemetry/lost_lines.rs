//! Log lines that were not written: how many, as metrics and in the log itself.

use std::{fmt, sync::Arc, time::Duration};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::counter::ConstCounter,
};
use tokio::time::sleep;

use super::{log_limiter::LogLimiter, logs::Log};

/// How often lost lines are reported in the log.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// Counts log lines that were not written.
#[derive(Clone)]
pub(in crate::server) struct LostLines {
    /// None: the program that runs the server has its own log.
    pub(in crate::server) log: Option<Log>,
    pub(in crate::server) limiter: Arc<LogLimiter>,
}

impl LostLines {
    /// Lines that standard error did not accept, and lines above the rate limit.
    fn counts(&self) -> [u64; 2] {
        [self.log.as_ref().map_or(0, Log::dropped_lines), self.limiter.suppressed()]
    }

    /// Logs at regular intervals how many lines were lost.
    pub(in crate::server) async fn report(self) {
        let mut reported = [0; 2];
        loop {
            sleep(REPORT_INTERVAL).await;
            let counts = self.counts();
            let [dropped, suppressed] = [0, 1].map(|index| counts[index] - reported[index]);
            reported = counts;
            if dropped > 0 {
                tracing::warn!(lines = dropped, "log lines dropped: standard error is not read fast enough");
            }
            if suppressed > 0 {
                tracing::warn!(lines = suppressed, "log lines suppressed: --max-log-rate exceeded");
            }
        }
    }
}

impl Collector for LostLines {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let [dropped, suppressed] = self.counts();
        let counters = [
            (
                "arbiter_log_lines_dropped",
                "Log lines lost because standard error is not read fast enough.",
                dropped,
            ),
            ("arbiter_log_lines_suppressed", "Log lines not written because of --max-log-rate.", suppressed),
        ];
        for (name, help, value) in counters {
            let counter = ConstCounter::new(value);
            counter.encode(encoder.encode_descriptor(name, help, None, counter.metric_type())?)?;
        }
        Ok(())
    }
}

impl fmt::Debug for LostLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LostLines").field(&self.counts()).finish()
    }
}
