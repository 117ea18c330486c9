//! A position and its mirror image, where the players change sides, have the same analysis.

use arbiter_games::{
    Chance, Square,
    queen_rooks::{Move, Position},
};

use super::{analyse, position, random_position};

/// Rotates the board by half a turn and exchanges the players.
fn mirrored(original: &Position) -> Position {
    let exchange =
        |c: char| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
    let rows = original.diagram().rows();
    let picture: String = rows.join(" ").chars().rev().map(exchange).collect();
    let (next_player, rules) = (original.next_player().other(), original.rules());
    position(&picture, next_player, original.quiet_moves(), rules.quiet_move_limit())
        .expect("the mirror image is a position")
}

#[test]
fn mirror_images_have_the_same_analysis() {
    for seed in 0..40 {
        let mut chance = Chance::new(seed, 0);
        let size = [4, 6, 8, 12][seed as usize % 4];
        let original = random_position(&mut chance, size, [0, 100, 5][seed as usize % 3]);
        let rotated =
            |square: Square| Square { row: size - 1 - square.row, column: size - 1 - square.column };
        let (expected, found) = (analyse(&original, 3000), analyse(&mirrored(&original), 3000));
        assert_eq!(expected.nodes, found.nodes);
        for (expected, found) in expected.evaluations.iter().zip(&found.evaluations) {
            assert_eq!(Move { from: rotated(expected.mv.from), to: rotated(expected.mv.to) }, found.mv);
            assert_eq!((expected.value, expected.certainty), (found.value, found.certainty));
            assert_eq!(expected.first_impression, found.first_impression);
        }
    }
}
