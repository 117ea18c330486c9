//! Checks of the measurements against the expected behaviour under overload.

use std::{collections::BTreeMap, time::Duration};

use arbiter::wire::proto::ErrorReason;
use tonic::Code;

use super::{
    Measurements, PHASES, Scenario,
    client::Outcome,
    open_loop::Sample,
    report::{Latencies, millis, start_delay, succeeded, unexpected},
};

/// Maximum growth of memory during the overload, in megabytes.
const MAX_MEMORY_GROWTH: f64 = 64.0;

/// Minimum goodput during the overload, as a share of the capacity. The server needs the rest to shed calls.
const MIN_GOODPUT: f64 = 0.5;

/// Maximum recovery time after the overload.
const MAX_RECOVERY_TIME: Duration = Duration::from_secs(1);

/// Recovery is checked in intervals of this length.
const INTERVAL: Duration = Duration::from_millis(100);

/// Tolerance of tail latencies on a machine with other processes.
const NOISE: Duration = Duration::from_millis(5);

/// Maximum start delay of calls at the 99th percentile. Above it, the load generator is the bottleneck.
const MAX_START_DELAY: Duration = Duration::from_millis(50);

/// Minimum share of their cores for the server and the load generator. Below it, other processes affect the result.
const MIN_CPU_SHARE: f64 = 0.9;

/// Whether the server was the bottleneck, rather than the load generator or other processes.
pub fn is_valid(measurements: &Measurements) -> bool {
    let Measurements { min_server_cpu, min_load_generator_cpu, .. } = measurements;
    let delay = start_delay(&measurements.phases[1], 0.99);
    let is_valid = delay <= MAX_START_DELAY
        && *min_server_cpu >= MIN_CPU_SHARE
        && *min_load_generator_cpu >= MIN_CPU_SHARE;
    println!(
        "  {}  the server had {:.0} % of its core, the load generator {:.0} % with a start delay of {} ms (p99)",
        if is_valid { "VALID  " } else { "INVALID" },
        min_server_cpu * 100.0,
        min_load_generator_cpu * 100.0,
        millis(delay)
    );
    is_valid
}

/// Prints the result of each check. Returns whether all have passed.
pub fn check(scenario: &Scenario, measurements: &Measurements) -> bool {
    let [before, during, after] = &measurements.phases[..] else { unreachable!("there are three phases") };
    let mut results = Results { all_passed: true };

    let growth = measurements.peak_memory - measurements.idle_memory;
    results.add(
        growth <= MAX_MEMORY_GROWTH,
        &format!("memory is bounded: {growth:.1} MB above idle, at most {MAX_MEMORY_GROWTH}"),
    );

    let normal = typical_p99(before.iter()).unwrap_or_default();
    // A timeout in the client bounds the latency anyway.
    if scenario.timeout.is_none() {
        let p99 = Latencies::of_successful(during).map_or(Duration::MAX, |latencies| latencies.p99);
        // Until the server detects the overload, some calls wait for longer than the maximum.
        let bound = 2 * scenario.max_wait + 2 * normal;
        results.add(
            p99 <= bound,
            &format!(
                "the latency of successful calls is bounded: p99 {} ms, at most {}",
                millis(p99),
                millis(bound)
            ),
        );
    }

    let goodput =
        succeeded(during) as f64 / PHASES[1].2.as_secs_f64() / measurements.capacity.calls_per_second;
    results.add(
        goodput >= MIN_GOODPUT,
        &format!(
            "goodput under overload: {:.0} % of the capacity, at least {:.0}",
            goodput * 100.0,
            MIN_GOODPUT * 100.0
        ),
    );

    let expected =
        if scenario.timeout.is_some() { is_succeeded_shed_or_expired } else { is_succeeded_or_shed };
    let other = unexpected(measurements.phases.iter().chain(&measurements.small_calls).flatten(), expected);
    results
        .add(other.is_empty(), &format!("shed calls have the right status, and no call is lost: {other:?}"));

    let failed = unexpected(before, is_succeeded);
    results.add(failed.is_empty(), &format!("no call fails before the overload: {failed:?}"));

    let failed = unexpected(measurements.small_calls.iter().flatten(), is_succeeded);
    results.add(failed.is_empty(), &format!("no small call fails: {failed:?}"));

    if let Some(max_slowdown) = scenario.max_slowdown {
        let p99 =
            |samples| Latencies::of_successful(samples).map_or(Duration::MAX, |latencies| latencies.p99);
        let (alone, beside) = (p99(&measurements.small_calls_alone), p99(&measurements.small_calls[1]));
        results.add(
            beside <= alone.mul_f64(max_slowdown),
            &format!(
                "small calls are not delayed: p99 {} ms, {} ms without other calls, at most {max_slowdown} times as much",
                millis(beside),
                millis(alone)
            ),
        );
    }

    let bound = 2 * normal + NOISE;
    let recovery = recovery_time(after, bound);
    let later = || after.iter().filter(|sample| sample.due >= MAX_RECOVERY_TIME);
    let all_succeeded = later().all(|sample| is_succeeded(&sample.result.outcome));
    let later_p99 = typical_p99(later());
    let format_time = |time: Option<Duration>| time.map_or_else(|| "never".to_owned(), millis);
    results.add(
        recovery.is_some_and(|time| time <= MAX_RECOVERY_TIME)
            && all_succeeded
            && later_p99.is_some_and(|p99| p99 <= bound),
        &format!(
            "recovery within a second: after {} ms, then p99 {} ms, at most {}",
            format_time(recovery),
            format_time(later_p99),
            millis(bound)
        ),
    );
    results.all_passed
}

struct Results {
    all_passed: bool,
}

impl Results {
    fn add(&mut self, passed: bool, description: &str) {
        self.all_passed &= passed;
        println!("  {}  {description}", if passed { "PASS   " } else { "FAIL   " });
    }
}

fn is_succeeded(outcome: &Outcome) -> bool {
    *outcome == Outcome::Succeeded
}

fn is_succeeded_or_shed(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Succeeded | Outcome::Failed(Code::ResourceExhausted, ErrorReason::Overloaded))
}

fn is_succeeded_shed_or_expired(outcome: &Outcome) -> bool {
    is_succeeded_or_shed(outcome)
        || matches!(
            outcome,
            Outcome::TimedOut | Outcome::Failed(Code::DeadlineExceeded, ErrorReason::DeadlineExceeded)
        )
}

/// The end of the first interval after the overload with normal latencies and no failed call.
fn recovery_time(samples: &[Sample], bound: Duration) -> Option<Duration> {
    intervals(samples.iter()).into_iter().find_map(|(end, interval)| {
        let all_succeeded = interval.iter().all(|sample| is_succeeded(&sample.result.outcome));
        (all_succeeded && p99(&interval)? <= bound).then_some(end)
    })
}

/// The median over all intervals of the 99th percentile of the latency. A pause of the machine affects few intervals, a
/// server that has not recovered most of them.
fn typical_p99<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<Duration> {
    let intervals = intervals(samples);
    Latencies::of(intervals.values().filter_map(|interval| p99(interval))).map(|latencies| latencies.median)
}

fn p99(samples: &[&Sample]) -> Option<Duration> {
    Latencies::of(samples.iter().map(|sample| sample.latency)).map(|latencies| latencies.p99)
}

/// The calls that were due in each interval, by the end of the interval.
fn intervals<'a>(samples: impl Iterator<Item = &'a Sample>) -> BTreeMap<Duration, Vec<&'a Sample>> {
    let mut intervals = BTreeMap::<_, Vec<_>>::new();
    for sample in samples {
        let index = sample.due.as_millis() / INTERVAL.as_millis();
        intervals.entry(INTERVAL * (index as u32 + 1)).or_default().push(sample);
    }
    intervals
}
