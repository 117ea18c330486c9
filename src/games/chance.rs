use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::Player;

/// A random generator. The same seed and stream give the same choices on every machine and in every release.
///
/// Each kind of choice in a game has its own stream, so that it does not depend on whether other choices were made.
#[derive(Debug)]
pub struct Chance(ChaCha8Rng);

impl Chance {
    /// The generator of a stream of a seed.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut generator = ChaCha8Rng::from_seed(key);
        generator.set_stream(stream);
        Self(generator)
    }

    /// A uniform number below a bound, which must not be 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        // Numbers from here up would make the lowest results more likely.
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

    /// Draws `count` items without replacement. Moves them to the front of the list, in the order in which they are drawn.
    ///
    /// # Panics
    ///
    /// If there are fewer items.
    pub fn draw<'a, T>(&mut self, items: &'a mut [T], count: usize) -> &'a [T] {
        for place in 0..count {
            // Lists have far fewer than 2³² items.
            let other = place + self.below((items.len() - place) as u32) as usize;
            items.swap(place, other);
        }
        &items[..count]
    }
}
