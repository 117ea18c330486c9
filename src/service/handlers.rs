//! One handler per RPC: decode the request, call the game, encode the response.

#![allow(
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "all handlers have one signature: unary calls and items share them"
)]

use super::{Referee, check_item_count};
use crate::{
    games::Game,
    wire::{
        Form, GameRequest, NewGame, ProposedMove, Refusal, Replay, WireGame, descriptions, legal_moves,
        proto, read_board, read_game, read_ranking, read_trade, read_view, with_game, write_ranking,
        write_settlement,
    },
};

impl Referee {
    pub(super) fn validate_move(
        &self,
        request: &proto::ValidateMoveRequest,
    ) -> Result<proto::ValidateMoveResponse, Refusal> {
        with_game!(request.named_game()?, G => {
            let proposed = ProposedMove::<G>::read(request.state.as_ref(), request.r#move.as_ref())?;
            let reasons = proposed.why_illegal()?;
            let verdict = if reasons.is_empty() { proto::Verdict::Legal } else { proto::Verdict::Illegal };
            Ok(proto::ValidateMoveResponse { verdict: verdict.into(), reasons })
        })
    }

    pub(super) fn apply_move(
        &self,
        request: &proto::ApplyMoveRequest,
    ) -> Result<proto::ApplyMoveResponse, Refusal> {
        with_game!(request.named_game()?, G => {
            let mut proposed = ProposedMove::<G>::read(request.state.as_ref(), request.r#move.as_ref())?;
            let events = proposed.play()?;
            Ok(proto::ApplyMoveResponse {
                state: Some(proposed.form.write_state_or_view(&proposed.game)),
                events: events.into_iter().map(G::write_event).collect(),
                outcome: Some(G::write_outcome(proposed.game.outcome())),
            })
        })
    }

    pub(super) fn resolve_captures(
        &self,
        request: &proto::ResolveCapturesRequest,
    ) -> Result<proto::ResolveCapturesResponse, Refusal> {
        with_game!(request.named_game()?, G => {
            let (board, form) = read_board::<G>(request)?;
            let (captures, board) = G::resolve_captures(board);
            Ok(proto::ResolveCapturesResponse {
                captures: captures.into_iter().map(G::write_capture).collect(),
                state: Some(G::write_board(&board, form)),
            })
        })
    }

    pub(super) fn determine_winner(
        &self,
        request: &proto::DetermineWinnerRequest,
    ) -> Result<proto::DetermineWinnerResponse, Refusal> {
        with_game!(request.named_game()?, G => {
            let (game, form) = read_game::<G>(request.state.as_ref())?;
            let mut seed = None;
            let next_round = game.next_round(|| *seed.insert(request.seed.unwrap_or_else(draw_seed)));
            Ok(proto::DetermineWinnerResponse {
                outcome: Some(G::write_outcome(game.outcome())),
                next_round: next_round.map(|game| form.write_state(&game)),
                seed,
            })
        })
    }

    pub(super) fn compare_cards(
        &self,
        request: &proto::CompareCardsRequest,
    ) -> Result<proto::CompareCardsResponse, Refusal> {
        Ok(write_ranking(&read_ranking(request)?))
    }

    pub(super) fn list_games(
        &self,
        request: &proto::ListGamesRequest,
    ) -> Result<proto::ListGamesResponse, Refusal> {
        Ok(proto::ListGamesResponse { games: descriptions(*request) })
    }

    pub(super) fn new_game(
        &self,
        request: &proto::NewGameRequest,
    ) -> Result<proto::NewGameResponse, Refusal> {
        with_game!(request.named_game()?, G => {
            let NewGame { rules, opening, form } = NewGame::<G>::read(request)?;
            let seed = request.seed.unwrap_or_else(draw_seed);
            Ok(proto::NewGameResponse {
                state: Some(form.write_state(&G::new(rules, opening, seed))),
                seed: Some(seed),
            })
        })
    }

    pub(super) fn list_legal_moves(
        &self,
        request: &proto::ListLegalMovesRequest,
    ) -> Result<proto::ListLegalMovesResponse, Refusal> {
        with_game!(request.named_game()?, G => {
            let (game, form) = read_game::<G>(request.state.as_ref())?;
            Ok(proto::ListLegalMovesResponse {
                moves: legal_moves(&game)?.iter().map(|mv| form.write_move::<G>(mv)).collect(),
            })
        })
    }

    pub(super) fn replay_game(
        &self,
        request: &proto::ReplayGameRequest,
    ) -> Result<proto::ReplayGameResponse, Refusal> {
        check_item_count("moves", request.moves.len(), self.limits.replay_moves)?;
        with_game!(request.named_game()?, G => {
            let Replay { mut game, form, moves } = Replay::<G>::read(request)?;
            let mut events = Vec::with_capacity(moves.len());
            for (index, (mv, move_form)) in moves.iter().enumerate() {
                let happened = game
                    .play(mv)
                    .map_err(|reasons| Replay::<G>::refusal(index, *move_form, &reasons))?;
                events.push(proto::MoveEvents {
                    events: happened.into_iter().map(G::write_event).collect(),
                });
            }
            Ok(proto::ReplayGameResponse {
                state: Some(form.write_state(&game)),
                events,
                outcome: Some(G::write_outcome(game.outcome())),
            })
        })
    }

    pub(super) fn settle_trade(
        &self,
        request: &proto::SettleTradeRequest,
    ) -> Result<proto::SettleTradeResponse, Refusal> {
        Ok(write_settlement(&read_trade(request)?.settle()))
    }

    pub(super) fn view_state(
        &self,
        request: &proto::ViewStateRequest,
    ) -> Result<proto::ViewStateResponse, Refusal> {
        with_game!(request.named_game()?, G => {
            let (game, form, viewer) = read_view::<G>(request)?;
            Ok(proto::ViewStateResponse {
                state: Some(form.write_state_or_view(&game.view(viewer))),
            })
        })
    }

    pub(super) fn render_state(
        &self,
        request: &proto::RenderStateRequest,
    ) -> Result<proto::RenderStateResponse, Refusal> {
        with_game!(request.named_game()?, G => {
            let (game, _) = read_game::<G>(request.state.as_ref())?;
            Ok(proto::RenderStateResponse {
                state: Some(Form::Typed.write_state_or_view(&game)),
                notation: game.notation(),
                text: game.text(),
            })
        })
    }
}

/// Draws a seed for a request without one.
fn draw_seed() -> u64 {
    getrandom::u64().expect("the operating system provides randomness")
}
