//! The table of figures that `make bench` prints. Each program prints its part of it, in rows of the same form.

use std::{env, fmt::Write as _, fs::OpenOptions, io::Write as _};

use super::spread::Spread;

/// A part of the table, under a heading.
pub struct Table {
    part: &'static str,
}

impl Table {
    /// Begins a part. `note` tells how its figures were taken.
    pub fn begin(part: &'static str, note: &str) -> Self {
        println!("\n{part}\n{note}");
        println!("  {:<56} {:>10} {:>10} {:>10}  unit", "", "median", "lowest", "highest");
        Self { part }
    }

    /// A row. It is also written to the file that `ARBITER_FIGURES` names, as a line of JSON, for the plots.
    pub fn row(&self, what: &str, figures: &Spread, unit: &str) {
        let Spread { median, lowest, highest } = *figures;
        let [middle, least, most] = [median, lowest, highest].map(readable);
        println!("  {what:<56} {middle:>10} {least:>10} {most:>10}  {unit}");
        let Some(path) = env::var_os("ARBITER_FIGURES") else { return };
        let mut line = String::from("{");
        for (key, text) in [("part", self.part), ("what", what), ("unit", unit)] {
            let _ = write!(line, "{key:?}: {text:?}, ");
        }
        let _ = writeln!(line, "\"median\": {median}, \"lowest\": {lowest}, \"highest\": {highest}}}");
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .expect("the file of figures can be written");
    }
}

/// Three digits that count, or all before the point.
fn readable(figure: f64) -> String {
    let digits = match figure.abs() {
        0.0 => 0,
        size if size < 0.1 => 4,
        size if size < 10.0 => 2,
        size if size < 100.0 => 1,
        _ => 0,
    };
    format!("{figure:.digits$}")
}
