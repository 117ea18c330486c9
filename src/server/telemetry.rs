//! Telemetry: metrics, logs, traces and request ids. It observes calls and limiters and decides nothing.

mod call_record;
mod logs;
mod metrics;
mod request_id;
mod traces;

pub use self::logs::{BadFilter, LogFilter, start_logging};
pub(super) use self::{
    call_record::{CallRecord, Telemetry},
    metrics::{Metrics, code_name},
    request_id::{REQUEST_ID, assign_request_id},
    traces::Traces,
};
