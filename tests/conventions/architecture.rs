//! Dependencies between the modules of `src/` never point back.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Each module of `src/`, with what its files must not name. `games` is a crate, so that the compiler keeps everything
/// but the standard library out of it. Unit tests would not run in it, nor in `main.rs`: `Cargo.toml` says `test = false`.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("games", &["std::net", "std::fs", "std::time", "std::env", "std::thread", "cfg(test)"]),
    ("wire", &["service::", "server::", "config::", "tokio", "hyper"]),
    ("service", &["server::", "config::", "hyper"]),
    ("config", &["games::", "wire::", "service::", "server::"]),
    ("server", &["games::"]),
    ("main", &["cfg(test)"]),
];

#[test]
fn modules_use_only_the_modules_below_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut offences = Vec::new();
    for (module, forbidden) in FORBIDDEN {
        let files = files_of(&source, module);
        assert!(!files.is_empty(), "the module {module} has files");
        for file in files {
            let text = fs::read_to_string(&file).expect("a source file can be read");
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default().replace("tonic::server", "tonic");
                for name in forbidden.iter().filter(|name| names(&code, name)) {
                    offences.push(format!("{}:{}: names {name}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

/// The source files of a module: `module.rs` and everything below `module/`.
fn files_of(source: &Path, module: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut found = vec![source.join(format!("{module}.rs")), source.join(module)];
    while let Some(path) = found.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(path).expect("a folder can be listed");
            found.extend(entries.map(|entry| entry.expect("an entry can be read").path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") && path.exists() {
            files.push(path);
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
