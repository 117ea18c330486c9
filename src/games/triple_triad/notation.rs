//! Triple Triad as text.
//!
//! A state is `tt:`, the rules, the board, the two hands and the player to move, with colons between them:
//!
//! ```text
//! tt:swp:f,X54,-/-,O3,-/-,-,-:1,2,4,5:6,7,8,9:X
//! ```
//!
//! - The rules are letters: `o` open, `r` random, `e` elemental, `s` same, `w` same wall, `p` plus, `c` combo, `d` sudden
//!   death, `a` basic capture always; then the limit of sudden death if it is not 5; then a capital for the trade rule:
//!   `O` one, `D` diff, `R` direct, `A` all. `-` if there are none.
//! - The board is three rows with slashes between them, each of three squares with commas between them. A square is `-`,
//!   the letter of its element, a card with `X` (player one) or `O` (player two) before it, or element and card: `fX54`.
//! - A card of the catalogue is its number, `54`, or its id and its number, `7=c54`. Any other card is its id and its four
//!   ranks, then its element, level and name if it has them: `7=A594f*8~Ifrit` is a card of fire and of level 8.
//! - A hand is its cards with commas between them, or `-`. In a view, the hidden hand is `?` and its number of cards.
//! - The player to move is `X` or `O`, followed by the count of sudden death if it is not 0.
//! - A board that need not be a position may lack the hands and the player to move. With hands, the player may be `-`.
//! - Elements: `f` fire, `i` ice, `t` thunder, `e` earth, `p` poison, `w` wind, `a` water, `h` holy.
//! - In names `_` is a space. Bytes other than ASCII letters, digits, dots and hyphens are `%` and two hex digits.
//!
//! A move is the id of a card and the number of a square, row by row from 1: `17@5`.

use std::{
    fmt::{self, Write},
    str::FromStr,
};

use super::{
    BasicCapture, CATALOGUE, Card, CardError, Diagram, Element, Hidden, Move, Place, Rule, Rules, Setup,
    SetupCard, SetupError, SetupSquare, TradeRule, TripleTriad,
    board::{SQUARE_COUNT, WIDTH, index_of},
    catalogue,
};
use crate::{
    Game, NotationError, Player, Quoted, Square, StateOrView, parse_hidden_hand, parse_number, parse_ordinal,
};

type ParseError = crate::ParseError<TripleTriad>;

const PREFIX: &str = TripleTriad::ID.prefix();

const fn rule_letter(rule: Rule) -> char {
    match rule {
        Rule::Open => 'o',
        Rule::Random => 'r',
        Rule::Elemental => 'e',
        Rule::Same => 's',
        Rule::SameWall => 'w',
        Rule::Plus => 'p',
        Rule::Combo => 'c',
        Rule::SuddenDeath => 'd',
    }
}

/// The letter of [`BasicCapture::Always`].
const ALWAYS_LETTER: char = 'a';

/// The trade rules with a letter. The default has none.
const TRADES: [(TradeRule, char); 4] =
    [(TradeRule::One, 'O'), (TradeRule::Diff, 'D'), (TradeRule::Direct, 'R'), (TradeRule::All, 'A')];

/// What could be read of a text.
struct Parsed {
    setup: Setup,
    errors: Vec<ParseError>,
    /// Whether the number of cards in each place is known. Otherwise only the cards themselves can be checked.
    is_counted: bool,
}

impl Parsed {
    /// Checks the setup, and adds its errors to those of the text.
    fn check<T>(
        mut self,
        check: impl FnOnce(&Setup) -> Result<T, Vec<SetupError>>,
    ) -> Result<T, Vec<ParseError>> {
        let is_readable = self.errors.is_empty();
        match check(&self.setup) {
            Ok(value) if is_readable => return Ok(value),
            Ok(_) => {}
            Err(wrong) => {
                // If the player to move could not be read, that has been reported.
                let is_new = |error: &SetupError| is_readable || *error != SetupError::NextPlayer;
                self.errors.extend(wrong.into_iter().filter(is_new).map(ParseError::Setup));
            }
        }
        Err(self.errors)
    }
}

/// Reads a game or a view.
pub(super) fn parse(text: &str) -> Result<StateOrView<TripleTriad>, Vec<ParseError>> {
    let parsed = parse_setup(text);
    let is_counted = parsed.is_counted;
    parsed
        .check(|setup| if is_counted { StateOrView::try_from(setup) } else { Err(setup.check_incomplete()) })
}

impl Card {
    /// Reads a card from its text notation.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Vec<CardError>> {
        read_card(text).unwrap_or_else(|| Err(vec![CardError::Unreadable]))
    }

    /// The text notation of the card. [`Card::parse`] reads it back exactly.
    pub fn notation(&self) -> String {
        let mut text = String::new();
        write_card(&mut text, self);
        text
    }
}

impl Diagram {
    /// Reads a board that need not be a position.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the text and with the board.
    pub fn parse(text: &str) -> Result<Self, Vec<ParseError>> {
        parse_setup(text).check(|setup| Self::try_from(setup))
    }

    /// The text notation of the board. [`Diagram::parse`] reads it back exactly.
    pub fn notation(&self) -> String {
        write(self)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match index_of(self.square) {
            Some(index) => write!(f, "{}@{}", self.card, index + 1),
            None => write!(f, "{}@({})", self.card, self.square),
        }
    }
}

impl FromStr for Move {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let read = || {
            let (card, square) = text.split_once('@')?;
            let square = parse_ordinal(square)?;
            let (row, column) = (square / WIDTH as u32, square % WIDTH as u32);
            Some(Self { card: parse_number(card)?, square: Square { row, column } })
        };
        read().ok_or_else(|| {
            NotationError::new(format!(
                "{} is not a move: expected the id of a card and a square from 1 to {SQUARE_COUNT}, such as 17@5",
                Quoted(text),
            ))
        })
    }
}

fn parse_setup(text: &str) -> Parsed {
    let mut errors = Vec::new();
    let mut setup = Setup {
        rules: None,
        squares: [SetupSquare::default(); SQUARE_COUNT],
        hands: [Vec::new(), Vec::new()],
        next_player: None,
        drawn_rounds: 0,
        hidden: None,
    };
    let parts: Vec<&str> = text.strip_prefix(PREFIX).unwrap_or(text).split(':').collect();
    let (rules, board, rest) = match *parts.as_slice() {
        [rules, board] => (rules, board, None),
        [rules, board, one, two, next] => (rules, board, Some(([one, two], next))),
        _ => {
            let message = "a state is its rules, board, two hands and the player to move, with colons between them; \
                           a board alone is its rules and the board";
            errors.push(ParseError::notation(message));
            return Parsed { setup, errors, is_counted: false };
        }
    };
    match parse_rules(rules) {
        Ok(rules) => setup.rules = Some(rules),
        Err(error) => errors.push(error),
    }
    let mut is_counted = parse_board(board, &mut setup, &mut errors);
    if let Some((hands, next)) = rest {
        for (player, hand) in Player::ALL.into_iter().zip(hands) {
            match parse_hidden_hand(hand) {
                Some(cards) if setup.hidden.is_none() => {
                    setup.hidden = Some(Hidden { viewer: player.other(), cards });
                }
                Some(_) => {
                    is_counted = false;
                    let message = "both hands are hidden: a view shows the hand of its viewer";
                    errors.push(ParseError::notation(message));
                }
                None => setup.hands[player as usize] = parse_hand(hand, player, &mut errors),
            }
        }
        match parse_next(next) {
            Some((player, drawn_rounds)) => (setup.next_player, setup.drawn_rounds) = (player, drawn_rounds),
            None => errors.push(ParseError::notation(format!(
                "{} is not a player to move: expected X or O, and the count of sudden death if it is not 0",
                Quoted(next),
            ))),
        }
    }
    Parsed { setup, errors, is_counted }
}

fn parse_rules(text: &str) -> Result<Rules, ParseError> {
    let wrong = |what: &str| {
        ParseError::notation(format!(
            "{} is not a rule set: {what}. Expected letters out of oreswpcda, the limit of sudden death, and one of O, D, R, A; \
             or - for no rules",
            Quoted(text),
        ))
    };
    if text == "-" {
        return Ok(Rules::DEFAULT);
    }
    let letters = text.trim_end_matches(|letter: char| TRADES.iter().any(|&(_, other)| other == letter));
    let mut rules = match text[letters.len()..].chars().collect::<Vec<_>>()[..] {
        [] => Rules::DEFAULT,
        [letter] => TRADES
            .iter()
            .filter(|&&(_, other)| other == letter)
            .fold(Rules::DEFAULT, |rules, &(trade, _)| rules.with_trade(trade)),
        _ => return Err(wrong("it has more than one trade rule")),
    };
    let (letters, limit) =
        letters.split_at(letters.trim_end_matches(|digit: char| digit.is_ascii_digit()).len());
    if !limit.is_empty() {
        let limit = parse_number(limit).ok_or_else(|| wrong("its limit is not a number"))?;
        rules = rules.with_sudden_death_limit(limit).map_err(ParseError::Rules)?;
    }
    if letters.is_empty() && limit.is_empty() && rules == Rules::DEFAULT {
        return Err(wrong("it is empty"));
    }
    for letter in letters.chars() {
        let rule = Rule::ALL.into_iter().find(|&rule| rule_letter(rule) == letter);
        rules = match rule {
            Some(rule) if !rules.has(rule) => rules.with(rule),
            None if letter == ALWAYS_LETTER && rules.basic_capture() == BasicCapture::Fallback => {
                rules.with_basic_capture(BasicCapture::Always)
            }
            Some(_) => return Err(wrong("it has a letter twice")),
            None if letter == ALWAYS_LETTER => return Err(wrong("it has a letter twice")),
            None => return Err(wrong("it has an unknown letter")),
        };
    }
    Ok(rules)
}

/// Reads the squares. Returns whether all of them are readable.
fn parse_board(text: &str, setup: &mut Setup, errors: &mut Vec<ParseError>) -> bool {
    let rows: Vec<Vec<&str>> = text.split('/').map(|row| row.split(',').collect()).collect();
    if rows.len() != WIDTH || rows.iter().any(|row| row.len() != WIDTH) {
        let message =
            "the board must have three rows with slashes between them, each of three squares with commas";
        errors.push(ParseError::notation(message));
        return false;
    }
    let mut read = true;
    for (index, square) in rows.into_iter().flatten().enumerate() {
        match parse_square(square, index, errors) {
            Some(square) => setup.squares[index] = square,
            None => read = false,
        }
    }
    read
}

fn parse_square(text: &str, index: usize, errors: &mut Vec<ParseError>) -> Option<SetupSquare> {
    if text == "-" {
        return Some(SetupSquare::default());
    }
    let element = text.chars().next().and_then(Element::from_letter);
    let rest = if element.is_some() { &text[1..] } else { text };
    let mut letters = rest.chars();
    match letters.next().map(Player::from_letter) {
        None if element.is_some() => Some(SetupSquare { element, card: None }),
        Some(owner @ Some(_)) => {
            let card = parse_card(letters.as_str(), Place::Square(index), errors);
            Some(SetupSquare { element, card: Some(SetupCard { card, owner }) })
        }
        _ => {
            let message = format!(
                "square {} cannot be read from {}: expected -, the letter of an element, \
                 or a card with X or O before it, such as X54",
                index + 1,
                Quoted(text),
            );
            errors.push(ParseError::notation(message));
            None
        }
    }
}

fn parse_hand(text: &str, player: Player, errors: &mut Vec<ParseError>) -> Vec<Option<Card>> {
    if text == "-" {
        return Vec::new();
    }
    let cards = text.split(',').enumerate();
    cards.map(|(index, card)| parse_card(card, Place::Hand(player, index), errors)).collect()
}

/// Reads a card. Reports what is wrong with it.
fn parse_card(text: &str, place: Place, errors: &mut Vec<ParseError>) -> Option<Card> {
    match read_card(text) {
        Some(Ok(card)) => Some(card),
        Some(Err(wrong)) => {
            errors
                .extend(wrong.into_iter().map(|error| ParseError::Setup(SetupError::Card { place, error })));
            None
        }
        None => {
            let message = format!(
                "{} cannot be read from {}: expected a catalogue number, such as 54, \
                 or an id and a card, such as 7=c54 or 7=A594f*8~Ifrit",
                place.in_notation(),
                Quoted(text),
            );
            errors.push(ParseError::notation(message));
            None
        }
    }
}

fn read_card(text: &str) -> Option<Result<Card, Vec<CardError>>> {
    let Some((id, card)) = text.split_once('=') else {
        return from_catalogue(parse_number(text)?).map(Ok);
    };
    let id = parse_number(id)?;
    if let Some(number) = card.strip_prefix('c') {
        let card = from_catalogue(parse_number(number)?)?;
        return Some(if id == 0 { Err(vec![CardError::Id]) } else { Ok(card.with_id(id)) });
    }
    let (card, name) = match card.split_once('~') {
        Some((card, name)) => (card, unescape(name)?),
        None => (card, String::new()),
    };
    let (card, level) = match card.split_once('*') {
        Some((card, level)) => (card, parse_number(level)?),
        None => (card, 1),
    };
    let mut letters = card.chars();
    let mut ranks = [0; 4];
    for rank in &mut ranks {
        *rank = match letters.next()? {
            digit @ '1'..='9' => u32::from(digit) - u32::from('0'),
            'A' => 10,
            _ => return None,
        };
    }
    let element = match letters.next() {
        Some(letter) => Some(Element::from_letter(letter)?),
        None => None,
    };
    letters.next().is_none().then(|| Card::new(id, ranks, element, level, &name))
}

fn from_catalogue(number: u32) -> Option<Card> {
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    CATALOGUE.get(index).copied()
}

fn parse_next(text: &str) -> Option<(Option<Player>, u32)> {
    let mut letters = text.chars();
    let player = match letters.next()? {
        '-' => None,
        letter => Some(Player::from_letter(letter)?),
    };
    let count = match letters.as_str() {
        "" => 0,
        count => parse_number(count).filter(|&count| count > 0)?,
    };
    Some((player, count))
}

fn write(diagram: &Diagram) -> String {
    let mut text = PREFIX.to_owned();
    write_rules(&mut text, diagram.rules);
    for (index, (element, card)) in diagram.squares.iter().enumerate() {
        text.push(match index {
            0 => ':',
            _ if index % WIDTH == 0 => '/',
            _ => ',',
        });
        text.extend(element.map(Element::letter));
        match card {
            Some((card, owner)) => {
                text.push(owner.letter());
                write_card(&mut text, card);
            }
            None if element.is_none() => text.push('-'),
            None => {}
        }
    }
    let alone = diagram.next_player.is_none() && diagram.drawn_rounds == 0;
    if alone && diagram.hands.iter().all(Vec::is_empty) && diagram.hidden.is_none() {
        return text;
    }
    for player in Player::ALL {
        text.push(':');
        match diagram.hidden {
            // Writing to a string cannot fail.
            Some(Hidden { viewer, cards }) if viewer != player => drop(write!(text, "?{cards}")),
            _ => write_hand(&mut text, &diagram.hands[player as usize]),
        }
    }
    text.push(':');
    text.push(diagram.next_player.map_or('-', Player::letter));
    if diagram.drawn_rounds > 0 {
        let _ = write!(text, "{}", diagram.drawn_rounds);
    }
    text
}

fn write_rules(text: &mut String, rules: Rules) {
    if rules == Rules::DEFAULT {
        text.push('-');
        return;
    }
    text.extend(Rule::ALL.into_iter().filter(|&rule| rules.has(rule)).map(rule_letter));
    if rules.basic_capture() == BasicCapture::Always {
        text.push(ALWAYS_LETTER);
    }
    if rules.sudden_death_limit() != Rules::DEFAULT_SUDDEN_DEATH_LIMIT {
        let _ = write!(text, "{}", rules.sudden_death_limit());
    }
    text.extend(TRADES.iter().filter(|&&(trade, _)| trade == rules.trade()).map(|&(_, letter)| letter));
}

fn write_hand(text: &mut String, hand: &[Card]) {
    if hand.is_empty() {
        text.push('-');
    }
    for (index, card) in hand.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write_card(text, card);
    }
}

fn write_card(text: &mut String, card: &Card) {
    let _ = write!(text, "{}", card.id());
    match catalogue::find(card) {
        Some(known) if known.id() == card.id() => {}
        Some(known) => drop(write!(text, "=c{}", known.id())),
        None => {
            let _ = write!(text, "={}", card.ranks());
            text.extend(card.element().map(Element::letter));
            if card.level() != 1 {
                let _ = write!(text, "*{}", card.level());
            }
            if !card.name().is_empty() {
                text.push('~');
                escape(text, card.name());
            }
        }
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.'
}

fn escape(text: &mut String, name: &str) {
    for byte in name.bytes() {
        match byte {
            b' ' => text.push('_'),
            _ if is_plain(byte) => text.push(byte.into()),
            _ => drop(write!(text, "%{byte:02X}")),
        }
    }
}

fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'_' => b' ',
            b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16).filter(|_| !byte.is_ascii_lowercase());
                // Two hex digits are below 256.
                (digit(rest.next()?)? << 4 | digit(rest.next()?)?) as u8
            }
            _ if is_plain(byte) => byte,
            _ => return None,
        });
    }
    String::from_utf8(bytes).ok()
}
