//! How the server ends.

use std::{future::Future, io, process, time::Duration};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::metrics::Metrics;

/// How long no call must have been under way before connections that stay open all the same are closed: those of
/// watchers and of clients that do not answer. It leaves answers the time to be sent.
const QUIET: Duration = Duration::from_secs(1);

/// How long streams have to take their leave once they must.
const FAREWELL: Duration = Duration::from_millis(500);

/// The steps of the end, each a token that is cancelled when the step is reached.
#[derive(Clone)]
pub(super) struct Drain {
    /// Told to end: no longer ready, but everything is answered as before.
    announced: CancellationToken,
    /// No more connections; those there are ask their clients to go.
    begun: CancellationToken,
    /// Streams that are still open end now.
    closing: CancellationToken,
    /// Connections that are still open are closed now.
    over: CancellationToken,
}

impl Drain {
    pub(super) fn new() -> Self {
        Self {
            announced: CancellationToken::new(),
            begun: CancellationToken::new(),
            closing: CancellationToken::new(),
            over: CancellationToken::new(),
        }
    }

    pub(super) fn announce(&self) {
        self.announced.cancel();
    }

    pub(super) fn is_announced(&self) -> bool {
        self.announced.is_cancelled()
    }

    pub(super) fn begin(&self) {
        self.begun.cancel();
    }

    pub(super) fn begun(&self) -> impl Future<Output = ()> + Send + use<> {
        self.begun.clone().cancelled_owned()
    }

    pub(super) fn closing(&self) -> CancellationToken {
        self.closing.clone()
    }

    pub(super) fn over(&self) -> impl Future<Output = ()> + Send + use<> {
        self.over.clone().cancelled_owned()
    }

    /// Waits until all connections have closed, or nothing but idle ones is left, or the time is over;
    /// then closes what is left.
    pub(super) async fn finish(
        &self,
        metrics: &Metrics,
        within: Duration,
        all_closed: impl Future<Output = ()>,
    ) {
        tokio::pin!(all_closed);
        let idle_or_closed = async {
            tokio::select! {
                () = &mut all_closed => true,
                () = quiet(metrics) => false,
            }
        };
        let in_time = timeout(within, idle_or_closed).await;
        if in_time == Ok(true) {
            return;
        }
        if in_time.is_err() {
            tracing::warn!(
                in_flight = metrics.in_flight(),
                "the drain timeout is over, ending calls under way"
            );
            self.closing.cancel();
            sleep(FAREWELL).await;
        }
        self.over.cancel();
        let _ = timeout(FAREWELL, all_closed).await;
    }
}

/// Waits until no call has been under way for a while.
async fn quiet(metrics: &Metrics) {
    const STEP: Duration = Duration::from_millis(50);
    let mut quiet_for = Duration::ZERO;
    while quiet_for < QUIET {
        sleep(STEP).await;
        quiet_for = if metrics.in_flight() == 0 { quiet_for + STEP } else { Duration::ZERO };
    }
}

/// Starts to listen for SIGTERM and SIGINT, and answers what waits for the first of them. From then on a second one
/// ends the process at once. Must be called within a runtime.
pub(super) fn termination() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        either(&mut terminate, &mut interrupt).await;
        tokio::spawn(async move {
            let code = either(&mut terminate, &mut interrupt).await;
            tracing::warn!("told to end twice: ending at once");
            process::exit(code);
        });
    })
}

/// Waits for either signal and tells the exit code that stands for it.
async fn either(terminate: &mut Signal, interrupt: &mut Signal) -> i32 {
    const SIGNALLED: i32 = 128;
    tokio::select! {
        _ = terminate.recv() => SIGNALLED + SignalKind::terminate().as_raw_value(),
        _ = interrupt.recv() => SIGNALLED + SignalKind::interrupt().as_raw_value(),
    }
}
