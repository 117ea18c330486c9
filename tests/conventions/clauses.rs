//! `docs/rules.md` has the clauses that the service returns, word for word; and cases name clauses that exist.

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
fn the_page_of_the_rules_has_the_clauses_of_the_service() {
    let page = read("docs/rules.md");
    // An item of a list goes on in lines that are indented.
    let items = page.split("\n- **").skip(1).map(|item| {
        let lines: Vec<&str> = item.lines().take_while(|line| !line.is_empty()).map(str::trim).collect();
        format!("- **{}", lines.join(" "))
    });
    let wanted = clauses().map(|Clause { id, title, text }| format!("- **{id} {title}.** {text}"));
    assert_eq!(items.collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
}

#[test]
fn every_clause_that_a_case_names_exists() {
    let known: BTreeSet<&str> = clauses().map(|clause| clause.id).collect();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut named = 0;
    for folder in
        fs::read_dir(cases).expect("there are cases").map(|entry| entry.expect("it can be read").path())
    {
        for file in
            fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("it can be read").path())
        {
            let text = fs::read_to_string(&file).expect("a case can be read");
            for clause in text.split("\"clause\": \"").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(known.contains(clause), "{}: there is no clause {clause:?}", file.display());
                named += 1;
            }
        }
    }
    assert!(named > 1000, "cases name clauses");
}
