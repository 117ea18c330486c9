//! Decoding of `SuggestMove` requests, and encoding of suggestions.

use std::sync::atomic::AtomicBool;

use super::{
    Form, Path, Refusal, Violations, WireGame,
    common::read_enum,
    proto::{self, ErrorReason},
    state::read_state,
};
use crate::{
    engine::{Analysis, Cancelled, Certainty, Evaluation, GameEnd, Level, Search, Value, Workspace},
    games::{StateOrView, View},
};

const LEVEL: Path<'static> = Path::root("level");
const MAX_NODES: Path<'static> = Path::root("max_nodes");
const PLAYER: Path<'static> = Path::root("player");
const STATE: Path<'static> = Path::root("state");
/// The path of what the hidden cards of a Triple Triad view may be.
pub(super) const TRIPLE_TRIAD_POOL: Path<'static> = Path::root("triple_triad_pool");

/// A state or view in which a player may move, and how to search for a move.
pub struct SuggestMove<G: WireGame> {
    known: StateOrView<G>,
    form: Form,
    player: G::Player,
    assumption: G::Assumption,
    level: Level,
    max_nodes: u32,
    seed: u64,
    max_line_plies: usize,
}

/// The fields of a request that do not depend on its game.
struct Options {
    level: Level,
    max_nodes: Option<u32>,
}

impl Options {
    fn read(
        request: &proto::SuggestMoveRequest,
        max_nodes: u32,
        violations: &mut Violations,
    ) -> Option<Self> {
        let level = match request.level {
            None => Some(Level::Best),
            Some(level) => read_enum(level, &LEVEL, violations).and_then(level_of),
        };
        match request.max_nodes {
            Some(nodes) if nodes == 0 || nodes > max_nodes => {
                let message = format!("max_nodes must be from 1 to {max_nodes}, not {nodes}");
                violations.add(&MAX_NODES, ErrorReason::ValueOutOfRange, message);
                None
            }
            max_nodes => Some(Self { level: level?, max_nodes }),
        }
    }
}

fn level_of(level: proto::SuggestionLevel) -> Option<Level> {
    Some(match level {
        proto::SuggestionLevel::Casual => Level::Casual,
        proto::SuggestionLevel::Intermediate => Level::Intermediate,
        proto::SuggestionLevel::Strong => Level::Strong,
        proto::SuggestionLevel::Best => Level::Best,
        proto::SuggestionLevel::Unspecified => return None,
    })
}

/// Reports the violations of a request if the game of its state is unknown.
pub(super) fn report_options(request: &proto::SuggestMoveRequest, violations: &mut Violations) {
    if let Some(player) = request.player {
        read_enum::<proto::Player>(player, &PLAYER, violations);
    }
    Options::read(request, u32::MAX, violations);
}

impl<G: WireGame> SuggestMove<G> {
    /// Reads a request. `max_nodes` is the limit of the server.
    ///
    /// # Errors
    ///
    /// All its violations.
    pub fn read(request: &proto::SuggestMoveRequest, max_nodes: u32) -> Result<Self, Refusal> {
        let mut violations = Violations::default();
        let state = read_state::<G>(request.state.as_ref(), &STATE, &mut violations);
        let known = state.as_ref().map(|(known, _)| known);
        let player = read_player(request, known, &mut violations);
        let options = Options::read(request, max_nodes, &mut violations);
        let assumption = G::read_assumption(request, known, &mut violations);
        let read = || {
            let ((known, form), options) = (state?, options?);
            Some(Self {
                known,
                form,
                player: player?,
                assumption: assumption?,
                level: options.level,
                max_nodes: options.max_nodes.unwrap_or(G::DEFAULT_MAX_NODES).min(max_nodes),
                seed: request.seed.unwrap_or_default(),
                max_line_plies: request.max_line_plies.map_or(usize::MAX, |plies| plies as usize),
            })
        };
        violations.finish(read())
    }

    /// Evaluates every legal move of the player.
    ///
    /// # Errors
    ///
    /// If the flag is set before the search ends.
    pub fn analyse(
        &self,
        workspace: &mut Workspace,
        is_cancelled: &AtomicBool,
    ) -> Result<Analysis<G::Move>, Cancelled> {
        let mut search = Search::new(self.max_nodes, self.seed, is_cancelled, workspace);
        match &self.known {
            StateOrView::State(game) => game.analyse(self.player, &mut search),
            StateOrView::View(view) => G::analyse_view(view, &self.assumption, &mut search),
        }
    }

    /// Chooses a move and writes the response.
    pub fn respond(&self, analysis: &Analysis<G::Move>) -> proto::SuggestMoveResponse {
        let chosen = self.level.choose(analysis, self.seed);
        let write = |mv| self.form.write_move::<G>(mv);
        proto::SuggestMoveResponse {
            r#move: Some(write(&chosen.mv)),
            evaluations: analysis
                .evaluations
                .iter()
                .map(|evaluation| write_evaluation(evaluation, write(&evaluation.mv)))
                .collect(),
            line: analysis.line.iter().take(self.max_line_plies).map(write).collect(),
            nodes: Some(analysis.nodes),
            explanation: self.explain(chosen),
        }
    }

    /// A sentence: what a move leads to, and what it captures.
    fn explain(&self, evaluation: &Evaluation<G::Move>) -> String {
        let mut explanation = format!("{} {evaluation}", G::name_of_move(&evaluation.mv));
        // An evaluated move is legal.
        let events = self.known.clone().play(&evaluation.mv).unwrap_or_default();
        let mut separator = ": ";
        for event in events.into_iter().map(G::write_event) {
            if let Some(proto::event::Kind::Captured(capture)) = event.kind {
                explanation.push_str(separator);
                explanation.push_str(&capture.explanation);
                separator = "; ";
            }
        }
        explanation
    }
}

/// Reads the player to suggest a move for, who must be to move.
fn read_player<G: WireGame>(
    request: &proto::SuggestMoveRequest,
    known: Option<&StateOrView<G>>,
    violations: &mut Violations,
) -> Option<G::Player> {
    let asked = match request.player {
        Some(player) => Some(G::read_viewer(player, &PLAYER, violations)?),
        None => None,
    };
    let next_players = match known? {
        StateOrView::State(game) => game.next_players(),
        StateOrView::View(view) => match view.legal_moves() {
            Ok(moves) if moves.is_empty() => Vec::new(),
            Ok(_) => vec![view.viewer()],
            Err(hidden) => {
                violations.add_breach(&STATE, ErrorReason::HiddenInformation, &hidden);
                return None;
            }
        },
    };
    let Some(first) = next_players.first() else {
        let message = "the game is over, so there is no move to suggest";
        violations.add(&STATE, ErrorReason::GameOver, message);
        return None;
    };
    match asked {
        None => Some(*first),
        Some(player) if next_players.contains(&player) => Some(player),
        Some(player) => {
            let message = if let Some(StateOrView::View(_)) = known {
                format!("this is a view of {first}: ask for a move of {first}, or send the view of {player}")
            } else {
                let next: Vec<_> = next_players.iter().map(ToString::to_string).collect();
                format!("{player} cannot move now: it is the turn of {}", next.join(" or "))
            };
            violations.add(&PLAYER, ErrorReason::NotNextPlayer, message);
            None
        }
    }
}

fn write_evaluation<M>(evaluation: &Evaluation<M>, mv: proto::Move) -> proto::MoveEvaluation {
    let certainty = match evaluation.certainty {
        Certainty::Exact => proto::Certainty::Exact,
        Certainty::AtMost => proto::Certainty::AtMost,
        Certainty::Estimate => proto::Certainty::Estimate,
    };
    proto::MoveEvaluation {
        r#move: Some(mv),
        certainty: certainty.into(),
        value: Some(write_value(evaluation.value)),
    }
}

fn write_value(value: Value) -> proto::move_evaluation::Value {
    use proto::{ForcedResult, move_evaluation::Value as Written};
    match value {
        Value::ForcedEnd(end) => {
            let (result, plies) = match end {
                GameEnd::Win { plies } => (ForcedResult::Win, plies),
                GameEnd::Draw { plies } => (ForcedResult::Draw, plies),
                GameEnd::Loss { plies } => (ForcedResult::Loss, plies),
            };
            Written::ForcedEnd(proto::ForcedEnd { result: result.into(), plies })
        }
        Value::ScoreDifference(difference) => Written::ScoreDifference(difference),
        Value::ExpectedMillitricks(tricks) => Written::ExpectedMillitricks(tricks),
        Value::Heuristic(value) => Written::Heuristic(value),
    }
}
