//! `SuggestMove`: searches on a thread for analysis, and waits for the result.

use std::time::Instant;

use tonic::{Request, Response, Status, codec::CompressionEncoding};
use tower::service_fn;

use super::{CallResult, CompletedSearch, Referee, UnaryRequest, keep, with_refusal};
use crate::{
    games::Game,
    wire::{Codec, GameRequest, Refusal, SuggestMove, proto, with_game},
};

impl Referee {
    /// Suggests a move. Dropping the future cancels the search.
    pub(super) async fn suggest_move(&self, request: UnaryRequest) -> CallResult {
        let (mut game, mut refusal) = (None, None);
        // A tower service may be called repeatedly; tonic calls this one once.
        let mut once = Some((&mut game, &mut refusal));
        let service = service_fn(|request: Request<proto::SuggestMoveRequest>| {
            let once = once.take();
            async move {
                let (game, refusal) = once.ok_or_else(|| Status::internal("called twice"))?;
                *game = request.get_ref().game();
                let suggestion = self.suggest(request.get_ref()).await;
                suggestion.map(Response::new).map_err(|refused| keep(refusal, refused))
            }
        });
        let response = tonic::server::Grpc::new(Codec::new(self.limits.field_limit()))
            .accept_compressed(CompressionEncoding::Gzip)
            .send_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(self.limits.message_bytes)
            .unary(service, request)
            .await;
        CallResult { response: with_refusal(response, refusal), game }
    }

    async fn suggest(
        &self,
        request: &proto::SuggestMoveRequest,
    ) -> Result<proto::SuggestMoveResponse, Refusal> {
        with_game!(request.named_game()?, G => {
            let request = SuggestMove::<G>::read(request, self.limits.analysis_nodes)?;
            let observer = self.observer.clone();
            self.analysis
                .run(move |workspace, is_cancelled| {
                    let started = Instant::now();
                    let analysis = request.analyse(workspace, is_cancelled)?;
                    observer.search_completed(CompletedSearch {
                        game: G::ID,
                        nodes: analysis.nodes,
                        is_exact: analysis.is_exact(),
                        duration: started.elapsed(),
                    });
                    Ok(request.respond(&analysis))
                })
                .await
        })
    }
}
