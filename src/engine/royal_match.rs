//! Analysis of RoyalMatch.
