//! HiZ operations: depth clears, depth resolves and HiZ resolves.
//!
//! In:  depth and stencil buffers with their layers, [`HizOp`]. Out: 3DSTATE_WM_HZ_OP for each
//!      layer, with the packets required around it.
//! Ref: SKL PRM vol. 2a, "3DSTATE_WM_HZ_OP"; vol. 7, "Depth Buffer Clear", "Depth Buffer Resolve",
//!      "Hierarchical Depth Buffer Resolve".

use hw::draw::{state_viewport_state_pointers_cc as pointer, state_wm, state_wm_hz_op as op};
use hw::draw_state::cc_viewport;
use hw::media::pipe_control as pc;
use hw::value::command::post_sync_operation;

use super::{raster, target};
use crate::draw::state::MultisampleState;
use crate::draw::target::{DepthStencilTarget, HizOp};
use crate::generation::DeviceInfo;
use crate::stream::{Stream, StreamMemory, offset};

/// Depth flush and stall: vol. 7, "Depth Buffer Clear", requires one before and after the
/// operation.
const DEPTH_DONE: [u32; 6] = pc::words::<6>()
    .flag(pc::COMMAND_STREAMER_STALL_ENABLE, true)
    .flag(pc::DEPTH_CACHE_FLUSH_ENABLE, true)
    .flag(pc::DEPTH_STALL_ENABLE, true)
    .dwords;

/// HiZ block size in pixels.
const BLOCK_PX: [u32; 2] = [8, 4];

/// Performs a HiZ operation, layer by layer.
pub(super) fn emit<M: StreamMemory>(
    stream: &mut Stream<M>,
    machine: &DeviceInfo,
    (buffers, samples): (&DepthStencilTarget, u8),
    work: &HizOp,
) -> Result<(), M::Error> {
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
        HizOp::Clear {
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
        HizOp::Resolve | HizOp::Ambiguate => {
            words = match work {
                HizOp::Resolve => words.flag(op::DEPTH_BUFFER_RESOLVE_ENABLE, true),
                _ => words.flag(op::HIERARCHICAL_DEPTH_BUFFER_RESOLVE_ENABLE, true),
            };
            // Resolves cover whole blocks and do not touch stencil.
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
        .with(
            pc::POST_SYNC_OPERATION,
            post_sync_operation::WRITE_IMMEDIATE_DATA,
        )
        .with(pc::ADDRESS, machine.scrap_address);
    stream.emit(DEPTH_DONE)?;
    let multisample = MultisampleState {
        samples,
        ..MultisampleState::default()
    };
    stream.emit(raster::multisample(&multisample))?;
    // The clear value must lie within the viewport's depth range.
    let data = stream.data(2)?;
    data.words.copy_from_slice(
        &cc_viewport::words::<2>()
            .with(cc_viewport::MAXIMUM_DEPTH, 1_f32.to_bits().into())
            .dwords,
    );
    let at = offset(data.address, machine.dynamic_base);
    let range = pointer::words::<2>().with(pointer::CC_VIEWPORT_POINTER, at);
    stream.emit(range.dwords)?;
    // Thread dispatch must not be forced on by an earlier 3DSTATE_WM.
    stream.emit(state_wm::words::<2>().dwords)?;
    for layer in 0..buffers.layers.max(1) {
        layer_of.first_layer = buffers.first_layer + layer;
        stream.emit(target::depth_stencil(&layer_of))?;
        stream.emit(words.dwords)?;
        stream.emit(written.dwords)?;
        stream.emit(op::words::<5>().dwords)?;
    }
    stream.emit(DEPTH_DONE)
}
