//! Golden games as data: one folder per game, one file per golden game.

use std::{fs, path::Path};

/// The lines of one file without its comments, each with its location for failure messages.
pub type Golden = Vec<(String, String)>;

/// All files of a game.
pub fn golden_games(game: &str) -> Vec<Golden> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/rules/golden").join(game);
    let files = fs::read_dir(folder).expect("the game has a folder").map(|file| {
        let path = file.expect("the folder can be listed").path();
        let text = fs::read_to_string(&path).expect("the file is text");
        let place =
            |(index, line): (usize, &str)| (format!("{}:{}", path.display(), index + 1), line.to_owned());
        text.lines().enumerate().map(place).filter(|(_, line)| !line.starts_with('#')).collect()
    });
    files.collect()
}
