//! Decoding of `SettleTrade` requests, and encoding of the settlement.

use super::{
    GAME,
    card::{read_cards, write_card},
};
use crate::{
    games::{
        Player,
        triple_triad::{Settlement, Trade, TradeError, TradeSetup, Transfer, TripleTriad},
    },
    wire::{
        Path, Refusal, Violations,
        common::write_player,
        proto,
        state::{game_of_state, read_whole_state, report_unknown_game},
    },
};

/// Reads a trade that can be settled.
///
/// # Errors
///
/// All violations.
pub fn read_trade(request: &proto::SettleTradeRequest) -> Result<Trade, Refusal> {
    let mut violations = Violations::default();
    let at = Path::root("state");
    let state = request.state.as_ref();
    let game = match game_of_state(state) {
        Some(GAME) => read_whole_state::<TripleTriad>(state, &at, &mut violations).map(|(game, _)| game),
        Some(_) => {
            violations.game_mismatch(&at, "state", GAME);
            None
        }
        None => {
            report_unknown_game(state, &at, &mut violations);
            None
        }
    };
    let mut read = |cards: &[proto::TripleTriadCard], player| {
        read_cards(cards, &Path::root(collection(player)), &mut violations)
    };
    let collections =
        [read(&request.collection_one, Player::One), read(&request.collection_two, Player::Two)];
    let setup = TradeSetup { game, collections, picks: request.picks.clone() };
    let trade = violations.accept(Trade::try_from(&setup), report_error);
    violations.finish(trade)
}

fn report_error(error: TradeError, violations: &mut Violations) {
    use proto::ErrorReason;
    match error {
        TradeError::NotOver | TradeError::NoWinner => {
            violations.add_breach(&Path::root("state"), ErrorReason::NoWinner, &error);
        }
        TradeError::DuplicateCard { player, index, .. } => {
            let at = Path::root(collection(player));
            violations.add_breach(&at.index(index).field("id"), ErrorReason::DuplicateCard, &error);
        }
        TradeError::CardMismatch { player, index, .. } => {
            let at = Path::root(collection(player));
            violations.add_breach(&at.index(index).field("id"), ErrorReason::CardMismatch, &error);
        }
        TradeError::UnknownPick { index, .. } | TradeError::DoublePick { index, .. } => {
            violations.add_breach(&Path::root("picks").index(index), ErrorReason::WrongPick, &error);
        }
        TradeError::PickCount { .. } => {
            violations.add_breach(&Path::root("picks"), ErrorReason::PickCountMismatch, &error);
        }
    }
}

/// The name of the field with the collection of a player.
fn collection(player: Player) -> &'static str {
    match player {
        Player::One => "collection_one",
        Player::Two => "collection_two",
    }
}

/// Writes a settled trade.
pub fn write_settlement(settlement: &Settlement) -> proto::SettleTradeResponse {
    let [one, two] = &settlement.collections;
    let transfer = |transfer: &Transfer| proto::TripleTriadTransfer {
        card_id: transfer.card.id(),
        from: transfer.from.map(write_player),
        to: write_player(transfer.to),
        explanation: transfer.to_string(),
    };
    proto::SettleTradeResponse {
        collection_one: one.iter().map(write_card).collect(),
        collection_two: two.iter().map(write_card).collect(),
        transfers: settlement.transfers.iter().map(transfer).collect(),
        explanation: settlement.to_string(),
    }
}
