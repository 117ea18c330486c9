//! Decoding of what the hidden cards of a view may be.

use super::card::read_cards;
use crate::{
    engine::triple_triad::{HiddenPool, HiddenPoolError},
    games::{StateOrView, triple_triad::TripleTriad},
    wire::{Path, Violations, proto},
};

/// Reads the pool of a request, or the default one. `known` is None if the state is invalid.
pub(super) fn read_hidden_pool(
    pool: Option<&proto::TripleTriadHiddenPool>,
    known: Option<&StateOrView<TripleTriad>>,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<HiddenPool> {
    let Some(pool) = pool else { return Some(HiddenPool::default()) };
    let cards = at.field("cards");
    let read = read_cards(&pool.cards, &cards, violations).into_iter().collect::<Option<Vec<_>>>();
    match known? {
        StateOrView::State(_) => {
            let message = "this state is not a view and hides no cards: send a view, or no pool";
            violations.add(at, proto::ErrorReason::SetupConflict, message);
            None
        }
        StateOrView::View(view) => {
            violations.accept(HiddenPool::new(&read?, view), |error, violations| match error {
                HiddenPoolError::DuplicateCard { index, .. } => {
                    let at = cards.index(index);
                    violations.add_breach(&at.field("id"), proto::ErrorReason::DuplicateCard, &error);
                }
                HiddenPoolError::TooFew { .. } => {
                    violations.add_breach(&cards, proto::ErrorReason::HandSizeMismatch, &error);
                }
            })
        }
    }
}
