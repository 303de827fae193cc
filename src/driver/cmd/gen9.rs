//! Gen9's packets for dispatches and synchronisation.
//!
//! In:  facts of a dispatch. Out: packets, mostly copies of constant templates.
//! Ref: SKL PRM vol. 2a (commands), vol. 7 "GPGPU Context", "L3 Cache". The flushes around
//!      STATE_BASE_ADDRESS and PIPELINE_SELECT follow their programming notes.

use hw::Wa;
use hw::draw::state_cc_state_pointers;
use hw::media::{
    gpgpu_walker, media_curbe_load, media_interface_descriptor_load, media_state_flush,
    media_vfe_state, pipe_control, pipeline_select, state_base_address,
};
use hw::register;
use hw::state::interface_descriptor_data;
use hw::value::command::{post_sync_operation, reset_gateway_timer};

use crate::generation::{
    ComputeKernel, Generation, HeapBases, PackedDispatch, PipeControl, PushSources,
    StatisticsCounter, VfeState,
};
use crate::l3::{self, L3Partition};
use crate::mi;
use crate::mocs;
use crate::stream::{Stream, StreamMemory};

/// Skylake, Kaby Lake, Coffee Lake and other gen9 parts.
#[derive(Clone, Copy, Debug)]
pub struct Gen9;

/// True if every gen9 part needs a workaround: packets that follow it may be constants.
pub(crate) const fn is_required(workaround: Wa) -> bool {
    workaround.required_on(hw::Gen::Gen9)
}

/// A PIPE_CONTROL that stalls. All stall: in GPGPU mode, those that invalidate the texture cache or
/// write must.
const STALL: hw::PacketWords<6> = {
    const REQUIRED: bool = is_required(Wa::StallWithTextureInvalidateOnGpgpu)
        && is_required(Wa::StallWithPostSyncOnGpgpu);
    pipe_control::words::<6>().flag(pipe_control::COMMAND_STREAMER_STALL_ENABLE, REQUIRED)
};

/// Waits for all earlier work and flushes its writes to memory: before the L3 configuration and
/// MEDIA_VFE_STATE ([`Wa::FlushBeforeL3Config`], [`Wa::StallBeforeVfeState`]), and before modes and
/// base addresses change.
pub(crate) const FLUSH: [u32; 6] = STALL
    .flag(
        pipe_control::COMMAND_STREAMER_STALL_ENABLE,
        is_required(Wa::FlushBeforeL3Config) && is_required(Wa::StallBeforeVfeState),
    )
    .flag(pipe_control::DC_FLUSH_ENABLE, true)
    .flag(pipe_control::RENDER_TARGET_CACHE_FLUSH_ENABLE, true)
    .flag(pipe_control::DEPTH_CACHE_FLUSH_ENABLE, true)
    .dwords;

/// All PIPE_CONTROL templates, by [`PipeControl::index`]; the write address is filled in at
/// emission.
const CONTROLS: [[u32; 6]; PipeControl::COUNT] = {
    use pipe_control as pc;
    let mut all = [[0; 6]; PipeControl::COUNT];
    let mut index = 0;
    while index < PipeControl::COUNT {
        let control = PipeControl::from_index(index);
        let alone = index == 0;
        all[index] = STALL
            .flag(pc::DC_FLUSH_ENABLE, control.any(PipeControl::FLUSH_DATA))
            .flag(
                pc::TEXTURE_CACHE_INVALIDATION_ENABLE,
                control.any(PipeControl::INVALIDATE_TEXTURE),
            )
            .flag(
                pc::CONSTANT_CACHE_INVALIDATION_ENABLE,
                control.any(PipeControl::INVALIDATE_CONSTANT),
            )
            .flag(
                pc::RENDER_TARGET_CACHE_FLUSH_ENABLE,
                control.any(PipeControl::FLUSH_TARGETS),
            )
            .flag(
                pc::DEPTH_CACHE_FLUSH_ENABLE,
                control.any(PipeControl::FLUSH_TARGETS),
            )
            .flag(
                pc::VF_CACHE_INVALIDATION_ENABLE,
                control.any(PipeControl::INVALIDATE_VERTICES),
            )
            .with(
                pc::POST_SYNC_OPERATION,
                if control.any(PipeControl::WRITE) {
                    post_sync_operation::WRITE_IMMEDIATE_DATA
                } else {
                    0
                },
            )
            // A command streamer stall needs another bit beside it.
            .flag(pc::STALL_AT_PIXEL_SCOREBOARD, alone)
            .dwords;
        index += 1;
    }
    all
};

/// Invalidates all read-only caches.
const INVALIDATED: hw::PacketWords<6> = STALL
    .flag(pipe_control::TEXTURE_CACHE_INVALIDATION_ENABLE, true)
    .flag(pipe_control::CONSTANT_CACHE_INVALIDATION_ENABLE, true)
    .flag(pipe_control::STATE_CACHE_INVALIDATION_ENABLE, true)
    .flag(pipe_control::INSTRUCTION_CACHE_INVALIDATE_ENABLE, true);
const INVALIDATE: [u32; 6] = INVALIDATED.dwords;

/// The PIPE_CONTROLs before L3CNTLREG is written: all work is complete and its data flushed; then
/// the read-only caches are invalidated, which a stall in the same command would let running work
/// refill; then that is complete. Ref: SKL PRM vol. 5, "L3 Allocation and Programming"; the order
/// is that of Mesa, genX_cmd_buffer.c, cmd_buffer_config_l3.
const BEFORE_L3_CONFIG: [[u32; 6]; 3] = {
    const REQUIRED: bool = is_required(Wa::FlushBeforeL3Config);
    let flush = STALL.flag(pipe_control::DC_FLUSH_ENABLE, REQUIRED).dwords;
    [flush, INVALIDATE, flush]
};

/// MI_LOAD_REGISTER_IMM of L3CNTLREG. `None` if the device has no L3 configurations: all gen9 parts
/// have them, other generations configure the L3 differently.
fn load_l3_config(device: &hw::Device, partition: L3Partition) -> Option<[u32; 3]> {
    let config = l3::config(device, partition)?;
    Some(mi::load_register(
        register::L3CNTLREG,
        config.register_value(),
    ))
}

/// Invalidates cached surface and sampler states.
pub(crate) const INVALIDATE_STATE: [u32; 6] = STALL
    .flag(pipe_control::STATE_CACHE_INVALIDATION_ENABLE, true)
    .dwords;

/// As [`INVALIDATE`], when leaving the 3D pipeline. It also drops the constants from the saved
/// context: otherwise a context restore reads them again, and their memory may be freed by then
/// (SKL PRM vol. 2a, PIPE_CONTROL, Indirect State Pointers Disable).
const LEAVE_DRAWS: [u32; 6] = INVALIDATED
    .flag(pipe_control::INDIRECT_STATE_POINTERS_DISABLE, true)
    .dwords;

/// STATE_BASE_ADDRESS without addresses: every heap has the maximum size.
const BASES: hw::PacketWords<19> = {
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

/// MEDIA_VFE_STATE without threads, scratch and CURBE size. The URB entries for media objects are
/// unused, so they are minimal.
const FRONT_END: hw::PacketWords<9> = media_vfe_state::words::<9>()
    .with(media_vfe_state::NUMBER_OF_URB_ENTRIES, 2)
    .with(media_vfe_state::URB_ENTRY_ALLOCATION_SIZE, 2)
    .with(
        media_vfe_state::RESET_GATEWAY_TIMER,
        reset_gateway_timer::RESET,
    );

/// Pipelines as PIPELINE_SELECT encodes them.
pub(crate) use hw::value::command::pipeline_selection::{PIPELINE_3D, PIPELINE_GPGPU};

/// Selects a pipeline, between a full flush and a full invalidation. `has_barrier_mode`: the device
/// has a barrier mode, which follows the pipeline.
pub(crate) fn select<M: StreamMemory>(
    stream: &mut Stream<M>,
    pipeline: u64,
    has_barrier_mode: bool,
) -> Result<(), M::Error> {
    use pipeline_select as select;
    if const { is_required(Wa::FlushBeforePipelineSelect) } {
        stream.emit(FLUSH)?;
    }
    stream.emit(match pipeline {
        PIPELINE_3D => INVALIDATE,
        _ => LEAVE_DRAWS,
    })?;
    stream.emit(
        select::words::<1>()
            .with(select::MASK_BITS, 3)
            .with(select::PIPELINE_SELECTION, pipeline)
            .dwords,
    )?;
    if has_barrier_mode {
        // A masked register; GPGPU mode is encoded as zero.
        let mode = match pipeline {
            PIPELINE_3D => register::GLK_BARRIER_MODE_3D_HULL,
            _ => 0,
        };
        stream.emit(mi::load_register(
            register::SLICE_COMMON_ECO_CHICKEN1,
            register::GLK_BARRIER_MODE_MASK | mode,
        ))?;
    }
    Ok(())
}

/// Changes Surface State Base Address, between a full flush and a full invalidation.
pub(crate) fn surface_base<M: StreamMemory>(
    stream: &mut Stream<M>,
    address: u64,
) -> Result<(), M::Error> {
    use state_base_address as sba;
    const MOVED: hw::PacketWords<19> = sba::words::<19>()
        .with(sba::STATELESS_DATA_PORT_ACCESS_MOCS, mocs::CACHED)
        .flag(sba::SURFACE_STATE_BASE_ADDRESS_MODIFY_ENABLE, true)
        .with(sba::SURFACE_STATE_MOCS, mocs::CACHED);
    stream.emit(FLUSH)?;
    let words = MOVED.with(sba::SURFACE_STATE_BASE_ADDRESS, address);
    stream.emit(words.dwords)?;
    stream.emit(INVALIDATE)
}

/// Bytes of an interface descriptor.
const DESCRIPTOR_BYTES: u64 = interface_descriptor_data::PACKET.dwords as u64 * 4;

const LOAD_DESCRIPTOR: hw::PacketWords<4> = media_interface_descriptor_load::words::<4>().with(
    media_interface_descriptor_load::INTERFACE_DESCRIPTOR_TOTAL_LENGTH,
    DESCRIPTOR_BYTES,
);

/// Dwords of MEDIA_CURBE_LOAD.
const LOAD_DW: usize = media_curbe_load::PACKET.dwords as usize;

/// MEDIA_CURBE_LOAD of `data_dw` dwords, without the data's address.
fn load_constants(data_dw: u32) -> [u32; LOAD_DW] {
    use media_curbe_load as curbe;
    // The hardware loads whole cache lines.
    let bytes = (data_dw * 4).next_multiple_of(64);
    curbe::words::<LOAD_DW>()
        .with(curbe::CURBE_TOTAL_DATA_LENGTH, bytes.into())
        .dwords
}

/// Dword of MEDIA_CURBE_LOAD with the data's offset.
const OFFSET_AT: usize = media_curbe_load::CURBE_DATA_START_ADDRESS.lo as usize / 32;

const STATE_FLUSH: [u32; 2] = {
    assert!(is_required(Wa::FlushAfterWalker));
    media_state_flush::words::<2>().dwords
};

/// Dwords of GPGPU_WALKER.
const WALKER_DW: usize = gpgpu_walker::PACKET.dwords as usize;
/// Dwords of GPGPU_WALKER with its MEDIA_STATE_FLUSH.
const LAUNCH_DW: usize = WALKER_DW + 2;
/// Dwords of both with MEDIA_CURBE_LOAD before them.
const LOADED_LAUNCH_DW: usize = LOAD_DW + LAUNCH_DW;
const X_AT: usize = gpgpu_walker::THREAD_GROUP_ID_X_DIMENSION.lo as usize / 32;
const Y_AT: usize = gpgpu_walker::THREAD_GROUP_ID_Y_DIMENSION.lo as usize / 32;
const Z_AT: usize = gpgpu_walker::THREAD_GROUP_ID_Z_DIMENSION.lo as usize / 32;
/// GPGPU_WALKER's indirect bit: workgroup counts come from registers.
const INDIRECT: [u32; WALKER_DW] = gpgpu_walker::words::<WALKER_DW>()
    .flag(gpgpu_walker::INDIRECT_PARAMETER_ENABLE, true)
    .dwords;

/// The predicate enable bit, which GPGPU_WALKER and 3DPRIMITIVE share.
pub(crate) const fn predicate(predicated: bool) -> u32 {
    const BIT: u32 = gpgpu_walker::PREDICATE_ENABLE.lo as u32;
    assert!(BIT == hw::draw::primitive::PREDICATE_ENABLE.lo as u32);
    (predicated as u32) << BIT
}

/// Fills in the variable fields of a dispatch template: workgroup counts and predication.
#[inline(always)]
fn complete(words: &mut [u32; LAUNCH_DW], [x, y, z]: [u32; 3], predicated: bool) {
    words[0] |= predicate(predicated);
    words[X_AT] = x;
    words[Y_AT] = y;
    words[Z_AT] = z;
}

/// Shared local memory size as the descriptor encodes it: 0, or 1 + log2 of the size in KiB.
fn slm_code(bytes: u32) -> u64 {
    match bytes {
        0 => 0,
        bytes => u64::from(bytes.next_power_of_two().max(1024).trailing_zeros()) - 9,
    }
}

impl Generation for Gen9 {
    const GEN: hw::Gen = hw::Gen::Gen9;

    /// MEDIA_CURBE_LOAD, GPGPU_WALKER, and the MEDIA_STATE_FLUSH that must precede any change of
    /// constants or descriptor.
    type Walker = [u32; LOADED_LAUNCH_DW];

    fn pack_walker(kernel: &ComputeKernel<'_>) -> Self::Walker {
        use gpgpu_walker as gw;
        // Active lanes of the last thread.
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

    fn descriptor(kernel: &ComputeKernel<'_>) -> [u32; 8] {
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

    fn emit_context<M: StreamMemory>(
        stream: &mut Stream<M>,
        device: &hw::Device,
        heaps: &HeapBases,
    ) -> Result<(), M::Error> {
        use state_base_address as sba;
        if const { is_required(Wa::DropColorCalcBeforeGpgpu) } {
            // COLOR_CALC_STATE must be invalid when the pipeline changes.
            stream.emit(state_cc_state_pointers::words::<2>().dwords)?;
        }
        select(stream, PIPELINE_GPGPU, device.needs(Wa::BarrierMode))?;
        stream.emit(FLUSH)?;
        stream.emit(
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
        stream.emit(INVALIDATE)?;
        Self::emit_l3_partition(stream, device, L3Partition::WithoutSlm, true)
    }

    fn emit_l3_partition<M: StreamMemory>(
        stream: &mut Stream<M>,
        device: &hw::Device,
        partition: L3Partition,
        drained: bool,
    ) -> Result<(), M::Error> {
        let Some(load) = load_l3_config(device, partition) else {
            return Ok(());
        };
        let [first @ .., last] = BEFORE_L3_CONFIG;
        if !drained {
            for control in first {
                stream.emit(control)?;
            }
        }
        stream.emit(last)?;
        stream.emit(load)
    }

    fn l3_partition_words(device: &hw::Device, partition: L3Partition) -> Vec<u32> {
        match load_l3_config(device, partition) {
            Some(load) => [BEFORE_L3_CONFIG.as_flattened(), &load].concat(),
            None => Vec::new(),
        }
    }

    #[inline(always)]
    fn emit_pipe_control<M: StreamMemory>(
        stream: &mut Stream<M>,
        control: PipeControl,
        write_at: u64,
    ) -> Result<(), M::Error> {
        let vertices = control.any(PipeControl::INVALIDATE_VERTICES);
        if vertices && const { is_required(Wa::NullPipeControlBeforeVfInvalidate) } {
            // An empty PIPE_CONTROL must come before (SKL PRM vol. 2a, PIPE_CONTROL, VF Cache
            // Invalidation Enable).
            const NOTHING: [u32; 6] = pipe_control::words::<6>().dwords;
            stream.emit(NOTHING)?;
        }
        let words = stream.reserve()?;
        *words = CONTROLS[control.index()];
        if control.any(PipeControl::WRITE) {
            pipe_control::ADDRESS.set(words, write_at);
        }
        Ok(())
    }

    fn emit_vfe_state<M: StreamMemory>(
        stream: &mut Stream<M>,
        max_threads: u32,
        state: &VfeState,
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
        stream.emit(words.dwords)
    }

    #[inline]
    fn emit_curbe_load<M: StreamMemory>(
        stream: &mut Stream<M>,
        launch: &PackedDispatch<Self>,
        pushed: &PushSources<'_>,
    ) -> Result<(), M::Error> {
        let (words, data) = stream.reserve_with::<LOAD_DW>(launch.push_dw())?;
        words.copy_from_slice(&launch.walker[..LOAD_DW]);
        words[OFFSET_AT] = (data.address - pushed.dynamic_base) as u32;
        launch.write(pushed, data.words).ok_or_else(M::too_long)
    }

    #[inline]
    fn emit_descriptor_load<M: StreamMemory>(
        stream: &mut Stream<M>,
        offset_bytes: u32,
    ) -> Result<(), M::Error> {
        use media_interface_descriptor_load as load;
        let words = LOAD_DESCRIPTOR.with(
            load::INTERFACE_DESCRIPTOR_DATA_START_ADDRESS,
            offset_bytes.into(),
        );
        stream.emit(words.dwords)
    }

    #[inline(always)]
    fn emit_walker<M: StreamMemory>(
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
    fn emit_walker_with_push<M: StreamMemory>(
        stream: &mut Stream<M>,
        launch: &PackedDispatch<Self>,
        pushed: &PushSources<'_>,
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

    fn emit_walker_indirect<M: StreamMemory>(
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
            stream.emit(mi::load_register_mem(dimension, at))?;
        }
        let words = stream.reserve::<LAUNCH_DW>()?;
        words.copy_from_slice(&walker[LOAD_DW..]);
        words[0] |= INDIRECT[0] | predicate(predicated);
        Ok(())
    }

    fn emit_timestamp_top<M: StreamMemory>(
        stream: &mut Stream<M>,
        value_at: u64,
        available_at: u64,
    ) -> Result<(), M::Error> {
        for half in [0, 4] {
            let low = register::TIMESTAMP + half;
            stream.emit(mi::store_register_mem(low, value_at + u64::from(half)))?;
        }
        stream.emit(mi::store(available_at, 1))?;
        stream.emit(mi::store(available_at + 4, 0))
    }

    fn emit_bottom_write<M: StreamMemory>(
        stream: &mut Stream<M>,
        address: u64,
        value: u64,
    ) -> Result<(), M::Error> {
        stream.emit(written(PostSync::Immediate, address, value))
    }

    fn emit_depth_count_write<M: StreamMemory>(
        stream: &mut Stream<M>,
        address: u64,
    ) -> Result<(), M::Error> {
        stream.emit(written(PostSync::Samples, address, 0))
    }

    fn emit_counter_write<M: StreamMemory>(
        stream: &mut Stream<M>,
        counter: StatisticsCounter,
        address: u64,
    ) -> Result<(), M::Error> {
        let low = counter_register(counter);
        stream.emit(mi::store_register_mem(low, address))?;
        stream.emit(mi::store_register_mem(low + 4, address + 4))
    }

    fn emit_timestamp_bottom<M: StreamMemory>(
        stream: &mut Stream<M>,
        value_at: u64,
        available_at: u64,
    ) -> Result<(), M::Error> {
        stream.emit(written(PostSync::Time, value_at, 0))?;
        stream.emit(written(PostSync::Immediate, available_at, 1))
    }
}

/// Post-sync operation of a PIPE_CONTROL.
#[derive(Clone, Copy)]
enum PostSync {
    Immediate = 1,
    Samples = 2,
    Time = 3,
}

/// A PIPE_CONTROL with a post-sync operation. It stalls, as the GPGPU pipeline requires.
fn written(what: PostSync, address: u64, value: u64) -> [u32; 6] {
    use pipe_control as pc;
    STALL
        .with(pc::POST_SYNC_OPERATION, what as u64)
        // Samples still in the depth test must be counted.
        .flag(pc::DEPTH_STALL_ENABLE, matches!(what, PostSync::Samples))
        .with(pc::ADDRESS, address)
        .with(pc::IMMEDIATE_DATA, value)
        .dwords
}

fn counter_register(counter: StatisticsCounter) -> u32 {
    match counter {
        StatisticsCounter::AssembledVertices => register::IA_VERTICES_COUNT,
        StatisticsCounter::AssembledPrimitives => register::IA_PRIMITIVES_COUNT,
        StatisticsCounter::VertexInvocations => register::VS_INVOCATION_COUNT,
        StatisticsCounter::GeometryInvocations => register::GS_INVOCATION_COUNT,
        StatisticsCounter::GeometryPrimitives => register::GS_PRIMITIVES_COUNT,
        StatisticsCounter::ClippingInvocations => register::CL_INVOCATION_COUNT,
        StatisticsCounter::ClippingPrimitives => register::CL_PRIMITIVES_COUNT,
        StatisticsCounter::FragmentInvocations => register::PS_INVOCATION_COUNT,
        StatisticsCounter::TessControlInvocations => register::HS_INVOCATION_COUNT,
        StatisticsCounter::TessEvalInvocations => register::DS_INVOCATION_COUNT,
        StatisticsCounter::ComputeInvocations => register::CS_INVOCATION_COUNT,
        StatisticsCounter::Captured(stream) => {
            register::SO_NUM_PRIMS_WRITTEN0 + 8 * u32::from(stream)
        }
        StatisticsCounter::Capturable(stream) => {
            register::SO_PRIM_STORAGE_NEEDED0 + 8 * u32::from(stream)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::testing::HostChunks;

    #[test]
    fn leaving_the_3d_pipeline_drops_constants_from_the_context() {
        for (pipeline, disables) in [(PIPELINE_3D, 0), (PIPELINE_GPGPU, 1)] {
            let mut stream = Stream::new(HostChunks::default());
            select(&mut stream, pipeline, false).unwrap();
            let controls = &stream.memory().chunks[0][..12];
            let disabled = controls.chunks_exact(6).map(|words| {
                let stalls = pipe_control::COMMAND_STREAMER_STALL_ENABLE.get(words);
                stalls & pipe_control::INDIRECT_STATE_POINTERS_DISABLE.get(words)
            });
            assert_eq!(disabled.sum::<u64>(), disables);
        }
    }
}
