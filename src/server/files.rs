//! Files that the configuration names, and that are read again when they change.

use std::{
    fmt::Display,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{sync::watch, time::sleep};

/// How often is looked whether a file has changed. The files are small, and are compared by what is in them: whether one
/// was written anew, or a link was set to another, makes no difference.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A file of the configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{flag} {}: {why}", path.display())]
pub struct FileError {
    flag: &'static str,
    path: PathBuf,
    why: String,
}

/// A file and the flag that names it.
#[derive(Clone, Debug)]
pub(super) struct NamedFile {
    flag: &'static str,
    path: PathBuf,
}

impl NamedFile {
    pub(super) fn new(flag: &'static str, path: &Path) -> Self {
        Self { flag, path: path.to_owned() }
    }

    pub(super) fn unusable(&self, why: impl Display) -> FileError {
        FileError { flag: self.flag, path: self.path.clone(), why: why.to_string() }
    }

    fn read(&self) -> Result<Vec<u8>, FileError> {
        let read = || -> io::Result<Vec<u8>> {
            // Reading anything else may wait for ever.
            if !fs::metadata(&self.path)?.is_file() {
                return Err(io::Error::other("this is not a file"));
            }
            fs::read(&self.path)
        };
        read().map_err(|error| self.unusable(error))
    }
}

/// The newest value that could be made of some files.
pub(super) type Followed<T> = watch::Receiver<Arc<T>>;

/// Makes a value of files, and makes it anew whenever they have changed, as long as anybody holds it. If they cannot be
/// used any more, the value stays as it was. Must be called within a runtime.
pub(super) fn follow<const N: usize, T: Send + Sync + 'static>(
    files: [NamedFile; N],
    make: impl Fn([&[u8]; N]) -> Result<T, FileError> + Send + 'static,
) -> Result<Followed<T>, FileError> {
    let read_all = move || -> Result<[Vec<u8>; N], FileError> {
        let mut contents = [const { Vec::new() }; N];
        for (content, file) in contents.iter_mut().zip(&files) {
            *content = file.read()?;
        }
        Ok(contents)
    };
    let make = move |contents: &[Vec<u8>; N]| make(contents.each_ref().map(Vec::as_slice));

    let mut known = read_all()?;
    let (sender, followed) = watch::channel(Arc::new(make(&known)?));
    tokio::spawn(async move {
        let mut told = String::new();
        while !sender.is_closed() {
            sleep(LOOK_EVERY).await;
            let renewed = match read_all() {
                Ok(contents) if contents == known => {
                    told.clear();
                    continue;
                }
                Ok(contents) => make(&contents).inspect(|_| known = contents),
                Err(error) => Err(error),
            };
            // What is wrong is told once, not every second.
            match renewed {
                Ok(value) => {
                    tracing::info!("took over files of the configuration that have changed");
                    sender.send_replace(Arc::new(value));
                    told.clear();
                }
                Err(error) if error.to_string() == told => {}
                Err(error) => {
                    tracing::error!(%error, "a file of the configuration has changed and cannot be used: going on as before");
                    told = error.to_string();
                }
            }
        }
    });
    Ok(followed)
}
