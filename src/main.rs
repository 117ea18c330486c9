//! The `arbiter` server.

use std::{
    fmt::Display,
    io::{self, Write},
    process::ExitCode,
};

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
            print_error(&error);
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
            print_error(&error);
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
    print(server.banner());
    server.run(shutdown)
}

fn health(config: &Config) -> ExitCode {
    let address = config.admin_listen;
    match is_ready(address) {
        Ok(true) => {
            print("ready\n");
            return ExitCode::SUCCESS;
        }
        Ok(false) => print("not ready\n"),
        Err(error) => print_error(format_args!("cannot reach {address}: {error}")),
    }
    ExitCode::FAILURE
}

/// Prints to standard output. If nobody reads it, as in `arbiter | true`, the output is lost; `print!` would panic.
fn print(text: impl Display) {
    let mut stdout = io::stdout();
    let _ = write!(stdout, "{text}").and_then(|()| stdout.flush());
}

/// Prints an error to standard error, if anybody reads it.
fn print_error(error: impl Display) {
    let _ = writeln!(io::stderr(), "error: {error}");
}
