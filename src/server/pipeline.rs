//! The request pipeline: everything a call passes, in order.
//!
//! A call arrives from the protocol router, which has assigned its request id. Then: authentication → deadline → in-flight
//! permit → collected body → admission queue → service → outcome → telemetry. The response holds the in-flight permit
//! until it is sent.

use std::time::Duration;

use http::{HeaderMap, Request, Response, request::Parts};
use http_body_util::Full;
use tokio::time::{Instant, timeout_at};
use tonic::{Code, Status, body::Body};
use tower::Service;

use super::{
    admission::{Admission, ExecutionPermit, InFlightPermit},
    auth::Tokens,
    protocol::{Protocol, RequestBody, ResponseBody, collect},
    services::MountedServices,
    telemetry::{CallRecord, Telemetry},
};
use crate::{
    config::Limits,
    service::{CallOutcome, CallResult, Method, Referee, StreamContext, UnaryRequest},
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
        let record = CallRecord::start(&self.telemetry, method, &head.headers, arrived);

        let (deadline, mut permit) = match self.check(&mut head, method, protocol, arrived) {
            Ok(checked) => checked,
            Err(refusal) => {
                record.finish(CallOutcome::refused(&refusal));
                return respond(protocol.refuse(refusal), None);
            }
        };
        let result = match method {
            None => CallResult::refused(None, unknown_method(&head)),
            Some(Method::Evaluate) => {
                return self
                    .open_stream(Request::from_parts(head, body), protocol, deadline, record, permit)
                    .await;
            }
            Some(method) => {
                let call = self.call(method, protocol, head, body, &deadline, &mut permit);
                let expired = |_| CallResult::refused(None, Refusal::deadline_exceeded());
                timeout_at(deadline.at, call).await.unwrap_or_else(expired)
            }
        };
        record.finish(result.outcome());
        permit.hold_response(result.bytes);
        let response = result.response.unwrap_or_else(|refusal| protocol.refuse(refusal));
        respond(response, Some(permit))
    }

    /// The steps before the body: authentication, deadline, in-flight permit.
    fn check(
        &self,
        head: &mut Parts,
        method: Option<Method>,
        protocol: Protocol,
        arrived: Instant,
    ) -> Result<(Deadline, InFlightPermit), Refusal> {
        self.authenticate(SERVICE_NAME, &head.headers)?;
        protocol.translate_headers(&mut head.headers, method)?;
        let deadline = Deadline::of(&head.headers, arrived, self.limits.call_timeout)?;
        Ok((deadline, self.admission.start(method)?))
    }

    fn authenticate(&self, service: &str, headers: &HeaderMap) -> Result<(), Refusal> {
        self.tokens.as_ref().map_or(Ok(()), |tokens| tokens.authenticate(service, headers))
    }

    /// The steps of a unary call from its body to its response.
    async fn call(
        &self,
        method: Method,
        protocol: Protocol,
        head: Parts,
        body: RequestBody,
        deadline: &Deadline,
        permit: &mut InFlightPermit,
    ) -> CallResult {
        let (request, running) = match self.prepare(method, protocol, head, body, deadline, permit).await {
            Ok(prepared) => prepared,
            Err(refusal) => return CallResult::refused(None, refusal),
        };
        let mut result = self.referee.call(method, request).await;
        permit.hold_response(result.bytes);
        result = protocol.encode_response(method, result).await;
        drop(running);
        result
    }

    /// Collects the body, waits in the admission queue and decodes the request.
    async fn prepare(
        &self,
        method: Method,
        protocol: Protocol,
        head: Parts,
        body: RequestBody,
        deadline: &Deadline,
        permit: &mut InFlightPermit,
    ) -> Result<(UnaryRequest, ExecutionPermit), Refusal> {
        let max_bytes = match method {
            Method::EvaluateBatch => self.limits.max_batch_bytes,
            _ => self.limits.max_message_bytes,
        };
        let collected = collect(body, protocol, max_bytes, permit).await?;
        // The time until the body is complete is the client's and does not count as queueing delay.
        let ready_since = if collected.waited { Instant::now() } else { deadline.arrived };
        let running = self.admission.admit(method, ready_since, deadline.timeout, deadline.at).await?;
        // While it was queued, other batches may have used up the byte budget.
        permit.hold_request(collected.bytes.len())?;
        let message = protocol.decode_request(method, collected.bytes, self.limits.max_message_bytes).await?;
        Ok((Request::from_parts(head, Full::new(message)), running))
    }

    /// Opens a stream. The call timeout does not apply to it: it lasts until its client, its deadline or its connection ends
    /// it, and holds its permit until then.
    async fn open_stream(
        &self,
        request: Request<RequestBody>,
        protocol: Protocol,
        deadline: Deadline,
        record: CallRecord,
        permit: InFlightPermit,
    ) -> Response<ResponseBody> {
        if Instant::now() >= deadline.at {
            let refusal = Refusal::deadline_exceeded();
            record.finish(CallOutcome::refused(&refusal));
            return respond(protocol.refuse(refusal), Some(permit));
        }
        let on_end = Box::new(move |outcome| {
            record.finish(outcome);
            drop(permit);
        });
        let context = StreamContext { deadline: deadline.of_client(), on_end };
        let response = self.referee.evaluate(request.map(Body::new), context).await;
        respond(response.unwrap_or_else(|refusal| protocol.refuse(refusal)), None)
    }

    /// Handles a call of another service than the referee: authentication and deadline, then the service itself.
    async fn handle_mounted(
        &self,
        mut request: Request<RequestBody>,
        protocol: Protocol,
        arrived: Instant,
    ) -> Response<ResponseBody> {
        let call = async {
            let (service, _) = split_path(request.uri().path());
            self.authenticate(service, request.headers())?;
            let mut service = match protocol {
                Protocol::Grpc => self.mounted.find(service),
                Protocol::GrpcWeb | Protocol::Connect(_) => None,
            };
            protocol.translate_headers(request.headers_mut(), None)?;
            let deadline = Deadline::of(request.headers(), arrived, self.limits.call_timeout)?;
            let service = service.as_mut().ok_or_else(unknown_service)?;
            match timeout_at(deadline.at, service.call(request.map(Body::new))).await {
                Ok(Ok(response)) => {
                    let status = Status::from_header_map(response.headers());
                    status.as_ref().and_then(refusal_of).map_or(Ok(response), Err)
                }
                Err(_) => Err(Refusal::deadline_exceeded()),
            }
        };
        let response: Result<_, Refusal> = call.await;
        respond(response.unwrap_or_else(|refusal| protocol.refuse(refusal)), None)
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

/// When a call must be answered.
struct Deadline {
    arrived: Instant,
    /// The timeout of the client or of the configuration, whichever is shorter.
    timeout: Duration,
    at: Instant,
    /// The timeout of the client: the header `grpc-timeout`.
    client_timeout: Option<Duration>,
}

impl Deadline {
    fn of(headers: &HeaderMap, arrived: Instant, call_timeout: Duration) -> Result<Self, Refusal> {
        let client_timeout = match headers.get("grpc-timeout") {
            None => None,
            Some(value) => Some(parse_timeout(value.as_bytes()).ok_or_else(|| {
                Refusal::malformed(
                    "",
                    "the header grpc-timeout is not a number of at most eight digits and a unit (H, M, S, m, u or n), \
                     such as 1500m",
                )
            })?),
        };
        let timeout = client_timeout.unwrap_or(Duration::MAX).min(call_timeout);
        Ok(Self { arrived, timeout, at: arrived + timeout, client_timeout })
    }

    /// The deadline of the client alone.
    fn of_client(&self) -> Option<Instant> {
        self.arrived.checked_add(self.client_timeout?)
    }
}

fn parse_timeout(value: &[u8]) -> Option<Duration> {
    let (unit, digits) = value.split_last()?;
    if !(1..=8).contains(&digits.len()) || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = digits.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
    Some(match unit {
        b'H' => Duration::from_secs(number * 3600),
        b'M' => Duration::from_secs(number * 60),
        b'S' => Duration::from_secs(number),
        b'm' => Duration::from_millis(number),
        b'u' => Duration::from_micros(number),
        b'n' => Duration::from_nanos(number),
        _ => return None,
    })
}
