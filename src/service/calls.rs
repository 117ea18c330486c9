//! One function a call: read the request, ask the game, write the answer.

#![allow(
    clippy::trivially_copy_pass_by_ref,
    clippy::unnecessary_wraps,
    reason = "all calls have one shape, so that single calls and batches can share it"
)]

use super::{Limits, check_items};
use crate::{
    games::Game,
    wire::{
        Form, GameRequest, NewGame, Refusal, Replay, Turn, WireGame, descriptions, legal_moves, proto,
        read_board, read_game, read_ranking, read_trade, read_view, with_game, write_ranking,
        write_settlement,
    },
};

pub(super) fn validate_move(
    request: &proto::ValidateMoveRequest,
) -> Result<proto::ValidateMoveResponse, Refusal> {
    with_game!(request.named_game()?, G => {
        let turn = Turn::<G>::read(request.state.as_ref(), request.r#move.as_ref())?;
        let reasons = turn.why_illegal()?;
        let verdict = if reasons.is_empty() { proto::Verdict::Legal } else { proto::Verdict::Illegal };
        Ok(proto::ValidateMoveResponse { verdict: verdict.into(), reasons })
    })
}

pub(super) fn apply_move(request: &proto::ApplyMoveRequest) -> Result<proto::ApplyMoveResponse, Refusal> {
    with_game!(request.named_game()?, G => {
        let mut turn = Turn::<G>::read(request.state.as_ref(), request.r#move.as_ref())?;
        let events = turn.play()?;
        Ok(proto::ApplyMoveResponse {
            state: Some(turn.form.write_state_or_view(&turn.game)),
            events: events.into_iter().map(G::write_event).collect(),
            outcome: Some(G::write_outcome(turn.game.outcome())),
        })
    })
}

pub(super) fn resolve_captures(
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
    request: &proto::CompareCardsRequest,
) -> Result<proto::CompareCardsResponse, Refusal> {
    Ok(write_ranking(&read_ranking(request)?))
}

pub(super) fn list_games(request: &proto::ListGamesRequest) -> Result<proto::ListGamesResponse, Refusal> {
    Ok(proto::ListGamesResponse { games: descriptions(*request) })
}

pub(super) fn new_game(request: &proto::NewGameRequest) -> Result<proto::NewGameResponse, Refusal> {
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
    request: &proto::ReplayGameRequest,
    limits: &Limits,
) -> Result<proto::ReplayGameResponse, Refusal> {
    check_items("moves", request.moves.len(), limits.replay_moves)?;
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
    request: &proto::SettleTradeRequest,
) -> Result<proto::SettleTradeResponse, Refusal> {
    Ok(write_settlement(&read_trade(request)?.settle()))
}

pub(super) fn view_state(request: &proto::ViewStateRequest) -> Result<proto::ViewStateResponse, Refusal> {
    with_game!(request.named_game()?, G => {
        let (game, form, viewer) = read_view::<G>(request)?;
        Ok(proto::ViewStateResponse {
            state: Some(form.write_state_or_view(&game.view(viewer))),
        })
    })
}

pub(super) fn render_state(
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

/// A seed from the operating system, for callers who give none.
fn draw_seed() -> u64 {
    getrandom::u64().expect("the operating system has randomness to give")
}
