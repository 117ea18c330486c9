//! The `arbiter` server.

use std::process::ExitCode;

use arbiter::{
    config::{Config, EXIT_USAGE},
    server::{self, Server},
};
use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let config = match Config::try_parse() {
        Ok(config) => config,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(EXIT_USAGE) } else { ExitCode::SUCCESS };
        }
    };
    if let Err(error) = server::start_logging(&config) {
        eprintln!("error: --log: {error}");
        return ExitCode::from(EXIT_USAGE);
    }
    match Server::bind(config).and_then(|server| {
        print!("{}", server.banner());
        server.run(server::termination())
    }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
