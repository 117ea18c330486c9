//! Analysis of Triple Triad.
