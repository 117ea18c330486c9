//! Tests of the server binary over real sockets.

mod admin_limits;
mod cases;
mod closed_output;
mod configuration;
mod connect;
mod connect_json;
mod connect_limits;
mod cors;
mod discovery;
mod evaluate;
mod grpc_web;
mod health_command;
mod hidden_hands;
mod http1;
mod limits;
mod log_level;
mod log_output;
mod malformed;
mod operations;
mod overload;
mod request_ids;
mod shutdown;
mod support;
mod tls;
mod tokens;
mod traces;
