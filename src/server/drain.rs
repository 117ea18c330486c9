//! Graceful shutdown.

use std::{
    fs,
    future::{Future, pending},
    io, process,
    time::Duration,
};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{admission::Budgets, telemetry::Log};

/// After this long without a call in flight, the remaining connections are closed: health watchers, and clients that ignore
/// GOAWAY. Long enough to send the last responses.
const IDLE_TIME: Duration = Duration::from_secs(1);

/// How long streams, and then connections, have to close at the end.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// The steps of a shutdown, each a token that is cancelled when the step is reached.
#[derive(Clone)]
pub(super) struct Drain {
    /// Readiness and health report it; calls are still served.
    announced: CancellationToken,
    /// The listener closes; connections send GOAWAY.
    started: CancellationToken,
    /// Open streams end.
    closing: CancellationToken,
    /// Open connections are closed.
    expired: CancellationToken,
}

impl Drain {
    pub(super) fn new() -> Self {
        Self {
            announced: CancellationToken::new(),
            started: CancellationToken::new(),
            closing: CancellationToken::new(),
            expired: CancellationToken::new(),
        }
    }

    pub(super) fn announce(&self) {
        self.announced.cancel();
    }

    pub(super) fn is_announced(&self) -> bool {
        self.announced.is_cancelled()
    }

    pub(super) fn start(&self) {
        self.started.cancel();
    }

    pub(super) fn started(&self) -> impl Future<Output = ()> + Send + use<> {
        self.started.clone().cancelled_owned()
    }

    pub(super) fn start_token(&self) -> CancellationToken {
        self.started.clone()
    }

    pub(super) fn closing(&self) -> CancellationToken {
        self.closing.clone()
    }

    pub(super) fn expired(&self) -> impl Future<Output = ()> + Send + use<> {
        self.expired.clone().cancelled_owned()
    }

    /// Waits until all connections are closed or idle, or until the timeout; then closes the rest.
    pub(super) async fn finish(
        &self,
        budgets: &Budgets,
        drain_timeout: Duration,
        all_closed: impl Future<Output = ()>,
    ) {
        tokio::pin!(all_closed);
        let idle_or_closed = async {
            tokio::select! {
                () = &mut all_closed => true,
                () = idle(budgets) => false,
            }
        };
        let in_time = timeout(drain_timeout, idle_or_closed).await;
        if in_time == Ok(true) {
            return;
        }
        if in_time.is_err() {
            let (calls, streams) = (budgets.calls.used() + budgets.analyses.used(), budgets.streams.used());
            tracing::warn!(calls, streams, "drain timeout exceeded: cancelling calls in flight");
            self.closing.cancel();
            sleep(CLOSE_TIMEOUT).await;
        }
        self.expired.cancel();
        let _ = timeout(CLOSE_TIMEOUT, all_closed).await;
    }
}

/// Waits until no call has been in flight for a while.
async fn idle(budgets: &Budgets) {
    const STEP: Duration = Duration::from_millis(50);
    let mut idle_for = Duration::ZERO;
    while idle_for < IDLE_TIME {
        sleep(STEP).await;
        let in_flight = [&budgets.calls, &budgets.analyses, &budgets.streams];
        let is_idle = in_flight.iter().all(|budget| budget.used() == 0);
        idle_for = if is_idle { idle_for + STEP } else { Duration::ZERO };
    }
}

/// Installs handlers for SIGTERM, SIGINT and SIGHUP. The future is ready at the first signal; a second one exits the process
/// at once. Must be called within a runtime.
pub(super) fn shutdown_signal(log: Option<Log>) -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    // `nohup` ignores SIGHUP: the server outlives its terminal.
    let mut hangup = if is_hangup_ignored() { None } else { Some(signal(SignalKind::hangup())?) };
    Ok(async move {
        next_signal(&mut terminate, &mut interrupt, hangup.as_mut()).await;
        tokio::spawn(async move {
            let code = next_signal(&mut terminate, &mut interrupt, hangup.as_mut()).await;
            tracing::warn!("second signal: exiting immediately");
            if let Some(log) = log {
                log.flush();
            }
            process::exit(code);
        });
    })
}

/// Waits for any of the signals and returns its exit code.
async fn next_signal(terminate: &mut Signal, interrupt: &mut Signal, hangup: Option<&mut Signal>) -> i32 {
    const SIGNAL_EXIT_CODE: i32 = 128;
    let hangup = async {
        match hangup {
            Some(hangup) => hangup.recv().await,
            None => pending().await,
        }
    };
    let kind = tokio::select! {
        _ = terminate.recv() => SignalKind::terminate(),
        _ = interrupt.recv() => SignalKind::interrupt(),
        _ = hangup => SignalKind::hangup(),
    };
    SIGNAL_EXIT_CODE + kind.as_raw_value()
}

/// Whether the process was started with SIGHUP ignored. Reads the mask of ignored signals, whose lowest bit is signal 1.
fn is_hangup_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask =
        status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    let bit = 1 << (SignalKind::hangup().as_raw_value() - 1);
    mask.is_some_and(|mask| mask & bit != 0)
}
