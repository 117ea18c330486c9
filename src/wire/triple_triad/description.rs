//! The description of the game for `ListGames`.

use super::{NAME, card::write_card, rules::write_rules};
use crate::{
    games::triple_triad::{BasicCapture, CATALOGUE, Rule, Rules, TradeRule},
    wire::proto,
};

/// Describes the game, with the built-in cards on request.
pub(super) fn describe(include_cards: bool) -> proto::GameDescription {
    proto::GameDescription {
        name: NAME.to_owned(),
        title: "Triple Triad".to_owned(),
        summary: "Two players place cards with four ranks on nine squares, and capture adjacent cards of a lower \
                  rank. The player with more cards of their colour at the end wins."
            .to_owned(),
        default_rules: Some(write_rule_set(Rules::DEFAULT)),
        limits: vec![proto::RuleLimit {
            field: "sudden_death_limit".to_owned(),
            minimum: Some(1),
            maximum: Some(Rules::MAX_SUDDEN_DEATH_LIMIT.into()),
            condition: String::new(),
        }],
        presets: presets(),
        state_notation: Some(proto::NotationDescription {
            syntax: "tt:<rules>:<board>:<hand of player one>:<hand of player two>:<player to move>. \
                     The rules are letters: o open, r random, e elemental, s same, w same wall, p plus, c combo, \
                     d sudden death, a the basic rule always; then the limit of sudden death if it is not 5; then the \
                     trade rule: O one, D diff, R direct, A all. If there are none of these, the rules are -. \
                     The board has three rows separated by slashes, each of three squares separated by commas. A square \
                     is the letter of its element, or a card after X (player one) or O (player two), or both, or - if it \
                     has neither. A card of the catalogue is its number, or its id and its number: 7=c54. \
                     Any other card is its id, =, its ranks from the top clockwise (A is 10), the letter of its element if \
                     it has one, * and its level if it is not 1, ~ and its name if it has one. In a name, _ is a space, \
                     and %XX is any other byte except letters, digits, dots and hyphens. \
                     A hand is its cards separated by commas, or -. The player to move is X or O, followed by the count of \
                     sudden death if it is not 0. Elements: f fire, i ice, t thunder, e earth, p poison, w wind, \
                     a water, h holy. ResolveCaptures also accepts the rules and the board alone. In a view, the hidden \
                     hand is ? and the number of its cards."
                .to_owned(),
            examples: [
                "tt:-:-,-,-/-,-,-/-,-,-:1,2,3,4,5:6,7,8,9,10:X",
                "tt:eswpcdO:-,f,-/-,X54,-/-,-,O3:1,2,4,5:6,7,8,9:X",
                "tt:swda3:-,-,-/-,X7=c54,-/-,-,-:1,2,4=5A51f*8~Big_Cat,5:6,8,9,10,11:O2",
                "tt:-:-,-,-/-,X54,-/-,-,-:1,2,4,5:?5:O",
            ]
            .map(ToOwned::to_owned)
            .to_vec(),
        }),
        move_notation: Some(proto::NotationDescription {
            syntax: "The id of the card, @, and the number of the square, from 1 to 9 row by row.".to_owned(),
            examples: vec!["54@5".to_owned()],
        }),
        triple_triad_cards: if include_cards { CATALOGUE.iter().map(write_card).collect() } else { Vec::new() },
        ..Default::default()
    }
}

fn write_rule_set(rules: Rules) -> proto::RuleSet {
    proto::RuleSet { kind: Some(proto::rule_set::Kind::TripleTriad(write_rules(rules))) }
}

/// The versions of the rules, each of which extends the one before, and the rules of the console.
fn presets() -> Vec<proto::Preset> {
    let preset = |name: &str, summary: &str, rules: Rules| proto::Preset {
        name: name.to_owned(),
        summary: summary.to_owned(),
        rules: Some(write_rule_set(rules)),
    };
    let first = Rules::DEFAULT;
    let second = first.with_all([Rule::Open, Rule::Random]);
    let third = second.with(Rule::Elemental);
    let fourth = third.with_all([Rule::Same, Rule::SameWall, Rule::Plus]);
    let fifth = fourth.with(Rule::Combo);
    let sixth = fifth.with(Rule::SuddenDeath).with_trade(TradeRule::One);
    let console = Rules::DEFAULT
        .with_all([Rule::Open, Rule::Elemental, Rule::Same, Rule::SameWall, Rule::Plus, Rule::Combo])
        .with(Rule::SuddenDeath)
        .with_basic_capture(BasicCapture::Always)
        .with_trade(TradeRule::One);
    vec![
        preset("version_0_1", "Only the basic rule: the higher rank captures.", first),
        preset("version_0_2", "Open hands, drawn at random from the players' collections.", second),
        preset("version_0_3", "Adds elements on squares, which change ranks.", third),
        preset("version_0_4", "Adds Same, Same Wall and Plus.", fourth),
        preset("version_0_5", "Adds Combo.", fifth),
        preset("version_0_6", "Adds sudden death, and the winner takes one card.", sixth),
        preset(
            "console",
            "As on the console: every capture rule, the basic rule in addition to Same and Plus, open hands that \
             the players choose, sudden death, and the winner takes one card.",
            console,
        ),
    ]
}
