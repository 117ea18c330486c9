//! The call counters of a metrics exposition.

use std::collections::BTreeMap;

/// The number of calls by method, game and code.
pub fn handled_calls(exposition: &str) -> BTreeMap<(String, String, String), u64> {
    let lines = exposition.lines().filter(|line| line.starts_with("grpc_server_handled_total{"));
    let parse = |line: &str| {
        let label =
            |name: &str| Some(line.split_once(&format!("{name}=\""))?.1.split_once('"')?.0.to_owned());
        let labels = (label("grpc_method")?, label("game")?, label("grpc_code")?);
        Some((labels, line.rsplit(' ').next()?.parse().ok()?))
    };
    lines.map(|line| parse(line).unwrap_or_else(|| panic!("malformed sample: {line}"))).collect()
}

/// The expected result of [`handled_calls`].
pub fn call_counts(expected: &[(&str, &str, &str, u64)]) -> BTreeMap<(String, String, String), u64> {
    let owned = |&(method, game, code, count): &(&str, &str, &str, u64)| {
        ((method.to_owned(), game.to_owned(), code.to_owned()), count)
    };
    expected.iter().map(owned).collect()
}
