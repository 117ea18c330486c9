//! The line in which calls wait when they come faster than they are answered.
//!
//! A worker does one thing after the other. If it began every call as soon as it was read, whoever comes next would wait for
//! all of them to be read, again for its turn, and again for its answer to be sent. So calls that cannot begin at once stand
//! in line, and a few go on at a time: in between, connections are read and written to as if nobody waited.
//!
//! Calls that may be as dear as a thousand others, replays and batches, have each a line of their own: no other call stands
//! behind them. Of batches one goes on at a time, until it is done: together they would all be done later, and hold more
//! meanwhile.
//!
//! Who has waited too long is refused, but only if everybody has waited of late: a line that was short a moment ago is a burst,
//! or a pause of the machine, and soon over (the reasoning of `CoDel`, RFC 8289). Who would stand where nobody is reached in time
//! is refused at once, if the line was never empty of late: who is told early can go elsewhere.

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

/// A line of one worker.
#[derive(Clone)]
pub(super) struct Line(Arc<Inner>);

/// How those in a line go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    /// As many at a time as are done within a turn.
    Together,
    /// One, and the next when it is done.
    OneByOne,
}

struct Inner {
    pace: Pace,
    /// A permit lets the first in line go on.
    turns: Semaphore,
    waiting: AtomicUsize,
    /// Whether someone gives out turns, to those who go on together.
    is_led: AtomicBool,
    /// How long they were worked on in this turn, in nanoseconds.
    worked: AtomicU64,
    waits: Mutex<Waits>,
}

/// A call in line: done when its turn has come, or when it has waited too long for it.
pub(super) type Waiting = Pin<Box<dyn Future<Output = Result<(), TooLate>> + Send>>;

/// A call is not to be worked on: it has waited longer than it may, or would have by its turn, and everybody waits.
#[derive(Debug)]
pub(super) struct TooLate;

impl Line {
    /// For calls that are done as soon as they are begun.
    pub(super) fn of_calls() -> Self {
        Self::new(Pace::Together)
    }

    /// For batches, which let others go on while they are worked on.
    pub(super) fn of_batches() -> Self {
        Self::new(Pace::OneByOne)
    }

    fn new(pace: Pace) -> Self {
        Self(Arc::new(Inner {
            pace,
            turns: Semaphore::new(usize::from(pace == Pace::OneByOne)),
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
    ) -> Poll<Result<Turn, TooLate>> {
        if waiting.is_none()
            && waited <= AT_ONCE
            && self.0.waiting.load(Relaxed) == 0
            && let Some(turn) = self.turn_at_once()
        {
            self.0.waits().add(now, waited, 0);
            return Poll::Ready(Ok(turn));
        }
        if waiting.is_none() && self.0.waits().is_too_far(now, self.0.waiting.load(Relaxed), longest) {
            return Poll::Ready(Err(TooLate));
        }
        let rest = longest.saturating_sub(waited);
        ready!(waiting.get_or_insert_with(|| self.stand(rest, longest)).as_mut().poll(context))?;
        let turn = Turn::begin(&self.0);
        let mut waits = self.0.waits();
        waits.add(now, waited, self.0.waiting.load(Relaxed));
        if waited > longest && waits.all_exceed(longest) {
            return Poll::Ready(Err(TooLate));
        }
        Poll::Ready(Ok(turn))
    }

    /// The turn of a call before which nobody is in line, if it can have one.
    fn turn_at_once(&self) -> Option<Turn> {
        match self.0.pace {
            Pace::Together => Some(Turn(None)),
            Pace::OneByOne => {
                self.0.turns.try_acquire().ok()?.forget();
                Some(Turn::begin(&self.0))
            }
        }
    }

    /// Stands in line, at its end, for the rest of the longest time that this call may wait. If by then not everybody waits,
    /// it goes on until its turn.
    fn stand(&self, rest: Duration, longest: Duration) -> Waiting {
        let place = InLine::new(self.0.clone());
        if self.0.pace == Pace::Together && !self.0.is_led.swap(true, Relaxed) {
            tokio::spawn(lead(self.0.clone()));
        }
        Box::pin(async move {
            let line = &place.0;
            let turn = line.turns.acquire();
            tokio::pin!(turn);
            let turn = match timeout(rest, turn.as_mut()).await {
                Ok(turn) => turn,
                Err(_) if line.waits().all_exceed(longest) => return Err(TooLate),
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

/// The turn of a call, until it is done: in which line, and since when. None if nobody waits for its end.
pub(super) struct Turn(Option<(Arc<Inner>, Instant)>);

impl Turn {
    fn begin(line: &Arc<Inner>) -> Self {
        Self(Some((line.clone(), Instant::now())))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some((line, begun)) = &self.0 else { return };
        match line.pace {
            Pace::Together => {
                line.worked.fetch_add(begun.elapsed().as_nanos() as u64, Relaxed);
            }
            Pace::OneByOne => line.turns.add_permits(1),
        }
    }
}

/// How long calls have waited of late, and how many had their turn.
struct Waits {
    /// The window before this one.
    before: Window,
    /// This one, so far.
    now: Window,
    /// When it ends.
    ends: Instant,
}

/// What is known of the calls whose turn came within some time.
#[derive(Clone, Copy)]
struct Window {
    /// The shortest wait: nobody waited less.
    shortest: Duration,
    turns: u32,
    /// Whether somebody was in line all the time: then no more turns were to be had.
    is_busy: bool,
}

impl Window {
    const NEW: Self = Self { shortest: Duration::MAX, turns: 0, is_busy: true };

    /// One in which nobody had to wait.
    const IDLE: Self = Self { shortest: Duration::ZERO, turns: 0, is_busy: false };
}

impl Waits {
    fn new(now: Instant) -> Self {
        Self { before: Window::IDLE, now: Window::NEW, ends: now + WINDOW }
    }

    /// Adds the turn of a call that has waited so long, with so many left in line.
    fn add(&mut self, now: Instant, waited: Duration, left: usize) {
        if now >= self.ends {
            let before = match self.now {
                window if window.turns > 0 && !self.is_over(now) => window,
                // Turns are far apart, or the machine paused. How many are to be had is not known.
                window if window.is_busy && window.turns > 0 => Window { is_busy: false, ..window },
                // Nobody waited.
                _ => Window::IDLE,
            };
            *self = Self { before, ..Self::new(now) };
        }
        self.now.shortest = self.now.shortest.min(waited);
        self.now.turns += 1;
        self.now.is_busy &= left > 0;
    }

    /// Whether a whole window has passed since this one.
    fn is_over(&self, now: Instant) -> bool {
        now >= self.ends + WINDOW
    }

    /// Whether everybody waits too long for a call that may wait so long: nobody of late less than half of that. Were it not
    /// half, the line would be let grow anew as soon as it is short enough.
    fn all_exceed(&self, longest: Duration) -> bool {
        self.before.shortest > longest / 2
    }

    /// Whether a call with so many before it waits too long for its turn, by how many turns there were of late: for three
    /// quarters of its time, so that hardly anybody waits in vain.
    fn is_too_far(&self, now: Instant, waiting: usize, longest: Duration) -> bool {
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        let until_turn = WINDOW.saturating_mul(waiting) / self.before.turns.max(1);
        self.before.is_busy && !self.is_over(now) && until_turn >= longest / 4 * 3
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    async fn turn(line: Line) -> Turn {
        let mut waiting = None;
        let turn = poll_fn(|context| {
            line.poll_turn(&mut waiting, Instant::now(), Duration::ZERO, Duration::from_hours(1), context)
        });
        turn.await.expect("nobody waits too long")
    }

    #[tokio::test]
    async fn calls_go_on_together() {
        let line = Line::of_calls();
        let _first = turn(line.clone()).await;
        let _second = turn(line).await;
    }

    #[tokio::test]
    async fn a_batch_goes_on_when_the_one_before_it_is_done() {
        let line = Line::of_batches();
        let first = turn(line.clone()).await;
        let second = tokio::spawn(turn(line));
        yield_now().await;
        assert!(!second.is_finished());
        drop(first);
        second.await.expect("it goes on");
    }

    #[tokio::test]
    async fn a_batch_that_is_given_up_lets_the_next_go_on() {
        let line = Line::of_batches();
        let first = turn(line.clone()).await;
        let [second, third] = [tokio::spawn(turn(line.clone())), tokio::spawn(turn(line.clone()))];
        yield_now().await;
        // The turn of the second has come, and it has not noticed yet.
        drop(first);
        second.abort();
        drop(third.await.expect("it goes on"));
        turn(line).await;
    }

    const LONG: Duration = Duration::from_millis(150);
    const SHORT: Duration = Duration::from_millis(5);

    /// What stands after calls whose turn came at these times, in milliseconds, and that waited so long.
    fn standing_after(calls: &[(u64, Duration)]) -> Duration {
        let start = Instant::now();
        let mut waits = Waits::new(start);
        for (at, waited) in calls {
            waits.add(start + Duration::from_millis(*at), *waited, 0);
        }
        waits.before.shortest
    }

    /// What is known after turns at these times, in milliseconds, with so many left in line; and when the last of them was.
    fn waits_after(turns: &[(u64, usize)]) -> (Waits, Instant) {
        let mut now = Instant::now();
        let (start, mut waits) = (now, Waits::new(now));
        for (at, left) in turns {
            now = start + Duration::from_millis(*at);
            waits.add(now, LONG, *left);
        }
        (waits, now)
    }

    #[test]
    fn a_wait_of_everybody_stands_however_far_apart_turns_are() {
        assert_eq!(waits_after(&[(10, 3), (160, 2), (310, 1)]).0.before.shortest, LONG);
        assert_eq!(waits_after(&[(10, 3), (160, 0), (310, 1)]).0.before.shortest, Duration::ZERO);
    }

    #[test]
    fn who_is_not_reached_in_time_is_too_far() {
        // Two turns in 50 ms are six in 150 ms, three quarters of this.
        let longest = Duration::from_millis(200);
        let (busy, at_last) = waits_after(&[(10, 7), (40, 6), (60, 5)]);
        assert!(!busy.is_too_far(at_last, 5, longest));
        assert!(busy.is_too_far(at_last, 6, longest));
        // How it was long ago tells nothing.
        assert!(!busy.is_too_far(at_last + 2 * WINDOW, 6, longest));
    }

    #[test]
    fn nobody_is_too_far_if_the_line_was_empty_of_late() {
        let longest = Duration::from_millis(200);
        for turns in [&[(10, 7), (40, 0), (60, 5)][..], &[(10, 7), (160, 6)], &[(60, 7)], &[]] {
            let (waits, at_last) = waits_after(turns);
            assert!(!waits.is_too_far(at_last, 1000, longest), "{turns:?}");
        }
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
    fn nobody_has_waited_before_the_first() {
        assert_eq!(standing_after(&[(60, LONG)]), Duration::ZERO);
    }

    #[test]
    fn a_pause_is_no_wait() {
        assert_eq!(standing_after(&[(10, LONG), (40, LONG), (160, LONG)]), Duration::ZERO);
    }
}
