//! What threads of sixteen pixels write at once, against what each subspan and each pixel writes.

use crate::draw::pixel::target::RenderTarget;
use crate::draw::pixel::target::tests::{blend, image};
use crate::draw::pixel::testing::{COLOUR, PITCH, Rig};
use hw::draw_state::blend_state_entry as entry;
use hw::state::render_surface_state as rss;

const R16G16B16A16_UNORM: u64 = 0x080;
const R8G8B8A8_UNORM: u64 = 0x0c7;
const R8G8B8A8_SNORM: u64 = 0x0c9;
const R8G8B8A8_UINT: u64 = 0x0cb;
const R16G16_SINT: u64 = 0x0ce;
const R32_UINT: u64 = 0x0d7;
const R16_UNORM: u64 = 0x10a;
const R8_UNORM: u64 = 0x140;
const R8_UINT: u64 = 0x143;

#[test]
fn subspan_row_writes_match_subspan_writes() {
    for (format, mask) in [
        (R8G8B8A8_UNORM, 0xffff),
        (R8G8B8A8_UINT, 0x5a3c),
        (R8G8B8A8_SNORM, 0xffff),
        (R32_UINT, 0x8001),
        (R16G16_SINT, 0xffff),
        (R16_UNORM, 0xf0ff),
        (R8_UNORM, 0xffff),
        (R8_UINT, 0x7ffe),
    ] {
        let mut rig = Rig::new();
        let image = image(&mut rig, format, &[]);
        let view = rig.view();
        let rows = [2, 3].map(|y| COLOUR + y * PITCH);
        let float = matches!(
            format,
            R8G8B8A8_UNORM | R8G8B8A8_SNORM | R16_UNORM | R8_UNORM
        );
        let value = |c: u32, lane: u32| match float {
            true => ((c * 16 + lane) as f32 / 64.0).to_bits(),
            false => c * 16 + lane,
        };
        let colours = [0, 1, 2, 3].map(|c| std::array::from_fn(|lane| value(c, lane as u32)));
        let [first, second] = [false, true].map(|by_subspan| {
            for row in rows {
                rig.write(row, &[0x1111_1111; 20]);
            }
            let mut target = RenderTarget::new(image, blend(&[]), [0.0; 4]);
            for i in (0..4).filter(|_| by_subspan) {
                let part = colours.map(|c: [u32; 16]| std::array::from_fn(|p| c[i * 4 + p]));
                let place = [8 + 2 * i as u32, 2, 0];
                let done = target.write_subspan(&view, place, mask >> (4 * i) & 15, &part);
                // Of dwords, those that no subspan packs are written one by one.
                for pixel in (0..4).filter(|_| done == Ok(false)) {
                    let at = [place[0] + pixel as u32 % 2, 2 + pixel as u32 / 2, 0];
                    let colour = part.map(|c: [u32; 4]| c[pixel]);
                    if mask >> (4 * i + pixel) & 1 == 1 {
                        target.write(&view, at, 1, colour, [0; 4]).expect("mapped");
                    }
                }
            }
            if !by_subspan {
                let done = target.write_band(&view, [8, 2, 0], mask, colours.each_ref());
                assert_eq!(done, Ok(true), "{format:#x}");
            }
            rows.map(|row| (0..20).map(|i| rig.read(row + i * 4)).collect::<Vec<_>>())
        });
        assert_eq!(first, second, "{format:#x} {mask:#x}");
    }
}

#[test]
fn subspan_row_writes_require_no_read_of_the_target() {
    let colours = [[0u32; 16]; 4];
    let masked = [(entry::WRITE_DISABLE_RED, 1)];
    let blended = [(entry::COLOR_BUFFER_BLEND_ENABLE, 1)];
    let reversed = [
        (rss::SHADER_CHANNEL_SELECT_RED, 6),
        (rss::SHADER_CHANNEL_SELECT_BLUE, 4),
    ];
    for (format, fields, state) in [
        (R8_UNORM, &[][..], &masked[..]),
        (R8_UNORM, &[], &blended),
        (R8G8B8A8_UNORM, &[], &masked),
        (R8G8B8A8_UNORM, &reversed, &[]),
        (R16G16B16A16_UNORM, &[], &[]),
    ] {
        let mut rig = Rig::new();
        let image = image(&mut rig, format, fields);
        let mut target = RenderTarget::new(image, blend(state), [0.0; 4]);
        let done = target.write_band(&rig.view(), [8, 2, 0], 0xffff, colours.each_ref());
        assert_eq!(done, Ok(false), "{format:#x} {fields:?} {state:?}");
    }
}
