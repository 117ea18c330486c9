//! What is promised of an overload, held against what was seen.

use std::time::Duration;

use arbiter::wire::proto::ErrorReason;
use tonic::Code;

use super::{
    PHASES, Scenario, Seen,
    client::Outcome,
    figures::{Latencies, millis, served, share_behind, unexpected},
    open_loop::Sample,
};

/// The most memory that an overload may take, in megabytes.
const MEMORY: f64 = 64.0;

/// The longest that a call may wait and still be served: twice `--max-wait`. Until the server sees that everybody waits, some
/// are served that waited longer than that.
const LONGEST_WAIT: Duration = Duration::from_millis(200);

/// The least share of the capacity that is served in time during the overload. The rest is spent on refusing.
const GOODPUT: f64 = 0.5;

/// How long after the overload everything must be as before.
const RECOVERY: Duration = Duration::from_secs(1);

/// What a tail of latencies may differ by on a machine that does something else too.
const NOISE: Duration = Duration::from_millis(5);

/// How late the loader may begin calls, at the 99th percentile. If it is later, it is what was measured.
const LOADER_BEHIND: Duration = Duration::from_millis(50);

/// The least share of their cores that server and loader must have had: if others had more, nothing was measured.
const FREE: f64 = 0.9;

/// Tells of each promise whether it was kept; answers whether all were.
pub fn check(scenario: &Scenario, seen: &Seen) -> bool {
    let [before, during, after] = &seen.phases[..] else { unreachable!("there are three phases") };
    let mut verdicts = Verdicts { all_kept: true };

    let behind = share_behind(during, 0.99);
    verdicts.tell(
        behind <= LOADER_BEHIND && seen.capacity.of_server >= FREE && seen.loader_had >= FREE,
        &format!(
            "the server is what was measured: it had {:.0} % of its core and the loader {:.0}, which was {} ms late (p99)",
            seen.capacity.of_server * 100.0,
            seen.loader_had * 100.0,
            millis(behind)
        ),
    );

    let taken = seen.peak - seen.idle;
    verdicts.tell(taken <= MEMORY, &format!("memory is bounded: {taken:.1} MB above idle, at most {MEMORY}"));

    let usual = Latencies::of_served(before).map_or(Duration::ZERO, |latencies| latencies.p99);
    // Whoever gives up after a while has no answers later than that.
    if scenario.patience.is_none() {
        let longest = Latencies::of_served(during).map_or(Duration::MAX, |latencies| latencies.p99);
        let bound = LONGEST_WAIT + 2 * usual;
        verdicts.tell(
            longest <= bound,
            &format!(
                "latency of what is served is bounded: p99 {} ms, at most {}",
                millis(longest),
                millis(bound)
            ),
        );
    }

    let goodput = served(during) as f64 / PHASES[1].2.as_secs_f64() / seen.capacity.calls_a_second;
    verdicts.tell(
        goodput >= GOODPUT,
        &format!(
            "the server goes on serving: {:.0} % of its capacity, at least {:.0}",
            goodput * 100.0,
            GOODPUT * 100.0
        ),
    );

    let expected = if scenario.patience.is_some() { refused_or_late } else { refused };
    let wrong = unexpected(seen.phases.iter().chain(&seen.beside).flatten(), expected);
    verdicts
        .tell(wrong.is_empty(), &format!("whatever is refused is told why, and nothing is lost: {wrong:?}"));

    let needless = unexpected(before, |outcome| *outcome == Outcome::Served);
    verdicts.tell(needless.is_empty(), &format!("nothing is refused before the overload: {needless:?}"));

    let bound = 2 * usual + NOISE;
    let recovered = recovered_after(after, bound);
    let later = || after.iter().filter(|sample| sample.due >= RECOVERY);
    let all_served = later().all(|sample| sample.answer.outcome == Outcome::Served);
    let then = Latencies::of(later().map(|sample| sample.latency)).map(|latencies| latencies.p99);
    let told = |time: Option<Duration>| time.map_or_else(|| "never".to_owned(), millis);
    verdicts.tell(
        recovered.is_some_and(|after| after <= RECOVERY)
            && all_served
            && then.is_some_and(|p99| p99 <= bound),
        &format!(
            "full speed again within a second: after {} ms, and a second later p99 {} ms, at most {}",
            told(recovered),
            told(then),
            millis(bound)
        ),
    );
    verdicts.all_kept
}

struct Verdicts {
    all_kept: bool,
}

impl Verdicts {
    fn tell(&mut self, kept: bool, what: &str) {
        self.all_kept &= kept;
        println!("  {}  {what}", if kept { "kept  " } else { "BROKEN" });
    }
}

fn refused(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Served | Outcome::Refused(Code::ResourceExhausted, ErrorReason::Overloaded))
}

fn refused_or_late(outcome: &Outcome) -> bool {
    refused(outcome)
        || matches!(
            outcome,
            Outcome::GivenUp | Outcome::Refused(Code::DeadlineExceeded, ErrorReason::DeadlineExceeded)
        )
}

/// The end of the first tenth of a second after the overload in which all was as before.
fn recovered_after(samples: &[Sample], bound: Duration) -> Option<Duration> {
    let tenth = Duration::from_millis(100);
    (0..30).map(|index| tenth * index).find_map(|begin| {
        let window = || samples.iter().filter(|sample| (begin..begin + tenth).contains(&sample.due));
        let all_served = window().all(|sample| sample.answer.outcome == Outcome::Served);
        let latencies = Latencies::of(window().map(|sample| sample.latency))?;
        (all_served && latencies.p99 <= bound).then_some(begin + tenth)
    })
}
