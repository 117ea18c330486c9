//! Calls of messages that are known by their descriptors only.

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

use crate::support::web::{self, WebClient, read_refusal};

/// A call that takes longer has failed.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Calls the service over one connection, in one of the protocols that it speaks.
pub enum Client {
    Grpc(Grpc<Channel>),
    Connect(WebClient, Encoding),
}

/// How Connect writes messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Encoding {
    Json,
    Proto,
}

impl Client {
    pub fn grpc(channel: Channel) -> Self {
        Self::Grpc(Grpc::new(channel))
    }

    /// Connect in JSON, over HTTP/1.1.
    pub async fn connect_in_json(address: &str) -> Self {
        Self::Connect(WebClient::connect(address, Version::HTTP_11).await, Encoding::Json)
    }

    /// Connect in binary form, over HTTP/2.
    pub async fn connect_in_binary(address: &str) -> Self {
        Self::Connect(WebClient::connect(address, Version::HTTP_2).await, Encoding::Proto)
    }

    /// Whether a call can be made at all: of Connect only calls with one message each are spoken.
    pub fn can_call(&self, method: &MethodDescriptor) -> bool {
        matches!(self, Self::Grpc(_)) || !method.is_client_streaming()
    }

    /// Sends the messages and waits for all answers. A call that is not a stream has one of each.
    pub async fn call(
        &mut self,
        method: &MethodDescriptor,
        messages: Vec<DynamicMessage>,
    ) -> Result<Vec<DynamicMessage>, Status> {
        let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
        match self {
            Self::Grpc(grpc) => call_grpc(grpc, &path, method, messages).await,
            Self::Connect(web, encoding) => {
                let message = messages.first().expect("a call has a message");
                let answer = web.post(&path, &[encoding.content_type()], encoding.write(message)).await;
                if answer.status == StatusCode::OK {
                    Ok(vec![encoding.read(method.output(), &answer).map_err(Status::unknown)?])
                } else {
                    Err(read_refusal(&answer).unwrap_or_else(Status::unknown))
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
    let path = PathAndQuery::try_from(path).expect("names make a path");
    let codec = DynamicCodec { answer: method.output() };
    grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    if method.is_client_streaming() {
        let mut request = Request::new(tokio_stream::iter(messages));
        request.set_timeout(TIMEOUT);
        let mut stream = grpc.streaming(request, path, codec).await?.into_inner();
        let mut answers = Vec::new();
        while let Some(answer) = stream.message().await? {
            answers.push(answer);
        }
        Ok(answers)
    } else {
        let message = messages.into_iter().next().expect("a call has a message");
        let mut request = Request::new(message);
        request.set_timeout(TIMEOUT);
        Ok(vec![grpc.unary(request, path, codec).await?.into_inner()])
    }
}

impl Encoding {
    fn content_type(self) -> (&'static str, &'static str) {
        match self {
            Self::Json => web::JSON,
            Self::Proto => web::PROTO,
        }
    }

    fn write(self, message: &DynamicMessage) -> Vec<u8> {
        match self {
            Self::Json => serde_json::to_vec(message).expect("every message of the contract has a JSON form"),
            Self::Proto => message.encode_to_vec(),
        }
    }

    fn read(self, descriptor: MessageDescriptor, answer: &web::Answer) -> Result<DynamicMessage, String> {
        if answer.header("content-type") != Some(self.content_type().1) {
            return Err(format!("it is not answered as it was asked: {answer:?}"));
        }
        match self {
            Self::Json => {
                let mut json = serde_json::Deserializer::from_slice(&answer.body);
                let message = DynamicMessage::deserialize(descriptor, &mut json);
                json.end().and(message).map_err(|error| format!("{error}: {}", answer.text()))
            }
            Self::Proto => {
                let message = DynamicMessage::decode(descriptor, answer.body.clone());
                message.map_err(|error| error.to_string())
            }
        }
    }
}

/// Protobuf for tonic, with the type of the answers known at run time only.
struct DynamicCodec {
    answer: MessageDescriptor,
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
        DynamicDecoder { answer: self.answer.clone() }
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
    answer: MessageDescriptor,
}

impl Decoder for DynamicDecoder {
    type Item = DynamicMessage;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<DynamicMessage>, Status> {
        let answer = DynamicMessage::decode(self.answer.clone(), buffer);
        answer.map(Some).map_err(|error| Status::internal(error.to_string()))
    }
}
