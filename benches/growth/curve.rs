//! Figures against what they grow with.

use super::{fit::Fit, spread::Spread, table::Table};

/// A curve, taken several times.
pub struct Curve {
    sizes: Vec<usize>,
    /// A figure for each size, in each round.
    rounds: Vec<Vec<f64>>,
}

impl Curve {
    pub fn new(sizes: impl IntoIterator<Item = usize>) -> Self {
        Self { sizes: sizes.into_iter().collect(), rounds: Vec::new() }
    }

    /// One more round.
    pub fn push(&mut self, figures: Vec<f64>) {
        assert_eq!(figures.len(), self.sizes.len(), "each size has a figure");
        self.rounds.push(figures);
    }

    /// A cost: the power of the size that it grows with.
    pub fn print_cost(&self, part: &'static str, note: &str, of: &str, unit: &str) {
        let table = self.print_points(part, note, of, unit);
        self.print_fit(&table, |points| Fit::power(&points));
    }

    /// Megabytes: how many kilobytes one more takes, and the power of the number that what is above the first point grows
    /// with.
    pub fn print_memory(&self, part: &'static str, note: &str, of: &str) {
        let table = self.print_points(part, note, of, "MB");
        let mut slopes = self.each_round(|points| Fit::line(&points).slope * 1024.0);
        table.row("each", &Spread::of(&mut slopes), "KB");
        self.print_fit(&table, |points| {
            let (_, fixed) = points[0];
            Fit::power(&points.iter().map(|(size, memory)| (*size, memory - fixed)).collect::<Vec<_>>())
        });
    }

    fn print_points(&self, part: &'static str, note: &str, of: &str, unit: &str) -> Table {
        let table = Table::begin(part, note);
        for (index, size) in self.sizes.iter().enumerate() {
            let mut figures: Vec<_> = self.rounds.iter().map(|round| round[index]).collect();
            table.row(&format!("{size} {of}"), &Spread::of(&mut figures), unit);
        }
        table
    }

    fn print_fit(&self, table: &Table, fit: fn(Vec<(f64, f64)>) -> Fit) {
        table.row(
            "fitted exponent",
            &Spread::of(&mut self.each_round(|points| fit(points).slope)),
            "exponent",
        );
        table.row("R² of it", &Spread::of(&mut self.each_round(|points| fit(points).explained)), "share");
    }

    fn each_round(&self, of: impl Fn(Vec<(f64, f64)>) -> f64) -> Vec<f64> {
        let points = |round: &Vec<f64>| {
            self.sizes.iter().zip(round).map(|(size, figure)| (*size as f64, *figure)).collect()
        };
        self.rounds.iter().map(|round| of(points(round))).collect()
    }
}
