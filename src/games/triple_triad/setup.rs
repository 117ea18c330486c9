use std::fmt;

use super::{
    Card, CardError, Diagram, Element, Hidden, Rule, Rules, TripleTriad, View,
    board::{SQUARE_COUNT, square_at},
    diagram::hidden_cards,
    position::{CARD_COUNT, HAND_SIZE, Position},
};
use crate::{Count, Player, RuleBreach, StateOrView};

/// A game as a caller sent it. It may be invalid: [`StateOrView::try_from`] checks it as a game or a view,
/// [`Diagram::try_from`] as a board that need not be a position.
///
/// A value that the caller sent but that could not be read is `None`. The reader has reported it, so it is not reported
/// again: the list of errors is empty if everything else is valid.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The rules.
    pub rules: Option<Rules>,
    /// The squares, row by row.
    pub squares: [SetupSquare; SQUARE_COUNT],
    /// The cards in the hands, including unreadable ones.
    pub hands: [Vec<Option<Card>>; 2],
    /// The player to move; none if it is missing or could not be read.
    pub next_player: Option<Player>,
    /// The number of drawn rounds in a row before this one.
    pub drawn_rounds: u32,
    /// The hidden hand, if it is a view.
    pub hidden: Option<Hidden>,
}

/// A square as a caller sent it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SetupSquare {
    /// Its element, if it has one.
    pub element: Option<Element>,
    /// The card on it, if there is one.
    pub card: Option<SetupCard>,
}

/// A card on a square as a caller sent it.
#[derive(Clone, Copy, Debug)]
pub struct SetupCard {
    /// The card.
    pub card: Option<Card>,
    /// The owner.
    pub owner: Option<Player>,
}

/// Where a card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On a square, with its index row by row from 0.
    Square(usize),
    /// In a hand, with its index from 0.
    Hand(Player, usize),
}

impl Place {
    /// The place in the text notation, counted from 1.
    pub(super) fn in_notation(self) -> String {
        match self {
            Self::Square(index) => format!("square {}", index + 1),
            Self::Hand(player, index) => format!("card {} of {player}", index + 1),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Square(square) => write!(f, "on the board at {}", square_at(square)),
            Self::Hand(player, _) => write!(f, "in the hand of {player}"),
        }
    }
}

/// What is wrong with a setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The player to move is missing.
    #[error("the player to move is missing")]
    NextPlayer,
    /// A card of a text notation is invalid (TT-1). Typed cards are checked where they are read.
    #[error("{}: {error}", place.in_notation())]
    Card {
        /// Where the card is.
        place: Place,
        /// What is wrong with it.
        error: CardError,
    },
    /// A hand does not fit the board and the player to move (TT-2, TT-3).
    #[error(
        "the hand of {player} has {}: with {placed} on the board and {next} to move it must have {wanted}",
        Count(*found, "card")
    )]
    HandSize {
        /// The owner of the hand.
        player: Player,
        /// The number of cards in it.
        found: usize,
        /// The number of cards that it must have.
        wanted: usize,
        /// The number of cards on the board.
        placed: usize,
        /// The player to move.
        next: Player,
    },
    /// A hand is larger than any hand can be (TT-2).
    #[error("the hand of {player} has {found} cards: a hand has at most {HAND_SIZE}")]
    HandTooLarge {
        /// The owner of the hand.
        player: Player,
        /// The number of cards in it.
        found: usize,
    },
    /// A card is in two places (TT-1).
    #[error("card {id} is in two places: {first}, and {second}")]
    DuplicateCard {
        /// The id of the card.
        id: u32,
        /// The first place.
        first: Place,
        /// The second place.
        second: Place,
    },
    /// The player who has just placed a card has none on the board (TT-3).
    #[error("{0} has just placed a card, but has no card on the board")]
    LastCardMissing(Player),
    /// The count of drawn rounds is out of range (TT-13).
    #[error("sudden_death_count must be from 0 to {max}, not {0}", max = Rules::MAX_SUDDEN_DEATH_LIMIT)]
    DrawnRounds(u32),
    /// There are drawn rounds without the rule sudden death (TT-13).
    #[error("sudden_death_count must be 0 without the rule sudden_death, not {0}")]
    DrawnRoundsWithoutRule(u32),
    /// The number of drawn rounds reaches the limit of sudden death (TT-13).
    #[error("sudden_death_count must be below sudden_death_limit, which is {limit}, not {found}")]
    DrawnRoundsAtLimit {
        /// The count.
        found: u32,
        /// The limit of the rules.
        limit: u16,
    },
    /// It is a view of a game with open hands (TT-15).
    #[error("with the rule open nothing is hidden: send the whole state, without a view")]
    ViewOfOpenGame,
    /// A view lists the cards of the hand that it hides (TT-15).
    #[error(
        "the hand of {0} is hidden in this view and must be empty: only the number of its cards is known"
    )]
    HiddenHandListed(Player),
}

impl RuleBreach for SetupError {
    fn clause(&self) -> &'static str {
        match self {
            Self::Card { error, .. } => error.clause(),
            Self::DuplicateCard { .. } => "TT-1",
            Self::HandTooLarge { .. } | Self::HandSize { .. } => "TT-2",
            Self::NextPlayer | Self::LastCardMissing(_) => "TT-3",
            Self::DrawnRounds(_) | Self::DrawnRoundsWithoutRule(_) | Self::DrawnRoundsAtLimit { .. } => {
                "TT-13"
            }
            Self::ViewOfOpenGame | Self::HiddenHandListed(_) => "TT-15",
        }
    }
}

/// The maximum number of drawn rounds under any rules.
const MAX_DRAWN_ROUNDS: u32 = Rules::MAX_SUDDEN_DEATH_LIMIT as u32;

impl Setup {
    /// Every error that does not depend on the number of cards in each place, for a setup in which they are unknown.
    pub fn check_incomplete(&self) -> Vec<SetupError> {
        let mut errors = Vec::new();
        self.check_diagram(&mut errors);
        self.check_drawn_rounds(&mut errors);
        errors
    }

    /// The number of cards in a hand, hidden or not.
    fn hand_size(&self, player: Player) -> usize {
        hidden_cards(self.hidden, player).map_or(self.hands[player as usize].len(), |cards| cards as usize)
    }

    /// Every readable card and its place: the board row by row, then the first five cards of each hand.
    fn cards(&self) -> impl Iterator<Item = (Card, Place)> {
        let on_board = self.squares.iter().enumerate().filter_map(|(index, square)| {
            let card = square.card?.card?;
            Some((card, Place::Square(index)))
        });
        let in_hand = Player::ALL.into_iter().flat_map(|player| {
            self.hands[player as usize]
                .iter()
                .take(HAND_SIZE)
                .enumerate()
                .filter_map(move |(index, card)| Some(((*card)?, Place::Hand(player, index))))
        });
        on_board.chain(in_hand)
    }

    /// Checks what holds for every diagram.
    fn check_diagram(&self, errors: &mut Vec<SetupError>) {
        for player in Player::ALL {
            let found = self.hand_size(player);
            if found > HAND_SIZE {
                errors.push(SetupError::HandTooLarge { player, found });
            }
            if hidden_cards(self.hidden, player).is_some() && !self.hands[player as usize].is_empty() {
                errors.push(SetupError::HiddenHandListed(player));
            }
        }
        if self.hidden.is_some() && self.rules.is_some_and(|rules| rules.has(Rule::Open)) {
            errors.push(SetupError::ViewOfOpenGame);
        }
        for (index, (card, second)) in self.cards().enumerate() {
            let id = card.id();
            if let Some((_, first)) = self.cards().take(index).find(|(earlier, _)| earlier.id() == id) {
                errors.push(SetupError::DuplicateCard { id, first, second });
            }
        }
        if self.drawn_rounds > MAX_DRAWN_ROUNDS {
            errors.push(SetupError::DrawnRounds(self.drawn_rounds));
        }
    }

    /// Checks the number of drawn rounds (TT-13).
    fn check_drawn_rounds(&self, errors: &mut Vec<SetupError>) {
        // A number that is out of range has been reported.
        if let (Some(rules), found @ 1..=MAX_DRAWN_ROUNDS) = (self.rules, self.drawn_rounds) {
            let limit = rules.sudden_death_limit();
            if !rules.has(Rule::SuddenDeath) {
                errors.push(SetupError::DrawnRoundsWithoutRule(found));
            } else if found >= limit.into() {
                errors.push(SetupError::DrawnRoundsAtLimit { found, limit });
            }
        }
    }

    /// Checks what holds for every position of a game.
    fn check_position(&self, errors: &mut Vec<SetupError>) {
        let Some(next) = self.next_player else {
            errors.push(SetupError::NextPlayer);
            return;
        };
        let placed = self.squares.iter().filter(|square| square.card.is_some()).count();
        for player in Player::ALL {
            let found = self.hand_size(player);
            let wanted = HAND_SIZE - if player == next { placed / 2 } else { placed.div_ceil(2) };
            // A hand that is too large has been reported.
            if found != wanted && found <= HAND_SIZE {
                errors.push(SetupError::HandSize { player, found, wanted, placed, next });
            }
        }
        let last = next.other();
        let shows = |square: &SetupSquare| match square.card {
            // An unreadable owner may be the player.
            Some(card) => card.owner.is_none_or(|owner| owner == last),
            None => false,
        };
        if placed > 0 && !self.squares.iter().any(shows) {
            errors.push(SetupError::LastCardMissing(last));
        }
    }

    /// The diagram; none if a value could not be read.
    fn complete(&self) -> Option<Diagram> {
        let mut squares = [(None, None); SQUARE_COUNT];
        for (to, from) in squares.iter_mut().zip(&self.squares) {
            let card = match from.card {
                Some(SetupCard { card, owner }) => Some((card?, owner?)),
                None => None,
            };
            *to = (from.element, card);
        }
        let hand = |player: Player| self.hands[player as usize].iter().copied().collect::<Option<_>>();
        Some(Diagram {
            rules: self.rules?,
            squares,
            hands: [hand(Player::One)?, hand(Player::Two)?],
            next_player: self.next_player,
            drawn_rounds: u16::try_from(self.drawn_rounds).ok()?,
            hidden: self.hidden,
        })
    }
}

impl TryFrom<&Setup> for Diagram {
    /// Every error except those that the reader has reported.
    type Error = Vec<SetupError>;

    fn try_from(setup: &Setup) -> Result<Self, Vec<SetupError>> {
        let mut errors = Vec::new();
        setup.check_diagram(&mut errors);
        setup.complete().filter(|_| errors.is_empty()).ok_or(errors)
    }
}

impl TryFrom<&Setup> for StateOrView<TripleTriad> {
    /// Every error except those that the reader has reported.
    type Error = Vec<SetupError>;

    fn try_from(setup: &Setup) -> Result<Self, Vec<SetupError>> {
        let mut errors = setup.check_incomplete();
        setup.check_position(&mut errors);
        let Some(diagram) = setup.complete().filter(|_| errors.is_empty()) else {
            return Err(errors);
        };
        match diagram.hidden {
            None => to_game(&diagram).map(Self::State).ok_or(errors),
            Some(_) => Ok(Self::View(View(diagram))),
        }
    }
}

/// The game of a diagram that has been checked.
fn to_game(diagram: &Diagram) -> Option<TripleTriad> {
    let on_board = diagram.squares.iter().filter_map(|(_, card)| card.map(|(card, _)| card));
    let mut every = diagram.hands.iter().flatten().copied().chain(on_board);
    let mut cards = [every.next()?; CARD_COUNT];
    for card in &mut cards[1..] {
        *card = every.next()?;
    }
    let elements = diagram.squares.map(|(element, _)| element);
    let mut position =
        Position::start(diagram.rules, &cards, elements, diagram.next_player?, diagram.drawn_rounds);
    let mut next = 0..CARD_COUNT;
    for player in Player::ALL {
        for card in next.by_ref().take(diagram.hands[player as usize].len()) {
            position.set_hand(card, player);
        }
    }
    for (square, (_, card)) in diagram.squares.iter().enumerate() {
        if let &Some((_, owner)) = card {
            position.set_card(next.next()?, square, owner);
        }
    }
    Some(TripleTriad { cards, position })
}
