//! All messages return the texels of compressed blocks uncompressed.

use crate::memory::AddressSpaceView;
use crate::sampler::request::message_type;
use crate::sampler::rig::{Ask, DATA, Rig, image};
use hw::Field;
use hw::state::{render_surface_state as rss, sampler_state as ss};

const R8G8B8A8_UNORM: u64 = 0x0c7;
const R16G16B16A16_FLOAT: u64 = 0x084;
const R32G32B32A32_FLOAT: u64 = 0x000;
/// From the plain surface to the one with a control surface, and to that.
const OTHER: u64 = 0x4000;
const CONTROL: u64 = 0x8000;

/// 32 × 16 texels in Y tiles.
fn fields(format: u64, base: u64, mode: u64) -> Vec<(Field, u64)> {
    vec![
        (rss::SURFACE_FORMAT, format),
        (rss::TILE_MODE, 3),
        (rss::WIDTH, 31),
        (rss::HEIGHT, 15),
        (rss::SURFACE_PITCH, 511),
        (rss::SURFACE_HORIZONTAL_ALIGNMENT, 3),
        (rss::SURFACE_BASE_ADDRESS, DATA + base),
        (rss::AUXILIARY_SURFACE_MODE, mode),
        (rss::AUXILIARY_SURFACE_BASE_ADDRESS, DATA + CONTROL),
        (rss::GREEN_CLEAR_COLOR, 1f32.to_bits().into()),
    ]
}

/// Answers of a surface of plain blocks, and of one of which some blocks are compressed, some
/// cleared.
fn both(format: u64, mode: u64, linear: bool, asks: &[Ask]) {
    let (plain, other) = (fields(format, 0, 0), fields(format, OTHER, mode));
    let filter = u64::from(linear);
    let sampler = [(ss::MIN_MODE_FILTER, filter), (ss::MAG_MODE_FILTER, filter)];
    let rig = Rig::new(&[&plain, &other], &[&sampler]);
    let view = AddressSpaceView::new(&rig.space);
    let (plain, other) = (image(&plain), image(&other));
    let [w, h] = other.ccs_block().expect("blocks");
    let target = image(&fields(format, OTHER, 5));
    for y in 0..16 {
        for x in 0..32 {
            let values = [x, y, x ^ y, 7].map(|n| (n as f32 / 32.0).to_bits());
            for to in [&plain, &other] {
                to.store(&view, 0, [x, y, 0], 0, values).expect("mapped");
            }
        }
    }
    for y in (0..16).step_by(h as usize) {
        for x in (0..32).step_by(w as usize) {
            let place = [x, y, 0];
            match (x / w + y / h) % 4 {
                0 => {
                    assert_eq!(other.mark_clear(&view, 0, place), Ok(true));
                    for (x, y) in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
                        let stored = plain.store(&view, 0, [x, y, 0], 0, other.clear_color);
                        stored.expect("mapped");
                    }
                }
                1 => {}
                _ => {
                    let opened = target.open(&view, 0, place).expect("mapped");
                    target
                        .close(&view, opened.expect("a block"))
                        .expect("mapped");
                }
            }
        }
    }
    for ask in asks {
        let found = [0, 1].map(|table| {
            rig.ask(&Ask {
                table,
                ..ask.clone()
            })
        });
        assert_eq!(
            found[0], found[1],
            "format {format:#x}, mode {mode}: {ask:?}"
        );
    }
}

/// Four subspans in a row from a place on, as pixel shaders' threads have them.
fn subspans(x: u32, y: u32) -> [Vec<u32>; 2] {
    let lanes = || 0..16;
    [
        lanes().map(|i| x + i / 4 * 2 + i % 2).collect(),
        lanes().map(|i| y + i / 2 % 2).collect(),
    ]
}

#[test]
fn ld_of_compressed_surfaces() {
    let mut asks = Vec::new();
    for (x, y) in (0..32)
        .step_by(8)
        .flat_map(|x| [0, 2, 6, 14].map(|y| (x, y)))
    {
        let [xs, ys] = subspans(x, y);
        let mut scattered = xs.clone();
        scattered.swap(0, 9);
        for xs in [xs, scattered] {
            for kind in [message_type::LD, message_type::LD_LZ] {
                asks.push(Ask {
                    width: 16,
                    parameters: vec![xs.clone(), ys.clone(), vec![0], vec![0]],
                    ..Ask::new(kind, &[])
                });
            }
        }
    }
    for format in [R8G8B8A8_UNORM, R16G16B16A16_FLOAT, R32G32B32A32_FLOAT] {
        // For the sampler AUX_CCS_D is AUX_CCS_E.
        for mode in [1, 5] {
            both(format, mode, false, &asks);
        }
    }
}

#[test]
fn sampling_of_compressed_surfaces() {
    let place = |at: u32, size: f32| at as f32 / size;
    let mut asks = Vec::new();
    for (x, y) in (0..32).step_by(8).flat_map(|x| [0, 3, 14].map(|y| (x, y))) {
        let [xs, ys] = subspans(x, y);
        let us: Vec<f32> = xs.iter().map(|x| place(*x, 32.0) + 0.011).collect();
        let vs: Vec<f32> = ys.iter().map(|y| place(*y, 16.0) + 0.023).collect();
        asks.push(Ask::each(message_type::SAMPLE, &[&us, &vs]));
        asks.push(Ask::each(message_type::SAMPLE_LZ, &[&us, &vs]));
    }
    for format in [R8G8B8A8_UNORM, R16G16B16A16_FLOAT, R32G32B32A32_FLOAT] {
        for linear in [false, true] {
            both(format, 5, linear, &asks);
        }
    }
}
