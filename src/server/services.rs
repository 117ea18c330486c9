//! The services mounted next to the referee: health, reflection, and those that a test or benchmark adds.

use std::convert::Infallible;

use http::{Request, Response};
use tonic::{body::Body, server::NamedService};
use tonic_health::{
    pb::health_server::{Health, HealthServer},
    server::HealthReporter,
};
use tonic_reflection::server::{Builder, Error};
use tower::{Service, util::BoxCloneSyncService};

use crate::wire::proto;

/// Maximum size of a request to health or reflection: they carry a service or symbol name.
const MAX_REQUEST_BYTES: usize = 16 * 1024;

/// The name of the health service.
pub(super) const HEALTH_SERVICE: &str = "grpc.health.v1.Health";

/// The health service, and the handle that changes what it reports.
pub(super) fn health() -> (HealthReporter, HealthServer<impl Health>) {
    let (reporter, service) = tonic_health::server::health_reporter();
    (reporter, service.max_decoding_message_size(MAX_REQUEST_BYTES))
}

/// A service that can be mounted next to the referee.
pub trait GrpcService:
    Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
    + NamedService
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<S> GrpcService for S where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
        + NamedService
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// The mounted services by name.
#[derive(Clone, Default)]
pub(super) struct MountedServices(Vec<(&'static str, MountedService)>);

type MountedService = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

impl MountedServices {
    pub(super) fn add<S: GrpcService>(&mut self, service: S) {
        self.0.push((S::NAME, BoxCloneSyncService::new(service)));
    }

    /// Adds reflection, in both versions in use, for the referee, health and the error details.
    pub(super) fn add_reflection(&mut self) -> Result<(), Error> {
        let contract = || {
            Builder::configure()
                .register_encoded_file_descriptor_set(proto::FILE_DESCRIPTOR_SET)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
                .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
        };
        self.add(contract().build_v1()?.max_decoding_message_size(MAX_REQUEST_BYTES));
        self.add(contract().build_v1alpha()?.max_decoding_message_size(MAX_REQUEST_BYTES));
        Ok(())
    }

    pub(super) fn find(&self, name: &str) -> Option<MountedService> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, service)| service.clone())
    }
}
