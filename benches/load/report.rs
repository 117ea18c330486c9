//! Statistics of many calls.

use std::{collections::BTreeMap, fmt, time::Duration};

use tonic::Code;

use super::{client::Outcome, open_loop::Sample};

/// Latency percentiles.
#[derive(Clone, Copy)]
pub struct Latencies {
    pub median: Duration,
    pub p99: Duration,
    pub highest: Duration,
}

impl Latencies {
    /// `None` if there are no samples.
    pub fn of(samples: impl Iterator<Item = Duration>) -> Option<Self> {
        let mut sorted: Vec<_> = samples.collect();
        sorted.sort_unstable();
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
        (!sorted.is_empty()).then(|| Self { median: at(0.5), p99: at(0.99), highest: at(1.0) })
    }

    pub fn of_successful(samples: &[Sample]) -> Option<Self> {
        let successful = samples.iter().filter(|sample| sample.result.outcome == Outcome::Succeeded);
        Self::of(successful.map(|sample| sample.latency))
    }
}

impl fmt::Display for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { median, p99, highest } = self;
        write!(f, "{:>9} {:>9} {:>9}", millis(*median), millis(*p99), millis(*highest))
    }
}

pub fn millis(duration: Duration) -> String {
    format!("{:.1}", duration.as_secs_f64() * 1000.0)
}

/// The number of successful calls.
pub fn succeeded(samples: &[Sample]) -> usize {
    samples.iter().filter(|sample| sample.result.outcome == Outcome::Succeeded).count()
}

/// Prints one line per outcome: calls per second and latencies.
pub fn print_outcomes(label: &str, samples: &[Sample], duration: Duration) {
    let mut by_outcome = BTreeMap::<String, Vec<Duration>>::new();
    for sample in samples {
        by_outcome.entry(name(&sample.result.outcome)).or_default().push(sample.latency);
    }
    for (outcome, latencies) in by_outcome {
        let rate = latencies.len() as f64 / duration.as_secs_f64();
        if let Some(latencies) = Latencies::of(latencies.into_iter()) {
            println!("    {label:<16} {outcome:<38} {rate:>8.0} {latencies}");
        }
    }
}

/// A percentile of the delay with which calls were started.
pub fn start_delay(samples: &[Sample], percentile: f64) -> Duration {
    let mut delays: Vec<_> = samples.iter().map(|sample| sample.start_delay).collect();
    delays.sort_unstable();
    delays[((delays.len() - 1) as f64 * percentile) as usize]
}

/// The number of calls per unexpected outcome.
pub fn unexpected<'a>(
    samples: impl IntoIterator<Item = &'a Sample>,
    expected: fn(&Outcome) -> bool,
) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for sample in samples.into_iter().filter(|sample| !expected(&sample.result.outcome)) {
        *counts.entry(name(&sample.result.outcome)).or_default() += 1;
    }
    counts
}

fn name(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Succeeded => "succeeded".to_owned(),
        Outcome::Failed(code, reason) => {
            format!("{} {}", code_name(*code), reason.as_str_name().trim_start_matches("ERROR_REASON_"))
        }
        Outcome::TimedOut => "timed out in the client".to_owned(),
        Outcome::TransportError(error) => format!("transport error: {error}"),
    }
}

/// `RESOURCE_EXHAUSTED` for `ResourceExhausted`.
fn code_name(code: Code) -> String {
    let mut name = String::new();
    for letter in format!("{code:?}").chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    name
}
