//! A client that keeps the server busy: a few connections, each with several calls under way.

use bytes::{Buf, BufMut, Bytes};
use http::uri::PathAndQuery;
use tokio::runtime::Runtime;
use tonic::{
    Request, Status,
    client::Grpc,
    codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::{Channel, Endpoint},
};

/// Connections to the server.
pub const CONNECTIONS: usize = 4;

/// Room for answers, so that the server never waits for the client to make some.
pub const WINDOW: u32 = 8 << 20;

/// A call, with its request already encoded.
#[derive(Clone)]
pub struct Call {
    pub path: PathAndQuery,
    pub request: Bytes,
}

impl Call {
    pub fn rules(method: &str, request: Vec<u8>) -> Self {
        let path = format!("/arbiter.v1.RulesService/{method}").parse().expect("a path");
        Self { path, request: request.into() }
    }

    pub fn method(&self) -> &str {
        self.path.path().rsplit('/').next().unwrap_or_default()
    }
}

/// Connections to a server.
pub struct Load {
    /// Whoever else loads the server runs here too: connections are kept alive while others are busy.
    pub runtime: Runtime,
    channels: Vec<Channel>,
}

impl Load {
    pub fn new(address: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let endpoint = Endpoint::from_shared(format!("http://{address}"))
            .expect("an address")
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW);
        let channels = (0..CONNECTIONS)
            .map(|_| runtime.block_on(endpoint.connect()).expect("the server can be reached"))
            .collect();
        Self { runtime, channels }
    }

    /// One call, for its answer.
    pub fn answer(&self, call: &Call) -> Bytes {
        self.runtime.block_on(one(self.channels[0].clone(), call)).expect("the call is answered")
    }

    /// Many calls, so many of them under way on each connection.
    pub fn run(&self, call: &Call, count: usize, under_way: usize) {
        assert_eq!(count % (CONNECTIONS * under_way), 0, "all make equally many");
        self.runtime.block_on(async {
            let mut tasks = tokio::task::JoinSet::new();
            for channel in &self.channels {
                for _ in 0..under_way {
                    let (channel, call) = (channel.clone(), call.clone());
                    tasks.spawn(async move {
                        for _ in 0..count / CONNECTIONS / under_way {
                            one(channel.clone(), &call).await.expect("the call is answered");
                        }
                    });
                }
            }
            while let Some(done) = tasks.join_next().await {
                done.expect("no task fails");
            }
        });
    }
}

async fn one(channel: Channel, call: &Call) -> Result<Bytes, Status> {
    let mut client = Grpc::new(channel);
    client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    let answer = client.unary(Request::new(call.request.clone()), call.path.clone(), RawCodec).await?;
    Ok(answer.into_inner())
}

/// Messages as the bytes they are.
#[derive(Clone, Copy)]
struct RawCodec;

impl Codec for RawCodec {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for RawCodec {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, target: &mut EncodeBuf<'_>) -> Result<(), Status> {
        target.put(item);
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::default()
    }
}

impl Decoder for RawCodec {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(source.copy_to_bytes(source.remaining())))
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::default()
    }
}
