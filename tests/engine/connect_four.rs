//! Analysis of Connect Four.
