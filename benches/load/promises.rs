//! What is promised of an overload, held against what was seen.

use std::{collections::BTreeMap, time::Duration};

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

/// The time over which is looked at whether all is as before.
const TENTH: Duration = Duration::from_millis(100);

/// What a tail of latencies may differ by on a machine that does something else too.
const NOISE: Duration = Duration::from_millis(5);

/// How late the loader may begin calls, at the 99th percentile. If it is later, it is what was measured.
const LOADER_BEHIND: Duration = Duration::from_millis(50);

/// The least share of their cores that server and loader must have had: if others had more, it is those that were measured.
const FREE: f64 = 0.9;

/// Tells whether it was the server that was measured, and not who else had the cores.
pub fn is_server_measured(seen: &Seen) -> bool {
    let behind = share_behind(&seen.phases[1], 0.99);
    let is_so = behind <= LOADER_BEHIND && seen.server_had >= FREE && seen.loader_had >= FREE;
    println!(
        "  {}  the server had {:.0} % of its core and the loader {:.0}, which was {} ms late (p99)",
        if is_so { "valid " } else { "VOID  " },
        seen.server_had * 100.0,
        seen.loader_had * 100.0,
        millis(behind)
    );
    is_so
}

/// Tells of each promise whether it was kept; answers whether all were.
pub fn check(scenario: &Scenario, seen: &Seen) -> bool {
    let [before, during, after] = &seen.phases[..] else { unreachable!("there are three phases") };
    let mut verdicts = Verdicts { all_kept: true };

    let taken = seen.peak - seen.idle;
    verdicts.tell(taken <= MEMORY, &format!("memory is bounded: {taken:.1} MB above idle, at most {MEMORY}"));

    let usual = usual_p99(before.iter()).unwrap_or_default();
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

    let needless = unexpected(before, is_served);
    verdicts.tell(needless.is_empty(), &format!("nothing is refused before the overload: {needless:?}"));

    let beside = unexpected(seen.beside.iter().flatten(), is_served);
    verdicts.tell(beside.is_empty(), &format!("no small call beside it is refused: {beside:?}"));

    let bound = 2 * usual + NOISE;
    let recovered = recovered_after(after, bound);
    let later = || after.iter().filter(|sample| sample.due >= RECOVERY);
    let all_served = later().all(|sample| is_served(&sample.answer.outcome));
    let then = usual_p99(later());
    let told = |time: Option<Duration>| time.map_or_else(|| "never".to_owned(), millis);
    verdicts.tell(
        recovered.is_some_and(|after| after <= RECOVERY)
            && all_served
            && then.is_some_and(|p99| p99 <= bound),
        &format!(
            "full speed again within a second: after {} ms, and from then on p99 {} ms, at most {}",
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

fn is_served(outcome: &Outcome) -> bool {
    *outcome == Outcome::Served
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
    tenths(samples.iter()).into_iter().find_map(|(end, tenth)| {
        let all_served = tenth.iter().all(|sample| is_served(&sample.answer.outcome));
        (all_served && p99(&tenth)? <= bound).then_some(end)
    })
}

/// The 99th percentile of the latency in the usual tenth of a second, the median of all: a pause of the machine is in few of
/// them, a server that is not as it was is in most.
fn usual_p99<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<Duration> {
    let by_tenth = tenths(samples);
    Latencies::of(by_tenth.values().filter_map(|tenth| p99(tenth))).map(|of_tenths| of_tenths.median)
}

fn p99(samples: &[&Sample]) -> Option<Duration> {
    Latencies::of(samples.iter().map(|sample| sample.latency)).map(|latencies| latencies.p99)
}

/// The calls that were due in each tenth of a second, by its end.
fn tenths<'a>(samples: impl Iterator<Item = &'a Sample>) -> BTreeMap<Duration, Vec<&'a Sample>> {
    let mut tenths = BTreeMap::<_, Vec<_>>::new();
    for sample in samples {
        let index = sample.due.as_millis() / TENTH.as_millis();
        tenths.entry(TENTH * (index as u32 + 1)).or_default().push(sample);
    }
    tenths
}
