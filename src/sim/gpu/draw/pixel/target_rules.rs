//! Strict mode's rules about render target writes.
//!
//! In:  a render target, blend state, or a message. Out: the first broken rule.
//! Ref: SKL PRM vol. 7, "Render Target Write"; vol. 2d, "BLEND_STATE_ENTRY".

use crate::draw_state::DrawState;
use crate::rules::{
    BLEND_CLAMP, BLEND_LOGIC_OP, CACHE_MODE, PS_BLEND, PS_END, PS_PULLS, PS_WRITES, TARGET_LENGTH,
    TARGET_ORDER, TARGET_SAMPLES, TARGET_SELECTS, TARGET_WIDTH, VIEW_EXTENT,
};
use crate::surface::tiling::Tiling;
use crate::surface::{AuxMode, Image, Kind, Select};
use eu::{Message, StopReason};
use hw::draw::{state_ps_blend as ps_blend, state_ps_extra as extra};
use hw::draw_state::{blend_state, blend_state_entry as entry};
use isa::descriptor::render_target;

/// Checks a render target of a draw with `samples` samples per pixel; `both` is true if both a
/// logic op and blending are enabled. `at` is the address of the message.
pub(super) fn check_target(
    image: &Image,
    both: bool,
    samples: u32,
    at: u64,
) -> Result<(), StopReason> {
    let own = image.samples;
    let holds = own == samples || image.kind == Kind::Null;
    TARGET_SAMPLES.check(holds, at, || {
        format!("{own} samples, where pixels have {samples}")
    })?;
    let (layers, extent) = (image.depth, image.view_extent);
    let flat = matches!(image.kind, Kind::D1 | Kind::D2);
    VIEW_EXTENT.check(!flat || layers == extent, at, || {
        format!("a target of {layers} layers shows {extent}")
    })?;
    let [red, green, blue, alpha] = image.swizzle;
    let colours = [0, 1, 2].map(Select::Channel);
    let ordered = colours.iter().all(|c| [red, green, blue].contains(c));
    let holds = ordered && alpha == Select::Channel(3) || image.kind == Kind::Null;
    TARGET_SELECTS.check(holds, at, || format!("{:?}", image.swizzle))?;
    BLEND_LOGIC_OP.check(!both, at, || {
        "both a logic op and blending are enabled".into()
    })
}

/// Checks that the hazards of a target with an aux surface are avoided (CACHE_MODE).
pub(super) fn check_hazards_avoided(
    image: &Image,
    avoided: bool,
    at: u64,
) -> Result<(), StopReason> {
    let plain = image.kind == Kind::Null || image.aux.mode == AuxMode::None;
    CACHE_MODE.check(plain || avoided, at, || {
        format!("a target with {:?}", image.aux.mode)
    })
}

/// Checks the width of a target; `narrow`: the device corrupts wide tiled ones.
pub(super) fn check_width(image: &Image, narrow: bool, at: u64) -> Result<(), StopReason> {
    let wide = image.samples == 1 && image.width > 16382;
    let tiled = image.tiling != Tiling::Linear && image.kind != Kind::Null;
    TARGET_WIDTH.check(!(narrow && wide && tiled), at, || {
        format!("{} pixels in {:?} tiles", image.width, image.tiling)
    })
}

/// Checks a write whose payload should have `dwords` dwords.
pub(super) fn check_write(message: &Message<'_>, dwords: usize) -> Result<(), StopReason> {
    let length = message.src0.len() + message.src1.len();
    TARGET_LENGTH.check(length == dwords, message.ip, || {
        format!("{length} dwords, where there should be {dwords}")
    })?;
    let last = render_target::LAST_RENDER_TARGET.any(message.desc);
    PS_END.check(last || !message.eot, message.ip, || {
        "the write that ends the thread is not said to be the last".into()
    })
}

/// Checks that a thread has waited, before its first write, for older threads that may write to the
/// same pixels.
pub(super) fn check_order(waited: bool, at: u64) -> Result<(), StopReason> {
    TARGET_ORDER.check(waited, at, || {
        "the thread's first write is a SEND, which may overtake an older object's".into()
    })
}

/// Checks that a pixel shader's thread ended with a render target write.
pub(super) fn check_thread_end(by_write: bool, at: u64) -> Result<(), StopReason> {
    PS_END.check(by_write, at, || {
        "a thread ended otherwise than by a write to a render target".into()
    })
}

/// True if the state declares that the pixel shader writes to render targets.
pub(crate) fn declares_target_writes(state: &DrawState) -> bool {
    state.flag(&ps_blend::PACKET, ps_blend::HAS_WRITEABLE_RT)
        && !state.flag(&extra::PACKET, extra::PIXEL_SHADER_DOES_NOT_WRITE_TO_RT)
}

/// True if the state declares that the pixel shader uses the pixel interpolator.
pub(crate) fn declares_interpolator(state: &DrawState) -> bool {
    state.flag(&extra::PACKET, extra::PIXEL_SHADER_PULLS_BARY)
}

/// Checks a write to a render target with at least one enabled channel.
pub(crate) fn check_write_declared(declared: bool, at: u64) -> Result<(), StopReason> {
    PS_WRITES.check(declared, at, || {
        "a render target is written, which the state says is not".into()
    })
}

/// Checks a message to the pixel interpolator.
pub(crate) fn check_interpolator_declared(declared: bool, at: u64) -> Result<(), StopReason> {
    PS_PULLS.check(declared, at, || {
        "barycentric weights are asked for, which the state says are not".into()
    })
}

/// Checks the colour clamps of a render target whose format is not an integer format.
pub(crate) fn check_clamp(words: &[u32; 2], at: u64) -> Result<(), StopReason> {
    let get = |field: hw::Field| field.get(words);
    let (before, after) = (
        get(entry::PRE_BLEND_COLOR_CLAMP_ENABLE),
        get(entry::POST_BLEND_COLOR_CLAMP_ENABLE),
    );
    let range = get(entry::COLOR_CLAMP_RANGE);
    // Range 2 is COLORCLAMP_RTFORMAT.
    let holds = before == after && (before == 0 || range == 2);
    BLEND_CLAMP.check(holds, at, || {
        format!("clamps {before} before and {after} after blending, range {range}")
    })
}

/// Checks that 3DSTATE_PS_BLEND agrees with BLEND_STATE and its first entry.
pub(crate) fn check_blend(
    state: &DrawState,
    head: &[u32; 1],
    words: &[u32; 2],
    at: u64,
) -> Result<(), StopReason> {
    let mut pairs = vec![
        (
            ps_blend::COLOR_BUFFER_BLEND_ENABLE,
            entry::COLOR_BUFFER_BLEND_ENABLE.get(words),
        ),
        (
            ps_blend::ALPHA_TEST_ENABLE,
            blend_state::ALPHA_TEST_ENABLE.get(head),
        ),
        (
            ps_blend::ALPHA_TO_COVERAGE_ENABLE,
            blend_state::ALPHA_TO_COVERAGE_ENABLE.get(head),
        ),
    ];
    if entry::COLOR_BUFFER_BLEND_ENABLE.get(words) == 1 {
        let independent = blend_state::INDEPENDENT_ALPHA_BLEND_ENABLE.get(head);
        pairs.extend([
            (ps_blend::INDEPENDENT_ALPHA_BLEND_ENABLE, independent),
            (
                ps_blend::SOURCE_BLEND_FACTOR,
                entry::SOURCE_BLEND_FACTOR.get(words),
            ),
            (
                ps_blend::DESTINATION_BLEND_FACTOR,
                entry::DESTINATION_BLEND_FACTOR.get(words),
            ),
        ]);
        if independent == 1 {
            pairs.extend([
                (
                    ps_blend::SOURCE_ALPHA_BLEND_FACTOR,
                    entry::SOURCE_ALPHA_BLEND_FACTOR.get(words),
                ),
                (
                    ps_blend::DESTINATION_ALPHA_BLEND_FACTOR,
                    entry::DESTINATION_ALPHA_BLEND_FACTOR.get(words),
                ),
            ]);
        }
    }
    for (field, wanted) in pairs {
        let found = state.get(&ps_blend::PACKET, field);
        PS_BLEND.check(found == wanted, at, || {
            format!("{} {found}, in BLEND_STATE {wanted}", field.name)
        })?;
    }
    Ok(())
}
