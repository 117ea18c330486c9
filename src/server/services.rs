//! The services that are answered.

use std::{convert::Infallible, sync::Arc};

use http::{Request, Response};
use tonic::{body::Body, codec::CompressionEncoding, server::NamedService};
use tonic_health::{
    pb::health_server::{Health, HealthServer},
    server::HealthReporter,
};
use tonic_reflection::server::{Builder, Error};
use tower::{Service, util::BoxCloneSyncService};

use super::{drain::Drain, metrics::Metrics, record::Listener};
use crate::{
    config::Limits,
    service::{self, Referee},
    wire::proto::{self, rules_service_server::RulesServiceServer},
};

/// The largest request of a service that is not ours, in bytes: they are a name or two.
const MAX_OTHER_MESSAGE_BYTES: usize = 16 * 1024;

pub(super) type Rules = RulesServiceServer<Referee<Listener>>;

/// The referee, with what each kind of call may send and is sent. Batches may send more; batches and streams are
/// answered compressed if the caller likes. A single answer is too small to gain from it.
#[derive(Clone)]
pub(super) struct RulesServices {
    pub(super) single: Rules,
    pub(super) batch: Rules,
    pub(super) stream: Rules,
}

pub(super) fn rules(limits: &Limits, metrics: &Arc<Metrics>, drain: &Drain) -> RulesServices {
    let limited = service::Limits {
        replay_moves: limits.max_replay_moves,
        batch_items: limits.max_batch_items,
        item_bytes: limits.max_message_bytes,
        batch_answer_bytes: limits.max_batch_answer_bytes,
    };
    let referee = Referee::new(limited, Listener(metrics.clone()), drain.closing());
    let rules = |max_bytes| {
        RulesServiceServer::new(referee.clone())
            .max_decoding_message_size(max_bytes)
            .accept_compressed(CompressionEncoding::Gzip)
    };
    let compressed = |rules: Rules| rules.send_compressed(CompressionEncoding::Gzip);
    RulesServices {
        single: rules(limits.max_message_bytes),
        batch: compressed(rules(limits.max_batch_bytes)),
        stream: compressed(rules(limits.max_message_bytes)),
    }
}

/// Health, and the handle by which it is changed.
pub(super) fn health() -> (HealthReporter, HealthServer<impl Health>) {
    let (reporter, service) = tonic_health::server::health_reporter();
    (reporter, service.max_decoding_message_size(MAX_OTHER_MESSAGE_BYTES))
}

/// A service that can be answered beside the referee.
pub trait GrpcService:
    Service<Request<Body>, Response = Response<Body>, Error = Infallible>
    + NamedService
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<S> GrpcService for S where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + NamedService
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// The services beside the referee, by name: health, reflection, and whatever was added.
#[derive(Clone, Default)]
pub(super) struct Services(Vec<(&'static str, OtherService)>);

type OtherService = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

impl Services {
    pub(super) fn add<S: GrpcService>(&mut self, service: S)
    where
        S::Future: Send,
    {
        self.0.push((S::NAME, BoxCloneSyncService::new(service)));
    }

    /// Adds reflection, in both versions that are in use, of everything that is answered and of the error details.
    pub(super) fn add_reflection(&mut self) -> Result<(), Error> {
        let contract = || {
            Builder::configure()
                .register_encoded_file_descriptor_set(proto::FILE_DESCRIPTOR_SET)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
                .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
        };
        self.add(contract().build_v1()?.max_decoding_message_size(MAX_OTHER_MESSAGE_BYTES));
        self.add(contract().build_v1alpha()?.max_decoding_message_size(MAX_OTHER_MESSAGE_BYTES));
        Ok(())
    }

    /// The service of this name, if there is one.
    pub(super) fn find(&self, name: &str) -> Option<OtherService> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, service)| service.clone())
    }
}
