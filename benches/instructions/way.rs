//! The way of a call from the bytes of its request to the bytes of its answer: framing, reading, the game, writing.

use std::{
    hint::black_box,
    pin::pin,
    task::{Context, Poll, Waker},
};

use arbiter::{
    service::{Limits, Referee},
    wire::{Form, WireGame, proto, proto::rules_service_server::RulesServiceServer},
};
use bytes::{Bytes, BytesMut};
use http::Request;
use http_body_util::{BodyExt, Full};
use prost::Message;
use tokio_util::sync::CancellationToken;
use tower::Service;

use super::{frames::put_message, nobody::Nobody};

/// A service, and an `ApplyMove` for it.
pub struct Way {
    service: RulesServiceServer<Referee<Nobody>>,
    request: Bytes,
}

impl Way {
    /// The way of a move with a typed state, gone once already.
    pub fn prepare<G: WireGame>(state: &str, mv: &str) -> Self {
        let known = G::parse(state).ok().expect("the state can be read");
        let mv: G::Move = mv.parse().expect("the move can be read");
        let message = proto::ApplyMoveRequest {
            state: Some(Form::Typed.write_state_or_view(&known)),
            r#move: Some(Form::Typed.write_move::<G>(&mv)),
        };
        let mut request = BytesMut::new();
        put_message(&mut request, &message.encode_to_vec());
        let limits =
            Limits { replay_moves: 1000, batch_items: 1000, item_bytes: 65536, batch_answer_bytes: 4 << 20 };
        let referee = Referee::new(limits, Nobody, CancellationToken::new());
        let mut way = Self { service: RulesServiceServer::new(referee), request: request.freeze() };
        way.go();
        way
    }

    /// Goes it once.
    pub fn go(&mut self) {
        let request = Request::post("/arbiter.v1.RulesService/ApplyMove")
            .header("content-type", "application/grpc")
            .body(Full::new(self.request.clone()))
            .expect("a request");
        at_once(async {
            let answer = self.service.call(request).await.expect("no call fails");
            let mut body = answer.into_body();
            let mut served = false;
            while let Some(frame) = body.frame().await {
                let frame = black_box(frame.expect("no answer breaks off"));
                served |= frame.trailers_ref().is_some_and(|trailers| trailers["grpc-status"] == "0");
            }
            assert!(served, "the move is legal");
        });
    }
}

/// What a future answers that waits for nothing.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => unreachable!("there is nothing to wait for"),
    }
}
