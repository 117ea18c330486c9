//! RoyalMatch: nodes, speed, and matches against simple players.

use std::{fmt, sync::atomic::AtomicBool, time::Instant};

use arbiter_engine::{Analysis, Engine, Level, Search, Workspace};
use arbiter_games::{
    Chance, Game, StateOrView,
    royal_match::{Card, Move, Opening, OpeningSetup, Ordering, Player, RoyalMatch, Rules, Suit, View},
};

const MATCHES: u32 = 400;
const LEVEL_MATCHES: u32 = 1600;
const MIN_HAND_SIZE: u32 = 5;
const MAX_HAND_SIZE: u32 = 13;
/// Nodes per move in a match. Ten times as many make no difference that these matches could show.
const MATCH_NODES: u32 = 5000;

/// Prints everything.
pub fn run() {
    println!("\nRoyalMatch: first move with hands of {MAX_HAND_SIZE} cards, default budget");
    for players in 2..=4 {
        let game = deal(players, MAX_HAND_SIZE, 1);
        print_speed(players, "open hands", |search| game.analyse(Player::One, search).ok());
        let view = view(&game, Player::One);
        print_speed(players, "view", |search| RoyalMatch::analyse_view(&view, &(), search).ok());
    }
    println!(
        "\nRoyalMatch: the best level, {MATCHES} matches, hands of {MIN_HAND_SIZE} to {MAX_HAND_SIZE} cards"
    );
    for players in 2..=4 {
        for opponent in [Simple::Random, Simple::Greedy] {
            for order in [Order::Seats, Order::OursLast] {
                let report = play_matches(players, MATCHES, order, Some(Level::Best), opponent);
                println!("  {players} players, against {opponent:?}, {order:?}: {report}");
            }
        }
    }
    println!("\nRoyalMatch: levels, {LEVEL_MATCHES} matches of two players in the order of seats");
    for opponent in [Simple::Random, Simple::Greedy] {
        for level in [None].into_iter().chain(Level::ALL.map(Some)) {
            let report = play_matches(2, LEVEL_MATCHES, Order::Seats, level, opponent);
            let name = level.map_or("Random".to_owned(), |level| format!("{level:?}"));
            println!("  {name} against {opponent:?}: {report}");
        }
    }
}

/// Prints the nodes of an analysis and its speed.
fn print_speed(players: u32, what: &str, analyse: impl FnOnce(&mut Search<'_>) -> Option<Analysis<Move>>) {
    let (is_cancelled, mut workspace) = (AtomicBool::new(false), Workspace::default());
    let mut search = Search::new(RoyalMatch::DEFAULT_MAX_NODES, 1, &is_cancelled, &mut workspace);
    let start = Instant::now();
    let nodes = analyse(&mut search).expect("it is not cancelled").nodes;
    let seconds = start.elapsed().as_secs_f64();
    let speed = f64::from(nodes) / 1e6 / seconds;
    println!("  {players} players, {what}: {nodes} nodes, {:.2} ms, {speed:.1} M nodes/s", 1e3 * seconds);
}

/// A player for comparison.
#[derive(Clone, Copy, Debug)]
enum Simple {
    Random,
    /// Leads the strongest card. Otherwise beats the trick with the weakest card that does, or gives up the weakest.
    Greedy,
}

/// Who plays next in a trick.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// The first pending seat. Our player has each seat equally often.
    Seats,
    /// The first pending seat of another player. The rules let a player wait.
    OursLast,
}

impl Order {
    fn next(self, game: &RoyalMatch, ours: Player) -> Option<Player> {
        let pending = game.outcome().next_players;
        let first = pending.first().copied();
        match self {
            Self::Seats => first,
            Self::OursLast => pending.into_iter().find(|&player| player != ours).or(first),
        }
    }
}

impl Simple {
    fn choose(self, game: &RoyalMatch, player: Player, seed: u64) -> Move {
        let diagram = game.diagram();
        let strength = diagram.order();
        let mut hand = diagram.seats()[player.index()].hand.clone();
        strength.rank(&mut hand);
        let mut trick: Vec<Card> = diagram.seats().iter().filter_map(|seat| seat.played).collect();
        strength.rank(&mut trick);
        let card = match (self, trick.first()) {
            (Self::Random, _) => hand[Chance::new(seed, 0).below(hand.len() as u32) as usize],
            (Self::Greedy, None) => hand[0],
            (Self::Greedy, Some(&to_beat)) => {
                let winning = hand.iter().rev().find(|&&card| strength.compare(card, to_beat).0.is_gt());
                winning.copied().unwrap_or(hand[hand.len() - 1])
            }
        };
        Move { player, card }
    }
}

/// Results of our player.
#[derive(Default)]
struct Report {
    matches: u32,
    /// More tricks than every opponent.
    wins: u32,
    /// As many as the best opponent.
    draws: u32,
    opponents: u32,
    /// The opponents who took fewer tricks, and as many.
    beaten: u32,
    equal: u32,
    tricks: u32,
    /// The tricks of all matches, divided by the number of players.
    fair_share: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: u32, all: u32| 100.0 * f64::from(part) / f64::from(all);
        write!(
            f,
            "{:.1} % wins (at least {:.1} %), {:.1} % draws, {:.1} % of decided; {:.1} % of opponents beaten (at least {:.1} %), \
             {:.1} % equal; {:.3} of a fair share of tricks",
            percent(self.wins, self.matches),
            100.0 * lower_bound(self.wins, self.matches, self.matches),
            percent(self.draws, self.matches),
            percent(self.wins, self.matches - self.draws),
            percent(self.beaten, self.opponents),
            // The opponents of a match are not independent.
            100.0 * lower_bound(self.beaten, self.opponents, self.matches),
            percent(self.equal, self.opponents),
            f64::from(self.tricks) / self.fair_share,
        )
    }
}

/// The lower bound of the Wilson interval of 95 % for a share that was seen in a number of independent samples.
fn lower_bound(part: u32, all: u32, samples: u32) -> f64 {
    let (share, n, z) = (f64::from(part) / f64::from(all), f64::from(samples), 1.96);
    let spread = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    (share + z * z / (2.0 * n) - spread) / (1.0 + z * z / n)
}

/// Plays matches of a level, or of a random player, against others. It sees only its view.
fn play_matches(players: u32, matches: u32, order: Order, level: Option<Level>, opponent: Simple) -> Report {
    let mut workspace = Workspace::default();
    let mut report = Report::default();
    for number in 0..matches {
        let hand_size = MIN_HAND_SIZE + number / players % (MAX_HAND_SIZE - MIN_HAND_SIZE + 1);
        let mut game = deal(players, hand_size, number.into());
        let ours = Player::ALL[(number % players) as usize];
        let mut ply = 0;
        while let Some(player) = order.next(&game, ours) {
            ply += 1;
            let seed = u64::from(number) << 32 | ply;
            let mv = match level {
                _ if player != ours => opponent.choose(&game, player, seed),
                None => Simple::Random.choose(&game, player, seed),
                Some(level) => choose(level, &view(&game, player), seed, &mut workspace),
            };
            game.play(&mv).expect("the move is legal");
        }
        report.add(game.outcome().tricks, ours);
    }
    report
}

impl Report {
    fn add(&mut self, mut tricks: Vec<u32>, ours: Player) {
        self.fair_share += f64::from(tricks.iter().sum::<u32>()) / tricks.len() as f64;
        let our_tricks = tricks.remove(ours.index());
        let best = tricks.iter().copied().max();
        self.matches += 1;
        self.wins += u32::from(Some(our_tricks) > best);
        self.draws += u32::from(Some(our_tricks) == best);
        self.opponents += tricks.len() as u32;
        self.beaten += tricks.iter().filter(|&&tricks| our_tricks > tricks).count() as u32;
        self.equal += tricks.iter().filter(|&&tricks| our_tricks == tricks).count() as u32;
        self.tricks += our_tricks;
    }
}

fn choose(level: Level, view: &View, seed: u64, workspace: &mut Workspace) -> Move {
    let is_cancelled = AtomicBool::new(false);
    let mut search = Search::new(MATCH_NODES, seed, &is_cancelled, workspace);
    let analysis = RoyalMatch::analyse_view(view, &(), &mut search).expect("it is not cancelled");
    level.choose(&analysis, seed).mv
}

/// A new match. Every suit is strong in turn, and both orderings are used.
fn deal(players: u32, hand_size: u32, seed: u64) -> RoyalMatch {
    let ordering = if seed & 4 == 0 { Ordering::ValueThenSuit } else { Ordering::SuitThenValue };
    let opening = OpeningSetup {
        players: Some(players),
        hand_size: Some(hand_size),
        dominant: Some(Suit::ALL[seed as usize & 3]),
        ..OpeningSetup::default()
    };
    RoyalMatch::new(Rules { ordering }, Opening::try_from(&opening).expect("the opening is valid"), seed)
}

fn view(game: &RoyalMatch, player: Player) -> View {
    match game.view(player) {
        StateOrView::View(view) => view,
        StateOrView::State(_) => unreachable!("other hands are hidden"),
    }
}
