//! A temporary directory for the files of a test.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
};

/// A directory that belongs to one test. Removed on drop.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn new() -> Self {
        static CREATED: AtomicU32 = AtomicU32::new(0);
        let name = format!("test-{}-{}", std::process::id(), CREATED.fetch_add(1, Ordering::Relaxed));
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).expect("the directory can be created");
        Self(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("the path is UTF-8").to_owned()
    }

    /// Writes or replaces a file atomically, and returns its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let (path, unfinished) = (self.path(name), self.path(&format!("{name}.unfinished")));
        fs::write(&unfinished, content).expect("the file can be written");
        fs::rename(unfinished, &path).expect("the file can be renamed");
        path
    }

    pub fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).expect("the file can be removed");
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
