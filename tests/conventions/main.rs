//! Conventions of the source tree that the compiler does not enforce.

mod architecture;
mod clauses;
mod contract;
