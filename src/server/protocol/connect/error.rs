//! Errors of Connect: an HTTP status and a JSON body.

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use http::{HeaderValue, Response, header};
use http_body_util::Full;
use prost::Message;
use prost_types::Any;
use serde::Serialize;
use serde_json::value::RawValue;
use tonic::{Code, Status, body::Body};
use tonic_types::pb;

use super::http_status;
use crate::{server::telemetry::code_name, wire::detail_to_json};

#[derive(Serialize)]
struct Error<'a> {
    code: String,
    message: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<Detail>,
}

#[derive(Serialize)]
struct Detail {
    r#type: String,
    value: String,
    /// The same detail as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    debug: Option<Box<RawValue>>,
}

impl From<Any> for Detail {
    fn from(any: Any) -> Self {
        Self {
            debug: detail_to_json(&any),
            value: STANDARD_NO_PAD.encode(&any.value),
            r#type: any.type_url.rsplit('/').next().unwrap_or_default().to_owned(),
        }
    }
}

/// Translates a gRPC status.
pub(in super::super) fn error_response(status: &Status) -> Response<Body> {
    // A status without details decodes to an empty list.
    let details = pb::Status::decode(status.details()).unwrap_or_default().details;
    let error = Error {
        code: name(status.code()),
        message: status.message(),
        details: details.into_iter().map(Detail::from).collect(),
    };
    // Serializing strings does not fail.
    let json = serde_json::to_vec(&error).unwrap_or_default();
    let mut response = Response::new(Body::new(Full::new(json.into())));
    *response.status_mut() = http_status(status.code());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The name of a status code: that of gRPC in lower case, with one exception.
fn name(code: Code) -> String {
    match code {
        Code::Cancelled => "canceled".to_owned(),
        _ => code_name(code).to_ascii_lowercase(),
    }
}
