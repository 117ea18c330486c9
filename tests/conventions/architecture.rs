//! Who may know whom: the arrows between the rooms of `src/` never point back.

use std::{fs, path::Path};

/// Each room, with what its files must not name.
const FORBIDDEN: &[(&str, &[&str])] = &[
    (
        "games",
        &[
            "tonic",
            "prost",
            "tokio",
            "hyper",
            "http::",
            "wire",
            "service",
            "server",
            "config",
            "std::net",
            "std::fs",
            "std::time",
            "std::env",
            "getrandom",
            "tracing",
        ],
    ),
    ("wire", &["service::", "server::", "config::", "tokio", "hyper"]),
    ("service", &["server::", "config::", "hyper"]),
    ("config", &["games::", "wire::", "service::", "server::"]),
    ("server", &["games::"]),
];

#[test]
fn rooms_know_only_the_rooms_below_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut offences = Vec::new();
    for (room, forbidden) in FORBIDDEN {
        let files = files_of(&source, room);
        assert!(!files.is_empty(), "the room {room} has files");
        for file in files {
            let text = fs::read_to_string(&file).expect("a source file can be read");
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                for name in forbidden.iter().filter(|name| names(code, name)) {
                    offences.push(format!("{}:{}: names {name}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

/// The files of a room: `room.rs` and everything below `room/`.
fn files_of(source: &Path, room: &str) -> Vec<std::path::PathBuf> {
    let mut files = vec![source.join(format!("{room}.rs"))];
    let mut folders = vec![source.join(room)];
    while let Some(folder) = folders.pop() {
        // A room that is one file has no folder.
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files
}

/// Whether a line of code has the name as a word of its own.
fn names(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(start, _)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let before = code[..start].chars().next_back();
        let after = code[start + name.len()..].chars().next();
        !before.is_some_and(is_part) && (name.ends_with(':') || !after.is_some_and(is_part))
    })
}

#[test]
fn a_game_knows_no_other_game() {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/games");
    let folders: Vec<String> = fs::read_dir(&games)
        .expect("the games can be listed")
        .map(|entry| entry.expect("an entry can be read").path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert!(folders.contains(&"connect_four".to_owned()), "the games are folders");
    for game in &folders {
        for file in files_of(&games, game) {
            let text = fs::read_to_string(&file).expect("a source file can be read");
            for other in folders.iter().filter(|other| *other != game) {
                assert!(!names(&text, other), "{} names {other}", file.display());
            }
        }
    }
}
