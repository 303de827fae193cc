//! Clears and resolves of depth by way of its hierarchy.
//!
//! In:  depth and stencil with their layers, [`DepthWork`]. Out: 3DSTATE_WM_HZ_OP for each layer, with what must stand around it.
//! Ref: SKL PRM vol. 2a, "3DSTATE_WM_HZ_OP"; vol. 7, "Depth Buffer Clear", "Depth Buffer Resolve", "Hierarchical Depth Buffer Resolve".

use hw::draw::{state_viewport_state_pointers_cc as pointer, state_wm, state_wm_hz_op as op};
use hw::draw_state::cc_viewport;
use hw::media::pipe_control as pc;

use super::{raster, target};
use crate::draw::state::Multisample;
use crate::draw::target::{DepthStencilTarget, DepthWork};
use crate::generation::Machine;
use crate::stream::{Memory, Stream, offset};

/// Depth before is in memory, and nothing after begins before that: vol. 7, "Depth Buffer Clear", asks for it on both sides.
const DEPTH_DONE: [u32; 6] = pc::words::<6>()
    .flag(pc::COMMAND_STREAMER_STALL_ENABLE, true)
    .flag(pc::DEPTH_CACHE_FLUSH_ENABLE, true)
    .flag(pc::DEPTH_STALL_ENABLE, true)
    .dwords;

/// Operations are on blocks of so many pixels.
const BLOCK_PX: [u32; 2] = [8, 4];

/// Does the work, layer by layer.
pub(super) fn work<M: Memory>(
    stream: &mut Stream<M>,
    machine: &Machine,
    (buffers, samples): (&DepthStencilTarget, u8),
    work: &DepthWork,
) -> Result<(), M::Error> {
    const WRITE_IMMEDIATE: u64 = 1;
    let mut words = op::words::<5>()
        .with(
            op::NUMBER_OF_MULTISAMPLES,
            samples.max(1).trailing_zeros().into(),
        )
        .with(op::SAMPLE_MASK, 0xffff);
    let level = |extent: u32| (extent >> buffers.level).max(1);
    let (width, height) = (level(buffers.width), level(buffers.height));
    let mut layer_of = *buffers;
    layer_of.layers = 1;
    let (from, to) = match work {
        DepthWork::Clear {
            depth,
            stencil,
            area,
        } => {
            let to = [area.x + area.width, area.y + area.height];
            let whole = (area.x, area.y) == (0, 0) && to[0] >= width && to[1] >= height;
            words = words
                .flag(op::DEPTH_BUFFER_CLEAR_ENABLE, *depth)
                .flag(op::STENCIL_BUFFER_CLEAR_ENABLE, stencil.is_some())
                .with(op::STENCIL_CLEAR_VALUE, stencil.unwrap_or(0).into())
                .flag(op::FULL_SURFACE_DEPTH_AND_STENCIL_CLEAR, whole && *depth);
            ([area.x, area.y], to)
        }
        DepthWork::Resolve | DepthWork::Refill => {
            words = match work {
                DepthWork::Resolve => words.flag(op::DEPTH_BUFFER_RESOLVE_ENABLE, true),
                _ => words.flag(op::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE, true),
            };
            // Of whole blocks; stencil has no part in it.
            layer_of.stencil = None;
            let [w, h] = BLOCK_PX;
            if buffers.level == 0 {
                layer_of.width = buffers.width.next_multiple_of(w);
                layer_of.height = buffers.height.next_multiple_of(h);
            }
            (
                [0, 0],
                [width.next_multiple_of(w), height.next_multiple_of(h)],
            )
        }
    };
    let words = words
        .with(op::CLEAR_RECTANGLE_X_MIN, from[0].into())
        .with(op::CLEAR_RECTANGLE_Y_MIN, from[1].into())
        .with(op::CLEAR_RECTANGLE_X_MAX, to[0].into())
        .with(op::CLEAR_RECTANGLE_Y_MAX, to[1].into());
    let written = pc::words::<6>()
        .with(pc::POST_SYNC_OPERATION, WRITE_IMMEDIATE)
        .with(pc::ADDRESS, machine.scrap_address);
    stream.put(DEPTH_DONE)?;
    let said = Multisample {
        samples,
        ..Multisample::default()
    };
    stream.put(raster::multisample(&said))?;
    // A value to clear to lies within the depths that the viewport lets through.
    let data = stream.data(2)?;
    data.words.copy_from_slice(
        &cc_viewport::words::<2>()
            .with(cc_viewport::MAXIMUM_DEPTH, 1_f32.to_bits().into())
            .dwords,
    );
    let at = offset(data.address, machine.dynamic_base);
    let range = pointer::words::<2>().with(pointer::CC_VIEWPORT_POINTER, at);
    stream.put(range.dwords)?;
    // No threads, whatever the pipeline before has forced.
    stream.put(state_wm::words::<2>().dwords)?;
    for layer in 0..buffers.layers.max(1) {
        layer_of.first_layer = buffers.first_layer + layer;
        stream.put(target::depth_stencil(&layer_of))?;
        stream.put(words.dwords)?;
        stream.put(written.dwords)?;
        stream.put(op::words::<5>().dwords)?;
    }
    stream.put(DEPTH_DONE)
}
