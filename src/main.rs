//! The `arbiter` server.

use std::process::ExitCode;

use arbiter::{
    config::{Command, Config, EXIT_USAGE},
    server::{Log, LogError, Server, ServerError, is_ready, start_logging},
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
    let log = match start_logging(&config) {
        Ok(log) => log,
        Err(error) => {
            eprintln!("error: {error}");
            return match error {
                LogError::BadFilter(_) => ExitCode::from(EXIT_USAGE),
                LogError::Thread(_) => ExitCode::FAILURE,
            };
        }
    };
    let served = serve(config, log.clone());
    log.flush();
    match served {
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

fn serve(config: Config, log: Log) -> Result<(), ServerError> {
    let server = Server::bind(config)?.with_log(log);
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
