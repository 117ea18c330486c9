//! The metrics of `SuggestMove`.

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{
        counter::Counter,
        family::Family,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};

use crate::service::{CompletedSearch, GameId};

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct GameLabels {
    game: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct SearchLabels {
    game: &'static str,
    certainty: &'static str,
}

/// The metrics of each game, created at the start: then rates do not miss the first search.
pub(super) struct Searches([Searched; GameId::ALL.len()]);

/// The metrics of a game.
struct Searched {
    exact: Counter,
    estimates: Counter,
    nodes: Counter,
    durations: Histogram,
}

impl Searches {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let completed = Family::<SearchLabels, Counter>::default();
        let nodes = Family::<GameLabels, Counter>::default();
        // From 100 µs to 10 s.
        let durations = Family::<GameLabels, Histogram>::new_with_constructor(|| {
            Histogram::new(exponential_buckets(0.000_1, 10_f64.sqrt(), 11))
        });
        registry.register(
            "arbiter_searches_completed",
            "Searches of SuggestMove completed, by game and by the certainty of the best move",
            completed.clone(),
        );
        registry.register(
            "arbiter_search_nodes",
            "Positions searched by SuggestMove, by game",
            nodes.clone(),
        );
        registry.register(
            "arbiter_search_duration_seconds",
            "Time that a search of SuggestMove runs, without its time in the queue",
            durations.clone(),
        );
        Self(GameId::ALL.map(|game| {
            let game = game.name();
            let completed = |certainty| completed.get_or_create(&SearchLabels { game, certainty }).clone();
            Searched {
                exact: completed("exact"),
                estimates: completed("estimate"),
                nodes: nodes.get_or_create(&GameLabels { game }).clone(),
                durations: durations.get_or_create(&GameLabels { game }).clone(),
            }
        }))
    }

    pub(super) fn record(&self, search: CompletedSearch) {
        let searched = &self.0[search.game as usize];
        let completed = if search.is_exact { &searched.exact } else { &searched.estimates };
        completed.inc();
        searched.nodes.inc_by(search.nodes.into());
        searched.durations.observe(search.duration.as_secs_f64());
    }
}
