//! Whether two boxes of elements have bytes in common.
//!
//! In:  where both lie. Out: yes or no; yes, too, of boxes of different surfaces in one memory, of which it is not told exactly.
//! Ref: SKL PRM vol. 5, "Tiling".

use crate::launch::Order;
use crate::texel::{Extent, Plane};

/// Bytes of a tile.
const TILE_BYTES: u64 = 4096;

/// A box of elements in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    plane: Plane,
    extent: Extent,
    /// First byte, and the first one behind it.
    reach: [u64; 2],
}

impl Place {
    /// A box.
    pub fn new(plane: Plane, extent: Extent) -> Place {
        let some = extent.row_bytes > 0 && extent.rows > 0 && extent.slices > 0;
        let reach = match (some, plane.order) {
            (false, _) => [0; 2],
            // To the byte: what lies beside it may be written, too.
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
        Place {
            plane,
            extent,
            reach,
        }
    }

    /// Bytes in a row.
    pub fn line(address: u64, bytes: u64) -> Place {
        let plane = Plane {
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
        Place {
            plane,
            extent,
            reach: [address, address + bytes],
        }
    }

    /// Whether both have bytes in common.
    #[inline]
    pub fn overlaps(&self, other: &Place) -> bool {
        let [[a, a_end], [b, b_end]] = [self.reach, other.reach];
        a < b_end && b < a_end && self.meets(other)
    }

    #[inline(never)]
    fn meets(&self, other: &Place) -> bool {
        let (low, high) = match self.plane.address <= other.plane.address {
            true => (self, other),
            false => (other, self),
        };
        let shape = |plane: &Plane| (plane.order, plane.pitch_bytes, plane.slice_rows);
        let away = match shape(&low.plane) == shape(&high.plane) {
            true => low.plane.away(high.plane.address - low.plane.address),
            false => None,
        };
        let Some(Away {
            width,
            mut right,
            mut down,
        }) = away
        else {
            return true;
        };
        let columns = |place: &Place| {
            let first = i64::from(place.plane.x_bytes);
            [first, first + i64::from(place.extent.row_bytes)]
        };
        let ([low_x, low_end], [high_x, high_end]) = (columns(low), columns(high));
        // Where the lower one starts within its row nobody says; but no box goes on in the next row.
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
        rows_meet(&low.extent, &high.extent, low.plane.slice_rows.into(), down)
    }
}

/// Whether rows of some slice of a box are rows of some slice of another one, which begins so many rows further down.
fn rows_meet(a: &Extent, b: &Extent, slice_rows: i64, down: i64) -> bool {
    // Of slice i of the one and k of the other it is i - k that matters: where it is n, the first rows are n slices less `down` apart.
    let meet = |apart: i64| apart - down < b.rows.into() && down - apart < a.rows.into();
    let (least, most) = (1 - i64::from(b.slices), i64::from(a.slices) - 1);
    if slice_rows == 0 {
        return meet(0);
    }
    let nearest = down.div_euclid(slice_rows);
    [nearest, nearest + 1]
        .into_iter()
        .any(|n| meet(n.clamp(least, most) * slice_rows))
}

/// Where a surface goes on at a later byte.
struct Away {
    /// Bytes of a row.
    width: i64,
    /// Bytes to the right.
    right: i64,
    /// Rows down.
    down: i64,
}

impl Plane {
    /// Where it goes on so many bytes behind its start; None: no row or tile starts there.
    fn away(&self, bytes: u64) -> Option<Away> {
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
        Some(Away {
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

    /// Bytes that a box has.
    fn bytes(place: &Place) -> BTreeSet<usize> {
        let Place { plane, extent, .. } = place;
        let mut all = BTreeSet::new();
        for (slice, y) in (0..extent.slices).flat_map(|z| (0..extent.rows).map(move |y| (z, y))) {
            let row = plane.y_rows + y + slice * plane.slice_rows;
            all.extend((0..extent.row_bytes).map(|x| byte(plane, plane.x_bytes + x, row)));
        }
        all
    }

    fn of(plane: Plane, row_bytes: u32, rows: u32) -> Place {
        let extent = Extent {
            row_bytes,
            rows,
            slices: 1,
        };
        Place::new(plane, extent)
    }

    #[test]
    fn boxes_of_other_surfaces_overlap_where_they_reach_the_same_memory() {
        let tiles = of(plane(Order::Y, 0, 0, 0), 16, 8);
        // The same tile row, in another order.
        assert!(tiles.overlaps(&of(plane(Order::Rows, 384, 0, 0), 16, 2)));
        assert!(!tiles.overlaps(&of(plane(Order::Y, HALF as u64, 0, 0), 16, 8)));
        assert!(!tiles.overlaps(&of(plane(Order::Rows, 3 * 4096, 0, 0), 16, 2)));
        assert!(!tiles.overlaps(&of(plane(Order::Y, 0, 0, 0), 0, 8)));
    }

    #[test]
    fn lines_overlap_to_the_byte() {
        let line = Place::line(101, 7);
        for (address, bytes, common) in [
            (95, 6, false),
            (95, 7, true),
            (108, 9, false),
            (107, 1, true),
        ] {
            assert_eq!(
                line.overlaps(&Place::line(address, bytes)),
                common,
                "{address}"
            );
        }
        // Rows of three bytes, from byte 104 on, 336 apart.
        assert!(line.overlaps(&of(plane(Order::Rows, 100, 4, 0), 3, 2)));
        assert!(!line.overlaps(&of(plane(Order::Rows, 100, 8, 0), 3, 2)));
    }

    #[test]
    fn boxes_of_a_surface_overlap_where_they_have_bytes_in_common() {
        let mut state = 1u32;
        let mut below = |most: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % most
        };
        let (mut met, mut apart) = (0, 0);
        for order in [Order::Rows, Order::X, Order::Y, Order::W] {
            for round in 0..400 {
                let [a, b] = [0, 1].map(|_| {
                    // Levels begin with other tiles, or rows, of the same surface.
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
                    Place::new(plane, extent)
                });
                let common = bytes(&a).intersection(&bytes(&b)).count() > 0;
                assert_eq!(a.overlaps(&b), common, "{order:?} {round}: {a:?} {b:?}");
                assert_eq!(b.overlaps(&a), common);
                if common { met += 1 } else { apart += 1 }
            }
        }
        assert!(met > 200 && apart > 200, "{met} {apart}");
    }
}
