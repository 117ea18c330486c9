//! Hidden hands: refusals and views do not reveal them, and full games can be played from views alone.

use std::{collections::BTreeSet, fmt::Debug};

use arbiter::wire::{
    StateKind,
    proto::{self, call, rules_service_client::RulesServiceClient},
};
use prost::Message;
use tonic::transport::Channel;

use crate::support::TestServer;

type Client = RulesServiceClient<Channel>;

/// Player one has four cards, player two has five and is to move.
const TRIPLE_TRIAD: &str = ":-,-,-/-,X20,-/-,-,-:1,2,3,4:6,7,8,9,10:O";

fn state(notation: &str) -> proto::State {
    proto::State::notation(notation)
}

fn mv(notation: &str) -> proto::Move {
    proto::Move { kind: Some(proto::r#move::Kind::Notation(notation.to_owned())) }
}

fn notation(state: Option<&proto::State>) -> String {
    match state.and_then(|state| state.kind.as_ref()) {
        Some(StateKind::Notation(notation)) => notation.clone(),
        other => panic!("not a notation: {other:?}"),
    }
}

/// The results of `ValidateMove` and `ApplyMove` for each move.
async fn try_moves(client: &mut Client, at: &str, moves: &[String]) -> Vec<String> {
    let calls = moves.iter().flat_map(|text| {
        let validate = proto::ValidateMoveRequest { state: Some(state(at)), r#move: Some(mv(text)) };
        let apply = proto::ApplyMoveRequest { state: Some(state(at)), r#move: Some(mv(text)) };
        [call::Kind::ValidateMove(validate), call::Kind::ApplyMove(apply)]
    });
    let calls = calls.map(|kind| proto::Call { kind: Some(kind) });
    let answers = client.evaluate_batch(calls.collect::<proto::EvaluateBatchRequest>()).await;
    let answers = answers.expect("the batch succeeds").into_inner();
    let answers: Vec<_> =
        answers.iter().map(|answer| proto::Answer::decode(answer).expect("the answer decodes")).collect();
    answers.chunks(2).map(|pair| format!("{pair:?}")).collect()
}

/// The distinct results, ignoring the name of the card.
fn distinct_results(answers: &[String], names: &[String]) -> BTreeSet<String> {
    answers.iter().zip(names).map(|(answer, name)| answer.replace(name, "CARD")).collect()
}

#[tokio::test]
async fn without_open_hands_all_hidden_cards_get_the_same_refusal() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut client = server.client().await;
    let view = "tt:-:-,-,-/-,X20,-/-,-,-:?4:6,7,8,9,10:O";
    // In the hand of the player to move, or on the board.
    let visible = [6, 7, 8, 9, 10, 20];
    let ids: Vec<u32> = (1..=200).filter(|id| !visible.contains(id)).collect();
    let names: Vec<String> = ids.iter().map(|id| format!("card {id} ")).collect();
    let moves: Vec<String> = ids.iter().map(|id| format!("{id}@1")).collect();
    for at in [&format!("tt:-{TRIPLE_TRIAD}"), view] {
        let answers = try_moves(&mut client, at, &moves).await;
        assert!(answers[0].contains("card 1 is not in the hand of player two"), "{}", answers[0]);
        assert_eq!(distinct_results(&answers, &names).len(), 1, "{at}");
    }
}

#[tokio::test]
async fn with_open_hands_a_refusal_says_where_the_card_is() {
    let server = TestServer::start_with(&["--log", "off"]);
    let moves: Vec<String> = (1..=200).map(|id| format!("{id}@1")).collect();
    let answers = try_moves(&mut server.client().await, &format!("tt:o{TRIPLE_TRIAD}"), &moves).await;
    for (id, answer) in (1..=200).zip(answers) {
        let reason = match id {
            1..=4 => format!("card {id} is in the other player's hand"),
            6..=10 => "Legal".to_owned(),
            20 => "card 20 is already on the board".to_owned(),
            _ => format!("no card of this game has the id {id}"),
        };
        assert!(answer.contains(&reason) || reason == "Legal" && !answer.contains("reasons: [R"), "{answer}");
    }
}

#[tokio::test]
async fn all_hidden_cards_of_royal_match_get_the_same_refusal() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut client = server.client().await;
    let hand = ["7H", "10S"];
    let suits = ["H", "D", "C", "S"];
    let values = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
    let deck = suits.iter().flat_map(|suit| values.iter().map(move |value| format!("{value}{suit}")));
    let names: Vec<String> = deck.filter(|card| !hand.contains(&card.as_str())).collect();
    let moves: Vec<String> = names.iter().map(|card| format!("1:{card}")).collect();
    // Full states with different hidden hands, and the view of player one.
    for at in ["rm:vH:7H,10S;0/2H,AD;0", "rm:vH:7H,10S;0/QC,3S;0", "rm:vH:7H,10S;0/?2;0"] {
        let answers = try_moves(&mut client, at, &moves).await;
        assert!(answers[0].contains("2H is not in the hand of player one"), "{}", answers[0]);
        assert_eq!(distinct_results(&answers, &names).len(), 1, "{at}");
    }
}

/// A player who receives only views. Every response to the player is searched for hidden cards.
struct Player {
    client: Client,
    seat: proto::Player,
    /// The cards that occur in a text, normalized.
    cards_in: fn(&str) -> BTreeSet<String>,
}

impl Player {
    /// Checks that a response names only cards of the view.
    fn check(&self, view: &str, response: &impl Debug) {
        let (response, known) = (format!("{response:?}"), (self.cards_in)(view));
        let named = (self.cards_in)(&response);
        assert!(named.is_subset(&known), "{:?} sees {view} and receives {response}", self.seat);
    }

    /// Chooses a legal move in the view and applies it to the view. Returns the move and the next view.
    async fn choose(&mut self, view: &str, random: &mut u64) -> (String, String) {
        let request = proto::ListLegalMovesRequest { state: Some(state(view)) };
        let moves =
            self.client.list_legal_moves(request).await.expect("it is the player's turn").into_inner();
        self.check(view, &moves);
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let chosen = &moves.moves[(*random >> 33) as usize % moves.moves.len()];
        let request = proto::ValidateMoveRequest { state: Some(state(view)), r#move: Some(chosen.clone()) };
        let verdict = self.client.validate_move(request).await.expect("the call succeeds").into_inner();
        assert_eq!(verdict.verdict(), proto::Verdict::Legal, "{verdict:?}");
        let request = proto::RenderStateRequest { state: Some(state(view)) };
        let rendered = self.client.render_state(request).await.expect("a view can be rendered").into_inner();
        self.check(view, &(&rendered.notation, &rendered.text));
        let request = proto::ApplyMoveRequest { state: Some(state(view)), r#move: Some(chosen.clone()) };
        let applied = self.client.apply_move(request).await.expect("the move is legal").into_inner();
        self.check(view, &applied);
        let Some(proto::r#move::Kind::Notation(chosen)) = &chosen.kind else { panic!("{chosen:?}") };
        (chosen.clone(), notation(applied.state.as_ref()))
    }
}

/// Plays a full game: keeps the full state, sends each player a view and applies the moves.
async fn play_game(server: &TestServer, start: String, players: i32, cards_in: fn(&str) -> BTreeSet<String>) {
    let mut dealer = server.client().await;
    let seats =
        (1..=players).map(|seat| proto::Player::try_from(seat).expect("a game has at most four seats"));
    let mut all_players = Vec::new();
    for seat in seats {
        all_players.push(Player { client: server.client().await, seat, cards_in });
    }
    let (mut full, mut random) = (start.clone(), start.len() as u64);
    loop {
        let request = proto::DetermineWinnerRequest { state: Some(state(&full)), seed: Some(0) };
        let outcome = dealer.determine_winner(request).await.expect("the call succeeds").into_inner().outcome;
        let outcome = outcome.expect("the response has an outcome");
        for player in &mut all_players {
            let view = view_of(&mut dealer, &full, player.seat).await;
            let request = proto::DetermineWinnerRequest { state: Some(state(&view)), seed: Some(0) };
            let seen = player.client.determine_winner(request).await.expect("the call succeeds").into_inner();
            player.check(&view, &seen);
            assert_eq!(seen.outcome.as_ref(), Some(&outcome), "{view}");
        }
        let Some(next) = outcome.next_players().next() else { return };
        let player =
            all_players.iter_mut().find(|player| player.seat == next).expect("the next player exists");
        let view = view_of(&mut dealer, &full, next).await;
        let (chosen, seen) = player.choose(&view, &mut random).await;
        let request = proto::ApplyMoveRequest { state: Some(state(&full)), r#move: Some(mv(&chosen)) };
        let applied =
            dealer.apply_move(request).await.expect("the move is legal in the full state").into_inner();
        full = notation(applied.state.as_ref());
        assert_eq!(view_of(&mut dealer, &full, next).await, seen, "{chosen} in {view}");
    }
}

async fn view_of(dealer: &mut Client, full: &str, seat: proto::Player) -> String {
    let request = proto::ViewStateRequest { state: Some(state(full)), viewer: seat.into() };
    let view = dealer.view_state(request).await.expect("the state is a full one").into_inner();
    notation(view.state.as_ref())
}

/// The Triple Triad cards in a text by name: `Ann1` to `Ann5` and `Bob1` to `Bob5`.
fn triple_triad_cards_in(text: &str) -> BTreeSet<String> {
    let names =
        ["Ann", "Bob"].into_iter().flat_map(|name| (1..=5).map(move |number| format!("{name}{number}")));
    // Events contain only card ids: 901 to 905 for Ann, 911 to 915 for Bob.
    let ids = |name: &str| match name.split_at(3) {
        ("Ann", number) => format!("90{number}"),
        (_, number) => format!("91{number}"),
    };
    names.filter(|name| text.contains(name.as_str()) || text.contains(&ids(name))).collect()
}

#[tokio::test]
async fn whole_games_of_triple_triad_can_be_played_from_views() {
    let server = TestServer::start_with(&["--log", "off"]);
    let hand = |first: u32, name: &str, ranks: [&str; 5]| {
        let cards =
            (1..=5).zip(ranks).map(|(number, ranks)| format!("{}={ranks}~{name}{number}", first + number));
        cards.collect::<Vec<_>>().join(",")
    };
    let one = hand(900, "Ann", ["5A51", "3628", "7744", "1999", "6352"]);
    let two = hand(910, "Bob", ["4A53", "8163", "2772", "9419", "5555"]);
    for rules in ["-", "s", "p", "eswpc", "eswpcdO", "swpca"] {
        for first in ["X", "O"] {
            let start = format!("tt:{rules}:-,f,-/-,-,i/-,-,-:{one}:{two}:{first}");
            play_game(&server, start, 2, triple_triad_cards_in).await;
        }
    }
}

/// The RoyalMatch cards in a text, with letters or symbols for the suits.
fn royal_match_cards_in(text: &str) -> BTreeSet<String> {
    let letters = text.replace('♥', "H").replace('♦', "D").replace('♣', "C").replace('♠', "S");
    let words = letters.split(|letter: char| !letter.is_ascii_alphanumeric());
    let is_card = |word: &&str| {
        let value = word.strip_suffix(['H', 'D', 'C', 'S']).unwrap_or_default();
        matches!(value, "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "10" | "J" | "Q" | "K" | "A")
    };
    words.filter(is_card).map(ToOwned::to_owned).collect()
}

#[tokio::test]
async fn whole_matches_of_royal_match_can_be_played_from_views() {
    let server = TestServer::start_with(&["--log", "off"]);
    let mut client = server.client().await;
    for (players, hand_size, seed) in [(2_i32, 13, 1), (3, 5, 2), (4, 13, 3), (4, 1, 4)] {
        let setup = proto::RoyalMatchSetup {
            players: Some(players.unsigned_abs()),
            hand_size: Some(hand_size),
            ..Default::default()
        };
        let request = proto::NewGameRequest {
            setup: Some(proto::new_game_request::Setup::RoyalMatch(setup)),
            seed: Some(seed),
            form: Some(proto::StateForm::Notation.into()),
            ..Default::default()
        };
        let game = client.new_game(request).await.expect("the request is valid").into_inner();
        play_game(&server, notation(game.state.as_ref()), players, royal_match_cards_in).await;
    }
}
