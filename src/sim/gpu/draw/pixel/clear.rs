//! Fast clears and resolves: of colour by blocks, of depth by rectangles.
//!
//! In:  a scaled-down pixel of a fast clear, or 3DSTATE_WM_HZ_OP. Out: blocks marked, or memory written.
//! Ref: SKL PRM vol. 7, "Render Target Fast Clear", "Render Target Resolve", "Depth Buffer Clear".

use super::FastClear;
use super::depth::{depth_buffer, stencil_buffer};
use crate::draw::exec::Draw;
use crate::memory::View;
use crate::strict::Via;
use crate::surface::Image;
use eu::Stop;
use hw::draw::{state_clear_params as params, state_wm_hz_op as op};

/// Blocks across and down that a pixel of the rectangle stands for.
const BLOCKS: u32 = 8;

/// Clears or resolves the blocks that a pixel of a scaled-down rectangle stands for.
pub(super) fn colour(
    view: &View<'_>,
    image: &Image,
    [x, y, layer]: [u32; 3],
    what: FastClear,
) -> Result<(), Stop> {
    let Some([block_w, block_h]) = image.ccs_block() else {
        return Err(Stop::Unimplemented {
            what: "a fast clear or resolve of a surface without blocks' states".into(),
            at: image.address,
        });
    };
    let [width, height, _] = image.level_extent(image.lod);
    let step = [BLOCKS * block_w, BLOCKS * block_h];
    let from = [x.saturating_mul(step[0]), y.saturating_mul(step[1])];
    for y in (from[1]..from[1].saturating_add(step[1]).min(height)).step_by(block_h as usize) {
        for x in (from[0]..from[0].saturating_add(step[0]).min(width)).step_by(block_w as usize) {
            match what {
                FastClear::Clear => {
                    image.mark_clear(view, image.lod, [x, y, layer])?;
                }
                FastClear::Resolve => image.materialize(view, image.lod, [x, y, layer])?,
            }
        }
    }
    Ok(())
}

/// Carries out 3DSTATE_WM_HZ_OP. Clears go to the buffers at once; nothing is held back that a resolve would have to
/// bring.
pub(crate) fn hz_op(draw: &Draw<'_>, words: &[u32]) -> Result<(), Stop> {
    let view = draw.view(Via::Depth);
    let get = |field: hw::Field| field.get(words);
    if get(op::NUMBER_OF_MULTISAMPLES) != 0 {
        return Err(Stop::Unimplemented {
            what: "3DSTATE_WM_HZ_OP on several samples".into(),
            at: draw.at,
        });
    }
    let rectangle = |image: &Image| {
        let [width, height, _] = image.level_extent(image.lod);
        let x = get(op::CLEAR_RECTANGLE_X_MIN) as u32
            ..(get(op::CLEAR_RECTANGLE_X_MAX) as u32).min(width);
        let y = get(op::CLEAR_RECTANGLE_Y_MIN) as u32
            ..(get(op::CLEAR_RECTANGLE_Y_MAX) as u32).min(height);
        (x, y)
    };
    let fill = |image: &Image, value: u32| -> Result<(), Stop> {
        let (columns, rows) = rectangle(image);
        for layer in 0..image.view_extent.min(image.depth) {
            for y in rows.clone() {
                for x in columns.clone() {
                    image.store(&view, image.lod, [x, y, layer], 0, [value, 0, 0, 0])?;
                }
            }
        }
        Ok(())
    };
    if get(op::DEPTH_BUFFER_CLEAR_ENABLE) == 1
        && let Some(image) = depth_buffer(draw)?
    {
        let value = draw.state.get(&params::PACKET, params::DEPTH_CLEAR_VALUE);
        fill(&image, value as u32)?;
    }
    if get(op::STENCIL_BUFFER_CLEAR_ENABLE) == 1
        && let Some(image) = stencil_buffer(draw)?
    {
        fill(&image, get(op::STENCIL_CLEAR_VALUE) as u32)?;
    }
    Ok(())
}
