//! Logs to standard error, with a filter that can be changed at run time.

use std::{
    io::{self, IsTerminal, stderr},
    panic,
    time::Duration,
};

use thiserror::Error;
use tracing_subscriber::{
    Layer, Registry,
    filter::{LevelFilter, Targets},
    fmt,
    layer::SubscriberExt,
    reload,
    util::SubscriberInitExt,
};

use super::log_queue::LogQueue;
use crate::config::{Config, LogFormat};

/// The log: a filter, which can be changed while the server runs, and the queue of lines.
#[derive(Clone)]
pub struct Log {
    filter: reload::Handle<Targets, Registry>,
    queue: LogQueue,
}

impl Log {
    /// The filter in the syntax of `--log`.
    pub(in crate::server) fn filter(&self) -> String {
        self.filter.with_current(ToString::to_string).unwrap_or_default()
    }

    /// Changes the filter.
    pub(in crate::server) fn set_filter(&self, text: &str) -> Result<(), BadFilter> {
        let filter = parse(text)?;
        // It does not fail: the subscriber lives as long as the process.
        let _ = self.filter.reload(filter);
        Ok(())
    }

    /// How many lines were lost, because standard error is not read fast enough.
    pub(in crate::server) fn dropped_lines(&self) -> u64 {
        self.queue.dropped()
    }

    /// Waits until all lines are written, but not long: a stalled reader must not keep the process from exiting.
    pub fn flush(&self) {
        const FLUSH_TIMEOUT: Duration = Duration::from_millis(500);
        self.queue.flush(FLUSH_TIMEOUT);
    }
}

/// Why the log cannot start.
#[derive(Debug, Error)]
pub enum LogError {
    /// The filter is not valid.
    #[error("--log: {0}")]
    BadFilter(#[from] BadFilter),
    /// The operating system refused the thread that writes the lines.
    #[error("cannot start: {0}")]
    Thread(#[from] io::Error),
}

/// Why a text is not a log filter.
#[derive(Debug, Error)]
pub enum BadFilter {
    /// An unknown level, alone or after a module. A mistyped level is never treated as a module name: the server would log
    /// nothing.
    #[error(
        "{0:?} is not a level: use off, error, warn, info, debug or trace, or MODULE=LEVEL for a single module"
    )]
    UnknownLevel(String),
    /// The text before `=` is not a path such as `arbiter::server`.
    #[error("{0:?} is not a module: use a path such as arbiter or arbiter::server")]
    BadModule(String),
}

/// Parses a comma-separated list of `LEVEL` (for all modules) and `MODULE=LEVEL`.
fn parse(text: &str) -> Result<Targets, BadFilter> {
    let level = |text: &str| {
        text.parse::<LevelFilter>()
            .ok()
            .filter(|_| !text.is_empty())
            .ok_or(BadFilter::UnknownLevel(text.to_owned()))
    };
    let is_path = |module: &str| {
        !module.is_empty()
            && module.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':'))
    };
    let mut filter = Targets::new();
    for directive in text.split(',').map(str::trim) {
        filter = match directive.split_once('=') {
            None => filter.with_default(level(directive)?),
            Some((module, of_module)) if is_path(module) => filter.with_target(module, level(of_module)?),
            Some((module, _)) => return Err(BadFilter::BadModule(module.to_owned())),
        };
    }
    Ok(filter)
}

/// Starts to log to standard error, as configured.
///
/// # Errors
///
/// If the filter is not valid, or the thread that writes the lines cannot be started.
pub fn start_logging(config: &Config) -> Result<Log, LogError> {
    let (filter, handle) = reload::Layer::new(parse(&config.log)?);
    let queue = LogQueue::start()?;
    let writer = queue.clone();
    let lines = fmt::layer().with_writer(move || writer.clone()).with_ansi(stderr().is_terminal());
    let lines = match config.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry().with(filter).with(lines).init();
    // Logs a panic in the configured format. Its message is left out: it may hold a state, and with it hidden cards.
    panic::set_hook(Box::new(|panic| {
        tracing::error!(at = panic.location().map(tracing::field::display), "internal error: panic");
    }));
    Ok(Log { filter: handle, queue })
}
