//! The notation of states, boards and moves (TT-1 to TT-4, TT-13).

use proptest::{array::uniform9, option, prelude::*};

use super::support::{any_cards, any_element, any_player, any_record, any_rules, config};
use arbiter_games::{
    Game, Player,
    triple_triad::{Diagram, TripleTriad},
};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_state_reads_back_from_its_notation(record in any_record()) {
        for game in record.states() {
            let text = game.notation();
            let read = crate::parse_state::<TripleTriad>(&text).map(|game| game.diagram());
            prop_assert_eq!(read, Ok(game.diagram()), "{}", text);
        }
    }

    #[test]
    fn every_diagram_reads_back_from_its_notation(
        rules in any_rules(),
        cards in any_cards(19),
        squares in uniform9((option::of(any_element()), option::of(any_player()))),
        hands in [0..=5usize, 0..=5usize],
        next_player in option::of(any_player()),
        drawn_rounds in prop_oneof![Just(0), 0..=1000u16],
    ) {
        let square = |index: usize| {
            let (element, owner): (_, Option<Player>) = squares[index];
            (element, owner.map(|owner| (cards[index], owner)))
        };
        let diagram = Diagram {
            rules,
            squares: std::array::from_fn(square),
            hands: [cards[9..9 + hands[0]].to_vec(), cards[14..14 + hands[1]].to_vec()],
            next_player,
            drawn_rounds,
            hidden: None,
        };
        let text = diagram.notation();
        prop_assert_eq!(Diagram::parse(&text), Ok(diagram), "{}", text);
    }

    #[test]
    fn every_legal_move_reads_back_from_its_notation(record in any_record()) {
        for mv in record.start.legal_moves() {
            prop_assert_eq!(mv.to_string().parse(), Ok(mv));
        }
    }
}
