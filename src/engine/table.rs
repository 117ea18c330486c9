/// A transposition table: what a search knows of positions it has visited. A position is a key of 64 bits, and what is known of
/// it is a number of 32 bits.
///
/// A new entry replaces an old one with the same slot. [`Table::clear`] takes constant time: each entry belongs to a
/// generation, and entries of older generations are ignored.
#[derive(Debug, Default)]
pub struct Table {
    /// A power of two of slots, or none.
    slots: Vec<Slot>,
    /// The slots in use are the first ones: this is their number minus one.
    mask: usize,
    generation: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    data: u32,
    /// Never that of the table if the slot is empty.
    generation: u32,
}

impl Table {
    const MIN_SLOTS: usize = 1 << 10;
    /// 16 MiB.
    const MAX_SLOTS: usize = 1 << 20;

    /// The number of slots of a search with this many nodes: the result of a search must not depend on anything else.
    fn slots(max_nodes: u32) -> usize {
        (max_nodes as usize).clamp(Self::MIN_SLOTS, Self::MAX_SLOTS).next_power_of_two()
    }

    /// The memory that the table of a search with this many nodes needs, in bytes.
    pub fn bytes(max_nodes: u32) -> usize {
        Self::slots(max_nodes) * size_of::<Slot>()
    }

    /// Empties the table, for a search with this many nodes.
    pub(crate) fn clear(&mut self, max_nodes: u32) {
        let slots = Self::slots(max_nodes);
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.clear();
            self.generation = 1;
        }
        if self.slots.len() < slots {
            self.slots = vec![Slot::default(); slots];
        }
        self.mask = slots - 1;
    }

    /// What is known of a position.
    #[inline(always)]
    pub(crate) fn get(&self, key: u64) -> Option<u32> {
        let slot = self.slots[self.index(key)];
        (slot.key == key && slot.generation == self.generation).then_some(slot.data)
    }

    /// Stores what is known of a position.
    #[inline(always)]
    pub(crate) fn set(&mut self, key: u64, data: u32) {
        let index = self.index(key);
        self.slots[index] = Slot { key, data, generation: self.generation };
    }

    #[inline(always)]
    fn index(&self, key: u64) -> usize {
        // Fibonacci hashing: the high bits of the product depend on all bits of the key.
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & self.mask
    }
}
