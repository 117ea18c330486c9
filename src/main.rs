//! The `arbiter` server.

use std::process::ExitCode;

use arbiter::{
    config::{Command, Config, EXIT_USAGE},
    server::{LogFilter, Server, ServerError, is_ready, start_logging},
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
    let log_filter = match start_logging(&config) {
        Ok(log_filter) => log_filter,
        Err(error) => {
            eprintln!("error: --log: {error}");
            return ExitCode::from(EXIT_USAGE);
        }
    };
    match serve(config, log_filter) {
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

fn serve(config: Config, log_filter: LogFilter) -> Result<(), ServerError> {
    let server = Server::bind(config)?.with_log_filter(log_filter);
    // Install the signal handlers before printing the banner.
    let shutdown = server.shutdown_signal()?;
    print!("{}", server.banner());
    server.run(shutdown)
}

fn health(config: &Config) -> ExitCode {
    let address = config.admin_listen;
    match is_ready(address) {
        Ok(true) => {
            println!("ready");
            return ExitCode::SUCCESS;
        }
        Ok(false) => println!("not ready"),
        Err(error) => eprintln!("error: cannot reach {address}: {error}"),
    }
    ExitCode::FAILURE
}
