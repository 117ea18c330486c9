//! Files named by the configuration, reloaded when they change.

use std::{
    fmt::{self, Display},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{sync::watch::Receiver, time::sleep};

/// How often files are checked. They are small and compared by content, so a rewritten file and a changed symbolic link (as in
/// Kubernetes) work alike.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{flag} {}: {why}", path.display())]
pub struct FileError {
    flag: &'static str,
    path: PathBuf,
    why: String,
}

/// A file and the flag that names it.
#[derive(Clone, Debug)]
pub(super) struct ConfigFile {
    flag: &'static str,
    path: PathBuf,
}

impl ConfigFile {
    pub(super) fn new(flag: &'static str, path: &Path) -> Self {
        Self { flag, path: path.to_owned() }
    }

    pub(super) fn unusable(&self, why: impl Display) -> FileError {
        FileError { flag: self.flag, path: self.path.clone(), why: why.to_string() }
    }

    pub(super) fn read(&self) -> Result<Vec<u8>, FileError> {
        let read = || -> io::Result<Vec<u8>> {
            // Reading anything else, such as a pipe, may block forever.
            if !fs::metadata(&self.path)?.is_file() {
                return Err(io::Error::other("not a regular file"));
            }
            fs::read(&self.path)
        };
        read().map_err(|error| self.unusable(error))
    }
}

impl Display for ConfigFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.flag, self.path.display())
    }
}

/// The latest value loaded successfully.
pub(super) type Reloaded<T> = Receiver<Arc<T>>;

/// Creates a value from files, and again whenever they change, as long as the value is in use. If a changed file cannot be
/// used, the old value stays. `what` names the value in the log. Must be called within a runtime.
pub(super) fn watch<const N: usize, T: Send + Sync + 'static>(
    files: [ConfigFile; N],
    what: &'static str,
    create: impl Fn([&[u8]; N]) -> Result<T, FileError> + Send + 'static,
) -> Result<Reloaded<T>, FileError> {
    let read_all = move || -> Result<[Vec<u8>; N], FileError> {
        let mut contents = [const { Vec::new() }; N];
        for (content, file) in contents.iter_mut().zip(&files) {
            *content = file.read()?;
        }
        Ok(contents)
    };
    let create = move |contents: &[Vec<u8>; N]| create(contents.each_ref().map(Vec::as_slice));

    let mut current = read_all()?;
    let (sender, receiver) = tokio::sync::watch::channel(Arc::new(create(&current)?));
    tokio::spawn(async move {
        let mut last_error = String::new();
        while !sender.is_closed() {
            sleep(CHECK_INTERVAL).await;
            let reloaded = match read_all() {
                Ok(contents) if contents == current => {
                    last_error.clear();
                    continue;
                }
                Ok(contents) => create(&contents).inspect(|_| current = contents),
                Err(error) => Err(error),
            };
            // An error is logged once, not at every check.
            match reloaded {
                Ok(value) => {
                    tracing::info!("reloaded {what}");
                    sender.send_replace(Arc::new(value));
                    last_error.clear();
                }
                Err(error) if error.to_string() == last_error => {}
                Err(error) => {
                    tracing::error!(%error, "cannot reload {what}: keeping the previous one");
                    last_error = error.to_string();
                }
            }
        }
    });
    Ok(receiver)
}
