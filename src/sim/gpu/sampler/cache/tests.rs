//! The texture cache returns the content of memory, whatever the order of the accesses.

use crate::memory::AddressSpaceView;
use crate::sampler::cache::TextureCache;
use crate::sampler::rig::{BYTES, NOTHING, R32_UINT, Rig, Set, image};
use hw::state::render_surface_state as rss;

/// Planes of 128 × 32 texels with two levels; all in rows of 128 texels.
const PLANES: Set<'static> = &[
    (rss::SURFACE_FORMAT, R32_UINT),
    (rss::WIDTH, 127),
    (rss::HEIGHT, 31),
    (rss::MIP_COUNT_LOD, 1),
    (rss::SURFACE_ARRAY, 1),
    (rss::DEPTH, 1),
    (rss::SURFACE_PITCH, 511),
    (rss::SURFACE_QPITCH, 12),
];

#[test]
fn lines_are_keyed_by_surface_level_block_and_slice() {
    let rig = Rig::new(&[], &[]);
    let numbers: Vec<_> = (0..BYTES as u32 / 4).collect();
    rig.write(0, &numbers);
    let view = AddressSpaceView::new(&rig.space);
    let surfaces = [
        image(PLANES),
        image(&[PLANES, &[(rss::SURFACE_ARRAY, 0), (rss::X_OFFSET, 1)]].concat()),
    ];
    let mut texels = TextureCache::default();
    // Every texel of both surfaces, twice, in an order that goes from one to another all the time.
    let count = 2 * 2 * 2 * 128 * 32;
    let mut n = 0;
    for _ in 0..2 * count {
        n = (n + 20_021) % count;
        let [of, level, z] = [n & 1, n >> 1 & 1, n >> 2 & 1];
        let [x, y] = [n >> 3 & 127, n >> 10 & 31];
        let (state, surface) = (0x1000 + 64 * u64::from(of), &surfaces[of as usize]);
        let known = texels.level((state, surface), level);
        let found = texels.texel(&view, (state, surface), (level, &known), [x, y, z]);
        let inside = x < 128 >> level && y < 32 >> level && (of == 0 || z == 0);
        let place = (48 * z + 32 * level + y) * 128 + x + 4 * of;
        let expected = if inside { [place, 0, 0, 1] } else { NOTHING };
        assert_eq!(found, Ok(expected), "{of} {level}: {x} {y} {z}");
        let found = texels.load_uncached(&view, (state, surface), level, [x, y, z]);
        assert_eq!(found, Ok(expected), "{of} {level}: {x} {y} {z}");
    }
}

#[test]
fn levels_are_keyed_by_surface() {
    // 15 levels of surfaces of 2^14, 2^13 and 2^12 texels a side: more than the cache holds.
    let side = |log: u64| {
        [
            (rss::WIDTH, (1 << log) - 1),
            (rss::HEIGHT, 0),
            (rss::MIP_COUNT_LOD, log),
        ]
    };
    let surfaces = [14, 13, 12].map(|log| (log, image(&side(log))));
    let mut texels = TextureCache::default();
    let mut n = 0;
    for _ in 0..200 {
        n = (n + 17) % 39;
        let (level, which) = (n / 3, n as usize % 3);
        let (log, surface) = &surfaces[which];
        let found = texels.level((64 * which as u64, surface), level);
        assert_eq!(
            found.extent()[0],
            1 << (log - u64::from(level)),
            "{log} {level}"
        );
    }
}

#[test]
fn lines_are_keyed_by_distant_slices() {
    let array = [
        (rss::SURFACE_FORMAT, R32_UINT),
        (rss::SURFACE_ARRAY, 1),
        (rss::DEPTH, 127),
        (rss::SURFACE_QPITCH, 1),
    ];
    let rig = Rig::new(&[], &[]);
    let numbers: Vec<_> = (0..BYTES as u32 / 4).collect();
    rig.write(0, &numbers);
    let (view, surface) = (AddressSpaceView::new(&rig.space), image(&array));
    let mut texels = TextureCache::default();
    let known = texels.level((0, &surface), 0);
    for z in [0, 64, 0, 127, 63, 1, 65, 0] {
        let found = texels.texel(&view, (0, &surface), (0, &known), [2, 1, z]);
        assert_eq!(found, Ok([64 * z + 16 + 2, 0, 0, 1]), "{z}");
    }
}

#[test]
fn lines_are_keyed_by_column_and_row() {
    let rig = Rig::new(&[], &[]);
    let numbers: Vec<_> = (0..BYTES as u32 / 4).collect();
    rig.write(0, &numbers);
    let (view, surface) = (AddressSpaceView::new(&rig.space), image(PLANES));
    let mut texels = TextureCache::default();
    let known = texels.level((0, &surface), 0);
    // Row by row, and column by column: one texel of each block after another.
    let rows = (0..8).flat_map(|y| (0..32).map(move |x| [4 * x, 4 * y]));
    let columns = (0..32).flat_map(|x| (0..8).map(move |y| [4 * x, 4 * y]));
    for [x, y] in rows.chain(columns) {
        let found = texels.texel(&view, (0, &surface), (0, &known), [x, y, 0]);
        assert_eq!(found, Ok([128 * y + x, 0, 0, 1]), "{x} {y}");
    }
}
