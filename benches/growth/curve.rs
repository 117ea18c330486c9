//! Measurements as a function of a size.

use super::{fit::Fit, spread::Spread, table::Table};

/// A curve, measured in several rounds.
pub struct Curve {
    sizes: Vec<usize>,
    /// One measurement per size, for each round.
    rounds: Vec<Vec<f64>>,
}

impl Curve {
    pub fn new(sizes: impl IntoIterator<Item = usize>) -> Self {
        Self { sizes: sizes.into_iter().collect(), rounds: Vec::new() }
    }

    /// Adds a round.
    pub fn push(&mut self, figures: Vec<f64>) {
        assert_eq!(figures.len(), self.sizes.len(), "one figure per size");
        self.rounds.push(figures);
    }

    /// Prints a cost and its growth exponent.
    pub fn print_cost(&self, part: &'static str, note: &str, label: &str, unit: &str) {
        let table = self.print_points(part, note, label, unit);
        self.print_fit(&table, |points| Fit::power(&points));
    }

    /// Prints memory in megabytes, the slope in kilobytes, and the growth exponent of the memory above the first point.
    pub fn print_memory(&self, part: &'static str, note: &str, label: &str) {
        let table = self.print_points(part, note, label, "MB");
        let mut slopes = self.each_round(|points| Fit::line(&points).slope * 1024.0);
        table.row("each", &Spread::of(&mut slopes), "KB");
        self.print_fit(&table, |points| {
            let (_, fixed) = points[0];
            Fit::power(&points.iter().map(|(size, memory)| (*size, memory - fixed)).collect::<Vec<_>>())
        });
    }

    fn print_points(&self, part: &'static str, note: &str, label: &str, unit: &str) -> Table {
        let table = Table::begin(part, note);
        for (index, size) in self.sizes.iter().enumerate() {
            let mut figures: Vec<_> = self.rounds.iter().map(|round| round[index]).collect();
            table.row(&format!("{size} {label}"), &Spread::of(&mut figures), unit);
        }
        table
    }

    fn print_fit(&self, table: &Table, fit: fn(Vec<(f64, f64)>) -> Fit) {
        table.row("fitted exponent", &Spread::of(&mut self.each_round(|points| fit(points).slope)), "");
        table.row("R²", &Spread::of(&mut self.each_round(|points| fit(points).r_squared)), "");
    }

    fn each_round(&self, figure: impl Fn(Vec<(f64, f64)>) -> f64) -> Vec<f64> {
        let points = |round: &Vec<f64>| {
            self.sizes.iter().zip(round).map(|(size, value)| (*size as f64, *value)).collect()
        };
        self.rounds.iter().map(|round| figure(points(round))).collect()
    }
}
