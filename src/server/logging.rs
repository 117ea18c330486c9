use std::{
    io::{IsTerminal, stderr},
    panic,
};

use thiserror::Error;
use tracing_subscriber::{
    EnvFilter, Layer, Registry,
    filter::{LevelFilter, ParseError},
    fmt,
    layer::SubscriberExt,
    reload,
    util::SubscriberInitExt,
};

use crate::config::{Config, LogFormat};

/// What is logged, which can be changed while the server runs.
#[derive(Clone)]
pub struct LogFilter(reload::Handle<EnvFilter, Registry>);

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

/// What is no filter, and why.
#[derive(Debug, Error)]
pub enum BadFilter {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ParseError),
    /// A word stands alone and is no level. It would be taken for the name of a module: all of that would be logged, and
    /// nothing else. Who mistypes a level must not be left without a log.
    #[error(
        "{0} is no level: off, error, warn, info, debug and trace are; for a module alone, write {0}=trace"
    )]
    NoLevel(String),
}

fn parse(text: &str) -> Result<EnvFilter, BadFilter> {
    let is_level = |word: &str| word.is_empty() || word.parse::<LevelFilter>().is_ok();
    let mut words = text.split(',').map(str::trim).filter(|part| !part.contains(['=', '[', ']', '{', '}']));
    if let Some(word) = words.find(|word| !is_level(word)) {
        return Err(BadFilter::NoLevel(word.to_owned()));
    }
    Ok(EnvFilter::builder().parse(text)?)
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
