//! A load generator: a few connections, each with several calls in flight.

use bytes::{Buf, BufMut, Bytes};
use http::uri::PathAndQuery;
use tokio::runtime::Runtime;
use tonic::{
    Request, Status,
    client::Grpc,
    codec::{BufferSettings, Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::{Channel, Endpoint},
};

pub const CONNECTIONS: usize = 4;

/// A flow-control window so large that the server never waits for it.
pub const WINDOW: u32 = 8 << 20;

/// A call with an encoded request.
#[derive(Clone)]
pub struct Call {
    pub path: PathAndQuery,
    pub request: Bytes,
}

impl Call {
    pub fn rules(method: &str, request: Vec<u8>) -> Self {
        let path = format!("/arbiter.v1.RulesService/{method}").parse().expect("the path is valid");
        Self { path, request: request.into() }
    }

    pub fn method(&self) -> &str {
        self.path.path().rsplit('/').next().unwrap_or_default()
    }
}

pub struct LoadGenerator {
    /// Other clients of the server use the same runtime, so that idle connections are still served.
    pub runtime: Runtime,
    channels: Vec<Channel>,
}

impl LoadGenerator {
    pub fn new(address: &str) -> Self {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().expect("the runtime starts");
        let endpoint = Endpoint::from_shared(format!("http://{address}"))
            .expect("the address is valid")
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW);
        let channels = (0..CONNECTIONS)
            .map(|_| runtime.block_on(endpoint.connect()).expect("the server is reachable"))
            .collect();
        Self { runtime, channels }
    }

    /// Makes one call and returns its response.
    pub fn call(&self, call: &Call) -> Bytes {
        self.runtime.block_on(make_call(self.channels[0].clone(), call)).expect("the call succeeds")
    }

    /// Makes many calls, with this many in flight on each connection.
    pub fn run(&self, call: &Call, count: usize, in_flight: usize) {
        assert_eq!(count % (CONNECTIONS * in_flight), 0, "every task must make the same number of calls");
        self.runtime.block_on(async {
            let mut tasks = tokio::task::JoinSet::new();
            for channel in &self.channels {
                for _ in 0..in_flight {
                    let (channel, call) = (channel.clone(), call.clone());
                    tasks.spawn(async move {
                        for _ in 0..count / CONNECTIONS / in_flight {
                            make_call(channel.clone(), &call).await.expect("the call succeeds");
                        }
                    });
                }
            }
            while let Some(done) = tasks.join_next().await {
                done.expect("no task panics");
            }
        });
    }
}

async fn make_call(channel: Channel, call: &Call) -> Result<Bytes, Status> {
    let mut client = Grpc::new(channel);
    client.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    let response = client.unary(Request::new(call.request.clone()), call.path.clone(), RawCodec).await?;
    Ok(response.into_inner())
}

/// A codec that passes encoded messages through.
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
