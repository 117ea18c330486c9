//! An observer that looks away.

use arbiter::{
    games::GameId,
    service::{Method, Observer},
    wire::Refusal,
};

#[derive(Clone)]
pub struct Nobody;

impl Observer for Nobody {
    fn call_answered(&self, _: Option<GameId>, _: Option<&Refusal>) {}
    fn item_answered(&self, _: Method, _: Option<GameId>, _: Option<&Refusal>) {}
}
