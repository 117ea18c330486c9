//! The measured requests: each call of each game, with a state in the middle of a game.

use arbiter::{
    games::{
        connect_four::ConnectFour, queen_rooks::QueenRooks, royal_match::RoyalMatch,
        triple_triad::TripleTriad,
    },
    wire::{
        Form, WireGame,
        proto::{self, new_game_request::Setup},
        read_board,
    },
};
use prost::Message;

use super::load_generator::Call;

/// Maximum length of a replayed game.
const MAX_REPLAY_MOVES: usize = 40;

/// All calls with their names. The first is an `ApplyMove` of Connect Four.
pub fn calls() -> Vec<(String, Call)> {
    let square = |row, column| Some(proto::Square { row: Some(row), column: Some(column) });
    let mut calls = [
        game_calls::<ConnectFour>(
            "connect_four",
            Sample {
                start: "c4:7x6x4:",
                state: "c4:7x6x4:XO..OX.OX.XOX..XO",
                mv: "4",
                board: "c4:7x6x4:XO..OX.OX.XOX..XO",
                arrived_at: None,
                setup: Setup::ConnectFour(proto::ConnectFourSetup {}),
            },
        ),
        game_calls::<TripleTriad>(
            "triple_triad",
            Sample {
                start: TRIPLE_TRIAD,
                state: "tt:eswpcd:O34,-,w/-,aX107,t/O24,X53,p:3,61,13:78,110,20:X",
                mv: "61@4",
                board: "tt:eswpcd:O34,-,w/-,aX107,t/O24,X53,p:3,61,13:78,110,20:X",
                arrived_at: square(1, 1),
                setup: Setup::TripleTriad(proto::TripleTriadSetup::default()),
            },
        ),
        game_calls::<QueenRooks>(
            "queen_rooks",
            Sample {
                start: "qr:4rrrq/4rrrr/4rrrr/4rrrr/RRRR4/RRRR4/RRRR4/QRRR4:1",
                state: "qr:R1R2r1q/RR1Rrr1r/6r1/2R1r1rr/r5Rr/1R2rr2/3R2Rr/QRR1R3:1:10",
                mv: "d7-d5",
                board: "qr:R1R2r1q/RR1Rrr1r/6r1/2R1r1rr/r2R2Rr/1R2rr2/6Rr/QRR1R3:1:10",
                arrived_at: square(4, 3),
                setup: Setup::QueenRooks(proto::QueenRooksSetup {}),
            },
        ),
        game_calls::<RoyalMatch>(
            "royal_match",
            Sample {
                start: "rm:vH:9H,QC,4D,KS,2C,10D,6S,AH,3D,5C,8H,7S,JC;0/5H,8C,AD,3S,7D,JH,2S,KD,4H,9C,10S,QD,6C;0",
                state: "rm:vH:9H,QC,4D,KS,2C,10D;3;6S/5H,8C,AD,3S,7D,JH,2S;3",
                mv: "2:AD",
                board: "rm:vH:9H,QC,4D,KS,2C,10D;3;6S/5H,8C,3S,7D,JH,2S;3;AD",
                arrived_at: None,
                setup: Setup::RoyalMatch(proto::RoyalMatchSetup::default()),
            },
        ),
    ]
    .concat();
    calls.push(("royal_match CompareCards".to_owned(), compare_cards()));
    calls.push(("triple_triad SettleTrade".to_owned(), settle_trade()));
    calls.push((
        "ListGames".to_owned(),
        Call::rules("ListGames", proto::ListGamesRequest::default().encode_to_vec()),
    ));
    calls
}

/// The start of a Triple Triad game with all capture rules.
pub const TRIPLE_TRIAD: &str = "tt:eswpcd:-,-,w/-,a,t/-,-,p:53,3,61,107,13:78,34,24,110,20:X";

/// The input of the calls of a game, as notation.
struct Sample {
    /// The start of the game for `ReplayGame`.
    start: &'static str,
    /// A state in the middle of a game.
    state: &'static str,
    /// A legal move in `state`.
    mv: &'static str,
    /// A board on which a piece has just arrived.
    board: &'static str,
    /// The square of that piece.
    arrived_at: Option<proto::Square>,
    /// The setup for `NewGame`.
    setup: Setup,
}

fn game_calls<G: WireGame>(name: &str, sample: Sample) -> Vec<(String, Call)> {
    let game: G = parse(sample.state);
    let mv: G::Move = sample.mv.parse().expect("the move parses");
    assert!(game.why_illegal(&mv).is_empty(), "the move is legal");
    let typed = || Some(Form::Typed.write_state(&game));
    let typed_move = || Some(Form::Typed.write_move::<G>(&mv));
    let arrived_at = sample.arrived_at;
    let board = proto::ResolveCapturesRequest { state: Some(text(sample.board)), arrived_at };
    let board = read_board::<G>(&board).expect("the board parses").0;
    let start: G = parse(sample.start);
    let replay = random_game(&start, MAX_REPLAY_MOVES);
    let call = |label: &str, request: Vec<u8>| {
        let method = label.split(' ').next().unwrap_or_default();
        (format!("{name} {label}"), Call::rules(method, request))
    };
    vec![
        call("ApplyMove", proto::ApplyMoveRequest { state: typed(), r#move: typed_move() }.encode_to_vec()),
        call(
            "ValidateMove",
            proto::ValidateMoveRequest { state: typed(), r#move: typed_move() }.encode_to_vec(),
        ),
        call(
            "ResolveCaptures",
            proto::ResolveCapturesRequest { state: Some(G::write_board(&board, Form::Typed)), arrived_at }
                .encode_to_vec(),
        ),
        call("DetermineWinner", proto::DetermineWinnerRequest { state: typed(), seed: None }.encode_to_vec()),
        call(
            "NewGame",
            proto::NewGameRequest { setup: Some(sample.setup), seed: Some(1), ..Default::default() }
                .encode_to_vec(),
        ),
        call("ListLegalMoves", proto::ListLegalMovesRequest { state: typed() }.encode_to_vec()),
        call(
            "ReplayGame",
            proto::ReplayGameRequest {
                state: Some(Form::Typed.write_state(&start)),
                moves: replay.iter().map(|(_, mv)| Form::Typed.write_move::<G>(mv)).collect(),
            }
            .encode_to_vec(),
        ),
        call("ViewState", proto::ViewStateRequest { state: typed(), viewer: 1 }.encode_to_vec()),
        call("RenderState", proto::RenderStateRequest { state: typed() }.encode_to_vec()),
        call(
            "ApplyMove (notation)",
            proto::ApplyMoveRequest { state: Some(text(sample.state)), r#move: typed_move() }.encode_to_vec(),
        ),
    ]
}

pub fn parse<G: WireGame>(state: &str) -> G {
    G::parse(state).ok().and_then(|known| known.into_state().ok()).expect("the state parses")
}

/// The positions of a random game with the move made in each. Always the same game.
pub fn random_game<G: WireGame>(start: &G, max_moves: usize) -> Vec<(G, G::Move)> {
    let mut game = start.clone();
    let mut random: u64 = 7;
    let mut played = Vec::new();
    while played.len() < max_moves {
        let legal = game.legal_moves();
        if legal.is_empty() {
            break;
        }
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mv = legal[(random >> 33) as usize % legal.len()].clone();
        played.push((game.clone(), mv.clone()));
        game.play(&mv).ok().expect("the move is legal");
    }
    played
}

/// Two cards of the same value and different suits.
fn compare_cards() -> Call {
    let card = |suit: proto::RoyalMatchSuit| proto::RoyalMatchCard {
        suit: suit.into(),
        value: Some(7),
        ..Default::default()
    };
    let request = proto::CompareCardsRequest {
        cards: vec![card(proto::RoyalMatchSuit::Clubs), card(proto::RoyalMatchSuit::Diamonds)],
        dominant_suit: proto::RoyalMatchSuit::Hearts.into(),
        ordering: None,
    };
    Call::rules("CompareCards", request.encode_to_vec())
}

/// The winner takes one card. Both players own the cards that they have played.
fn settle_trade() -> Call {
    let game: TripleTriad = parse("tt:eswpcO:X34,X20,wO110/X61,aX107,tX13/X24,X53,pX3:-:78:O");
    let with_cards = proto::ListGamesRequest { include_cards: true, include_clauses: false };
    let catalogue = TripleTriad::describe(with_cards).triple_triad_cards;
    let cards = |ids: [usize; 5]| ids.map(|id| catalogue[id - 1].clone()).to_vec();
    let request = proto::SettleTradeRequest {
        state: Some(Form::Typed.write_state(&game)),
        collection_one: cards([53, 3, 61, 107, 13]),
        collection_two: cards([78, 34, 24, 110, 20]),
        picks: vec![110],
    };
    Call::rules("SettleTrade", request.encode_to_vec())
}

fn text(notation: &str) -> proto::State {
    proto::State::notation(notation)
}
