use std::{
    io::{IsTerminal, stderr},
    panic,
};

use tracing_subscriber::{EnvFilter, filter::ParseError};

use crate::config::{Config, LogFormat};

/// Starts to log to standard error, as configured.
///
/// # Errors
///
/// If the filter cannot be read.
pub fn start_logging(config: &Config) -> Result<(), ParseError> {
    let filter = EnvFilter::builder().parse(&config.log)?;
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(stderr)
        .with_ansi(stderr().is_terminal());
    match config.log_format {
        LogFormat::Text => subscriber.init(),
        LogFormat::Json => subscriber.json().flatten_event(true).init(),
    }
    // A fault is a log line like any other, in the format that was asked for.
    // Where it happened, but not in which words: those may hold a state, and with it hidden cards.
    panic::set_hook(Box::new(|fault| {
        tracing::error!(at = fault.location().map(tracing::field::display), "a fault of the service");
    }));
    Ok(())
}
