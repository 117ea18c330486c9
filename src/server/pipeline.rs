//! The request pipeline: the steps of a call, in order.
//!
//! A call arrives from the protocol router, which has assigned its request id. Then: call record → authentication →
//! deadline → in-flight permit → collected body → admission queue → service → outcome → telemetry. The response holds the in-flight permit
//! until it is sent.

use std::sync::Arc;

use futures_util::{StreamExt, TryFutureExt};
use http::{HeaderMap, Request, Response, request::Parts};
use http_body_util::{BodyStream, Full, StreamBody};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status, body::Body};
use tower::ServiceExt;

use super::{
    admission::{Admission, CallKind, Client, InFlightPermit},
    auth::Tokens,
    deadline::Deadline,
    protocol::{Arrival, Protocol, RequestBody, ResponseBody, StreamEnd, collect},
    services::{HEALTH_SERVICE, MountedServices},
    telemetry::{CallRecord, Telemetry},
};
use crate::{
    config::Limits,
    service::{CallOutcome, CallResult, GameId, Method, Referee, StreamContext},
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
    /// Cancelled when the shutdown starts: then streams of mounted services end.
    pub(super) shutdown: CancellationToken,
}

impl Pipeline {
    /// Handles a request.
    pub(super) async fn handle(
        &self,
        request: Request<RequestBody>,
        protocol: Protocol,
        arrival: &Arrival,
    ) -> Response<ResponseBody> {
        let (service, name) = split_path(request.uri().path());
        if service != SERVICE_NAME {
            return self.handle_mounted(request, protocol, arrival).await;
        }
        let method = Method::by_name(name);
        let (mut head, body) = request.into_parts();
        // A stream takes the record with it: its outcome is known when it ends.
        let mut record = Some(CallRecord::start(&self.telemetry, method, &head.headers, arrival));
        let mut permit = None;

        let call = async {
            let client = self.authenticate(SERVICE_NAME, &head.headers, arrival)?;
            if self.tokens.is_some()
                && let Some(record) = &mut record
            {
                record.set_client(&client);
            }
            protocol.translate_headers(&mut head.headers, method)?;
            let deadline = Deadline::from_headers(&head.headers, arrival.at, self.limits.call_timeout)?;
            let kind = match method {
                Some(Method::Evaluate) => CallKind::Stream,
                Some(Method::SuggestMove) => CallKind::Analysis,
                _ => CallKind::Unary,
            };
            let permit =
                permit.insert(self.admission.acquire_in_flight(&client, &arrival.connection, kind)?);
            let method = method.ok_or_else(|| unknown_method(&head))?;
            if method == Method::Evaluate {
                let request = Request::from_parts(head, body);
                return self.open_stream(request, client, &deadline, &mut record).await;
            }
            let run = async {
                let body =
                    collect(body, protocol, self.max_message_bytes(method), permit, arrival.at).await?;
                let execution_permit =
                    self.admission.admit(method, &client, body.ready_since, deadline.timeout).await?;
                let message =
                    protocol.decode_request(method, body.bytes, self.limits.max_message_bytes).await?;
                let table_bytes = if method == Method::SuggestMove { self.referee.search_bytes() } else { 0 };
                let table_permit = self.admission.hold_table(table_bytes);
                let request = Request::from_parts(head, Full::new(message));
                let result = self.referee.call(method, request).await;
                let result = protocol.encode_response(method, result).await;
                let CallResult { response, game } = result;
                let response = match response {
                    Ok(response) => encode_message(response, permit).await,
                    Err(refusal) => Err(refusal),
                };
                drop((execution_permit, table_permit));
                Ok((response, game))
            };
            deadline.run(run).await
        };
        let (response, game) = call.await.unwrap_or_else(|refusal| (Err(refusal), None));
        if let Some(record) = record {
            record.finish(CallOutcome::new(game, response.as_ref().err()));
        }
        let mut response =
            response.unwrap_or_else(|refusal| protocol.refuse(refusal).map(ResponseBody::from));
        if let Some(permit) = permit {
            hold(&mut response, permit);
        }
        response
    }

    /// Returns the client of a call: its token, or that of its connection.
    fn authenticate(
        &self,
        service: &str,
        headers: &HeaderMap,
        arrival: &Arrival,
    ) -> Result<Arc<Client>, Refusal> {
        let client = match &self.tokens {
            Some(tokens) => tokens.authenticate(service, headers)?,
            None => None,
        };
        Ok(client.unwrap_or_else(|| arrival.connection.client().clone()))
    }

    fn max_message_bytes(&self, method: Method) -> usize {
        match method {
            Method::EvaluateBatch => self.limits.max_batch_bytes,
            _ => self.limits.max_message_bytes,
        }
    }

    /// Opens a stream. It lasts until its client, the client's deadline, the idle timeout or its connection ends it: the call
    /// timeout does not apply.
    async fn open_stream(
        &self,
        request: Request<RequestBody>,
        client: Arc<Client>,
        deadline: &Deadline,
        record: &mut Option<CallRecord>,
    ) -> Result<(Result<Response<ResponseBody>, Refusal>, Option<GameId>), Refusal> {
        if Instant::now() >= deadline.at {
            return Err(Refusal::deadline_exceeded());
        }
        let record = record.take();
        let on_end = Box::new(move |outcome| {
            if let Some(record) = record {
                record.finish(outcome);
            }
        });
        let context = StreamContext {
            deadline: deadline.of_client,
            idle_timeout: self.limits.stream_idle_timeout,
            scheduler: self.admission.scheduler(client),
            on_end,
        };
        let response = self.referee.evaluate(request.map(Body::new), context).await?;
        Ok((Ok(response.map(ResponseBody::from)), None))
    }

    /// Handles a call of a service other than the referee: authentication, deadline and in-flight permit, then the service
    /// itself. Only gRPC reaches these services.
    async fn handle_mounted(
        &self,
        request: Request<RequestBody>,
        protocol: Protocol,
        arrival: &Arrival,
    ) -> Response<ResponseBody> {
        let path = request.uri().path().to_owned();
        let (service, name) = split_path(&path);
        let kind = match name {
            "Watch" if service == HEALTH_SERVICE => CallKind::Watch,
            _ if service == HEALTH_SERVICE => CallKind::Unary,
            _ => CallKind::Stream,
        };
        let response_ended = CancellationToken::new();
        let call = async {
            let client = self.authenticate(service, request.headers(), arrival)?;
            let service = match protocol {
                Protocol::Grpc => self.mounted.find(service),
                Protocol::GrpcWeb | Protocol::Connect(_) => None,
            };
            let service = service.ok_or_else(unknown_service)?;
            let deadline = Deadline::from_headers(request.headers(), arrival.at, self.limits.call_timeout)?;
            let permit = self.admission.acquire_in_flight(&client, &arrival.connection, kind)?;
            // Some services read requests on a task of their own: it ends with the response.
            let ended = response_ended.clone().cancelled_owned();
            let request =
                request.map(|body| Body::new(StreamBody::new(BodyStream::new(body).take_until(ended))));
            let service = service.oneshot(request).map_err(|never| match never {});
            let response = deadline.run(service).await?;
            Ok((response, permit))
        };
        let (response, permit) = match call.await {
            Ok((response, permit)) => (response, Some(permit)),
            Err(refusal) => (protocol.refuse(refusal), None),
        };
        let mut response = response.map(ResponseBody::from);
        if let Some(refusal) = Status::from_header_map(response.headers()).as_ref().and_then(refusal_of) {
            replace_status(response.headers_mut(), refusal);
        }
        if let Some(permit) = permit {
            hold(&mut response, permit);
        }
        if kind != CallKind::Unary {
            // A watch is idle by nature. Its connection has a maximum age.
            let idle_timeout = (kind == CallKind::Stream).then_some(self.limits.stream_idle_timeout);
            let shutdown = self.shutdown.clone();
            let response_ended = response_ended.drop_guard();
            response.body_mut().end_with(StreamEnd::new(idle_timeout, shutdown, response_ended));
        }
        response
    }
}

/// Encodes the message of a unary response and counts its bytes, if the budget allows.
async fn encode_message(
    response: Response<Body>,
    permit: &mut InFlightPermit,
) -> Result<Response<ResponseBody>, Refusal> {
    let mut response = response.map(ResponseBody::from);
    let bytes = response.body_mut().encode_message().await;
    permit.hold(bytes).map(|()| response)
}

/// Lets a response hold the in-flight permit of its call until it is sent.
fn hold(response: &mut Response<ResponseBody>, permit: InFlightPermit) {
    let permit = Arc::new(permit);
    response.body_mut().hold(permit.clone());
    // gRPC-Web encodes the body again.
    response.extensions_mut().insert(permit);
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
