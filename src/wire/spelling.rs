//! Spelling suggestions for unknown names.

/// The candidate with the smallest edit distance to a name, if one is close. Ignores case and underscores.
pub(super) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = normalized(name);
    let distance = |candidate: &&str| {
        let candidate = normalized(candidate);
        let max_distance = name.len().max(candidate.len()).div_ceil(3);
        // The distance is at least the difference in length: this avoids comparing very long names.
        let is_close = name.len().abs_diff(candidate.len()) <= max_distance;
        let distance = is_close.then(|| strsim::osa_distance(&name, &candidate))?;
        (distance <= max_distance).then_some(distance)
    };
    let near = candidates.into_iter().filter_map(|candidate| Some((distance(&candidate)?, candidate)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

fn normalized(name: &str) -> String {
    name.chars().filter(|letter| *letter != '_').map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Names in backticks, such as "`a`, `b`".
pub(super) fn quoted<S: AsRef<str>>(names: &[S], separator: &str) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(separator)
}

/// Suggests the nearest candidate for an unknown name, or lists all candidates if none is close.
pub(super) fn suggestion<S: AsRef<str>>(name: &str, candidates: &[S]) -> String {
    match nearest(name, candidates.iter().map(AsRef::as_ref)) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => expected_one_of(candidates),
    }
}

/// Lists the valid names.
pub(super) fn expected_one_of<S: AsRef<str>>(names: &[S]) -> String {
    let one_of = if names.len() > 1 { "one of " } else { "" };
    format!("expected {one_of}{}", quoted(names, ", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAMES: [&str; 4] = ["connect_four", "triple_triad", "queen_rooks", "royal_match"];

    #[test]
    fn a_misspelt_name_is_near() {
        assert_eq!(nearest("conect_four", GAMES), Some("connect_four"));
        assert_eq!(nearest("royal_mathc", GAMES), Some("royal_match"));
    }

    #[test]
    fn case_and_underscores_are_ignored() {
        assert_eq!(nearest("QueenRooks", GAMES), Some("queen_rooks"));
    }

    #[test]
    fn the_nearest_of_several_is_found() {
        assert_eq!(nearest("rowss", ["row", "rows"]), Some("rows"));
    }

    #[test]
    fn a_different_word_is_not_near() {
        assert_eq!(nearest("chess", GAMES), None);
        assert_eq!(nearest(&"connect_four".repeat(10_000), GAMES), None);
    }

    #[test]
    fn names_are_listed_when_none_is_near() {
        assert_eq!(suggestion("chess", &["row", "column"]), "expected one of `row`, `column`");
        assert_eq!(suggestion("chess", &["calls"]), "expected `calls`");
    }
}
