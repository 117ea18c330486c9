//! The modules of `src/` depend on each other in one direction only.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Names that must not occur in each module. `games` and `engine` are separate crates and cannot depend on the others, so only
/// parts of the standard library are listed for them. Unit tests in them and in `main.rs` would not run: their `Cargo.toml` sets
/// `test = false`.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("games", PURE),
    ("engine", PURE),
    ("wire", &["service::", "server::", "config::", "tokio", "hyper"]),
    ("service", &["server::", "config::", "hyper"]),
    ("config", &["games::", "wire::", "service::", "server::"]),
    ("server", &["games::", "crate::engine"]),
    ("main", &["cfg(test)"]),
];

/// What a pure module does not use.
const PURE: &[&str] = &["std::net", "std::fs", "std::time", "std::env", "std::thread", "cfg(test)"];

#[test]
fn modules_use_only_the_modules_below_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut violations = Vec::new();
    for (module, forbidden) in FORBIDDEN {
        let files = files_of(&source, module);
        assert!(!files.is_empty(), "no files of the module {module}");
        for file in files {
            let text = fs::read_to_string(&file).expect("the source file can be read");
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default().replace("tonic::server", "tonic");
                for name in forbidden.iter().filter(|name| contains_word(&code, name)) {
                    violations.push(format!("{}:{}: uses {name}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
}

/// The source files of a module: `module.rs` and everything below `module/`.
fn files_of(source: &Path, module: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut pending = vec![source.join(format!("{module}.rs")), source.join(module)];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(path).expect("the folder can be read");
            pending.extend(entries.map(|entry| entry.expect("the entry can be read").path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") && path.exists() {
            files.push(path);
        }
    }
    files
}

/// Whether the code contains the name as a whole word.
fn contains_word(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(start, _)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let before = code[..start].chars().next_back();
        let after = code[start + name.len()..].chars().next();
        !before.is_some_and(is_part) && (name.ends_with(':') || !after.is_some_and(is_part))
    })
}

#[test]
fn a_game_does_not_depend_on_another_game() {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/games");
    let folders: Vec<String> = fs::read_dir(&games)
        .expect("the folder can be read")
        .map(|entry| entry.expect("the entry can be read").path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().expect("a folder has a name").to_string_lossy().into_owned())
        .collect();
    assert!(folders.contains(&"connect_four".to_owned()), "the folders of the games are missing");
    for game in &folders {
        for file in files_of(&games, game) {
            let text = fs::read_to_string(&file).expect("the source file can be read");
            for other in folders.iter().filter(|other| *other != game) {
                assert!(!contains_word(&text, other), "{} uses {other}", file.display());
            }
        }
    }
}
