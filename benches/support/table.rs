//! The table that `make bench` prints. Each benchmark prints its parts in the same format.

use std::{env, fmt::Write as _, fs::OpenOptions, io::Write as _};

use super::spread::Spread;

/// A part of the table with a heading.
pub struct Table {
    part: &'static str,
}

impl Table {
    /// Starts a part. `note` describes the measurement.
    pub fn begin(part: &'static str, note: &str) -> Self {
        println!("\n{part}\n{note}");
        println!("  {:<56} {:>10} {:>10} {:>10}  unit", "", "median", "lowest", "highest");
        Self { part }
    }

    /// Prints a row, and appends it as a line of JSON to the file in `ARBITER_FIGURES`, for the plots.
    pub fn row(&self, what: &str, figures: &Spread, unit: &str) {
        let Spread { median, lowest, highest } = *figures;
        let [middle, low, high] = [median, lowest, highest].map(format_figure);
        println!("  {what:<56} {middle:>10} {low:>10} {high:>10}  {unit}");
        let Some(path) = env::var_os("ARBITER_FIGURES") else { return };
        let mut line = String::from("{");
        for (key, text) in [("part", self.part), ("what", what), ("unit", unit)] {
            let _ = write!(line, "{key:?}: {text:?}, ");
        }
        let _ = writeln!(line, "\"median\": {median}, \"lowest\": {lowest}, \"highest\": {highest}}}");
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .expect("the file of the figures can be written");
    }
}

/// Formats a figure with about three significant digits.
fn format_figure(figure: f64) -> String {
    let digits = match figure.abs() {
        0.0 => 0,
        size if size < 0.1 => 4,
        size if size < 10.0 => 2,
        size if size < 100.0 => 1,
        _ => 0,
    };
    format!("{figure:.digits$}")
}
