//! gRPC-Web, for browsers: translated to gRPC and back by `tonic-web`.

use std::{convert::Infallible, sync::Arc};

use http::{HeaderValue, Request, Response, header};
use http_body_util::Either;
use tonic::body::Body;
use tonic_web::GrpcWebLayer;
use tower::{Layer, Service, service_fn};

use super::{Arrival, Protocol, RequestBody, ResponseBody};
use crate::server::{admission::InFlightPermit, pipeline::Pipeline};

/// Handles a call. `content_type` is that of the request in the spelling that `tonic-web` knows.
pub(super) async fn handle(
    pipeline: &Pipeline,
    mut request: Request<RequestBody>,
    content_type: &'static str,
    arrival: &Arrival,
) -> Response<ResponseBody> {
    request.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    let grpc = service_fn(|request: Request<Body>| async {
        Ok::<_, Infallible>(pipeline.handle(request.map(Either::Right), Protocol::GrpcWeb, arrival).await)
    });
    let Ok(response) = GrpcWebLayer::new().layer(grpc).call(request).await;
    let (mut head, body) = response.into_parts();
    let mut body = ResponseBody::from(body);
    if let Some(permit) = head.extensions.remove::<Arc<InFlightPermit>>() {
        body.hold(permit);
    }
    Response::from_parts(head, body)
}
