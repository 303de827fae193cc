//! Bound dispatch state of a batch, and its emission at dispatches.
//!
//! In:  state as it is set; dispatches. Out: packets, for what has changed:
//!
//! - MEDIA_VFE_STATE, if a dispatch needs more scratch or more CURBE space than any before it;
//! - the interface descriptor, if the pipeline has changed;
//! - push data, if any of it has changed, the pipeline needs other data, or MEDIA_VFE_STATE was
//!   emitted;
//! - stalls, flushes and invalidations, if barriers requested them and there is work to wait for.
//!
//! Ref: SKL PRM vol. 2a, "MEDIA_VFE_STATE" (a stall before it), "MEDIA_STATE_FLUSH" (after each
//!      walker).

use crate::draw::DrawGeneration;
use crate::draw::recorder::BatchDrawState;
use crate::draw::target::RenderTargets;
use crate::generation::{
    BASE_AT, BOUND_DW, COUNTS_AT, DeviceInfo, GATHERED_DW, Generation, HEAP_AT, HeapBases,
    PUSH_CONSTANTS_DW, PackedDispatch, PipeControl, PushSources, VALUES_AT, VfeState,
    dynamic_index, set_heap_offset, set_index,
};
use crate::l3::{L3Partition, L3Use};
use crate::mi;
use crate::pending::PendingFlushes;
use crate::push_data::REGISTER_DW;
use crate::stream::{BatchData, Stream, StreamMemory};

/// Minimum CURBE allocation in registers, so that common pipelines need no MEDIA_VFE_STATE.
const MIN_CURBE_GRF: u32 = 16;

/// Not a multiple of 64, as all descriptor offsets are.
const NO_DESCRIPTOR: u32 = u32::MAX;

/// Inputs of dispatches: copied whole around an internal dispatch.
#[derive(Clone, Copy, Debug)]
struct Bound<G: Generation> {
    launch: Option<PackedDispatch<G>>,
    /// The application's push constants, the driver's values from [`VALUES_AT`] on, then the heap
    /// offsets of sets.
    words: [u32; GATHERED_DW],
}

/// State at the end of a secondary batch, which the primary continues with.
#[derive(Clone, Copy, Debug)]
pub struct EndState {
    /// MEDIA_VFE_STATE; zero if the batch did not emit it.
    front_end: VfeState,
    /// The 3D pipeline is selected.
    is_3d_selected: bool,
    l3: L3Use,
}

impl EndState {
    /// The L3 configuration that the batch expects, and the one that it leaves.
    pub fn l3(&self) -> L3Use {
        self.l3
    }
}

/// A batch that is being recorded.
#[derive(Debug)]
pub struct Recorder<G: DrawGeneration, M> {
    pub(crate) stream: Stream<M>,
    pub(crate) machine: DeviceInfo,
    bound: Bound<G>,
    /// Push data differs from what was loaded last.
    constants_dirty: bool,
    /// Push data other than push constants differs: it must be gathered again.
    values_dirty: bool,
    /// The last gathered push data.
    gathered: Vec<[u32; REGISTER_DW]>,
    /// Offset of the last loaded interface descriptor, or [`NO_DESCRIPTOR`].
    descriptor: u32,
    front_end: VfeState,
    pending: PendingFlushes,
    /// Work may be in flight.
    pub(crate) busy: bool,
    /// The data cache may hold unflushed writes.
    pub(crate) data_dirty: bool,
    /// The render target or depth cache may hold unflushed writes.
    pub(crate) targets_dirty: bool,
    /// The 3D pipeline is selected; the L3 has no SLM then.
    is_3d_selected: bool,
    /// The L3 configuration that the batch expects, and the current one.
    l3: L3Use,
    /// Conditional rendering is active.
    pub(crate) conditional: bool,
    /// Meta operations are predicated: see [`Recorder::predicate_internal`].
    pub(crate) internal_predicated: bool,
    /// Draw state, created at first use.
    pub(crate) draws: Option<Box<BatchDrawState<G>>>,
    /// Workgroup counts of the last dispatch that needed them in memory.
    group_counts: [u32; 3],
}

impl<G: DrawGeneration, M: StreamMemory> Recorder<G, M> {
    /// Creates a recorder that writes to `memory`.
    pub fn new(memory: M, machine: DeviceInfo) -> Self {
        let mut recorder = Self {
            stream: Stream::new(memory),
            machine,
            bound: Bound {
                launch: None,
                words: [0; GATHERED_DW],
            },
            constants_dirty: true,
            values_dirty: true,
            gathered: Vec::new(),
            descriptor: NO_DESCRIPTOR,
            front_end: VfeState::default(),
            pending: PendingFlushes::INVALIDATE_VERTICES,
            busy: true,
            data_dirty: true,
            targets_dirty: true,
            is_3d_selected: false,
            l3: L3Use::default(),
            conditional: false,
            internal_predicated: false,
            draws: None,
            group_counts: [0; 3],
        };
        recorder.unbind();
        recorder
    }

    /// Returns the memory with its contents.
    pub fn into_memory(self) -> M {
        self.stream.into_memory()
    }

    /// The command stream.
    pub fn stream(&self) -> &Stream<M> {
        &self.stream
    }

    /// The memory, to give it its first chunk.
    pub fn memory(&mut self) -> &mut M {
        self.stream.memory_mut()
    }

    /// Starts a new batch with nothing bound and unknown hardware state. Returns the memory, to
    /// take its chunks away.
    pub fn restart(&mut self) -> &mut M {
        self.unbind();
        self.front_end = VfeState::default();
        self.descriptor = NO_DESCRIPTOR;
        // The contents of the vertex fetch cache are unknown.
        self.pending = PendingFlushes::INVALIDATE_VERTICES;
        (self.busy, self.data_dirty, self.targets_dirty) = (true, true, true);
        (
            self.is_3d_selected,
            self.conditional,
            self.internal_predicated,
        ) = (false, false, false);
        self.l3 = L3Use::default();
        // Most batches never draw.
        self.draws = None;
        self.stream.restart()
    }

    /// Unbinds everything.
    pub fn unbind(&mut self) {
        self.bound.launch = None;
        self.bound.words = [0; GATHERED_DW];
        let heap = self.machine.bindless_base;
        self.bound.words[VALUES_AT + HEAP_AT] = heap as u32;
        self.bound.words[VALUES_AT + HEAP_AT + 1] = (heap >> 32) as u32;
        self.mark_values_dirty();
    }

    /// Binds a compute pipeline.
    #[inline]
    pub fn bind(&mut self, launch: &PackedDispatch<G>) {
        let bound = self.bound.launch.as_ref();
        if bound.is_none_or(|l| l.descriptor_offset_bytes != launch.descriptor_offset_bytes) {
            self.bound.launch = Some(*launch);
            self.mark_values_dirty();
        }
    }

    #[inline(always)]
    fn mark_values_dirty(&mut self) {
        (self.constants_dirty, self.values_dirty) = (true, true);
    }

    /// Sets the handle of a descriptor set. Returns false if the set is out of range.
    #[inline]
    pub fn set_handle(&mut self, set: usize, handle: u32) -> bool {
        let Some(index) = set_index(set) else {
            return false;
        };
        // Dispatches gather the handle from one index, and the set's heap offset from another.
        self.bound.words[BOUND_DW + VALUES_AT + index] = set_heap_offset(handle);
        self.set_value(index, handle)
    }

    /// Sets the handle of a dynamic buffer. Returns false if the index is out of range.
    #[inline]
    pub fn dynamic_handle(&mut self, index: usize, handle: u32) -> bool {
        dynamic_index(index).is_some_and(|index| self.set_value(index, handle))
    }

    #[inline]
    fn set_value(&mut self, index: usize, value: u32) -> bool {
        match self.bound.words[VALUES_AT..BOUND_DW].get_mut(index) {
            Some(known) => {
                if std::mem::replace(known, value) != value {
                    self.mark_values_dirty();
                }
                true
            }
            None => false,
        }
    }

    /// Sets push constants from a byte offset. Returns false if they are out of range or not whole
    /// dwords.
    #[inline]
    pub fn push(&mut self, offset_bytes: u32, data: &[u8]) -> bool {
        let (at, count) = (offset_bytes as usize / 4, data.len() / 4);
        let aligned = offset_bytes.is_multiple_of(4) && data.len().is_multiple_of(4);
        let constants = &mut self.bound.words[..PUSH_CONSTANTS_DW];
        match constants.get_mut(at..at.saturating_add(count)) {
            Some(room) if aligned => {
                // Four dwords are common, and stored without a call.
                let dwords = data.as_chunks().0;
                let (room, dwords) = match (
                    room.split_first_chunk_mut(),
                    dwords.split_first_chunk::<4>(),
                ) {
                    (Some((to, room)), Some((from, dwords))) => {
                        *to = from.map(u32::from_le_bytes);
                        (room, dwords)
                    }
                    _ => (room, dwords),
                };
                for (to, from) in room.iter_mut().zip(dwords) {
                    *to = u32::from_le_bytes(*from);
                }
                self.constants_dirty = true;
                true
            }
            _ => false,
        }
    }

    /// Adds pending flushes for the next command.
    #[inline]
    pub fn barrier(&mut self, pending: PendingFlushes) {
        self.pending = self.pending.with(pending);
    }

    /// Whether a stall is pending.
    pub fn is_waiting(&self) -> bool {
        self.pending.any(PendingFlushes::STALL)
    }

    /// Emits all pending flushes.
    #[inline]
    pub fn emit_pending_flushes(&mut self) -> Result<(), M::Error> {
        if self.pending.is_none() {
            return Ok(());
        }
        self.emit_pending_flushes_except(PendingFlushes::NONE)
    }

    /// Emits pending flushes, except the vertex cache invalidation: for commands that fetch no
    /// vertices.
    #[inline]
    pub fn emit_pending_non_vertex_flushes(&mut self) -> Result<(), M::Error> {
        let except = PendingFlushes::INVALIDATE_VERTICES;
        if self.pending.without(except).is_none() {
            return Ok(());
        }
        self.emit_pending_flushes_except(except)
    }

    #[inline(never)]
    fn emit_pending_flushes_except(&mut self, except: PendingFlushes) -> Result<(), M::Error> {
        let pending = self.pending.without(except);
        self.pending = self.pending.and(except);
        let invalidated = pending.and(PendingFlushes::INVALIDATIONS);
        let invalidates = !invalidated.is_none();
        let mut written = PendingFlushes::NONE;
        if self.data_dirty {
            written = written.with(PendingFlushes::FLUSH_DATA);
        }
        if self.targets_dirty {
            written = written.with(PendingFlushes::FLUSH_TARGETS);
        }
        let flushed = pending.and(written);
        let stall = self.busy && (pending.any(PendingFlushes::STALL) || invalidates);
        if !flushed.is_none() || stall {
            let mut control = PipeControl::from_pending(flushed);
            if invalidates {
                // Invalidated caches must not be refilled before the flushed data has landed.
                control = control.with(PipeControl::WRITE);
            }
            G::emit_pipe_control(&mut self.stream, control, self.machine.scrap_address)?;
            self.busy = false;
            self.data_dirty &= !flushed.any(PendingFlushes::FLUSH_DATA);
            self.targets_dirty &= !flushed.any(PendingFlushes::FLUSH_TARGETS);
        }
        if invalidates {
            let mut control = PipeControl::from_pending(invalidated);
            let vertices = invalidated.any(PendingFlushes::INVALIDATE_VERTICES);
            if vertices && const { hw::Wa::PostSyncWithVfInvalidate.required_on(G::GEN) } {
                // A vertex cache invalidation needs a post-sync write.
                control = control.with(PipeControl::WRITE);
            }
            G::emit_pipe_control(&mut self.stream, control, self.machine.scrap_address)?;
            if let Some(draws) = &mut self.draws {
                if invalidated.any(PendingFlushes::INVALIDATE_VERTICES) {
                    draws.vertex_cache_invalidated();
                }
                if invalidated.any(PendingFlushes::INVALIDATE_CONSTANT) {
                    draws.contents_changed();
                }
            }
        }
        Ok(())
    }

    /// Emits dirty dispatch state, except push data.
    #[inline(always)]
    fn emit_dirty_state(&mut self) -> Result<(), M::Error> {
        self.emit_pending_non_vertex_flushes()?;
        if let Some(launch) = &self.bound.launch
            && self.descriptor != launch.descriptor_offset_bytes
        {
            self.emit_pipeline()?;
        }
        Ok(())
    }

    #[inline(never)]
    fn emit_pipeline(&mut self) -> Result<(), M::Error> {
        let drained = self.select_gpgpu()?;
        let uses_slm = self.bound.launch.as_ref().is_some_and(|l| l.uses_slm);
        if uses_slm && self.l3.require(L3Partition::WithSlm) {
            self.emit_l3_partition(L3Partition::WithSlm, drained)?;
        }
        let Some(launch) = &self.bound.launch else {
            return Ok(());
        };
        let emitted = self.front_end;
        let (has, wants) = (emitted.scratch, launch.scratch);
        let more_scratch = wants.thread_bytes > has.thread_bytes;
        if launch.curbe_grf > emitted.curbe_grf || more_scratch || emitted.curbe_grf == 0 {
            if self.busy {
                G::emit_pipe_control(&mut self.stream, PipeControl::STALL, 0)?;
                self.busy = false;
            }
            let room = launch.curbe_grf.max(MIN_CURBE_GRF).next_multiple_of(2);
            self.front_end = VfeState {
                curbe_grf: emitted.curbe_grf.max(room),
                scratch: if more_scratch { wants } else { has },
            };
            G::emit_vfe_state(&mut self.stream, self.machine.max_threads, &self.front_end)?;
            // MEDIA_VFE_STATE reallocates the CURBE.
            self.constants_dirty = true;
        }
        G::emit_descriptor_load(&mut self.stream, launch.descriptor_offset_bytes)?;
        self.descriptor = launch.descriptor_offset_bytes;
        Ok(())
    }

    /// Emits a change of the L3 configuration. `drained`: a pipeline was just selected.
    #[cold]
    fn emit_l3_partition(&mut self, partition: L3Partition, drained: bool) -> Result<(), M::Error> {
        G::emit_l3_partition(&mut self.stream, self.machine.device, partition, drained)?;
        (self.busy, self.data_dirty) = (false, false);
        // The URB moves: its division for dispatches and their constants are emitted again.
        self.front_end = VfeState::default();
        self.constants_dirty = true;
        Ok(())
    }

    /// Selects the 3D pipeline. Batches begin and end with the GPGPU pipeline.
    pub(crate) fn select_3d(&mut self) -> Result<(), M::Error> {
        if self.is_3d_selected {
            return Ok(());
        }
        G::emit_select_3d(&mut self.stream, &self.machine)?;
        (self.busy, self.data_dirty, self.targets_dirty) = (false, false, false);
        self.is_3d_selected = true;
        // MEDIA_VFE_STATE and the descriptor must be emitted again for the next dispatch.
        self.descriptor = NO_DESCRIPTOR;
        self.front_end = VfeState::default();
        if let Some(draws) = &mut self.draws {
            draws.invalidate();
        }
        if self.l3.require(L3Partition::WithoutSlm) {
            self.emit_l3_partition(L3Partition::WithoutSlm, true)?;
        }
        Ok(())
    }

    /// Selects the GPGPU pipeline. Returns false if it was selected.
    fn select_gpgpu(&mut self) -> Result<bool, M::Error> {
        if !self.is_3d_selected {
            return Ok(false);
        }
        self.restore_draw_state()?;
        G::emit_select_gpgpu(&mut self.stream, &self.machine)?;
        (self.busy, self.data_dirty, self.targets_dirty) = (false, false, false);
        self.is_3d_selected = false;
        Ok(true)
    }

    /// Restores draw state that other batches rely on.
    fn restore_draw_state(&mut self) -> Result<(), M::Error> {
        match &mut self.draws {
            Some(draws) => draws.restore_sample_pattern(&mut self.stream),
            None => Ok(()),
        }
    }

    /// Dispatches workgroups; the first has the ID `base`. Returns false if no pipeline is bound.
    #[inline(always)]
    pub fn dispatch(&mut self, base: [u32; 3], count: [u32; 3]) -> Result<bool, M::Error> {
        let Some(launch) = &self.bound.launch else {
            return Ok(false);
        };
        if count.contains(&0) {
            return Ok(true);
        }
        if launch.uses_counts || launch.uses_base {
            self.set_workgroup_values(base, count)?;
        }
        self.emit_dirty_state()?;
        (self.busy, self.data_dirty) = (true, true);
        let Some(launch) = &self.bound.launch else {
            return Ok(false);
        };
        let (stream, conditional) = (&mut self.stream, self.conditional);
        if std::mem::take(&mut self.constants_dirty) && launch.curbe_grf > 0 {
            if std::mem::take(&mut self.values_dirty) {
                launch.gather(&self.bound.words, &mut self.gathered);
            }
            let pushed = PushSources {
                words: &self.bound.words,
                gathered: &self.gathered,
                dynamic_base: self.machine.dynamic_base,
            };
            G::emit_walker_with_push(stream, launch, &pushed, count, conditional)?;
        } else {
            G::emit_walker(stream, &launch.walker, count, conditional)?;
        }
        Ok(true)
    }

    /// Sets the driver values for workgroup counts and base workgroup ID.
    #[inline(never)]
    fn set_workgroup_values(&mut self, base: [u32; 3], count: [u32; 3]) -> Result<(), M::Error> {
        let Some(launch) = &self.bound.launch else {
            return Ok(());
        };
        let (uses_base, uses_counts) = (launch.uses_base, launch.uses_counts);
        if uses_base {
            for (index, value) in (BASE_AT..).zip(base) {
                self.set_value(index, value);
            }
        }
        let at = VALUES_AT + COUNTS_AT;
        let known = self.bound.words[at] | self.bound.words[at + 1] != 0;
        if uses_counts && (!known || self.group_counts != count) {
            let data = self.stream.data(count.len())?;
            data.words.copy_from_slice(&count);
            let address = data.address;
            self.group_counts = count;
            self.set_counts_address(address);
        }
        Ok(())
    }

    fn set_counts_address(&mut self, address: u64) {
        self.set_value(COUNTS_AT, address as u32);
        self.set_value(COUNTS_AT + 1, (address >> 32) as u32);
    }

    /// Dispatches with workgroup counts from three dwords in memory. Returns false if no pipeline
    /// is bound.
    pub fn dispatch_indirect(&mut self, address: u64) -> Result<bool, M::Error> {
        let Some(launch) = &self.bound.launch else {
            return Ok(false);
        };
        let (uses_base, uses_counts) = (launch.uses_base, launch.uses_counts);
        if uses_base {
            for index in BASE_AT..BASE_AT + 3 {
                self.set_value(index, 0);
            }
        }
        if uses_counts {
            self.set_counts_address(address);
            // The counts in memory are no longer those of the last direct dispatch.
            self.group_counts = [0; 3];
        }
        self.emit_dirty_state()?;
        (self.busy, self.data_dirty) = (true, true);
        let Some(launch) = &self.bound.launch else {
            return Ok(false);
        };
        if std::mem::take(&mut self.constants_dirty) && launch.curbe_grf > 0 {
            if std::mem::take(&mut self.values_dirty) {
                launch.gather(&self.bound.words, &mut self.gathered);
            }
            let pushed = PushSources {
                words: &self.bound.words,
                gathered: &self.gathered,
                dynamic_base: self.machine.dynamic_base,
            };
            G::emit_curbe_load(&mut self.stream, launch, &pushed)?;
        }
        G::emit_walker_indirect(&mut self.stream, &launch.walker, address, self.conditional)?;
        Ok(true)
    }

    /// Performs an internal dispatch with its own dynamic buffers and push constants; the
    /// application's bindings are restored.
    pub fn dispatch_internal(
        &mut self,
        launch: &PackedDispatch<G>,
        handles: &[u32],
        constants: &[u32],
        groups: [u32; 3],
    ) -> Result<(), M::Error> {
        let application = self.bound;
        self.unbind();
        for (index, &handle) in handles.iter().enumerate() {
            self.dynamic_handle(index, handle);
        }
        let room = &mut self.bound.words[..PUSH_CONSTANTS_DW];
        for (to, &from) in room.iter_mut().zip(constants) {
            *to = from;
        }
        self.bound.launch = Some(*launch);
        self.mark_values_dirty();
        let conditional = std::mem::replace(&mut self.conditional, self.internal_predicated);
        let launched = self.dispatch([0; 3], groups);
        self.conditional = conditional;
        self.bound = application;
        self.mark_values_dirty();
        launched.map(|_| ())
    }

    /// Allocates data for shaders, beside the commands.
    pub fn data(&mut self, len_dw: usize) -> Result<BatchData<'_>, M::Error> {
        self.stream.data(len_dw)
    }

    /// Writes a dword, after pending flushes.
    pub fn store(&mut self, address: u64, value: u32) -> Result<(), M::Error> {
        self.emit_pending_non_vertex_flushes()?;
        self.stream.emit(mi::store(address, value))
    }

    /// Waits until a dword equals a value.
    pub fn wait_equal(&mut self, address: u64, value: u32) -> Result<(), M::Error> {
        self.emit_pending_non_vertex_flushes()?;
        self.stream.emit(mi::wait_equal(address, value))
    }

    /// Emits the state that a context needs once, before other batches.
    pub fn context(&mut self, device: &hw::Device, heaps: &HeapBases) -> Result<(), M::Error> {
        G::emit_context(&mut self.stream, device, heaps)?;
        self.l3.last = Some(L3Partition::WithoutSlm);
        self.select_3d()?;
        G::emit_draw_context(&mut self.stream)
    }

    /// Begins a secondary that continues a rendering: the primary selects the 3D pipeline and emits
    /// the targets.
    pub fn inherit_targets(&mut self, targets: &RenderTargets) {
        self.is_3d_selected = true;
        self.l3 = L3Use {
            first: Some(L3Partition::WithoutSlm),
            last: Some(L3Partition::WithoutSlm),
        };
        self.draws().set_targets(targets);
    }

    /// Copies the commands of a secondary batch, chunk by chunk. All bindings are lost.
    pub fn execute_secondary<'a>(
        &mut self,
        left: EndState,
        chunks: impl Iterator<Item = &'a [u32]>,
    ) -> Result<(), M::Error> {
        self.emit_pending_non_vertex_flushes()?;
        let drained = self.select_gpgpu()?;
        if let Some(partition) = self.l3.append(left.l3) {
            self.emit_l3_partition(partition, drained)?;
        }
        self.append(chunks)?;
        self.front_end = left.front_end;
        self.is_3d_selected = left.is_3d_selected;
        if let Some(draws) = &mut self.draws {
            draws.invalidate();
        }
        Ok(())
    }

    /// As [`Recorder::execute_secondary`], for a secondary that inherits the targets
    /// ([`Recorder::inherit_targets`]). Returns false if no targets are bound.
    pub fn execute_secondary_in_rendering<'a>(
        &mut self,
        left: EndState,
        chunks: impl Iterator<Item = &'a [u32]>,
    ) -> Result<bool, M::Error> {
        self.emit_pending_non_vertex_flushes()?;
        self.select_3d()?;
        self.restore_draw_state()?;
        let emitted = match &mut self.draws {
            Some(draws) => draws.emit_secondary_targets(&mut self.stream)?,
            None => false,
        };
        if emitted {
            // Both begin without SLM: the pipeline is that of draws.
            if let Some(partition) = self.l3.append(left.l3) {
                self.emit_l3_partition(partition, false)?;
            }
            self.append(chunks)?;
        }
        Ok(emitted)
    }

    fn append<'a>(&mut self, chunks: impl Iterator<Item = &'a [u32]>) -> Result<(), M::Error> {
        for words in chunks {
            self.stream.append(words)?;
        }
        self.unbind();
        self.barrier(PendingFlushes::INVALIDATE_VERTICES);
        self.descriptor = NO_DESCRIPTOR;
        (self.busy, self.data_dirty, self.targets_dirty) = (true, true, true);
        Ok(())
    }

    /// The state at the end of the batch.
    pub fn end_state(&self) -> EndState {
        EndState {
            front_end: self.front_end,
            is_3d_selected: self.is_3d_selected,
            l3: self.l3,
        }
    }

    /// Ends a secondary batch, after pending flushes.
    pub fn end_secondary(&mut self) -> Result<(), M::Error> {
        self.emit_pending_non_vertex_flushes()?;
        self.restore_draw_state()
    }

    /// Ends a primary batch, after pending flushes: others may follow in the same submission.
    pub fn end(&mut self) -> Result<(), M::Error> {
        self.emit_pending_non_vertex_flushes()?;
        self.select_gpgpu()?;
        self.stream.end()
    }
}

#[cfg(test)]
mod tests;
