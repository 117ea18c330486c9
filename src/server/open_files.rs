//! The limit of open files, compared with what the server needs.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::admin::MAX_CONNECTIONS as MAX_ADMIN_CONNECTIONS;
use crate::config::Config;

/// File descriptors of a worker's runtime.
const FILES_PER_WORKER: usize = 4;

/// File descriptors for everything else but connections: listeners, signals, certificates, tokens, and the trace collector.
const OTHER_FILES: usize = 100;

/// Raises the limit of open files to what `--max-connections` needs, and warns if it cannot. Then `accept` fails before
/// that limit is reached, and clients wait instead of being refused.
pub(super) fn raise_limit(config: &Config) {
    let max_connections = config.limits.max_connections.get();
    let others = config.threads() * FILES_PER_WORKER + MAX_ADMIN_CONNECTIONS + OTHER_FILES;
    let needed = max_connections.saturating_add(others) as u64;
    // A limit of None is no limit.
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|limit| limit >= needed) {
        return;
    }
    let raised = maximum.map_or(needed, |maximum| maximum.min(needed));
    let is_raised = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum }).is_ok();
    if !is_raised || raised < needed {
        let limit = getrlimit(Resource::Nofile).current;
        tracing::warn!(
            limit,
            needed,
            max_connections,
            "the limit of open files is too low for --max-connections: raise it to the needed number (`ulimit -n`, or \
             LimitNOFILE= of systemd), or lower --max-connections"
        );
    }
}
