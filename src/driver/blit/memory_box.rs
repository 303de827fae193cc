//! Boxes of elements in memory, and whether two of them overlap.
//!
//! In:  two boxes. Out: whether they have bytes in common; conservatively true for boxes of
//!      different surfaces in the same memory.
//! Ref: SKL PRM vol. 5, "Tiling".

use crate::launch::Order;
use crate::texel::{Extent, TexelMemory};

/// Bytes of a tile.
const TILE_BYTES: u64 = 4096;

/// A box of elements in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBox {
    plane: TexelMemory,
    extent: Extent,
    /// The first byte, and the first one behind the box.
    reach: [u64; 2],
}

impl MemoryBox {
    /// A box of elements.
    pub fn new(plane: TexelMemory, extent: Extent) -> MemoryBox {
        let some = extent.row_bytes > 0 && extent.rows > 0 && extent.slices > 0;
        let reach = match (some, plane.order) {
            (false, _) => [0; 2],
            // Exact to the byte, as the bytes beside the box may be written concurrently.
            (true, Order::Rows) => {
                let rows = |row| u64::from(row) * u64::from(plane.pitch_bytes);
                let slices = u64::from(extent.slices - 1) * rows(plane.slice_rows);
                let first = plane.address + rows(plane.y_rows) + u64::from(plane.x_bytes);
                [
                    first,
                    first + slices + rows(extent.rows - 1) + u64::from(extent.row_bytes),
                ]
            }
            (true, _) => {
                let span = plane.span(&extent).0;
                [span.address, span.address + span.bytes]
            }
        };
        MemoryBox {
            plane,
            extent,
            reach,
        }
    }

    /// A range of contiguous bytes.
    pub fn line(address: u64, bytes: u64) -> MemoryBox {
        let plane = TexelMemory {
            address,
            order: Order::Rows,
            pitch_bytes: 0,
            x_bytes: 0,
            y_rows: 0,
            slice_rows: 0,
        };
        let extent = Extent {
            row_bytes: 0,
            rows: 1,
            slices: 1,
        };
        MemoryBox {
            plane,
            extent,
            reach: [address, address + bytes],
        }
    }

    /// Whether both have bytes in common.
    #[inline]
    pub fn overlaps(&self, other: &MemoryBox) -> bool {
        let [[a, a_end], [b, b_end]] = [self.reach, other.reach];
        a < b_end && b < a_end && self.intersects_in_surface(other)
    }

    /// As [`MemoryBox::overlaps`], for boxes whose ranges of bytes overlap: compares rows and
    /// columns if both are in the same surface.
    #[inline(never)]
    fn intersects_in_surface(&self, other: &MemoryBox) -> bool {
        let (low, high) = match self.plane.address <= other.plane.address {
            true => (self, other),
            false => (other, self),
        };
        let shape = |plane: &TexelMemory| (plane.order, plane.pitch_bytes, plane.slice_rows);
        let displacement = match shape(&low.plane) == shape(&high.plane) {
            true => low
                .plane
                .displacement(high.plane.address - low.plane.address),
            false => None,
        };
        let Some(Displacement {
            width,
            mut right,
            mut down,
        }) = displacement
        else {
            return true;
        };
        let columns = |memory: &MemoryBox| {
            let first = i64::from(memory.plane.x_bytes);
            [first, first + i64::from(memory.extent.row_bytes)]
        };
        let ([low_x, low_end], [high_x, high_end]) = (columns(low), columns(high));
        // The column at which the lower box starts in its surface is unknown; but no box wraps into
        // the next row.
        if high_end + right > width {
            if low_end > right || high_end > width {
                return true;
            }
            (right, down) = (right - width, down + 1);
        }
        if low_x >= high_end + right || high_x + right >= low_end {
            return false;
        }
        let down = down + i64::from(high.plane.y_rows) - i64::from(low.plane.y_rows);
        rows_intersect(&low.extent, &high.extent, low.plane.slice_rows.into(), down)
    }
}

/// Whether a row of some slice of `a` is a row of some slice of `b`, which starts `down` rows
/// further down.
fn rows_intersect(a: &Extent, b: &Extent, slice_rows: i64, down: i64) -> bool {
    // Only the difference n = i - k of the slices i and k matters: the first rows are then n slices
    // minus `down` apart.
    let meet = |distance: i64| distance - down < b.rows.into() && down - distance < a.rows.into();
    let (min, max) = (1 - i64::from(b.slices), i64::from(a.slices) - 1);
    if slice_rows == 0 {
        return meet(0);
    }
    let nearest = down.div_euclid(slice_rows);
    [nearest, nearest + 1]
        .into_iter()
        .any(|n| meet(n.clamp(min, max) * slice_rows))
}

/// The displacement between two addresses of a surface.
struct Displacement {
    /// Bytes of a row of the surface.
    width: i64,
    /// Bytes to the right.
    right: i64,
    /// Rows down.
    down: i64,
}

impl TexelMemory {
    /// The displacement of a later address; none if no row or tile starts there.
    fn displacement(&self, bytes: u64) -> Option<Displacement> {
        let (row_bytes, unit_bytes, width, height) = match self.order {
            Order::Rows => (u64::from(self.pitch_bytes), 1, 1, 1),
            order => {
                let rows = 1 << order.rows_log2();
                let row_bytes = order.tile_row_bytes(self.pitch_bytes);
                (row_bytes, TILE_BYTES, TILE_BYTES / rows, rows)
            }
        };
        let per_row = row_bytes / unit_bytes;
        if per_row == 0 || !bytes.is_multiple_of(unit_bytes) {
            return None;
        }
        let units = bytes / unit_bytes;
        Some(Displacement {
            width: i64::try_from(per_row * width).ok()?,
            right: i64::try_from(units % per_row * width).ok()?,
            down: i64::try_from(units / per_row * height).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texel::tests::{HALF, byte, plane};
    use std::collections::BTreeSet;

    /// The bytes of a box.
    fn bytes(memory: &MemoryBox) -> BTreeSet<usize> {
        let MemoryBox { plane, extent, .. } = memory;
        let mut all = BTreeSet::new();
        for (slice, y) in (0..extent.slices).flat_map(|z| (0..extent.rows).map(move |y| (z, y))) {
            let row = plane.y_rows + y + slice * plane.slice_rows;
            all.extend((0..extent.row_bytes).map(|x| byte(plane, plane.x_bytes + x, row)));
        }
        all
    }

    fn single_slice(plane: TexelMemory, row_bytes: u32, rows: u32) -> MemoryBox {
        let extent = Extent {
            row_bytes,
            rows,
            slices: 1,
        };
        MemoryBox::new(plane, extent)
    }

    #[test]
    fn boxes_of_other_surfaces_overlap_where_they_reach_the_same_memory() {
        let tiles = single_slice(plane(Order::Y, 0, 0, 0), 16, 8);
        // The same tile row, in another order.
        assert!(tiles.overlaps(&single_slice(plane(Order::Rows, 384, 0, 0), 16, 2)));
        assert!(!tiles.overlaps(&single_slice(plane(Order::Y, HALF as u64, 0, 0), 16, 8)));
        assert!(!tiles.overlaps(&single_slice(plane(Order::Rows, 3 * 4096, 0, 0), 16, 2)));
        assert!(!tiles.overlaps(&single_slice(plane(Order::Y, 0, 0, 0), 0, 8)));
    }

    #[test]
    fn lines_overlap_to_the_byte() {
        let line = MemoryBox::line(101, 7);
        for (address, bytes, common) in [
            (95, 6, false),
            (95, 7, true),
            (108, 9, false),
            (107, 1, true),
        ] {
            assert_eq!(
                line.overlaps(&MemoryBox::line(address, bytes)),
                common,
                "{address}"
            );
        }
        // Rows of three bytes, from byte 104 on, 336 apart.
        assert!(line.overlaps(&single_slice(plane(Order::Rows, 100, 4, 0), 3, 2)));
        assert!(!line.overlaps(&single_slice(plane(Order::Rows, 100, 8, 0), 3, 2)));
    }

    #[test]
    fn boxes_of_a_surface_overlap_where_they_have_bytes_in_common() {
        let mut state = 1u32;
        let mut below = |max: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % max
        };
        let (mut met, mut disjoint) = (0, 0);
        for order in [Order::Rows, Order::X, Order::Y, Order::W] {
            for round in 0..400 {
                let [a, b] = [0, 1].map(|_| {
                    // Levels start at other tiles, or rows, of the same surface.
                    let [across, down] = [below(2), below(3)];
                    let start = match order {
                        Order::Rows => down * 336 + across * 40,
                        // Rows of two and of three tiles.
                        Order::X => 4096 * (across + 2 * down),
                        Order::Y | Order::W => 4096 * (across + 3 * down),
                    };
                    let plane = plane(order, start.into(), below(40), below(30));
                    let extent = Extent {
                        row_bytes: 1 + below(48),
                        rows: 1 + below(16),
                        slices: 1 + below(3),
                    };
                    MemoryBox::new(plane, extent)
                });
                let common = bytes(&a).intersection(&bytes(&b)).count() > 0;
                assert_eq!(a.overlaps(&b), common, "{order:?} {round}: {a:?} {b:?}");
                assert_eq!(b.overlaps(&a), common);
                if common { met += 1 } else { disjoint += 1 }
            }
        }
        assert!(met > 200 && disjoint > 200, "{met} {disjoint}");
    }
}
