//! Connections: the listener, the worker threads, TLS, and one connection from its first byte to its last.

mod connection;
mod listener;
mod tls;
mod worker;
mod write_coalescing;

pub(super) use self::{
    connection::ConnectionContext,
    listener::{ACCEPT_RETRY_DELAY, Listener},
    tls::Tls,
    worker::start_worker,
};
