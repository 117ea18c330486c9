//! Median and range of measurements.

use std::fmt;

/// The median and the range of measurements.
pub struct Spread {
    pub median: f64,
    pub lowest: f64,
    pub highest: f64,
}

impl Spread {
    pub fn of(figures: &mut [f64]) -> Self {
        figures.sort_by(f64::total_cmp);
        Self { median: figures[figures.len() / 2], lowest: figures[0], highest: figures[figures.len() - 1] }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ({:.2} to {:.2})", self.median, self.lowest, self.highest)
    }
}
