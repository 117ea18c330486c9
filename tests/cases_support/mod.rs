//! What the runner of the case files is made of: see `tests/cases/README.md` for the format.

pub mod answer;
pub mod case;
pub mod client;
pub mod json;
