use std::{
    io::{IsTerminal, stderr},
    panic,
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

use crate::config::{Config, LogFormat};

/// What is logged, which can be changed while the server runs.
#[derive(Clone)]
pub struct LogFilter(reload::Handle<Targets, Registry>);

impl LogFilter {
    /// The filter, as it would be given to `--log`.
    pub(super) fn text(&self) -> String {
        self.0.with_current(ToString::to_string).unwrap_or_default()
    }

    /// Logs by another filter from now on.
    pub(super) fn set(&self, text: &str) -> Result<(), BadFilter> {
        let filter = parse(text)?;
        // There is no error: the subscriber lives as long as the process.
        let _ = self.0.reload(filter);
        Ok(())
    }
}

/// Why a text is not a filter.
#[derive(Debug, Error)]
pub enum BadFilter {
    /// A level that does not exist, alone or behind a module. A mistyped level is never taken for a module's name: that
    /// would leave the server without a log.
    #[error(
        "{0:?} is not a level: use off, error, warn, info, debug or trace, or MODULE=LEVEL for a single module"
    )]
    UnknownLevel(String),
    /// What stands before `=` is not a path such as `arbiter::server`.
    #[error("{0:?} is not a module: use a path such as arbiter or arbiter::server")]
    BadModule(String),
}

/// Reads a list of `LEVEL` (for all modules) and `MODULE=LEVEL`, with commas between them.
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
/// If the filter cannot be read.
pub fn start_logging(config: &Config) -> Result<LogFilter, BadFilter> {
    let (filter, handle) = reload::Layer::new(parse(&config.log)?);
    let lines = fmt::layer().with_writer(stderr).with_ansi(stderr().is_terminal());
    let lines = match config.log_format {
        LogFormat::Text => lines.boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry().with(filter).with(lines).init();
    // A fault is a log line like any other, in the format that was asked for.
    // Where it happened, but not in which words: those may hold a state, and with it hidden cards.
    panic::set_hook(Box::new(|fault| {
        tracing::error!(at = fault.location().map(tracing::field::display), "a fault of the service");
    }));
    Ok(LogFilter(handle))
}
