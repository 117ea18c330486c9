/// A transposition table: what a search knows of positions it has visited. A position is a key of 64 bits, and what is known of
/// it is a number of 32 bits.
///
/// Two slots are a bucket. The first keeps the entry with the greatest priority, the second the newest of the others.
/// Clearing the table takes constant time: each entry belongs to a generation, and entries of older generations are ignored.
#[derive(Debug, Default)]
pub struct Table {
    /// A power of two of buckets, or none.
    buckets: Vec<[Slot; 2]>,
    /// The buckets in use are the first ones: this is their number minus one.
    mask: usize,
    generation: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    data: u32,
    /// The generation times [`GENERATION_UNIT`], plus the priority. The generation is never that of the table if the slot is
    /// empty.
    tag: u32,
}

/// The buckets in which an entry can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    /// All of them.
    Whole,
    /// The first ones, which stay in the cache of a core: for entries that are frequent, and cheap to find again.
    Cached,
}

/// The lower bits of a tag are a priority.
const GENERATION_UNIT: u32 = 1 << 8;

impl Table {
    const MIN_SLOTS: usize = 1 << 10;
    /// 16 MiB.
    const MAX_SLOTS: usize = 1 << 20;
    /// 1 MiB.
    const CACHED_SLOTS: usize = 1 << 16;

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
        self.generation = self.generation.wrapping_add(GENERATION_UNIT);
        if self.generation == 0 {
            self.buckets.clear();
            self.generation = GENERATION_UNIT;
        }
        if self.buckets.len() < slots / 2 {
            self.buckets = vec![<[Slot; 2]>::default(); slots / 2];
        }
        self.mask = slots / 2 - 1;
    }

    /// What is known of a position.
    #[inline(always)]
    pub(crate) fn get(&self, key: u64) -> Option<u32> {
        self.get_in(Region::Whole, key)
    }

    /// What is known of a position in this region.
    #[inline(always)]
    pub(crate) fn get_in(&self, region: Region, key: u64) -> Option<u32> {
        let bucket = &self.buckets[self.index(region, key)];
        let slot = bucket.iter().find(|slot| slot.key == key && self.is_current(slot))?;
        Some(slot.data)
    }

    /// Stores what is known of a position, with the lowest priority.
    #[inline(always)]
    pub(crate) fn set(&mut self, key: u64, data: u32) {
        self.set_in(Region::Whole, key, data, 0);
    }

    /// Stores what is known of a position in this region. An entry with a greater priority is kept longer.
    #[inline(always)]
    pub(crate) fn set_in(&mut self, region: Region, key: u64, data: u32, priority: u8) {
        let new = Slot { key, data, tag: self.generation + u32::from(priority) };
        let index = self.index(region, key);
        let [first, second] = self.buckets[index];
        // Tags of older generations are smaller.
        self.buckets[index] = if first.key == key {
            [new, second]
        } else if first.tag <= new.tag {
            [new, first]
        } else {
            [first, new]
        };
    }

    #[inline(always)]
    fn is_current(&self, slot: &Slot) -> bool {
        slot.tag & !(GENERATION_UNIT - 1) == self.generation
    }

    #[inline(always)]
    fn index(&self, region: Region, key: u64) -> usize {
        let mask = match region {
            Region::Whole => self.mask,
            Region::Cached => self.mask.min(Self::CACHED_SLOTS / 2 - 1),
        };
        // Fibonacci hashing: the high bits of the product depend on all bits of the key.
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask
    }
}
