//! What became of many calls, for people to read.

use std::{collections::BTreeMap, fmt, time::Duration};

use tonic::Code;

use super::{client::Outcome, open_loop::Sample};

/// How long calls took.
#[derive(Clone, Copy)]
pub struct Latencies {
    pub median: Duration,
    pub p99: Duration,
    pub highest: Duration,
}

impl Latencies {
    /// None if there were no calls.
    pub fn of(samples: impl Iterator<Item = Duration>) -> Option<Self> {
        let mut sorted: Vec<_> = samples.collect();
        sorted.sort_unstable();
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
        (!sorted.is_empty()).then(|| Self { median: at(0.5), p99: at(0.99), highest: at(1.0) })
    }

    pub fn of_served(samples: &[Sample]) -> Option<Self> {
        let served = samples.iter().filter(|sample| sample.answer.outcome == Outcome::Served);
        Self::of(served.map(|sample| sample.latency))
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

/// How many calls were served.
pub fn served(samples: &[Sample]) -> usize {
    samples.iter().filter(|sample| sample.answer.outcome == Outcome::Served).count()
}

/// One line for each thing that became of calls: how many a second, and how long they took.
pub fn print_outcomes(what: &str, samples: &[Sample], lasted: Duration) {
    let mut by_outcome = BTreeMap::<String, Vec<Duration>>::new();
    for sample in samples {
        by_outcome.entry(name(&sample.answer.outcome)).or_default().push(sample.latency);
    }
    for (outcome, latencies) in by_outcome {
        let rate = latencies.len() as f64 / lasted.as_secs_f64();
        if let Some(latencies) = Latencies::of(latencies.into_iter()) {
            println!("    {what:<16} {outcome:<38} {rate:>8.0} {latencies}");
        }
    }
}

/// How late a share of the calls was begun at most.
pub fn share_behind(samples: &[Sample], share: f64) -> Duration {
    let mut behind: Vec<_> = samples.iter().map(|sample| sample.behind).collect();
    behind.sort_unstable();
    behind[((behind.len() - 1) as f64 * share) as usize]
}

/// The outcomes that are not as promised, with how many there are of each.
pub fn unexpected<'a>(
    samples: impl IntoIterator<Item = &'a Sample>,
    expected: fn(&Outcome) -> bool,
) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for sample in samples.into_iter().filter(|sample| !expected(&sample.answer.outcome)) {
        *counts.entry(name(&sample.answer.outcome)).or_default() += 1;
    }
    counts
}

fn name(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Served => "served".to_owned(),
        Outcome::Refused(code, reason) => {
            format!("{} {}", code_name(*code), reason.as_str_name().trim_start_matches("ERROR_REASON_"))
        }
        Outcome::GivenUp => "given up by the client".to_owned(),
        Outcome::Broken(why) => format!("broken: {why}"),
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
