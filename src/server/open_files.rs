//! The limit of open files, compared with what the server needs.

use super::telemetry::max_open_files;
use crate::config::Config;

/// File descriptors of a worker's runtime.
const FILES_PER_WORKER: usize = 4;

/// File descriptors for everything else but connections: listeners, admin connections, signals, certificates, tokens, and the
/// trace collector.
const OTHER_FILES: usize = 100;

/// Warns if the process may open too few files for `--max-connections`. Then `accept` fails before that limit is reached, and
/// clients wait instead of being refused.
pub(super) fn warn_if_limit_is_low(config: &Config) {
    let Some(limit) = max_open_files() else { return };
    let max_connections = config.limits.max_connections.get();
    let needed = max_connections.saturating_add(config.threads() * FILES_PER_WORKER + OTHER_FILES);
    if limit < needed {
        tracing::warn!(
            limit,
            needed,
            max_connections,
            "the limit of open files is too low for --max-connections: raise it to the needed number (`ulimit -n`, or \
             LimitNOFILE= of systemd), or lower --max-connections"
        );
    }
}
