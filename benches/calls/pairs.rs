//! Something that the server is asked, beside the like of it that does nothing.

use std::time::Instant;

use super::{server::ServerProcess, spread::Spread, table::Table};

/// Something that the server is asked, and the like of it that does nothing.
pub struct Pair<'a> {
    pub name: String,
    /// What is told of the like of it, such as the sizes of its messages.
    pub sizes: String,
    /// How many calls or items a round has.
    pub count: usize,
    /// Asks them all.
    pub ask: Box<dyn Fn() + 'a>,
    /// Asks as many times for nothing.
    pub ask_nothing: Box<dyn Fn() + 'a>,
}

/// What was seen of a pair, round by round.
#[derive(Default)]
struct Seen {
    cpu: Vec<f64>,
    cpu_of_nothing: Vec<f64>,
    ratios: Vec<f64>,
    rates: Vec<f64>,
}

/// CPU time of the server for one of each, against nothing; and how many were answered a second, if that is `rated`.
///
/// A round goes through all pairs, so that a while of noise costs each a round, and not one of them all. Which of a pair is
/// first changes from round to round.
pub fn measure(server: &ServerProcess, table: &Table, pairs: &[Pair<'_>], rounds: usize, rated: bool) {
    let mut seen: Vec<Seen> = pairs.iter().map(|_| Seen::default()).collect();
    for round in 0..rounds {
        for (pair, seen) in pairs.iter().zip(&mut seen) {
            let (mut cpu, mut nothing) = (0.0, 0.0);
            for first in [round % 2 == 0, round % 2 != 0] {
                if first {
                    let began = Instant::now();
                    cpu = server.cpu_micros(&pair.ask) / pair.count as f64;
                    seen.rates.push(pair.count as f64 / began.elapsed().as_secs_f64() / 1000.0);
                } else {
                    nothing = server.cpu_micros(&pair.ask_nothing) / pair.count as f64;
                }
            }
            seen.cpu.push(cpu);
            seen.cpu_of_nothing.push(nothing);
            seen.ratios.push(cpu / nothing);
        }
    }
    for (Pair { name, sizes, .. }, mut seen) in pairs.iter().zip(seen) {
        table.row(name, &Spread::of(&mut seen.cpu), "µs");
        table.row(&format!("{name}: no-op{sizes}"), &Spread::of(&mut seen.cpu_of_nothing), "µs");
        table.row(&format!("{name} against no-op"), &Spread::of(&mut seen.ratios), "×");
        if rated {
            table.row(&format!("{name}: answered"), &Spread::of(&mut seen.rates), "k/s");
        }
    }
}
