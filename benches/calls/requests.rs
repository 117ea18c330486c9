//! What is measured: each call, with states in the middle of a game.

use arbiter::{
    games::{connect_four::ConnectFour, triple_triad::TripleTriad},
    wire::{
        Form, WireGame,
        proto::{self, new_game_request::Setup, state::Kind},
    },
};
use prost::Message;

use super::load::Call;

/// Every call by its name. The first is an `ApplyMove` of Connect Four.
pub fn calls() -> Vec<(String, Call)> {
    let connect_four = Setup::ConnectFour(proto::ConnectFourSetup {});
    let triple_triad = Setup::TripleTriad(proto::TripleTriadSetup::default());
    let middle = proto::Square { row: Some(1), column: Some(1) };
    [
        of_game::<ConnectFour>("connect_four", "c4:7x6x4:XO..OX.OX.XOX..XO", "4", None, connect_four),
        of_game::<TripleTriad>(
            "triple_triad",
            "tt:eswpcd:O34,-,w/-,aX107,t/O24,X53,p:3,61,13:78,110,20:X",
            "61@4",
            Some(middle),
            triple_triad,
        ),
    ]
    .concat()
}

fn of_game<G: WireGame>(
    name: &str,
    state: &str,
    mv: &str,
    arrived_at: Option<proto::Square>,
    setup: Setup,
) -> Vec<(String, Call)> {
    let game = G::parse(state).ok().expect("the state can be read");
    let parsed: G::Move = mv.parse().expect("the move can be read");
    assert!(game.why_illegal(&parsed).is_empty(), "the move is legal");
    let typed = || Some(Form::Typed.write_state(&game));
    let typed_move = || Some(Form::Typed.write_move::<G>(&parsed));
    let text = || Some(proto::State { kind: Some(Kind::Notation(state.to_owned())) });
    let new_game = proto::NewGameRequest { setup: Some(setup), seed: Some(1), ..Default::default() };
    let call = |method, what: &str, request: Vec<u8>| {
        (format!("{name} {method}{what}"), Call::rules(method, request))
    };
    vec![
        call(
            "ApplyMove",
            "",
            proto::ApplyMoveRequest { state: typed(), r#move: typed_move() }.encode_to_vec(),
        ),
        call(
            "ValidateMove",
            "",
            proto::ValidateMoveRequest { state: typed(), r#move: typed_move() }.encode_to_vec(),
        ),
        call(
            "ResolveCaptures",
            "",
            proto::ResolveCapturesRequest { state: typed(), arrived_at }.encode_to_vec(),
        ),
        call(
            "DetermineWinner",
            "",
            proto::DetermineWinnerRequest { state: typed(), seed: None }.encode_to_vec(),
        ),
        call("ListLegalMoves", "", proto::ListLegalMovesRequest { state: typed() }.encode_to_vec()),
        call("ViewState", "", proto::ViewStateRequest { state: typed(), viewer: 1 }.encode_to_vec()),
        call("NewGame", "", new_game.encode_to_vec()),
        call(
            "ApplyMove",
            " (notation)",
            proto::ApplyMoveRequest { state: text(), r#move: typed_move() }.encode_to_vec(),
        ),
    ]
}
