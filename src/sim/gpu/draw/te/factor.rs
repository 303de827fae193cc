//! One tessellation factor: the number of points of an edge, and their positions.
//!
//! In:  a factor and a partitioning. Out: an [`Axis`]. Fractional factors morph between the two
//!      nearest numbers of segments: the points of the greater number start at the positions of the
//!      smaller one's, and one point of each half of the edge splits in two.
//! Ref: Vulkan specification, "Tessellator Spacing"; D3D11.3 functional specification,
//!      "Tessellator".

use super::state::{Engine, Partitioning};

/// 1 with 16 fraction bits.
pub(super) const ONE: i32 = 1 << 16;
const HALF: i64 = 1 << 15;

/// The points along an edge or across the inside of a patch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// The number of segments is odd: no point lies in the middle.
    odd: bool,
    /// Points of a half, without the middle point.
    half: usize,
    /// The point of the greater number of segments that the smaller one lacks.
    split: usize,
    /// Interpolation weight of the greater number of segments.
    fraction: i64,
    /// 1 / segments, of the smaller and of the greater number.
    step: [i64; 2],
    /// The factor is 1.
    single_segment: bool,
}

impl Axis {
    /// The axis of an outer edge.
    pub fn outer(factor: f32, engine: &Engine) -> Axis {
        Axis::new(clamp(factor, engine), engine.partitioning)
    }

    /// The axis of the inside, which always has a ring: a factor of 1 counts as slightly more.
    pub fn inner(factor: f32, engine: &Engine) -> Axis {
        let factor = clamp(factor, engine);
        match engine.partitioning {
            Partitioning::Integer if factor <= 1.0 => Axis::new(2.0, Partitioning::Integer),
            Partitioning::Odd => Axis::new(factor.max(1.0 + 1.0 / ONE as f32), Partitioning::Odd),
            partitioning => Axis::new(factor, partitioning),
        }
    }

    fn new(factor: f32, partitioning: Partitioning) -> Axis {
        let odd = match partitioning {
            Partitioning::Integer => factor as u32 % 2 == 1,
            Partitioning::Odd => true,
            Partitioning::Even => false,
        };
        let fixed = (f64::from(factor) * f64::from(ONE)).round_ties_even() as i64;
        let half = (fixed + 1) / 2 + if odd { HALF } else { 0 };
        let (floor, fraction) = (half >> 16, half & 0xffff);
        let ceil = floor + i64::from(fraction != 0);
        let without_top_bit = |n: i64| if n > 0 { n & !(1 << n.ilog2()) } else { 0 };
        let split = match (fraction, odd) {
            (0, _) => ceil + 1,
            (_, true) if floor == 1 => 0,
            (_, true) => without_top_bit(floor - 1) * 2 + 1,
            (_, false) => without_top_bit(floor) * 2 + 1,
        };
        let step = [floor, ceil].map(|half| {
            let segments = (half * 2 - i64::from(odd)).max(1);
            (i64::from(ONE) + segments / 2) / segments
        });
        Axis {
            odd,
            half: ceil as usize,
            split: split as usize,
            fraction,
            step,
            single_segment: fixed == i64::from(ONE),
        }
    }

    /// True if the factor is 1: one segment.
    pub fn is_single_segment(&self) -> bool {
        self.single_segment
    }

    /// True if the number of segments is odd.
    pub fn is_odd(&self) -> bool {
        self.odd
    }

    /// Points of a half, without the ends of the middle segment of an odd axis.
    pub fn split_points(&self) -> usize {
        self.half - usize::from(self.odd)
    }

    /// The number of points, including both ends.
    pub fn points(&self) -> usize {
        self.half * 2 + usize::from(!self.odd)
    }

    /// The position of a point, with 16 fraction bits. Both halves mirror each other.
    pub fn position(&self, point: usize) -> i32 {
        let mirrored = point >= self.half;
        let index = match mirrored {
            true => (self.points() - 1).saturating_sub(point),
            false => point,
        };
        if index == self.half {
            return ONE / 2;
        }
        let on_floor = index as i64 - i64::from(index > self.split);
        let (floor, ceil) = (on_floor * self.step[0], index as i64 * self.step[1]);
        let mixed = floor * (i64::from(ONE) - self.fraction) + ceil * self.fraction;
        let at = ((mixed + HALF) >> 16) as i32;
        if mirrored { ONE - at } else { at }
    }
}

/// The factor clamped to its range, and rounded up for integer partitioning.
fn clamp(factor: f32, engine: &Engine) -> f32 {
    let limit = |max: f32, upper: f32| if max > 0.0 { max.min(upper) } else { upper };
    let (min, upper) = match engine.partitioning {
        Partitioning::Integer => (1.0, limit(engine.max_not_odd, 64.0)),
        Partitioning::Odd => (1.0, limit(engine.max_odd, 63.0)),
        Partitioning::Even => (2.0, limit(engine.max_not_odd, 64.0)),
    };
    // NaN becomes the minimum.
    let factor = factor.max(min).min(upper.max(min));
    match engine.partitioning {
        Partitioning::Integer => factor.ceil(),
        _ => factor,
    }
}
