//! `docs/rules.md` contains the clauses of the service verbatim, and cases refer to existing clauses.

use std::{collections::BTreeSet, fs, path::Path};

use arbiter::games::{
    Clause, Game, connect_four::ConnectFour, queen_rooks::QueenRooks, royal_match::RoyalMatch,
    triple_triad::TripleTriad,
};

fn clauses() -> impl Iterator<Item = &'static Clause> {
    let games = [ConnectFour::CLAUSES, TripleTriad::CLAUSES, QueenRooks::CLAUSES, RoyalMatch::CLAUSES];
    games.into_iter().flatten()
}

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn rules_md_contains_the_clauses_of_the_service() {
    let page = read("docs/rules.md");
    // List items continue on indented lines.
    let items = page.split("\n- **").skip(1).map(|item| {
        let lines: Vec<&str> = item.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        format!("- **{}", lines.join(" "))
    });
    let expected = clauses().map(|Clause { id, title, text }| format!("- **{id} {title}.** {text}"));
    assert_eq!(items.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[test]
fn every_clause_in_a_case_exists() {
    let known: BTreeSet<&str> = clauses().map(|clause| clause.id).collect();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut references = 0;
    for folder in fs::read_dir(cases)
        .expect("the folder can be read")
        .map(|entry| entry.expect("the entry can be read").path())
    {
        for file in fs::read_dir(folder)
            .into_iter()
            .flatten()
            .map(|entry| entry.expect("the entry can be read").path())
        {
            let text = fs::read_to_string(&file).expect("the case file can be read");
            for clause in text.split("\"clause\": \"").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(known.contains(clause), "{}: unknown clause {clause:?}", file.display());
                references += 1;
            }
        }
    }
    assert!(references > 1000, "only {references} cases refer to a clause");
}
