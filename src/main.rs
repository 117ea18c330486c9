//! The `arbiter` server.

use std::process::ExitCode;

use arbiter::{
    config::{Command, Config, EXIT_USAGE},
    server::{Server, ServerError, ask_whether_ready, start_logging},
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
    if config.command == Some(Command::Health) {
        return health(&config);
    }
    if let Err(error) = start_logging(&config) {
        eprintln!("error: --log: {error}");
        return ExitCode::from(EXIT_USAGE);
    }
    match serve(config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            match error {
                ServerError::File(_) => ExitCode::from(EXIT_USAGE),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

fn serve(config: Config) -> Result<(), ServerError> {
    let server = Server::bind(config)?;
    // Whoever has seen the banner can end the server well.
    let shutdown = server.termination()?;
    print!("{}", server.banner());
    server.run(shutdown)
}

fn health(config: &Config) -> ExitCode {
    let address = config.admin_listen;
    match ask_whether_ready(address) {
        Ok(true) => {
            println!("ready");
            return ExitCode::SUCCESS;
        }
        Ok(false) => println!("not ready"),
        Err(error) => eprintln!("error: nobody answers at {address}: {error}"),
    }
    ExitCode::FAILURE
}
