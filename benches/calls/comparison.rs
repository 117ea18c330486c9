//! Measures calls or items against no-ops with messages of the same sizes.

use std::time::Instant;

use super::{server::ServerProcess, spread::Spread, table::Table};

/// A call or an item, and its no-op.
pub struct Comparison<'a> {
    pub name: String,
    /// The message sizes, for the label of the no-op.
    pub sizes: String,
    /// Calls or items per round.
    pub count: usize,
    /// Runs one round.
    pub run: Box<dyn Fn() + 'a>,
    /// Runs one round of the no-op.
    pub run_noop: Box<dyn Fn() + 'a>,
}

/// The measurements of each round.
#[derive(Default)]
struct Samples {
    cpu: Vec<f64>,
    noop_cpu: Vec<f64>,
    ratios: Vec<f64>,
    rates: Vec<f64>,
}

/// Prints the CPU time of the server per call or item, that of the no-op, and with `with_throughput` the throughput.
///
/// Each round runs all comparisons, so that a period of noise affects one round of each. The order of call and no-op
/// alternates.
pub fn measure(
    server: &ServerProcess,
    table: &Table,
    comparisons: &[Comparison<'_>],
    rounds: usize,
    with_throughput: bool,
) {
    let mut all_samples: Vec<Samples> = comparisons.iter().map(|_| Samples::default()).collect();
    for round in 0..rounds {
        for (comparison, samples) in comparisons.iter().zip(&mut all_samples) {
            let (mut cpu, mut noop_cpu) = (0.0, 0.0);
            for is_measured in [round % 2 == 0, round % 2 != 0] {
                if is_measured {
                    let start = Instant::now();
                    cpu = server.cpu_micros(&comparison.run) / comparison.count as f64;
                    samples.rates.push(comparison.count as f64 / start.elapsed().as_secs_f64() / 1000.0);
                } else {
                    noop_cpu = server.cpu_micros(&comparison.run_noop) / comparison.count as f64;
                }
            }
            samples.cpu.push(cpu);
            samples.noop_cpu.push(noop_cpu);
            samples.ratios.push(cpu / noop_cpu);
        }
    }
    for (Comparison { name, sizes, .. }, mut samples) in comparisons.iter().zip(all_samples) {
        table.row(name, &Spread::of(&mut samples.cpu), "µs");
        table.row(&format!("{name}: no-op{sizes}"), &Spread::of(&mut samples.noop_cpu), "µs");
        table.row(&format!("{name} relative to no-op"), &Spread::of(&mut samples.ratios), "×");
        if with_throughput {
            table.row(&format!("{name}: throughput"), &Spread::of(&mut samples.rates), "k/s");
        }
    }
}
