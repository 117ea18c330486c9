//! The line in which calls wait when they come faster than they are answered.
//!
//! A worker does one thing after the other. If it began every call as soon as it was read, whoever comes next would wait for
//! all of them to be read, again for its turn, and again for its answer to be sent. So calls that cannot begin at once stand
//! in line, and a few go on at a time: in between, connections are read and written to as if nobody waited.
//!
//! Who has waited too long is refused, but only if everybody has waited of late: a line that was short a moment ago is a burst,
//! or a pause of the machine, and soon over (the reasoning of `CoDel`, RFC 8289).

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    sync::Semaphore,
    task::yield_now,
    time::{Instant, timeout},
};

use crate::service::TURN;

/// A call that waited no longer than this begins at once, if nobody is in line.
const AT_ONCE: Duration = Duration::from_millis(1);

/// The most calls that go on in one turn.
const MOST: usize = 64;

/// Over how long it is looked whether everybody waits: longer than a burst takes to be over, and so short that the line does
/// not grow far meanwhile.
const WINDOW: Duration = Duration::from_millis(50);

/// The line of one worker.
#[derive(Clone)]
pub(super) struct Line(Arc<Inner>);

struct Inner {
    /// A permit lets the first in line go on.
    turns: Semaphore,
    waiting: AtomicUsize,
    /// Whether someone gives out turns.
    is_led: AtomicBool,
    /// How long the calls of this turn were worked on, in nanoseconds.
    worked: AtomicU64,
    waits: Mutex<Waits>,
}

/// A call in line: done when its turn has come, or when it has waited too long for it.
pub(super) type Waiting = Pin<Box<dyn Future<Output = Result<(), TooLong>> + Send>>;

/// A call is not to be worked on: it has waited longer than it may, and everybody waits.
#[derive(Debug)]
pub(super) struct TooLong;

impl Line {
    pub(super) fn new() -> Self {
        Self(Arc::new(Inner {
            turns: Semaphore::new(0),
            waiting: AtomicUsize::new(0),
            is_led: AtomicBool::new(false),
            worked: AtomicU64::new(0),
            waits: Mutex::new(Waits::new(Instant::now())),
        }))
    }

    /// Waits for the turn of a call that has waited so long already, in line if need be. What is answered is to be kept while
    /// the call is worked on.
    pub(super) fn poll_turn(
        &self,
        waiting: &mut Option<Waiting>,
        now: Instant,
        waited: Duration,
        longest: Duration,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Worked>, TooLong>> {
        if waiting.is_none() && waited <= AT_ONCE && self.0.waiting.load(Relaxed) == 0 {
            self.0.waits().add(now, waited);
            return Poll::Ready(Ok(None));
        }
        let rest = longest.saturating_sub(waited);
        ready!(waiting.get_or_insert_with(|| self.stand(rest, longest)).as_mut().poll(context))?;
        let mut waits = self.0.waits();
        waits.add(now, waited);
        if waited > longest && waits.all_exceed(longest) {
            return Poll::Ready(Err(TooLong));
        }
        Poll::Ready(Ok(Some(Worked { line: self.0.clone(), begun: Instant::now() })))
    }

    /// Stands in line, at its end, for the rest of the longest time that this call may wait. If by then not everybody waits,
    /// it goes on until its turn.
    fn stand(&self, rest: Duration, longest: Duration) -> Waiting {
        let place = InLine::new(self.0.clone());
        if !self.0.is_led.swap(true, Relaxed) {
            tokio::spawn(lead(self.0.clone()));
        }
        Box::pin(async move {
            let line = &place.0;
            let turn = line.turns.acquire();
            tokio::pin!(turn);
            let turn = match timeout(rest, turn.as_mut()).await {
                Ok(turn) => turn,
                Err(_) if line.waits().all_exceed(longest) => return Err(TooLong),
                Err(_) => turn.await,
            };
            // The line is never closed.
            if let Ok(turn) = turn {
                turn.forget();
            }
            Ok(())
        })
    }
}

impl Inner {
    fn waits(&self) -> MutexGuard<'_, Waits> {
        self.waits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives out turns until nobody is in line: to as many calls at a time as a turn has room for.
async fn lead(line: Arc<Inner>) {
    let mut calls = 1;
    loop {
        let waiting = line.waiting.load(Relaxed);
        if waiting == 0 {
            break line.is_led.store(false, Relaxed);
        }
        line.worked.store(0, Relaxed);
        line.turns.add_permits(calls.min(waiting));
        // They all have had their turn, and connections theirs, when this comes back.
        yield_now().await;
        let is_short = line.worked.load(Relaxed) < TURN.as_nanos() as u64;
        calls = if is_short { (calls * 2).min(MOST) } else { (calls / 2).max(1) };
    }
}

/// A call in line, counted until its turn comes or it is given up.
struct InLine(Arc<Inner>);

impl InLine {
    fn new(line: Arc<Inner>) -> Self {
        line.waiting.fetch_add(1, Relaxed);
        Self(line)
    }
}

impl Drop for InLine {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Relaxed);
    }
}

/// Measures how long a call of the line is worked on.
pub(super) struct Worked {
    line: Arc<Inner>,
    begun: Instant,
}

impl Drop for Worked {
    fn drop(&mut self) {
        self.line.worked.fetch_add(self.begun.elapsed().as_nanos() as u64, Relaxed);
    }
}

/// How long calls have waited of late.
struct Waits {
    /// The shortest wait of the window before this one: nobody waited less.
    standing: Duration,
    /// The shortest of this window so far.
    shortest: Duration,
    /// When this window ends.
    ends: Instant,
}

impl Waits {
    fn new(now: Instant) -> Self {
        Self { standing: Duration::ZERO, shortest: Duration::MAX, ends: now + WINDOW }
    }

    fn add(&mut self, now: Instant, waited: Duration) {
        if now >= self.ends {
            // A window without a call is one in which nobody waited.
            let is_next = now < self.ends + WINDOW;
            *self = Self { standing: if is_next { self.shortest } else { Duration::ZERO }, ..Self::new(now) };
        }
        self.shortest = self.shortest.min(waited);
    }

    /// Whether everybody waits too long for a call that may wait so long: nobody of late less than half of that. Were it not
    /// half, the line would be let grow anew as soon as it is short enough.
    fn all_exceed(&self, longest: Duration) -> bool {
        self.standing > longest / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_millis(150);
    const SHORT: Duration = Duration::from_millis(5);

    /// What stands after calls that came at these times, in milliseconds, and waited so long.
    fn standing_after(calls: &[(u64, Duration)]) -> Duration {
        let start = Instant::now();
        let mut waits = Waits::new(start);
        for (at, waited) in calls {
            waits.add(start + Duration::from_millis(*at), *waited);
        }
        waits.standing
    }

    #[test]
    fn a_wait_of_everybody_stands_after_a_window() {
        assert_eq!(standing_after(&[(10, LONG), (40, LONG)]), Duration::ZERO);
        assert_eq!(standing_after(&[(10, LONG), (40, LONG), (60, LONG)]), LONG);
    }

    #[test]
    fn one_short_wait_shows_that_the_line_was_empty() {
        assert_eq!(standing_after(&[(10, LONG), (20, SHORT), (40, LONG), (60, LONG)]), SHORT);
    }

    #[test]
    fn a_pause_is_no_wait() {
        assert_eq!(standing_after(&[(10, LONG), (40, LONG), (160, LONG)]), Duration::ZERO);
    }
}
