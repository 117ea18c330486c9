use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::Player;

/// Random choices that follow from a seed: the same on every machine and in every release.
///
/// Each kind of choice a game makes has a number of its own, so that none depends on whether another was made.
#[derive(Debug)]
pub struct Chance(ChaCha8Rng);

impl Chance {
    /// The choices of this kind that follow from a seed.
    pub fn new(seed: u64, kind: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(kind);
        Self(generator)
    }

    /// A number below the bound, which is not 0, each as likely as any other.
    pub fn below(&mut self, bound: u32) -> u32 {
        // The numbers from here up would make the lowest ones likelier.
        let fair = u32::MAX - u32::MAX % bound;
        loop {
            let drawn = self.0.next_u32();
            if drawn < fair {
                return drawn % bound;
            }
        }
    }

    /// One of the two players.
    pub fn toss(&mut self) -> Player {
        Player::ALL[self.below(2) as usize]
    }

    /// Draws items into the first places of a list: as many as asked for, in the order in which they are drawn.
    /// There must be as many.
    pub fn draw<'a, T>(&mut self, items: &'a mut [T], count: usize) -> &'a [T] {
        for place in 0..count {
            // Lists have far fewer than 2³² items.
            let other = place + self.below((items.len() - place) as u32) as usize;
            items.swap(place, other);
        }
        &items[..count]
    }
}
