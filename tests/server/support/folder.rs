//! A folder for the files of a test.

use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
};

/// A folder that nobody else uses. It is removed when it is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("folder-{}-{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).expect("a folder can be made");
        Self(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("the path is text").to_owned()
    }

    /// Writes a file, or puts another in its place: nobody ever sees half of it. Answers its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let (path, unfinished) = (self.path(name), self.path(&format!("{name}.unfinished")));
        fs::write(&unfinished, content).expect("a file can be written");
        fs::rename(unfinished, &path).expect("a file can be put in its place");
        path
    }

    pub fn remove(&self, name: &str) {
        fs::remove_file(self.path(name)).expect("a file can be removed");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
