//! The request pipeline: the steps of a call, in order.
//!
//! A call arrives from the protocol router, which has assigned its request id. Then: call record → authentication →
//! deadline → in-flight permit → collected body → admission queue → service → outcome → telemetry. The response holds the in-flight permit
//! until it is sent.

use futures_util::TryFutureExt;
use http::{HeaderMap, Request, Response, request::Parts};
use http_body_util::Full;
use tokio::time::Instant;
use tonic::{Code, Status, body::Body};
use tower::ServiceExt;

use super::{
    admission::{Admission, InFlightPermit},
    auth::Tokens,
    deadline::Deadline,
    protocol::{Protocol, RequestBody, ResponseBody, collect},
    services::MountedServices,
    telemetry::{CallRecord, Telemetry},
};
use crate::{
    config::Limits,
    service::{CallResult, Method, Referee, StreamContext},
    wire::{
        Refusal,
        proto::{ErrorReason, SERVICE_NAME},
        refusal_of,
    },
};

/// The pipeline of one worker.
pub(super) struct Pipeline {
    /// None: every client may call.
    pub(super) tokens: Option<Tokens>,
    pub(super) limits: Limits,
    pub(super) admission: Admission,
    pub(super) referee: Referee,
    pub(super) mounted: MountedServices,
    pub(super) telemetry: Telemetry,
}

impl Pipeline {
    /// Handles a request. `arrived` is when its headers were read.
    pub(super) async fn handle(
        &self,
        request: Request<RequestBody>,
        protocol: Protocol,
        arrived: Instant,
    ) -> Response<ResponseBody> {
        let (service, name) = split_path(request.uri().path());
        if service != SERVICE_NAME {
            return self.handle_mounted(request, protocol, arrived).await;
        }
        let method = Method::by_name(name);
        let (mut head, body) = request.into_parts();
        // A stream takes the record with it: its outcome is known when it ends.
        let mut record = Some(CallRecord::start(&self.telemetry, method, &head.headers, arrived));
        let mut permit = None;

        let call = async {
            self.authenticate(SERVICE_NAME, &head.headers)?;
            protocol.translate_headers(&mut head.headers, method)?;
            let deadline = Deadline::from_headers(&head.headers, arrived, self.limits.call_timeout)?;
            let permit = permit.insert(self.admission.acquire_in_flight(method)?);
            let method = method.ok_or_else(|| unknown_method(&head))?;
            if method == Method::Evaluate {
                return self.open_stream(Request::from_parts(head, body), &deadline, &mut record).await;
            }
            let run = async {
                let body = collect(body, protocol, self.max_message_bytes(method), permit, arrived).await?;
                let execution_permit =
                    self.admission.admit(method, body.ready_since, deadline.timeout).await?;
                // While it was queued, other batches may have used up the byte budget.
                permit.hold_request(body.bytes.len())?;
                let message =
                    protocol.decode_request(method, body.bytes, self.limits.max_message_bytes).await?;
                let request = Request::from_parts(head, Full::new(message));
                let result = self.referee.call(method, request).await;
                permit.hold_response(result.bytes);
                let result = protocol.encode_response(method, result).await;
                drop(execution_permit);
                Ok(result)
            };
            deadline.run(run).await
        };
        let result = call.await.unwrap_or_else(|refusal| CallResult::refused(None, refusal));
        if let Some(record) = record {
            record.finish(result.outcome());
        }
        if let Some(permit) = &mut permit {
            permit.hold_response(result.bytes);
        }
        respond(result.response.unwrap_or_else(|refusal| protocol.refuse(refusal)), permit)
    }

    fn authenticate(&self, service: &str, headers: &HeaderMap) -> Result<(), Refusal> {
        self.tokens.as_ref().map_or(Ok(()), |tokens| tokens.authenticate(service, headers))
    }

    fn max_message_bytes(&self, method: Method) -> usize {
        match method {
            Method::EvaluateBatch => self.limits.max_batch_bytes,
            _ => self.limits.max_message_bytes,
        }
    }

    /// Opens a stream. It lasts until its client, the client's deadline or its connection ends it: the call timeout does not
    /// apply.
    async fn open_stream(
        &self,
        request: Request<RequestBody>,
        deadline: &Deadline,
        record: &mut Option<CallRecord>,
    ) -> Result<CallResult, Refusal> {
        if Instant::now() >= deadline.at {
            return Err(Refusal::deadline_exceeded());
        }
        let record = record.take();
        let on_end = Box::new(move |outcome| {
            if let Some(record) = record {
                record.finish(outcome);
            }
        });
        let context = StreamContext { deadline: deadline.of_client, on_end };
        let response = self.referee.evaluate(request.map(Body::new), context).await?;
        Ok(CallResult { response: Ok(response), game: None, bytes: 0 })
    }

    /// Handles a call of a service other than the referee: authentication and deadline, then the service itself. Only gRPC
    /// reaches these services.
    async fn handle_mounted(
        &self,
        request: Request<RequestBody>,
        protocol: Protocol,
        arrived: Instant,
    ) -> Response<ResponseBody> {
        let call = async {
            let (service, _) = split_path(request.uri().path());
            self.authenticate(service, request.headers())?;
            let service = match protocol {
                Protocol::Grpc => self.mounted.find(service),
                Protocol::GrpcWeb | Protocol::Connect(_) => None,
            };
            let service = service.ok_or_else(unknown_service)?;
            let deadline = Deadline::from_headers(request.headers(), arrived, self.limits.call_timeout)?;
            deadline.run(service.oneshot(request.map(Body::new)).map_err(|never| match never {})).await
        };
        let mut response = call.await.unwrap_or_else(|refusal| protocol.refuse(refusal));
        if let Some(refusal) = Status::from_header_map(response.headers()).as_ref().and_then(refusal_of) {
            replace_status(response.headers_mut(), refusal);
        }
        respond(response, None)
    }
}

/// Replaces the status of a response without a body.
fn replace_status(headers: &mut HeaderMap, refusal: Refusal) {
    for name in ["grpc-status", "grpc-message", "grpc-status-details-bin"] {
        headers.remove(name);
    }
    if let Err(status) = Status::from(refusal).add_header(headers) {
        tracing::error!(%status, "the status does not fit into headers");
    }
}

fn respond(response: Response<Body>, permit: Option<InFlightPermit>) -> Response<ResponseBody> {
    response.map(|body| ResponseBody::new(body, permit))
}

/// Splits a path such as `/package.Service/Method`.
fn split_path(path: &str) -> (&str, &str) {
    path.strip_prefix('/').and_then(|path| path.split_once('/')).unwrap_or_default()
}

fn unknown_method(head: &Parts) -> Refusal {
    let (_, name) = split_path(head.uri.path());
    Refusal::unknown_method(name, &Method::ALL.map(Method::name))
}

fn unknown_service() -> Refusal {
    Refusal::new(Code::Unimplemented, ErrorReason::CallNotAvailable, "unknown service")
}
