//! The dispatch and synchronisation packets of a hardware generation.
//!
//! In:  facts of a compute shader, the device, a dispatch. Out: packets in a [`Stream`], through an
//!      implementation of [`Generation`].

use abi::DriverValue;

use crate::l3::L3Partition;
use crate::pending::PendingFlushes;
use crate::push_data::{REGISTER_DW, fill_over};
use crate::stream::{Stream, StreamMemory};

/// Base addresses of the heaps (STATE_BASE_ADDRESS). Each spans 4 GiB, except the bindless heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapBases {
    /// General State Base Address: scratch.
    pub general: u64,
    /// Surface State Base Address.
    pub surface: u64,
    /// Dynamic State Base Address.
    pub dynamic: u64,
    /// Instruction Base Address.
    pub instruction: u64,
    /// Bindless Surface State Base Address.
    pub bindless: u64,
    /// Size of the bindless heap in surfaces, up to 2^20.
    pub bindless_surfaces: u64,
}

/// Facts of the device that batches depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Row of the device table.
    pub device: &'static hw::Device,
    /// Threads that run at once, on all subslices.
    pub max_threads: u32,
    /// Dynamic State Base Address.
    pub dynamic_base: u64,
    /// Bindless Surface State Base Address.
    pub bindless_base: u64,
    /// A quadword with undefined content, for PIPE_CONTROLs whose write serves synchronisation
    /// only.
    pub scrap_address: u64,
    /// The barrier mode follows the selected pipeline ([`hw::Wa::BarrierMode`]).
    pub has_barrier_mode: bool,
    /// Each draw emits all state, whether it has changed or not.
    pub full_state: bool,
}

/// Scratch memory of all threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScratchSpace {
    /// Offset from General State Base Address.
    pub address: u64,
    /// Bytes per thread: 0, or a power of two from 1024.
    pub thread_bytes: u32,
}

impl ScratchSpace {
    /// Per-thread size as packets encode it: log2 of KiB.
    pub(crate) fn code(&self) -> u64 {
        u64::from((self.thread_bytes / 1024).max(1).trailing_zeros())
    }
}

/// A compiled compute shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputeKernel<'a> {
    /// Offset of the code from Instruction Base Address, in bytes.
    pub kernel_offset_bytes: u64,
    /// 8, 16 or 32.
    pub simd_width: u32,
    /// Invocations of a workgroup.
    pub invocations: u32,
    /// Bytes of shared local memory.
    pub slm_bytes: u32,
    /// The shader uses workgroup barriers.
    pub barrier: bool,
    /// Scratch.
    pub scratch: ScratchSpace,
    /// Each thread gets a register with its index in the workgroup.
    pub per_thread: bool,
    /// Push data that all threads share.
    pub push: &'a abi::PushData,
}

impl ComputeKernel<'_> {
    /// Threads of a workgroup.
    pub fn threads(&self) -> u32 {
        self.invocations.div_ceil(self.simd_width.max(1))
    }

    /// Dwords of push data: shared registers, then one register for each thread if used.
    pub(crate) fn push_dw(&self) -> u32 {
        let thread_registers = if self.per_thread { self.threads() } else { 0 };
        (self.push.registers() + thread_registers) * abi::REGISTER_DW
    }
}

/// MEDIA_VFE_STATE, to the extent that it changes between dispatches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VfeState {
    /// Registers allocated for push data; 0: MEDIA_VFE_STATE was not emitted yet.
    pub curbe_grf: u32,
    /// Scratch.
    pub scratch: ScratchSpace,
}

/// The actions of a PIPE_CONTROL, besides the command streamer stall that all of ours have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipeControl(u8);

impl PipeControl {
    /// No action but the stall.
    pub const STALL: PipeControl = PipeControl(0);
    /// Writes a quadword at the end of the flush: what follows finds the data in memory.
    pub const WRITE: PipeControl = PipeControl(1);
    /// Flushes the data cache.
    pub const FLUSH_DATA: PipeControl = PipeControl(2);
    /// Invalidates the texture cache.
    pub const INVALIDATE_TEXTURE: PipeControl = PipeControl(4);
    /// Invalidates the constant cache.
    pub const INVALIDATE_CONSTANT: PipeControl = PipeControl(8);
    /// Flushes the render target and depth caches.
    pub const FLUSH_TARGETS: PipeControl = PipeControl(16);
    /// Invalidates the vertex fetch cache.
    pub const INVALIDATE_VERTICES: PipeControl = PipeControl(32);
    /// Number of combinations.
    pub(crate) const COUNT: usize = 64;

    /// The union.
    #[must_use]
    pub const fn with(self, other: PipeControl) -> PipeControl {
        PipeControl(self.0 | other.0)
    }

    /// Whether any action of `other` is in the set.
    pub const fn any(self, other: PipeControl) -> bool {
        self.0 & other.0 != 0
    }

    /// The actions for pending flushes. The stall is implied.
    #[inline(always)]
    pub(crate) const fn from_pending(pending: PendingFlushes) -> PipeControl {
        PipeControl(pending.without(PendingFlushes::STALL).bits())
    }

    /// Index of the template; 0 is a bare stall.
    #[inline(always)]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize % Self::COUNT
    }

    /// The inverse of [`PipeControl::index`].
    pub(crate) const fn from_index(index: usize) -> PipeControl {
        PipeControl((index % Self::COUNT) as u8)
    }
}

// Both sets use the same bit for the same cache.
const _: () = {
    assert!(PipeControl::from_pending(PendingFlushes::FLUSH_DATA).0 == PipeControl::FLUSH_DATA.0);
    assert!(
        PipeControl::from_pending(PendingFlushes::INVALIDATE_TEXTURE).0
            == PipeControl::INVALIDATE_TEXTURE.0
    );
    assert!(
        PipeControl::from_pending(PendingFlushes::INVALIDATE_CONSTANT).0
            == PipeControl::INVALIDATE_CONSTANT.0
    );
    assert!(
        PipeControl::from_pending(PendingFlushes::FLUSH_TARGETS).0 == PipeControl::FLUSH_TARGETS.0
    );
    assert!(
        PipeControl::from_pending(PendingFlushes::INVALIDATE_VERTICES).0
            == PipeControl::INVALIDATE_VERTICES.0
    );
};

/// A statistics counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the stages' names, and what is counted there")]
pub enum StatisticsCounter {
    AssembledVertices,
    AssembledPrimitives,
    VertexInvocations,
    GeometryInvocations,
    GeometryPrimitives,
    ClippingInvocations,
    ClippingPrimitives,
    FragmentInvocations,
    TessControlInvocations,
    TessEvalInvocations,
    ComputeInvocations,
    /// Primitives of a stream that were captured.
    Captured(u8),
    /// Primitives of a stream that would have been captured, given enough space.
    Capturable(u8),
}

/// Maximum number of threads of a workgroup (SKL PRM vol. 2a, "GPGPU_WALKER", Thread Width Counter
/// Maximum).
pub(crate) const MAX_GROUP_THREADS: u32 = 64;

/// Dwords of push constants of an application.
pub const PUSH_CONSTANTS_DW: usize = 64;
/// Maximum number of driver values of a dispatch.
pub(crate) const MAX_VALUES: usize = abi::MAX_DRIVER_VALUES;
/// Maximum number of bound descriptor sets.
pub const SETS: usize = 32;
/// Maximum number of bound dynamic buffers.
pub(crate) const MAX_DYNAMIC: usize = 16;
/// Sets with the first value indices. The rarely used sets after those have the last ones.
const FIRST_SETS: usize = 8;
const DYNAMIC_AT: usize = FIRST_SETS;
/// Value indices after those of sets and dynamic buffers.
pub(crate) const COUNTS_AT: usize = DYNAMIC_AT + MAX_DYNAMIC;
pub(crate) const BASE_AT: usize = COUNTS_AT + 2;
pub(crate) const HEAP_AT: usize = BASE_AT + 3;
/// Index of a value that is always zero.
pub(crate) const ZERO_AT: usize = HEAP_AT + 2;
const COVERAGE_AT: usize = ZERO_AT + 1;
const PATCH_AT: usize = COVERAGE_AT + 1;
const MORE_SETS_AT: usize = PATCH_AT + 1;
const VALUE_COUNT: usize = MORE_SETS_AT + SETS - FIRST_SETS;
/// Dwords of the bound words: the application's push constants, then the driver's values, padded.
pub(crate) const BOUND_DW: usize = HEAP_OFFSET_BIT;
pub(crate) const VALUES_AT: usize = PUSH_CONSTANTS_DW;
const _: () = assert!(VALUES_AT + VALUE_COUNT <= BOUND_DW);

/// Set in a word index: the pushed word is not the set's handle, but [`set_heap_offset`] of it.
const HEAP_OFFSET_BIT: usize = 0x80;

/// Value index of a set's handle. Returns `None` if the set is out of range.
#[inline(always)]
pub(crate) fn set_index(set: usize) -> Option<usize> {
    match set {
        0..FIRST_SETS => Some(set),
        FIRST_SETS..SETS => Some(MORE_SETS_AT + set - FIRST_SETS),
        _ => None,
    }
}

/// Value index of a dynamic buffer's handle. Returns `None` if the buffer is out of range.
#[inline(always)]
pub(crate) fn dynamic_index(index: usize) -> Option<usize> {
    (index < MAX_DYNAMIC).then_some(DYNAMIC_AT + index)
}

/// A set's offset in the bindless heap in bytes, given its handle (see `abi`).
#[inline]
pub(crate) fn set_heap_offset(handle: u32) -> u32 {
    handle >> 6
}

/// The word to push for a word index.
#[inline]
pub(crate) fn pushed_word(words: &[u32; BOUND_DW], index: u8) -> u32 {
    let word = words[usize::from(index) % BOUND_DW];
    match usize::from(index) & HEAP_OFFSET_BIT {
        0 => word,
        _ => set_heap_offset(word),
    }
}

/// Words that a dispatch gathers from: the bound words, then for each of them the result of
/// [`pushed_word`] with [`HEAP_OFFSET_BIT`]. So a word index needs no decoding.
pub(crate) const GATHERED_DW: usize = 2 * BOUND_DW;
const _: () = assert!(GATHERED_DW == 1 << u8::BITS);

/// Value index of a driver value, and what is added to the word there. Returns `None` if a set or
/// dynamic buffer is out of range.
pub(crate) fn value_index_and_offset(value: DriverValue) -> Option<(usize, u32)> {
    let (value, more) = match value {
        DriverValue::SetDescriptor { set, more } => (DriverValue::SetHandle { set }, more),
        DriverValue::DynamicDescriptor { index, more } => {
            (DriverValue::DynamicHandle { index }, more)
        }
        value => (value, 0),
    };
    Some((value_index(value)?, more))
}

/// Value index of a driver value that is a bound word. Returns `None` if it is out of range, or a
/// sum.
pub(crate) fn value_index(value: DriverValue) -> Option<usize> {
    let within = |base: usize, index: u32, count: usize| {
        let index = index as usize;
        (index < count).then_some(base + index)
    };
    match value {
        DriverValue::SetHandle { set } => set_index(set as usize),
        DriverValue::SetPlace { set } => Some(HEAP_OFFSET_BIT + set_index(set as usize)?),
        DriverValue::DynamicHandle { index } => dynamic_index(index as usize),
        DriverValue::NumWorkgroupsAddress { dword } => within(COUNTS_AT, dword, 2),
        DriverValue::BaseWorkgroupId { component } => within(BASE_AT, component, 3),
        DriverValue::SurfaceHeapAddress { dword } => within(HEAP_AT, dword, 2),
        DriverValue::Nothing => Some(ZERO_AT),
        DriverValue::CoverageSamples => Some(COVERAGE_AT),
        DriverValue::PatchPoints => Some(PATCH_AT),
        DriverValue::SetDescriptor { .. } | DriverValue::DynamicDescriptor { .. } => None,
    }
}

/// A compute pipeline's dispatch, packed at pipeline creation: plain data that is copied when
/// bound.
#[derive(Clone, Copy, Debug)]
pub struct PackedDispatch<G: Generation> {
    pub(crate) walker: G::Walker,
    /// Offset of the interface descriptor from Dynamic State Base Address, in bytes.
    pub(crate) descriptor_offset_bytes: u32,
    pub(crate) scratch: ScratchSpace,
    /// The shader uses SLM.
    pub(crate) uses_slm: bool,
    /// Registers of all push data.
    pub(crate) curbe_grf: u32,
    constants_first_dw: u8,
    /// Dwords of push constants, and number of driver values after them, a dword each.
    constants_dw: u8,
    value_count: u8,
    /// Registers of both, shared by all threads.
    shared_registers: u8,
    /// Dwords of all push data, padded to registers: the shared ones, then one register for each
    /// thread.
    data_dw: u16,
    pub(crate) uses_counts: bool,
    pub(crate) uses_base: bool,
    /// Index of each driver value among the gathered words.
    values: [u8; MAX_VALUES],
    /// What is added to each value.
    added: [u32; MAX_VALUES],
}

impl<G: Generation> PackedDispatch<G> {
    /// Packs a dispatch with its interface descriptor ([`Generation::descriptor`]) at the given
    /// offset. Returns `None` if the shader exceeds the limits of push data or threads.
    pub fn new(kernel: &ComputeKernel<'_>, descriptor_offset_bytes: u32) -> Option<Self> {
        if kernel.threads() > MAX_GROUP_THREADS {
            return None;
        }
        let push = kernel.push;
        let constants = push.constants_first_dw..push.constants_first_dw + push.constants_dw;
        if push.driver.len() > MAX_VALUES || constants.end as usize > PUSH_CONSTANTS_DW {
            return None;
        }
        let sums = push
            .driver
            .iter()
            .map(|&value| value_index_and_offset(value));
        let sums: Vec<(usize, u32)> = sums.collect::<Option<_>>()?;
        let mut values = [0; MAX_VALUES];
        for (to, sum) in values.iter_mut().zip(&sums) {
            *to = (VALUES_AT + sum.0) as u8;
        }
        let mut added = [0; MAX_VALUES];
        for (more, sum) in added.iter_mut().zip(&sums) {
            *more = sum.1;
        }
        let push_dw = kernel.push_dw();
        let uses = |start: usize, count: usize| {
            sums.iter()
                .any(|sum| (start..start + count).contains(&sum.0))
        };
        Some(Self {
            walker: G::pack_walker(kernel),
            descriptor_offset_bytes,
            scratch: kernel.scratch,
            uses_slm: kernel.slm_bytes > 0,
            curbe_grf: push_dw / abi::REGISTER_DW,
            constants_first_dw: push.constants_first_dw as u8,
            constants_dw: push.constants_dw as u8,
            value_count: sums.len() as u8,
            shared_registers: push.registers() as u8,
            data_dw: u16::try_from(push_dw).ok()?,
            uses_counts: uses(COUNTS_AT, 2),
            uses_base: uses(BASE_AT, 3),
            values,
            added,
        })
    }

    /// Dwords of push data, in whole registers.
    #[inline(always)]
    pub(crate) fn push_dw(&self) -> usize {
        self.data_dw.into()
    }

    /// Gathers push data from the bound words: shared registers, with zeros in place of push
    /// constants, then each thread's index.
    #[inline(never)]
    pub(crate) fn gather(
        &self,
        words: &[u32; GATHERED_DW],
        registers: &mut Vec<[u32; REGISTER_DW]>,
    ) {
        registers.clear();
        registers.resize(self.shared_registers.into(), [0; REGISTER_DW]);
        let room = registers
            .as_flattened_mut()
            .iter_mut()
            .skip(self.constants_dw.into());
        let values = self
            .values
            .iter()
            .zip(&self.added)
            .take(self.value_count.into());
        for ((&index, &more), to) in values.zip(room) {
            *to = words[usize::from(index) % GATHERED_DW].wrapping_add(more);
        }
        let thread_registers = self.push_dw() / REGISTER_DW - registers.len();
        registers.extend((0..thread_registers as u32).map(|thread| [thread, 0, 0, 0, 0, 0, 0, 0]));
    }

    /// Writes push data: the gathered registers with the push constants merged in. Returns `None`
    /// if it does not fit.
    #[inline(always)]
    pub(crate) fn write(&self, pushed: &PushSources<'_>, data: &mut [u32]) -> Option<()> {
        let first = usize::from(self.constants_first_dw);
        let constants = pushed.words.get(first..)?;
        let registers = data.as_chunks_mut().0;
        fill_over(
            constants,
            self.constants_dw.into(),
            pushed.gathered,
            registers,
        )
    }
}

/// Sources of a dispatch's push data.
#[derive(Clone, Copy, Debug)]
pub struct PushSources<'a> {
    /// The bound words; the first are the application's push constants.
    pub(crate) words: &'a [u32; GATHERED_DW],
    /// The result of [`PackedDispatch::gather`].
    pub(crate) gathered: &'a [[u32; REGISTER_DW]],
    /// Dynamic State Base Address.
    pub(crate) dynamic_base: u64,
}

/// Packs and emits the dispatch and synchronisation packets of a generation.
pub trait Generation: Copy + std::fmt::Debug {
    /// The hardware generation.
    const GEN: hw::Gen;
    /// The packets of a dispatch, complete except for the workgroup counts.
    type Walker: Copy + std::fmt::Debug;
    /// Packs the dispatch packets of a shader.
    fn pack_walker(kernel: &ComputeKernel<'_>) -> Self::Walker;
    /// Packs the interface descriptor of a shader: 32 bytes, to be placed at a multiple of 64.
    fn descriptor(kernel: &ComputeKernel<'_>) -> [u32; 8];
    /// Emits the state that a context needs once: pipeline selection, heaps, and the L3
    /// configuration without SLM.
    fn emit_context<M: StreamMemory>(
        stream: &mut Stream<M>,
        device: &hw::Device,
        heaps: &HeapBases,
    ) -> Result<(), M::Error>;
    /// Emits a change of the L3 configuration. `drained`: since the last work there were a
    /// PIPE_CONTROL that stalls and flushes all caches, and one that invalidates all caches.
    /// Constants of dispatches are lost.
    fn emit_l3_partition<M: StreamMemory>(
        stream: &mut Stream<M>,
        device: &hw::Device,
        partition: L3Partition,
        drained: bool,
    ) -> Result<(), M::Error>;
    /// The commands of [`Generation::emit_l3_partition`], to be executed between two batches.
    fn l3_partition_words(device: &hw::Device, partition: L3Partition) -> Vec<u32>;
    /// Emits a PIPE_CONTROL; `write_at` is the target of [`PipeControl::WRITE`].
    fn emit_pipe_control<M: StreamMemory>(
        stream: &mut Stream<M>,
        control: PipeControl,
        write_at: u64,
    ) -> Result<(), M::Error>;
    /// Emits MEDIA_VFE_STATE.
    fn emit_vfe_state<M: StreamMemory>(
        stream: &mut Stream<M>,
        max_threads: u32,
        state: &VfeState,
    ) -> Result<(), M::Error>;
    /// Writes push data and emits the packet that loads it for the following dispatches.
    fn emit_curbe_load<M: StreamMemory>(
        stream: &mut Stream<M>,
        launch: &PackedDispatch<Self>,
        pushed: &PushSources<'_>,
    ) -> Result<(), M::Error>;
    /// Emits the packet that loads the interface descriptor.
    fn emit_descriptor_load<M: StreamMemory>(
        stream: &mut Stream<M>,
        offset_bytes: u32,
    ) -> Result<(), M::Error>;
    /// Emits a dispatch, predicated if asked for.
    fn emit_walker<M: StreamMemory>(
        stream: &mut Stream<M>,
        walker: &Self::Walker,
        groups: [u32; 3],
        predicated: bool,
    ) -> Result<(), M::Error>;
    /// As [`Generation::emit_walker`], with push data before it.
    fn emit_walker_with_push<M: StreamMemory>(
        stream: &mut Stream<M>,
        launch: &PackedDispatch<Self>,
        pushed: &PushSources<'_>,
        groups: [u32; 3],
        predicated: bool,
    ) -> Result<(), M::Error>;
    /// Emits a dispatch whose workgroup counts are three dwords in memory.
    fn emit_walker_indirect<M: StreamMemory>(
        stream: &mut Stream<M>,
        walker: &Self::Walker,
        address: u64,
        predicated: bool,
    ) -> Result<(), M::Error>;
    /// Writes the time at the top of the pipe, then the quadword 1 to `available_at`.
    fn emit_timestamp_top<M: StreamMemory>(
        stream: &mut Stream<M>,
        value_at: u64,
        available_at: u64,
    ) -> Result<(), M::Error>;
    /// Writes a quadword when all earlier work is done, without waiting for that.
    fn emit_bottom_write<M: StreamMemory>(
        stream: &mut Stream<M>,
        address: u64,
        value: u64,
    ) -> Result<(), M::Error>;
    /// Writes the count of passed samples, after all earlier draws.
    fn emit_depth_count_write<M: StreamMemory>(
        stream: &mut Stream<M>,
        address: u64,
    ) -> Result<(), M::Error>;
    /// Writes a statistics counter, at the top of the pipe.
    fn emit_counter_write<M: StreamMemory>(
        stream: &mut Stream<M>,
        counter: StatisticsCounter,
        address: u64,
    ) -> Result<(), M::Error>;
    /// Writes the time at the bottom of the pipe, then the quadword 1 to `available_at`.
    fn emit_timestamp_bottom<M: StreamMemory>(
        stream: &mut Stream<M>,
        value_at: u64,
        available_at: u64,
    ) -> Result<(), M::Error>;
}
