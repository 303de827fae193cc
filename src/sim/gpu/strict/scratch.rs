//! Checks that scratch memory has room for every thread.
//!
//! In:  the state that a draw or walker uses, the address space, the device. Out: an error for a
//!      stage whose scratch buffer is not mapped up to the last number that a thread can have.
//! Ref: SKL PRM vol. 2a, 3DSTATE_PS, Scratch Space Base Pointer: scratch space of a slice is
//!      computed for four subslices, and the pixel shader dispatcher of each numbers 64 threads.
//!      Units of other stages number as many threads as their command allows. Numbers of walkers'
//!      threads count the EUs that are fused off; Mesa applies the four subslices of a slice to
//!      them, too, and since 26 ends the buffer behind the last subslice that exists.

use crate::context::{HwContext, Vfe};
use crate::draw_state::DrawState;
use crate::rules::SCRATCH_ROOM;
use crate::space::{ADDRESS_MASK, AddressSpace};
use eu::StopReason;
use hw::{Device, Field, Packet, draw};

/// Threads that the pixel shader dispatcher of a subslice numbers.
const PIXEL_THREADS_PER_SUBSLICE: u64 = 64;
/// Subslices of a slice for the numbering of threads, whether they exist or not.
const SUBSLICES_PER_SLICE: u64 = 4;

/// The scratch fields of a stage's command.
struct Stage {
    name: &'static str,
    enabled: (&'static Packet, Field),
    packet: &'static Packet,
    base: Field,
    per_thread: Field,
    /// Maximum Number of Threads; `None` for pixel shaders.
    threads: Option<Field>,
}

impl Stage {
    fn runs(&self, state: &DrawState) -> bool {
        let (packet, field) = self.enabled;
        // If rendering is disabled, the pixel shader state is a leftover of an earlier draw.
        state.flag(packet, field) && (self.threads.is_some() || state.renders())
    }
}

/// A geometry stage, whose command limits its threads.
macro_rules! geometry_stage {
    ($name:literal, $module:ident) => {
        stage!(
            $name,
            $module,
            (&draw::$module::PACKET, draw::$module::ENABLE),
            Some(draw::$module::MAXIMUM_NUMBER_OF_THREADS)
        )
    };
}

macro_rules! stage {
    ($name:literal, $module:ident, $enabled:expr, $threads:expr) => {
        Stage {
            name: $name,
            enabled: $enabled,
            packet: &draw::$module::PACKET,
            base: draw::$module::SCRATCH_SPACE_BASE_POINTER,
            per_thread: draw::$module::PER_THREAD_SCRATCH_SPACE,
            threads: $threads,
        }
    };
}

static STAGES: [Stage; 5] = [
    geometry_stage!("VS", state_vs),
    geometry_stage!("HS", state_hs),
    geometry_stage!("DS", state_ds),
    geometry_stage!("GS", state_gs),
    stage!(
        "PS",
        state_ps,
        (
            &draw::state_ps_extra::PACKET,
            draw::state_ps_extra::PIXEL_SHADER_VALID
        ),
        None
    ),
];

/// Checks the scratch memory of a draw's stages.
pub(crate) fn check_draw(
    context: &HwContext,
    space: &AddressSpace,
    device: &Device,
    at: u64,
) -> Result<(), StopReason> {
    let state = &context.draw;
    let mut stages = STAGES.iter().filter(|stage| stage.runs(state));
    stages.try_for_each(|stage| {
        let base = state.get(stage.packet, stage.base);
        let bytes = 1024 << state.get(stage.packet, stage.per_thread);
        let slices = u64::from(device.slices);
        let threads = stage.threads.map_or(
            PIXEL_THREADS_PER_SUBSLICE * SUBSLICES_PER_SLICE * slices,
            |field| state.get(stage.packet, field) + 1,
        );
        let start = context.base.general + base;
        match base {
            0 => Ok(()),
            _ => check_room(stage.name, space, start, bytes * threads, at),
        }
    })
}

/// Checks the scratch memory of a walker.
pub(crate) fn check_walker(
    context: &HwContext,
    space: &AddressSpace,
    device: &Device,
    at: u64,
) -> Result<(), StopReason> {
    let Vfe {
        scratch,
        scratch_bytes,
        ..
    } = context.vfe;
    let subslice = u64::from(device.max_eus) * u64::from(device.threads);
    let whole_slices = u64::from(device.slices).saturating_sub(1);
    let subslices = SUBSLICES_PER_SLICE * whole_slices + u64::from(device.subslices);
    let threads = subslice * subslices;
    let start = context.base.general + scratch;
    match scratch {
        0 => Ok(()),
        _ => check_room("CS", space, start, scratch_bytes * threads, at),
    }
}

fn check_room(
    stage: &str,
    space: &AddressSpace,
    start: u64,
    bytes: u64,
    at: u64,
) -> Result<(), StopReason> {
    let start = start & ADDRESS_MASK;
    let end = start + bytes;
    // Buffers that adjoin each other are not told apart.
    let mut mapped_to = start;
    while let Some(range) = space.find(mapped_to).filter(|_| mapped_to < end) {
        mapped_to = range.end;
    }
    SCRATCH_ROOM.check(end <= mapped_to, at, || {
        format!("{stage}: {bytes} bytes at {start:#x}, mapped up to {mapped_to:#x}")
    })
}

#[cfg(test)]
mod tests;
