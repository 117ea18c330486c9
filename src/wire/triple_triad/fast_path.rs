//! The fast path: states are decoded from and encoded to wire bytes.

use std::sync::LazyLock;

use prost::Message;

use super::{
    card::{element_of, write_card, write_element},
    rules::{basic_capture_of, trade_rule_of, write_basic_capture, write_trade_rule},
};
use crate::{
    games::triple_triad::{
        CATALOGUE, Card, Diagram, DiagramSquare, HAND_SIZE, Hidden, Rule, Rules, Setup, SetupCard,
        SetupSquare,
    },
    wire::fast_path::{ArrayVec, Value, put_bytes, put_message, put_number, put_player, scan_fields},
};

/// The field numbers of a state.
const RULES: u8 = 1;
const BOARD: u8 = 2;
const HAND_ONE: u8 = 3;
const HAND_TWO: u8 = 4;
const NEXT_PLAYER: u8 = 5;
const SUDDEN_DEATH_COUNT: u8 = 6;
const VIEW: u8 = 7;

/// The field numbers of the rules that are not flags.
const BASIC_CAPTURE: u8 = 8;
const SUDDEN_DEATH_LIMIT: u8 = 10;
const TRADE_RULE: u8 = 11;

/// The field numbers of a square.
const ELEMENT: u8 = 1;
const CARD: u8 = 2;
const OWNER: u8 = 3;

/// The field numbers of a view.
const VIEWER: u8 = 1;
const HIDDEN_CARDS: u8 = 2;

/// The encoded cards of the catalogue. Most games use only these, so they are compared and copied as a whole.
static ENCODED_CATALOGUE: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| CATALOGUE.iter().map(|card| write_card(card).encode_to_vec()).collect());

/// Decodes a game, a view, or a board without a game.
pub(super) fn scan_as<T: for<'a> TryFrom<&'a Setup>>(wire: &[u8]) -> Option<T> {
    let mut rules = None;
    let mut squares = ArrayVec::new(SetupSquare::default());
    let mut hands = [Vec::with_capacity(HAND_SIZE), Vec::with_capacity(HAND_SIZE)];
    let (mut next_player, mut drawn_rounds, mut hidden) = (None, 0, None);
    scan_fields(wire, |field, value| {
        match field {
            RULES if rules.is_none() => rules = Some(scan_rules(value.bytes()?)?),
            BOARD => squares.push(scan_square(value.bytes()?)?)?,
            HAND_ONE => hands[0].push(Some(scan_card(value)?)),
            HAND_TWO => hands[1].push(Some(scan_card(value)?)),
            NEXT_PLAYER => next_player = Some(value.player()?),
            SUDDEN_DEATH_COUNT => drawn_rounds = value.number()?,
            VIEW if hidden.is_none() => hidden = Some(scan_hidden(value.bytes()?)?),
            _ => return None,
        }
        Some(())
    })?;
    let (rules, squares) = (rules.or(Some(Rules::DEFAULT)), squares.into_array()?);
    T::try_from(&Setup { rules, squares, hands, next_player, drawn_rounds, hidden }).ok()
}

fn scan_hidden(wire: &[u8]) -> Option<Hidden> {
    let (mut viewer, mut cards) = (None, None);
    scan_fields(wire, |field, value| {
        match field {
            VIEWER => viewer = Some(value.player()?),
            HIDDEN_CARDS => cards = Some(value.number()?),
            _ => return None,
        }
        Some(())
    })?;
    Some(Hidden { viewer: viewer?, cards: cards? })
}

fn scan_rules(wire: &[u8]) -> Option<Rules> {
    let mut rules = Rules::DEFAULT;
    scan_fields(wire, |field, value| {
        rules = match field {
            BASIC_CAPTURE => rules.with_basic_capture(basic_capture_of(value.enumerated()?)?),
            SUDDEN_DEATH_LIMIT => rules.with_sudden_death_limit(value.number()?).ok()?,
            TRADE_RULE => rules.with_trade(trade_rule_of(value.enumerated()?)?),
            _ => match rule_of(field)? {
                rule if value.flag()? => rules.with(rule),
                // An earlier occurrence of the field turned it on.
                rule if rules.has(rule) => return None,
                _ => rules,
            },
        };
        Some(())
    })?;
    Some(rules)
}

/// The rule of a flag.
fn rule_of(field: u8) -> Option<Rule> {
    Some(match field {
        1 => Rule::Open,
        2 => Rule::Random,
        3 => Rule::Elemental,
        4 => Rule::Same,
        5 => Rule::SameWall,
        6 => Rule::Plus,
        7 => Rule::Combo,
        9 => Rule::SuddenDeath,
        _ => return None,
    })
}

fn scan_square(wire: &[u8]) -> Option<SetupSquare> {
    let (mut element, mut card, mut owner) = (None, None, None);
    scan_fields(wire, |field, value| {
        match field {
            ELEMENT => element = Some(element_of(value.enumerated()?)?),
            CARD if card.is_none() => card = Some(scan_card(value)?),
            OWNER => owner = Some(value.player()?),
            _ => return None,
        }
        Some(())
    })?;
    let card = match (card, owner) {
        (None, None) => None,
        (card, owner) => Some(SetupCard { card: Some(card?), owner: Some(owner?) }),
    };
    Some(SetupSquare { element, card })
}

fn scan_card(value: Value<'_>) -> Option<Card> {
    let wire = value.bytes()?;
    // The id comes first, and takes one byte in the whole catalogue.
    if let [_, id, ..] = wire {
        let index = usize::from(*id).wrapping_sub(1);
        if ENCODED_CATALOGUE.get(index).is_some_and(|known| known == wire) {
            return Some(CATALOGUE[index]);
        }
    }
    let (mut id, mut ranks, mut element, mut level, mut name) = (None, [None; 4], None, 1, "");
    scan_fields(wire, |field, value| {
        match field {
            1 => id = Some(value.number()?),
            2..=5 => ranks[usize::from(field) - 2] = Some(value.number()?),
            6 => element = Some(element_of(value.enumerated()?)?),
            7 => level = value.number()?,
            8 => name = str::from_utf8(value.bytes()?).ok()?,
            _ => return None,
        }
        Some(())
    })?;
    let [top, right, bottom, left] = ranks;
    Card::new(id?, [top?, right?, bottom?, left?], element, level, name).ok()
}

/// Encodes a board with its rules and hands, and the marks of a game or a view.
pub(super) fn write_diagram(diagram: &Diagram) -> Vec<u8> {
    let mut wire = Vec::with_capacity(512);
    put_message(RULES, &mut wire, |wire| put_rules(diagram.rules, wire));
    for square in &diagram.squares {
        put_message(BOARD, &mut wire, |wire| put_square(square, wire));
    }
    for (field, hand) in [HAND_ONE, HAND_TWO].into_iter().zip(&diagram.hands) {
        for card in hand {
            put_card(field, card, &mut wire);
        }
    }
    put_player(NEXT_PLAYER, diagram.next_player, &mut wire);
    put_number(SUDDEN_DEATH_COUNT, diagram.drawn_rounds.into(), &mut wire);
    if let Some(Hidden { viewer, cards }) = diagram.hidden {
        put_message(VIEW, &mut wire, |wire| {
            put_player(VIEWER, viewer, wire);
            put_number(HIDDEN_CARDS, cards, wire);
        });
    }
    wire
}

fn put_rules(rules: Rules, wire: &mut Vec<u8>) {
    for field in 1..=11 {
        let value = match field {
            BASIC_CAPTURE => write_basic_capture(rules.basic_capture()) as u32,
            SUDDEN_DEATH_LIMIT => rules.sudden_death_limit().into(),
            TRADE_RULE => write_trade_rule(rules.trade()) as u32,
            _ => rule_of(field).is_some_and(|rule| rules.has(rule)).into(),
        };
        put_number(field, value, wire);
    }
}

fn put_square((element, card): &DiagramSquare, wire: &mut Vec<u8>) {
    if let Some(element) = element {
        put_number(ELEMENT, write_element(*element) as u32, wire);
    }
    if let Some((card, owner)) = card {
        put_card(CARD, card, wire);
        put_player(OWNER, *owner, wire);
    }
}

fn put_card(field: u8, card: &Card, wire: &mut Vec<u8>) {
    let index = (card.id() as usize).wrapping_sub(1);
    match CATALOGUE.get(index) {
        Some(known) if known == card => put_bytes(field, &ENCODED_CATALOGUE[index], wire),
        _ => put_bytes(field, &write_card(card).encode_to_vec(), wire),
    }
}
