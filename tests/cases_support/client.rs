//! Calls of messages that are known by their descriptors only.

use std::time::Duration;

use http::uri::PathAndQuery;
use prost::Message;
use prost_reflect::{DynamicMessage, MessageDescriptor, MethodDescriptor};
use tonic::{
    Request, Status,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::Channel,
};

/// A call that takes longer has failed.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Calls the service over one connection.
pub struct Client {
    grpc: Grpc<Channel>,
}

impl Client {
    pub fn new(channel: Channel) -> Self {
        Self { grpc: Grpc::new(channel) }
    }

    /// Sends the messages and waits for all answers. A call that is not a stream has one of each.
    pub async fn call(
        &mut self,
        method: &MethodDescriptor,
        messages: Vec<DynamicMessage>,
    ) -> Result<Vec<DynamicMessage>, Status> {
        let path = format!("/{}/{}", method.parent_service().full_name(), method.name());
        let path = PathAndQuery::try_from(path).expect("names make a path");
        let codec = DynamicCodec { answer: method.output() };
        self.grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        if method.is_client_streaming() {
            let mut request = Request::new(tokio_stream::iter(messages));
            request.set_timeout(TIMEOUT);
            let mut stream = self.grpc.streaming(request, path, codec).await?.into_inner();
            let mut answers = Vec::new();
            while let Some(answer) = stream.message().await? {
                answers.push(answer);
            }
            Ok(answers)
        } else {
            let message = messages.into_iter().next().expect("a call has a message");
            let mut request = Request::new(message);
            request.set_timeout(TIMEOUT);
            Ok(vec![self.grpc.unary(request, path, codec).await?.into_inner()])
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
