//! The packets of gen9.
//!
//! In:  facts of a launch. Out: words, from templates that are constants.
//! Ref: SKL PRM vol. 2a (commands), vol. 7 "GPGPU Context", "L3 Cache"; the order of flushes around STATE_BASE_ADDRESS and
//! PIPELINE_SELECT is in their programming notes.

use hw::draw::state_cc_state_pointers;
use hw::media::{
    gpgpu_walker, media_curbe_load, media_interface_descriptor_load, media_state_flush,
    media_vfe_state, pipe_control, pipeline_select, state_base_address,
};
use hw::register;
use hw::state::interface_descriptor_data;

use crate::generation::{Control, Counter, FrontEnd, Generation, Heaps, Kernel, Launch, Pushed};
use crate::mi;
use crate::mocs;
use crate::stream::{Memory, Stream};

/// Skylake, Kaby Lake, Coffee Lake and their kin.
#[derive(Clone, Copy, Debug)]
pub struct Gen9;

/// A PIPE_CONTROL that stalls.
const STALL: hw::Words<6> =
    pipe_control::words::<6>().flag(pipe_control::COMMAND_STREAMER_STALL_ENABLE, true);

/// Everything before is done, and its writes are in memory.
pub(crate) const FLUSH: [u32; 6] = STALL
    .flag(pipe_control::DC_FLUSH_ENABLE, true)
    .flag(pipe_control::RENDER_TARGET_CACHE_FLUSH_ENABLE, true)
    .flag(pipe_control::DEPTH_CACHE_FLUSH_ENABLE, true)
    .dwords;

/// The PIPE_CONTROLs of a batch, by [`Control::index`], but for the address of those that write.
const CONTROLS: [[u32; 6]; Control::COUNT] = {
    use pipe_control as pc;
    const WRITE_IMMEDIATE: u64 = 1;
    let mut all = [[0; 6]; Control::COUNT];
    let mut index = 0;
    while index < Control::COUNT {
        let control = Control::numbered(index);
        let alone = index == 0;
        all[index] = STALL
            .flag(pc::DC_FLUSH_ENABLE, control.any(Control::FLUSH_DATA))
            .flag(
                pc::TEXTURE_CACHE_INVALIDATION_ENABLE,
                control.any(Control::INVALIDATE_TEXTURE),
            )
            .flag(
                pc::CONSTANT_CACHE_INVALIDATION_ENABLE,
                control.any(Control::INVALIDATE_CONSTANT),
            )
            .flag(
                pc::RENDER_TARGET_CACHE_FLUSH_ENABLE,
                control.any(Control::FLUSH_TARGETS),
            )
            .flag(
                pc::DEPTH_CACHE_FLUSH_ENABLE,
                control.any(Control::FLUSH_TARGETS),
            )
            .flag(
                pc::VF_CACHE_INVALIDATION_ENABLE,
                control.any(Control::INVALIDATE_VERTICES),
            )
            .with(
                pc::POST_SYNC_OPERATION,
                if control.any(Control::WRITE) {
                    WRITE_IMMEDIATE
                } else {
                    0
                },
            )
            // A stall does not stand alone.
            .flag(pc::STALL_AT_PIXEL_SCOREBOARD, alone)
            .dwords;
        index += 1;
    }
    all
};

/// Nothing after reads what was cached before.
const INVALIDATED: hw::Words<6> = STALL
    .flag(pipe_control::TEXTURE_CACHE_INVALIDATION_ENABLE, true)
    .flag(pipe_control::CONSTANT_CACHE_INVALIDATION_ENABLE, true)
    .flag(pipe_control::STATE_CACHE_INVALIDATION_ENABLE, true)
    .flag(pipe_control::INSTRUCTION_CACHE_INVALIDATE_ENABLE, true);
const INVALIDATE: [u32; 6] = INVALIDATED.dwords;

/// Nothing after reads surfaces or samplers that were cached before.
pub(crate) const INVALIDATE_STATE: [u32; 6] = STALL
    .flag(pipe_control::STATE_CACHE_INVALIDATION_ENABLE, true)
    .dwords;

/// The same where draws end. Their constants are not a part of the context any more: the machine would read them again when it restores
/// the context, and their memory may be gone by then (SKL PRM vol. 2a, PIPE_CONTROL, Indirect State Pointers Disable).
const LEAVE_DRAWS: [u32; 6] = INVALIDATED
    .flag(pipe_control::INDIRECT_STATE_POINTERS_DISABLE, true)
    .dwords;

/// STATE_BASE_ADDRESS without the addresses: every heap spans what its size can say.
const BASES: hw::Words<19> = {
    use state_base_address as sba;
    const PAGES: u64 = 0xfffff;
    sba::words::<19>()
        .flag(sba::GENERAL_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::GENERAL_STATE_MOCS, mocs::CACHED)
        .with(sba::STATELESS_DATA_PORT_ACCESS_MOCS, mocs::CACHED)
        .flag(sba::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::SURFACE_STATE_MOCS, mocs::CACHED)
        .flag(sba::DYNAMIC_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::DYNAMIC_STATE_MOCS, mocs::CACHED)
        .flag(sba::INDIRECT_OBJECT_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::INDIRECT_OBJECT_MOCS, mocs::CACHED)
        .flag(sba::INSTRUCTION_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::INSTRUCTION_MOCS, mocs::CACHED)
        .flag(sba::GENERAL_STATE_BUFFER_SIZE_MODIFY_ENABLE, true)
        .with(sba::GENERAL_STATE_BUFFER_SIZE, PAGES)
        .flag(sba::DYNAMIC_STATE_BUFFER_SIZE_MODIFY_ENABLE, true)
        .with(sba::DYNAMIC_STATE_BUFFER_SIZE, PAGES)
        .flag(sba::INDIRECT_OBJECT_BUFFER_SIZE_MODIFY_ENABLE, true)
        .with(sba::INDIRECT_OBJECT_BUFFER_SIZE, PAGES)
        .flag(sba::INSTRUCTION_BUFFER_SIZE_MODIFY_ENABLE, true)
        .with(sba::INSTRUCTION_BUFFER_SIZE, PAGES)
        .flag(sba::BINDLESS_SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::BINDLESS_SURFACE_STATE_MOCS, mocs::CACHED)
};

/// The front end, but for its threads, scratch and constants. Room for vertices or media objects is not used.
const FRONT_END: hw::Words<9> = media_vfe_state::words::<9>()
    .with(media_vfe_state::NUMBER_OF_URB_ENTRIES, 2)
    .with(media_vfe_state::URB_ENTRY_ALLOCATION_SIZE, 2)
    .with(media_vfe_state::RESET_GATEWAY_TIMER, 1);

/// The pipelines, as PIPELINE_SELECT numbers them.
pub(crate) const PIPELINE_3D: u64 = 0;
/// See [`PIPELINE_3D`].
pub(crate) const PIPELINE_GPGPU: u64 = 2;

/// Selects a pipeline: work is done and its writes are in memory, and nothing read before is kept.
pub(crate) fn select<M: Memory>(stream: &mut Stream<M>, pipeline: u64) -> Result<(), M::Error> {
    use pipeline_select as select;
    stream.put(FLUSH)?;
    stream.put(match pipeline {
        PIPELINE_3D => INVALIDATE,
        _ => LEAVE_DRAWS,
    })?;
    stream.put(
        select::words::<1>()
            .with(select::MASK_BITS, 3)
            .with(select::PIPELINE_SELECTION, pipeline)
            .dwords,
    )
}

/// Moves Surface State Base Address. What has been read through the old one is forgotten, once nothing uses it any more.
pub(crate) fn surface_base<M: Memory>(
    stream: &mut Stream<M>,
    address: u64,
) -> Result<(), M::Error> {
    use state_base_address as sba;
    const MOVED: hw::Words<19> = sba::words::<19>()
        .with(sba::STATELESS_DATA_PORT_ACCESS_MOCS, mocs::CACHED)
        .flag(sba::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::SURFACE_STATE_MOCS, mocs::CACHED);
    stream.put(FLUSH)?;
    let words = MOVED.with(sba::SURFACE_STATE_BASE_ADDRESS, address);
    stream.put(words.dwords)?;
    stream.put(INVALIDATE)
}

/// Bytes of an interface descriptor.
const DESCRIPTOR_BYTES: u64 = 32;

const LOAD_DESCRIPTOR: hw::Words<4> = media_interface_descriptor_load::words::<4>().with(
    media_interface_descriptor_load::INTERFACE_DESCRIPTOR_TOTAL_LENGTH,
    DESCRIPTOR_BYTES,
);

/// Dwords of MEDIA_CURBE_LOAD.
const LOAD_DW: usize = 4;

/// MEDIA_CURBE_LOAD of so many dwords, but for where they are.
fn load_constants(data_dw: u32) -> [u32; LOAD_DW] {
    use media_curbe_load as curbe;
    // Whole cache lines are loaded.
    let bytes = (data_dw * 4).next_multiple_of(64);
    curbe::words::<LOAD_DW>()
        .with(curbe::CURBE_TOTAL_DATA_LENGTH, bytes.into())
        .dwords
}

/// Where MEDIA_CURBE_LOAD has the offset of push data.
const OFFSET_AT: usize = media_curbe_load::CURBE_DATA_START_ADDRESS.lo as usize / 32;

const STATE_FLUSH: [u32; 2] = media_state_flush::words::<2>().dwords;

/// Dwords of GPGPU_WALKER, and where it has the numbers of workgroups.
const WALKER_DW: usize = 15;
/// The same with the MEDIA_STATE_FLUSH behind it.
const LAUNCH_DW: usize = WALKER_DW + 2;
/// And with MEDIA_CURBE_LOAD before it.
const LOADED_LAUNCH_DW: usize = LOAD_DW + LAUNCH_DW;
const X_AT: usize = gpgpu_walker::THREAD_GROUP_ID_X_DIMENSION.lo as usize / 32;
const Y_AT: usize = gpgpu_walker::THREAD_GROUP_ID_Y_DIMENSION.lo as usize / 32;
const Z_AT: usize = gpgpu_walker::THREAD_GROUP_ID_Z_DIMENSION.lo as usize / 32;
/// The dword and bit that make a walker take them from registers.
const INDIRECT: [u32; WALKER_DW] = gpgpu_walker::words::<WALKER_DW>()
    .flag(gpgpu_walker::INDIRECT_PARAMETER_ENABLE, true)
    .dwords;

/// The bit with which GPGPU_WALKER and 3DPRIMITIVE ask for the predicate.
pub(crate) const fn predicate(predicated: bool) -> u32 {
    const BIT: u32 = gpgpu_walker::PREDICATE_ENABLE.lo as u32;
    assert!(BIT == hw::draw::primitive::PREDICATE_ENABLE.lo as u32);
    (predicated as u32) << BIT
}

/// Says in a launch's template what is not known before: the numbers of workgroups, and whether the predicate decides.
#[inline(always)]
fn complete(words: &mut [u32; LAUNCH_DW], [x, y, z]: [u32; 3], predicated: bool) {
    words[0] |= predicate(predicated);
    words[X_AT] = x;
    words[Y_AT] = y;
    words[Z_AT] = z;
}

/// Shared local memory as the descriptor says it: 0, or 1 + log2 of the kilobytes.
fn slm_code(bytes: u32) -> u64 {
    match bytes {
        0 => 0,
        bytes => u64::from(bytes.next_power_of_two().max(1024).trailing_zeros()) - 9,
    }
}

impl Generation for Gen9 {
    const GEN: hw::Gen = hw::Gen::Gen9;

    /// MEDIA_CURBE_LOAD, GPGPU_WALKER and the MEDIA_STATE_FLUSH that must follow before its constants or descriptor may be replaced.
    type Walker = [u32; LOADED_LAUNCH_DW];

    fn walker(kernel: &Kernel<'_>) -> Self::Walker {
        use gpgpu_walker as gw;
        // Lanes of the last thread that are invocations.
        let width = kernel.simd_width.max(1);
        let rest = kernel.invocations % width;
        let lanes = if rest == 0 { width } else { rest };
        let walker = gw::words::<WALKER_DW>()
            .with(gw::SIMD_SIZE, u64::from(width / 16))
            .with(
                gw::THREAD_WIDTH_COUNTER_MAXIMUM,
                u64::from(kernel.threads().saturating_sub(1)),
            )
            .with(
                gw::RIGHT_EXECUTION_MASK,
                u64::from(u32::MAX >> (32 - lanes.min(32))),
            )
            .with(gw::BOTTOM_EXECUTION_MASK, u32::MAX.into());
        let load = load_constants(kernel.push_dw());
        let mut words = [0; LOADED_LAUNCH_DW];
        let parts = load.iter().chain(&walker.dwords).chain(&STATE_FLUSH);
        for (to, &from) in words.iter_mut().zip(parts) {
            *to = from;
        }
        words
    }

    fn descriptor(kernel: &Kernel<'_>) -> [u32; 8] {
        use interface_descriptor_data as idd;
        idd::words::<8>()
            .with(idd::KERNEL_START_POINTER, kernel.kernel_offset_bytes)
            .with(idd::SHARED_LOCAL_MEMORY_SIZE, slm_code(kernel.slm_bytes))
            .flag(idd::BARRIER_ENABLE, kernel.barrier)
            .with(
                idd::NUMBER_OF_THREADS_IN_GPGPU_THREAD_GROUP,
                kernel.threads().into(),
            )
            .with(
                idd::CONSTANT_URB_ENTRY_READ_LENGTH,
                kernel.per_thread.into(),
            )
            .with(
                idd::CROSS_THREAD_CONSTANT_DATA_READ_LENGTH,
                kernel.push.registers().into(),
            )
            .dwords
    }

    fn context<M: Memory>(
        stream: &mut Stream<M>,
        device: &hw::Device,
        heaps: &Heaps,
    ) -> Result<(), M::Error> {
        use state_base_address as sba;
        // The colour calculator's state must not be valid when the pipeline changes.
        stream.put(state_cc_state_pointers::words::<2>().dwords)?;
        select(stream, PIPELINE_GPGPU)?;
        stream.put(FLUSH)?;
        stream.put(
            BASES
                .with(sba::GENERAL_STATE_BASE_ADDRESS, heaps.general)
                .with(sba::SURFACE_STATE_BASE_ADDRESS, heaps.surface)
                .with(sba::DYNAMIC_STATE_BASE_ADDRESS, heaps.dynamic)
                .with(sba::INSTRUCTION_BASE_ADDRESS, heaps.instruction)
                .with(sba::BINDLESS_SURFACE_STATE_BASE_ADDRESS, heaps.bindless)
                .with(
                    sba::BINDLESS_SURFACE_STATE_SIZE,
                    heaps.bindless_surfaces.saturating_sub(1),
                )
                .dwords,
        )?;
        stream.put(INVALIDATE)?;
        if device.needs(hw::Wa::BarrierMode) {
            // A masked register, in which GPGPU's mode is zero.
            stream.put(mi::load_register(
                register::SLICE_COMMON_ECO_CHICKEN1,
                register::GLK_BARRIER_MODE_MASK,
            ))?;
        }
        // The L3 must be idle while it is divided anew (SKL PRM vol. 7, "L3 Cache", allocation and programming).
        stream.put(FLUSH)?;
        match device.l3_division(true) {
            Some(division) => stream.put(mi::load_register(
                register::L3CNTLREG,
                division.register_value(),
            )),
            // No gen9 part lacks one; others divide theirs otherwise.
            None => Ok(()),
        }
    }

    #[inline(always)]
    fn control<M: Memory>(
        stream: &mut Stream<M>,
        control: Control,
        write_at: u64,
    ) -> Result<(), M::Error> {
        if control.any(Control::INVALIDATE_VERTICES) {
            // One that does nothing comes before (SKL PRM vol. 2a, PIPE_CONTROL, VF Cache Invalidation Enable).
            const NOTHING: [u32; 6] = pipe_control::words::<6>().dwords;
            stream.put(NOTHING)?;
        }
        let words = stream.reserve()?;
        *words = CONTROLS[control.index()];
        if control.any(Control::WRITE) {
            pipe_control::ADDRESS.set(words, write_at);
        }
        Ok(())
    }

    fn front_end<M: Memory>(
        stream: &mut Stream<M>,
        max_threads: u32,
        state: &FrontEnd,
    ) -> Result<(), M::Error> {
        use media_vfe_state as vfe;
        let mut words = FRONT_END
            .with(
                vfe::MAXIMUM_NUMBER_OF_THREADS,
                u64::from(max_threads.saturating_sub(1)),
            )
            .with(vfe::CURBE_ALLOCATION_SIZE, state.curbe_grf.into());
        if state.scratch.thread_bytes > 0 {
            words = words
                .with(vfe::PER_THREAD_SCRATCH_SPACE, state.scratch.code())
                .with(vfe::SCRATCH_SPACE_BASE_POINTER, state.scratch.address);
        }
        stream.put(words.dwords)
    }

    #[inline]
    fn constants<M: Memory>(
        stream: &mut Stream<M>,
        launch: &Launch<Self>,
        pushed: &Pushed<'_>,
    ) -> Result<(), M::Error> {
        let (words, data) = stream.reserve_with::<LOAD_DW>(launch.push_dw())?;
        words.copy_from_slice(&launch.walker[..LOAD_DW]);
        words[OFFSET_AT] = (data.address - pushed.dynamic_base) as u32;
        launch.write(pushed, data.words).ok_or_else(M::too_long)
    }

    #[inline]
    fn load_descriptor<M: Memory>(
        stream: &mut Stream<M>,
        offset_bytes: u32,
    ) -> Result<(), M::Error> {
        use media_interface_descriptor_load as load;
        let words = LOAD_DESCRIPTOR.with(
            load::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS,
            offset_bytes.into(),
        );
        stream.put(words.dwords)
    }

    #[inline(always)]
    fn walk<M: Memory>(
        stream: &mut Stream<M>,
        walker: &Self::Walker,
        groups: [u32; 3],
        predicated: bool,
    ) -> Result<(), M::Error> {
        let words = stream.reserve::<LAUNCH_DW>()?;
        words.copy_from_slice(&walker[LOAD_DW..]);
        complete(words, groups, predicated);
        Ok(())
    }

    #[inline(always)]
    fn walk_with<M: Memory>(
        stream: &mut Stream<M>,
        launch: &Launch<Self>,
        pushed: &Pushed<'_>,
        groups: [u32; 3],
        predicated: bool,
    ) -> Result<(), M::Error> {
        let (words, data) = stream.reserve_with::<LOADED_LAUNCH_DW>(launch.push_dw())?;
        *words = launch.walker;
        words[OFFSET_AT] = (data.address - pushed.dynamic_base) as u32;
        let walker = words.last_chunk_mut().ok_or_else(M::too_long)?;
        complete(walker, groups, predicated);
        launch.write(pushed, data.words).ok_or_else(M::too_long)
    }

    fn walk_indirect<M: Memory>(
        stream: &mut Stream<M>,
        walker: &Self::Walker,
        address: u64,
        predicated: bool,
    ) -> Result<(), M::Error> {
        let dimensions = [
            register::GPGPU_DISPATCHDIMX,
            register::GPGPU_DISPATCHDIMY,
            register::GPGPU_DISPATCHDIMZ,
        ];
        for (at, dimension) in (address..).step_by(4).zip(dimensions) {
            stream.put(mi::load_register_mem(dimension, at))?;
        }
        let words = stream.reserve::<LAUNCH_DW>()?;
        words.copy_from_slice(&walker[LOAD_DW..]);
        words[0] |= INDIRECT[0] | predicate(predicated);
        Ok(())
    }

    fn timestamp_early<M: Memory>(
        stream: &mut Stream<M>,
        value_at: u64,
        available_at: u64,
    ) -> Result<(), M::Error> {
        for half in [0, 4] {
            let low = register::TIMESTAMP + half;
            stream.put(mi::store_register_mem(low, value_at + u64::from(half)))?;
        }
        stream.put(mi::store(available_at, 1))?;
        stream.put(mi::store(available_at + 4, 0))
    }

    fn write_late<M: Memory>(
        stream: &mut Stream<M>,
        address: u64,
        value: u64,
    ) -> Result<(), M::Error> {
        stream.put(written(PostSync::Immediate, address, value))
    }

    fn write_samples<M: Memory>(stream: &mut Stream<M>, address: u64) -> Result<(), M::Error> {
        stream.put(written(PostSync::Samples, address, 0))
    }

    fn write_counter<M: Memory>(
        stream: &mut Stream<M>,
        counter: Counter,
        address: u64,
    ) -> Result<(), M::Error> {
        let low = counter_register(counter);
        stream.put(mi::store_register_mem(low, address))?;
        stream.put(mi::store_register_mem(low + 4, address + 4))
    }

    fn timestamp_late<M: Memory>(
        stream: &mut Stream<M>,
        value_at: u64,
        available_at: u64,
    ) -> Result<(), M::Error> {
        stream.put(written(PostSync::Time, value_at, 0))?;
        stream.put(written(PostSync::Immediate, available_at, 1))
    }
}

/// What a PIPE_CONTROL writes behind everything before it.
#[derive(Clone, Copy)]
enum PostSync {
    Immediate = 1,
    Samples = 2,
    Time = 3,
}

/// A PIPE_CONTROL that writes. It stalls: where dispatches are selected such a one must.
fn written(what: PostSync, address: u64, value: u64) -> [u32; 6] {
    use pipe_control as pc;
    STALL
        .with(pc::POST_SYNC_OPERATION, what as u64)
        // What is still to be tested counts, too.
        .flag(pc::DEPTH_STALL_ENABLE, matches!(what, PostSync::Samples))
        .with(pc::ADDRESS, address)
        .with(pc::IMMEDIATE_DATA, value)
        .dwords
}

fn counter_register(counter: Counter) -> u32 {
    match counter {
        Counter::AssembledVertices => register::IA_VERTICES_COUNT,
        Counter::AssembledPrimitives => register::IA_PRIMITIVES_COUNT,
        Counter::VertexInvocations => register::VS_INVOCATION_COUNT,
        Counter::GeometryInvocations => register::GS_INVOCATION_COUNT,
        Counter::GeometryPrimitives => register::GS_PRIMITIVES_COUNT,
        Counter::ClippingInvocations => register::CL_INVOCATION_COUNT,
        Counter::ClippingPrimitives => register::CL_PRIMITIVES_COUNT,
        Counter::FragmentInvocations => register::PS_INVOCATION_COUNT,
        Counter::TessControlInvocations => register::HS_INVOCATION_COUNT,
        Counter::TessEvalInvocations => register::DS_INVOCATION_COUNT,
        Counter::ComputeInvocations => register::CS_INVOCATION_COUNT,
        Counter::Captured(stream) => register::SO_NUM_PRIMS_WRITTEN0 + 8 * u32::from(stream),
        Counter::Capturable(stream) => register::SO_PRIM_STORAGE_NEEDED0 + 8 * u32::from(stream),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::testing::Chunks;

    #[test]
    fn constants_of_draws_leave_the_context_where_draws_end() {
        for (pipeline, disables) in [(PIPELINE_3D, 0), (PIPELINE_GPGPU, 1)] {
            let mut stream = Stream::new(Chunks::default());
            select(&mut stream, pipeline).unwrap();
            let controls = &stream.memory().chunks[0][..12];
            let disabled = controls.chunks_exact(6).map(|words| {
                let stalls = pipe_control::COMMAND_STREAMER_STALL_ENABLE.get(words);
                stalls & pipe_control::INDIRECT_STATE_POINTERS_DISABLE.get(words)
            });
            assert_eq!(disabled.sum::<u64>(), disables);
        }
    }
}
