//! An `ApplyMove` from the bytes of its request to the bytes of its response: framing, decoding, the game, encoding.

use std::{
    future::Future,
    hint::black_box,
    num::NonZeroUsize,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use arbiter::{
    service::{
        AnalysisThreads, CallOutcome, CompletedSearch, ConnectFourBook, Method, Referee, RequestLimits,
        ServiceObserver,
    },
    wire::{Form, WireGame, proto},
};
use bytes::{Bytes, BytesMut};
use http::Request;
use http_body_util::{BodyExt, Full};
use prost::Message;
use tokio_util::sync::CancellationToken;

use super::frames::put_message;

/// A referee, and an `ApplyMove` for it.
pub struct ApplyMove {
    referee: Referee,
    request: Bytes,
}

impl ApplyMove {
    /// Prepares a move in a typed state, and runs it once.
    pub fn prepare<G: WireGame>(state: &str, mv: &str) -> Self {
        let state = G::parse(state).ok().expect("the state is valid");
        let mv: G::Move = mv.parse().expect("the move is valid");
        let message = proto::ApplyMoveRequest {
            state: Some(Form::Typed.write_state_or_view(&state)),
            r#move: Some(Form::Typed.write_move::<G>(&mv)),
        };
        let mut request = BytesMut::new();
        put_message(&mut request, &message.encode_to_vec());
        let limits = RequestLimits {
            message_bytes: 64 << 10,
            batch_bytes: 1 << 20,
            batch_items: 1000,
            batch_response_bytes: 4 << 20,
            replay_moves: 1000,
            analysis_nodes: 1,
        };
        let analysis = AnalysisThreads::start(NonZeroUsize::MIN, &ConnectFourBook::embedded())
            .expect("a thread can be started");
        let referee = Referee::new(limits, Arc::new(NoObserver), analysis, CancellationToken::new());
        let mut prepared = Self { referee, request: request.freeze() };
        prepared.run();
        prepared
    }

    pub fn run(&mut self) {
        let request = Request::post("/arbiter.v1.RulesService/ApplyMove")
            .header("content-type", "application/grpc")
            .body(Full::new(self.request.clone()))
            .expect("the request is valid");
        poll_once(async {
            let result = self.referee.call(Method::ApplyMove, request).await;
            let mut body = result.response.expect("the move is legal").into_body();
            let mut is_ok = false;
            while let Some(frame) = body.frame().await {
                let frame = black_box(frame.expect("the response is complete"));
                is_ok |= frame.trailers_ref().is_some_and(|trailers| trailers["grpc-status"] == "0");
            }
            assert!(is_ok, "the call succeeds");
        });
    }
}

/// Observes nothing: there are neither batches nor searches.
struct NoObserver;

impl ServiceObserver for NoObserver {
    fn item_answered(&self, _: Method, _: CallOutcome) {}

    fn search_completed(&self, _: CompletedSearch) {}
}

/// The output of a future that never waits.
fn poll_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("the future never waits"),
    }
}
