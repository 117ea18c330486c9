//! Golden games as data: a folder a game, a file each.

use std::{fs, path::Path};

/// One file without its comments: each line, and where it stands for the message of a failure.
pub type Golden = Vec<(String, String)>;

/// Every file of a game.
pub fn golden_games(game: &str) -> Vec<Golden> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/rules/golden").join(game);
    let files = fs::read_dir(folder).expect("there is a folder").map(|file| {
        let path = file.expect("the folder can be listed").path();
        let text = fs::read_to_string(&path).expect("the file is text");
        let place =
            |(index, line): (usize, &str)| (format!("{}:{}", path.display(), index + 1), line.to_owned());
        text.lines().enumerate().map(place).filter(|(_, line)| !line.starts_with('#')).collect()
    });
    files.collect()
}
