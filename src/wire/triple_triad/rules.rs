//! Decoding and encoding of rules.

use crate::{
    games::triple_triad::{BasicCapture, Rule, Rules, TradeRule},
    wire::{Path, Violations, common::read_enum, proto},
};

/// Reads rules and reports their violations. An absent field has its default.
pub(super) fn read_rules(
    rules: &proto::TripleTriadRules,
    at: &Path<'_>,
    violations: &mut Violations,
) -> Option<Rules> {
    let on = [
        (rules.open, Rule::Open),
        (rules.random, Rule::Random),
        (rules.elemental, Rule::Elemental),
        (rules.same, Rule::Same),
        (rules.same_wall, Rule::SameWall),
        (rules.plus, Rule::Plus),
        (rules.combo, Rule::Combo),
        (rules.sudden_death, Rule::SuddenDeath),
    ];
    let on = on.into_iter().filter_map(|(value, rule)| value.unwrap_or_default().then_some(rule));
    let mut read = Some(Rules::DEFAULT.with_all(on));
    if let Some(value) = rules.basic_capture {
        let basic = read_basic_capture(value, &at.field("basic_capture"), violations);
        read = read.zip(basic).map(|(rules, basic)| rules.with_basic_capture(basic));
    }
    if let Some(limit) = rules.sudden_death_limit {
        let limited = Rules::DEFAULT.with_sudden_death_limit(limit);
        if let Err(error) = limited {
            let code = proto::ErrorReason::ValueOutOfRange;
            violations.add_breach(&at.field("sudden_death_limit"), code, &error);
        }
        read = read.and_then(|rules| rules.with_sudden_death_limit(limit).ok());
    }
    if let Some(value) = rules.trade_rule {
        let trade = read_trade_rule(value, &at.field("trade_rule"), violations);
        read = read.zip(trade).map(|(rules, trade)| rules.with_trade(trade));
    }
    read
}

fn read_basic_capture(value: i32, at: &Path<'_>, violations: &mut Violations) -> Option<BasicCapture> {
    read_enum(value, at, violations).and_then(basic_capture_of)
}

pub(super) fn basic_capture_of(basic: proto::TripleTriadBasicCapture) -> Option<BasicCapture> {
    Some(match basic {
        proto::TripleTriadBasicCapture::Fallback => BasicCapture::Fallback,
        proto::TripleTriadBasicCapture::Always => BasicCapture::Always,
        proto::TripleTriadBasicCapture::Unspecified => return None,
    })
}

fn read_trade_rule(value: i32, at: &Path<'_>, violations: &mut Violations) -> Option<TradeRule> {
    read_enum(value, at, violations).and_then(trade_rule_of)
}

pub(super) fn trade_rule_of(trade: proto::TripleTriadTradeRule) -> Option<TradeRule> {
    Some(match trade {
        proto::TripleTriadTradeRule::None => TradeRule::None,
        proto::TripleTriadTradeRule::One => TradeRule::One,
        proto::TripleTriadTradeRule::Diff => TradeRule::Diff,
        proto::TripleTriadTradeRule::Direct => TradeRule::Direct,
        proto::TripleTriadTradeRule::All => TradeRule::All,
        proto::TripleTriadTradeRule::Unspecified => return None,
    })
}

/// Writes rules with all their fields.
pub(super) fn write_rules(rules: Rules) -> proto::TripleTriadRules {
    let has = |rule| Some(rules.has(rule));
    proto::TripleTriadRules {
        open: has(Rule::Open),
        random: has(Rule::Random),
        elemental: has(Rule::Elemental),
        same: has(Rule::Same),
        same_wall: has(Rule::SameWall),
        plus: has(Rule::Plus),
        combo: has(Rule::Combo),
        basic_capture: Some(write_basic_capture(rules.basic_capture()).into()),
        sudden_death: has(Rule::SuddenDeath),
        sudden_death_limit: Some(rules.sudden_death_limit().into()),
        trade_rule: Some(write_trade_rule(rules.trade()).into()),
    }
}

pub(super) fn write_basic_capture(basic: BasicCapture) -> proto::TripleTriadBasicCapture {
    match basic {
        BasicCapture::Fallback => proto::TripleTriadBasicCapture::Fallback,
        BasicCapture::Always => proto::TripleTriadBasicCapture::Always,
    }
}

pub(super) fn write_trade_rule(trade: TradeRule) -> proto::TripleTriadTradeRule {
    match trade {
        TradeRule::None => proto::TripleTriadTradeRule::None,
        TradeRule::One => proto::TripleTriadTradeRule::One,
        TradeRule::Diff => proto::TripleTriadTradeRule::Diff,
        TradeRule::Direct => proto::TripleTriadTradeRule::Direct,
        TradeRule::All => proto::TripleTriadTradeRule::All,
    }
}
