//! A client for dynamic messages.

use std::time::Duration;

use http::{StatusCode, Version, uri::PathAndQuery};
use prost::Message;
use prost_reflect::{DynamicMessage, MessageDescriptor, MethodDescriptor};
use tonic::{
    Request, Status,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::Channel,
};

use crate::support::http_client::{self, HttpClient, HttpResponse, decode_connect_error};

/// Deadline of each gRPC call.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Calls the service over one connection, in one protocol.
pub enum Client {
    Grpc(Grpc<Channel>),
    Connect(HttpClient, Encoding),
}

/// Message encoding of Connect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Encoding {
    Json,
    Proto,
}

impl Client {
    pub fn grpc(channel: Channel) -> Self {
        Self::Grpc(Grpc::new(channel))
    }

    /// Connect with JSON over HTTP/1.1.
    pub async fn connect_json(address: &str) -> Self {
        Self::Connect(HttpClient::connect(address, Version::HTTP_11).await, Encoding::Json)
    }

    /// Connect with Protobuf over HTTP/2.
    pub async fn connect_proto(address: &str) -> Self {
        Self::Connect(HttpClient::connect(address, Version::HTTP_2).await, Encoding::Proto)
    }

    /// Whether the client can make this call. Over Connect the server supports only unary calls.
    pub fn supports(&self, method: &MethodDescriptor) -> bool {
        matches!(self, Self::Grpc(_)) || !method.is_client_streaming()
    }

    /// Sends the messages and waits for all responses. A unary call has one of each.
    pub async fn call(
        &mut self,
        method: &MethodDescriptor,
        messages: Vec<DynamicMessage>,
    ) -> Result<Vec<DynamicMessage>, Status> {
        let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
        match self {
            Self::Grpc(grpc) => call_grpc(grpc, &path, method, messages).await,
            Self::Connect(client, encoding) => {
                let message = messages.first().expect("a unary call has a message");
                let response = client.post(&path, &[encoding.content_type()], encoding.encode(message)).await;
                if response.status == StatusCode::OK {
                    Ok(vec![encoding.decode(method.output(), &response).map_err(Status::unknown)?])
                } else {
                    Err(decode_connect_error(&response).unwrap_or_else(Status::unknown))
                }
            }
        }
    }
}

async fn call_grpc(
    grpc: &mut Grpc<Channel>,
    path: &str,
    method: &MethodDescriptor,
    messages: Vec<DynamicMessage>,
) -> Result<Vec<DynamicMessage>, Status> {
    let path = PathAndQuery::try_from(path).expect("the path is valid");
    let codec = DynamicCodec { response: method.output() };
    grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    if method.is_client_streaming() {
        let mut request = Request::new(tokio_stream::iter(messages));
        request.set_timeout(TIMEOUT);
        let mut stream = grpc.streaming(request, path, codec).await?.into_inner();
        let mut responses = Vec::new();
        while let Some(response) = stream.message().await? {
            responses.push(response);
        }
        Ok(responses)
    } else {
        let message = messages.into_iter().next().expect("a unary call has a message");
        let mut request = Request::new(message);
        request.set_timeout(TIMEOUT);
        Ok(vec![grpc.unary(request, path, codec).await?.into_inner()])
    }
}

impl Encoding {
    fn content_type(self) -> (&'static str, &'static str) {
        match self {
            Self::Json => http_client::JSON,
            Self::Proto => http_client::PROTO,
        }
    }

    fn encode(self, message: &DynamicMessage) -> Vec<u8> {
        match self {
            Self::Json => serde_json::to_vec(message).expect("every message of the contract has a JSON form"),
            Self::Proto => message.encode_to_vec(),
        }
    }

    fn decode(
        self,
        descriptor: MessageDescriptor,
        response: &HttpResponse,
    ) -> Result<DynamicMessage, String> {
        if response.header("content-type") != Some(self.content_type().1) {
            return Err(format!("the content type is not that of the request: {response:?}"));
        }
        match self {
            Self::Json => {
                let mut json = serde_json::Deserializer::from_slice(&response.body);
                let message = DynamicMessage::deserialize(descriptor, &mut json);
                json.end().and(message).map_err(|error| format!("{error}: {}", response.text()))
            }
            Self::Proto => {
                let message = DynamicMessage::decode(descriptor, response.body.clone());
                message.map_err(|error| error.to_string())
            }
        }
    }
}

/// A Protobuf codec for tonic whose response type is known only at run time.
struct DynamicCodec {
    response: MessageDescriptor,
}

impl Codec for DynamicCodec {
    type Encode = DynamicMessage;
    type Decode = DynamicMessage;
    type Encoder = DynamicEncoder;
    type Decoder = DynamicDecoder;

    fn encoder(&mut self) -> DynamicEncoder {
        DynamicEncoder
    }

    fn decoder(&mut self) -> DynamicDecoder {
        DynamicDecoder { response: self.response.clone() }
    }
}

struct DynamicEncoder;

impl Encoder for DynamicEncoder {
    type Item = DynamicMessage;
    type Error = Status;

    fn encode(&mut self, message: DynamicMessage, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        message.encode(buffer).map_err(|error| Status::internal(error.to_string()))
    }
}

struct DynamicDecoder {
    response: MessageDescriptor,
}

impl Decoder for DynamicDecoder {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        let message = DynamicMessage::decode(self.response.clone(), buffer);
        message.map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}
