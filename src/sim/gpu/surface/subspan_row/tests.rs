//! Rows of subspans compared with the single texels that they consist of.

use super::*;
use crate::observer::Via;
use crate::observer::testing::Quiet;
use crate::surface::rig::{BASE, image, space};
use hw::Format;
use hw::state::render_surface_state as rss;

fn number(name: &str) -> u64 {
    let all = hw::FORMATS.iter();
    let found = all.into_iter().find(|f: &&Format| f.name == name);
    found.expect(name).number.into()
}

/// Surfaces of texels of 1, 2, 4 and 8 bytes in all tilings, and whether rows of them are together.
fn surfaces() -> Vec<(Image, bool)> {
    let mut all = Vec::new();
    for (name, wide) in [
        ("R8_UINT", false),
        ("R16_UINT", false),
        ("R32_UINT", false),
        ("R16G16_UNORM", false),
        ("R16G16B16A16_UINT", true),
    ] {
        for tiling in 0..4 {
            let made = image(&[
                (rss::SURFACE_FORMAT, number(name)),
                (rss::TILE_MODE, tiling),
                (rss::SURFACE_PITCH, 511),
                (rss::WIDTH, 59),
                (rss::HEIGHT, 30),
                (rss::DEPTH, 1),
                (rss::SURFACE_QPITCH, 32 / 4),
            ]);
            // Tiles of 64 by 64 bytes keep no row together.
            all.push((made, tiling != 1 && !wide));
        }
    }
    all
}

/// Where the texel of a channel of four subspans in a row is.
fn lane_texel(lane: u32, [x, y, z]: [u32; 3]) -> [u32; 3] {
    [x + lane / 4 * 2 + lane % 2, y + lane / 2 % 2, z]
}

#[test]
fn subspan_rows_match_single_texel_accesses() {
    for (image, together) in surfaces() {
        let level = image.at_level(0);
        let what = (image.format.name, image.tiling);
        for at in [[0, 0, 0], [8, 6, 0], [32, 20, 1], [48, 28, 1]] {
            let Some(band) = Band::locate(&level, at) else {
                assert!(!together, "{what:?} {at:?}");
                continue;
            };
            assert!(together, "{what:?} {at:?}");
            let mask = u32::MAX >> (32 - 8 * image.bytes);
            let texels: [u32; 16] =
                std::array::from_fn(|i| 0x9abc_def0u32.wrapping_mul(i as u32 + 3) & mask);
            for mask in [0xffff, 0x5a3c, 0x8001, 0x00ff, 0] {
                let spaces = [space(), space()];
                let views = spaces.each_ref().map(AddressSpaceView::new);
                for view in &views {
                    view.write_pattern(BASE, [0x1111_1111; 4], 0x4000)
                        .expect("mapped");
                }
                assert_eq!(band.store(&views[0], mask, &texels), Ok(true));
                for lane in (0..16).filter(|lane| mask >> lane & 1 == 1) {
                    let [x, y, z] = lane_texel(lane, at);
                    let address = level.plain_address(x, y, z).expect("inside");
                    let texel = u64::from(texels[lane as usize]);
                    views[1]
                        .write_bytes(address, image.bytes, texel)
                        .expect("mapped");
                }
                let [found, expected] = views.each_ref().map(|view| {
                    let mut words = vec![0; 0x4000];
                    view.read_block(BASE, &mut words).expect("mapped");
                    words
                });
                assert!(found == expected, "{what:?} {at:?} {mask:#x}");
                if mask == 0xffff {
                    assert_eq!(band.load(&views[1]), Ok(Some(texels)), "{what:?} {at:?}");
                }
            }
        }
    }
}

#[test]
fn subspan_row_stores_write_no_other_memory() {
    for (image, _) in surfaces() {
        let level = image.at_level(0);
        for at in [
            [2, 0, 0],
            [56, 0, 0],
            [0, 31, 0],
            [0, 30, 0],
            [0, 0, 2],
            [u32::MAX, 0, 0],
        ] {
            assert_eq!(
                Band::locate(&level, at),
                None,
                "{} {at:?}",
                image.format.name
            );
        }
    }
    let odd = image(&[
        (rss::SURFACE_FORMAT, number("R8_UINT")),
        (rss::TILE_MODE, 0),
        (rss::SURFACE_PITCH, 62),
        (rss::WIDTH, 59),
        (rss::HEIGHT, 30),
    ]);
    assert_eq!(
        Band::locate(&odd.at_level(0), [0, 0, 0]),
        None,
        "rows of 63 bytes"
    );
    let multisampled = image(&[(rss::NUMBER_OF_MULTISAMPLES, 1), (rss::WIDTH, 59)]);
    assert_eq!(Band::locate(&multisampled.at_level(0), [0, 0, 0]), None);
}

#[test]
fn observers_receive_whole_rows_only() {
    let (image, _) = surfaces().swap_remove(3);
    assert_eq!(image.format.name, "R8_UINT");
    let level = image.at_level(0);
    let at = [8, 6, 0];
    let band = Band::locate(&level, at).expect("together");
    let rows = [6, 7].map(|y| level.plain_address(8, y, 0).expect("inside"));
    let space = space();
    let watch = Quiet::default();
    let view = AddressSpaceView::watched(&space, Some(&watch), Via::Render);
    view.write(rows[0], 0x0403_0201).expect("mapped");
    watch.drain();
    assert_eq!(band.store(&view, 0x7fff, &[7; 16]), Ok(false));
    assert_eq!(watch.drain(), []);
    assert_eq!(view.read(rows[0]), Ok(0x0403_0201));
    watch.drain();
    assert_eq!(band.store(&view, 0xffff, &[7; 16]), Ok(true));
    let each = rows.map(|row| (row, 8));
    assert_eq!(watch.drain(), each.map(|(row, bytes)| (true, row, bytes)));
    assert_eq!(band.load(&view), Ok(Some([7; 16])));
    assert_eq!(watch.drain(), each.map(|(row, bytes)| (false, row, bytes)));
}
