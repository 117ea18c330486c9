use std::io::{IsTerminal, stderr};

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
    Ok(())
}
