//! Telemetry: metrics, logs, traces and request ids. It observes calls and limiters and decides nothing.

mod call_record;
mod log_limiter;
mod log_queue;
mod logs;
mod lost_lines;
mod metrics;
mod request_id;
mod traces;

pub use self::logs::{BadFilter, Log, LogError, start_logging};
pub(super) use self::{
    call_record::{CallRecord, Telemetry},
    log_limiter::LogLimiter,
    lost_lines::LostLines,
    metrics::{Metrics, code_name},
    request_id::{REQUEST_ID, assign_request_id},
    traces::Traces,
};
