//! Connections: the listener, the worker threads, TLS, and one connection from its first byte to its last.

mod activity;
mod blocked;
mod client_certificates;
mod connection;
mod http_version;
mod listener;
mod tls;
mod validity;
mod worker;
mod write_coalescing;

pub(super) use self::{
    activity::{ConnectionActivity, OpenCall},
    blocked::BlockedConnections,
    connection::ConnectionContext,
    listener::{ACCEPT_RETRY_DELAY, Clients, Listener, OpenConnections},
    tls::Tls,
    worker::start_worker,
};
