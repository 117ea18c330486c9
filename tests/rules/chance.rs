//! Random choices by the generator of the crate.

use arbiter_games::Chance;

pub fn pick<T: Copy>(chance: &mut Chance, from: &[T]) -> T {
    from[chance.below(from.len() as u32) as usize]
}

pub fn one_in(chance: &mut Chance, count: u32) -> bool {
    chance.below(count) == 0
}
