//! Analysis of Queen and rooks.
