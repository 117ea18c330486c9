//! A refusal as Connect writes it: a status of HTTP and a JSON text.

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use http::{HeaderValue, Response, header};
use prost::Message;
use prost_types::Any;
use serde::Serialize;
use serde_json::value::RawValue;
use tonic::{Code, Status, body::Body};
use tonic_types::pb;

use super::{held, http_status};
use crate::{
    server::{metrics::code_name, passage::Place},
    wire::detail_to_json,
};

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
    /// The same for people.
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

/// Writes a refusal. It keeps its place until it has been sent.
pub(super) fn write(status: &Status, place: Place) -> Response<Body> {
    // A status without details has none here either.
    let details = pb::Status::decode(status.details()).unwrap_or_default().details;
    let error = Error {
        code: name(status.code()),
        message: status.message(),
        details: details.into_iter().map(Detail::from).collect(),
    };
    // It is made of strings: it can be written.
    let text = serde_json::to_vec(&error).unwrap_or_default();
    let mut answer = Response::new(held(text.into(), place));
    *answer.status_mut() = http_status(status.code());
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// The name of a status: that of gRPC in small letters, but for one.
fn name(code: Code) -> String {
    match code {
        Code::Cancelled => "canceled".to_owned(),
        _ => code_name(code).to_ascii_lowercase(),
    }
}
