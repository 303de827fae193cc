//! Surface states and memory behind them: the fixture of this folder's tests.

use crate::space::AddressSpace;
use crate::surface::image::Image;
use crate::testing::memory;
use hw::state::render_surface_state as rss;

pub(super) const BASE: u64 = 0x10_0000;
pub(super) const AUX: u64 = 0x20_0000;
const R8G8B8A8_UNORM: u64 = 0x0c7;

/// A state of a 2D surface in Y tiles with `set` on top.
pub(super) fn image(set: &[(hw::Field, u64)]) -> Image {
    let mut words = [0; 16];
    let base = [
        (rss::SURFACE_TYPE, 1),
        (rss::SURFACE_FORMAT, R8G8B8A8_UNORM),
        (rss::SURFACE_ARRAY, 1),
        (rss::TILE_MODE, 3),
        (rss::SURFACE_HORIZONTAL_ALIGNMENT, 1),
        (rss::SURFACE_VERTICAL_ALIGNMENT, 1),
        (rss::SURFACE_BASE_ADDRESS, BASE),
        (rss::SURFACE_PITCH, 127),
    ];
    for (field, value) in base.iter().chain(set) {
        field.set(&mut words, *value);
    }
    Image::from_words(&words, 0).expect("a surface")
}

pub(super) fn space() -> AddressSpace {
    let mut space = AddressSpace::new();
    space.map(BASE, 0x10000, memory(0x10000), 0).expect("free");
    space.map(AUX, 0x10000, memory(0x10000), 0).expect("free");
    space
}
