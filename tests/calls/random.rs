//! Random numbers of a seed: the same seed, the same calls.

/// A generator (xorshift64*, Marsaglia and Vigna).
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        // Adjacent seeds start with very different values.
        let mixed = (seed.wrapping_add(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Random((mixed ^ mixed >> 31) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// A number of a range, both ends included.
    pub fn range(&mut self, from: u32, to: u32) -> u32 {
        from + self.below(u64::from(to - from) + 1) as u32
    }

    /// True once in `times`.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Between 0 and 1.
    pub fn unit(&mut self) -> f32 {
        self.below(1 << 16) as f32 / 65535.0
    }

    /// One of some.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// Picks an element for which the predicate holds, if there is one.
    pub fn pick_where<'a, T>(
        &mut self,
        from: &'a [T],
        holds: impl Fn(&T) -> bool,
    ) -> Option<&'a T> {
        let fitting: Vec<&T> = from.iter().filter(|item| holds(item)).collect();
        (!fitting.is_empty()).then(|| *self.pick(&fitting))
    }

    /// Another generator, for another thread.
    pub fn fork(&mut self) -> Random {
        Random::new(self.next())
    }
}
