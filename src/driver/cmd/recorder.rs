//! What a batch's launches have bound, and what must be said before the next one.
//!
//! In:  state, noted as it comes; launches. Out: words, for what has changed alone:
//!
//! - the front end's state, when a launch wants more scratch or more room for constants than any before it;
//! - the interface descriptor, when the pipeline has changed;
//! - constants, when one of them has changed, the pipeline wants others, or the front end has lost them;
//! - waits, flushes and invalidations, when barriers have asked for them and there is something to wait for.
//!
//! Ref: SKL PRM vol. 2a, "MEDIA_VFE_STATE" (a stall before it), "MEDIA_STATE_FLUSH" (after each walker).

use crate::draw::DrawGeneration;
use crate::draw::recorder::Draws;
use crate::draw::target::Targets;
use crate::generation::{
    BASE_AT, BOUND_DW, COUNTS_AT, Control, FrontEnd, GATHERED_DW, Generation, HEAP_AT, Heaps,
    Launch, Machine, PUSH_CONSTANTS_DW, Pushed, VALUES_AT, dynamic_at, set_at, set_place,
};
use crate::mi;
use crate::pending::Pending;
use crate::push_data::REGISTER_DW;
use crate::stream::{Data, Memory, Stream};

/// Registers of push data that the front end keeps room for at least, so that common pipelines need not change its state.
const LEAST_CURBE_GRF: u32 = 16;

/// No multiple of 64, as offsets of descriptors are.
const NO_DESCRIPTOR: u32 = u32::MAX;

/// What launches read of the recording: copied whole when an internal launch comes between.
#[derive(Clone, Copy, Debug)]
struct Bound<G: Generation> {
    launch: Option<Launch<G>>,
    /// The application's push constants, and from [`VALUES_AT`] on the driver's values, by place; then the places of sets.
    words: [u32; GATHERED_DW],
}

/// What a batch leaves behind for whoever goes on after it.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    /// The front end's state; none said: whatever it was.
    front_end: FrontEnd,
    /// The pipeline that draws is selected.
    drawing: bool,
}

/// A batch's state.
#[derive(Debug)]
pub struct Recorder<G: DrawGeneration, M> {
    pub(crate) stream: Stream<M>,
    pub(crate) machine: Machine,
    bound: Bound<G>,
    /// Push data is not what was loaded last.
    constants_dirty: bool,
    /// More of it than the application's constants: it has to be gathered anew.
    values_dirty: bool,
    /// What was gathered last.
    gathered: Vec<[u32; REGISTER_DW]>,
    /// The interface descriptor that was loaded last, or [`NO_DESCRIPTOR`].
    descriptor: u32,
    front_end: FrontEnd,
    pending: Pending,
    /// Work may run that nobody has waited for.
    pub(crate) busy: bool,
    /// It may have written what is not flushed, through the data port.
    pub(crate) dirty: bool,
    /// The same, by drawing.
    pub(crate) drawn: bool,
    /// The pipeline that draws is selected.
    drawing: bool,
    /// The predicate says what runs.
    pub(crate) conditional: bool,
    /// It says whether the driver's own work runs: see [`Recorder::suppose`].
    pub(crate) supposes: bool,
    /// What draws have bound, where there were any.
    pub(crate) draws: Option<Box<Draws<G>>>,
    /// Workgroups of the last launch that had to have them in memory.
    counts: [u32; 3],
}

impl<G: DrawGeneration, M: Memory> Recorder<G, M> {
    /// A recorder that writes to a memory.
    pub fn new(memory: M, machine: Machine) -> Self {
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
            front_end: FrontEnd::default(),
            pending: Pending::INVALIDATE_VERTICES,
            busy: true,
            dirty: true,
            drawn: true,
            drawing: false,
            conditional: false,
            supposes: false,
            draws: None,
            counts: [0; 3],
        };
        recorder.unbind();
        recorder
    }

    /// The memory, with what is in it.
    pub fn into_memory(self) -> M {
        self.stream.into_memory()
    }

    /// The words.
    pub fn stream(&self) -> &Stream<M> {
        &self.stream
    }

    /// The memory, to give it its first chunk.
    pub fn memory(&mut self) -> &mut M {
        self.stream.memory_mut()
    }

    /// Begins anew: nothing is bound, and what batches before have done is not known. The memory, to take its chunks away.
    pub fn restart(&mut self) -> &mut M {
        self.unbind();
        self.front_end = FrontEnd::default();
        self.descriptor = NO_DESCRIPTOR;
        // What the fetcher of vertices holds is not known.
        self.pending = Pending::INVALIDATE_VERTICES;
        (self.busy, self.dirty, self.drawn) = (true, true, true);
        (self.drawing, self.conditional, self.supposes) = (false, false, false);
        // Most that begin anew never draw.
        self.draws = None;
        self.stream.restart()
    }

    /// Forgets what is bound.
    pub fn unbind(&mut self) {
        self.bound.launch = None;
        self.bound.words = [0; GATHERED_DW];
        let heap = self.machine.bindless_base;
        self.bound.words[VALUES_AT + HEAP_AT] = heap as u32;
        self.bound.words[VALUES_AT + HEAP_AT + 1] = (heap >> 32) as u32;
        self.gather_anew();
    }

    /// Binds a pipeline.
    #[inline]
    pub fn bind(&mut self, launch: &Launch<G>) {
        let bound = self.bound.launch.as_ref();
        if bound.is_none_or(|l| l.descriptor_offset_bytes != launch.descriptor_offset_bytes) {
            self.bound.launch = Some(*launch);
            self.gather_anew();
        }
    }

    #[inline(always)]
    fn gather_anew(&mut self) {
        (self.constants_dirty, self.values_dirty) = (true, true);
    }

    /// The handle of a descriptor set. False: there is no such set.
    #[inline]
    pub fn set_handle(&mut self, set: usize, handle: u32) -> bool {
        let Some(place) = set_at(set) else {
            return false;
        };
        // A launch gathers the handle from one place, and from another where the set lies.
        self.bound.words[BOUND_DW + VALUES_AT + place] = set_place(handle);
        self.set_value(place, handle)
    }

    /// The handle of a dynamic buffer. False: there are not so many.
    #[inline]
    pub fn dynamic_handle(&mut self, index: usize, handle: u32) -> bool {
        dynamic_at(index).is_some_and(|place| self.set_value(place, handle))
    }

    #[inline]
    fn set_value(&mut self, place: usize, value: u32) -> bool {
        match self.bound.words[VALUES_AT..BOUND_DW].get_mut(place) {
            Some(known) => {
                if std::mem::replace(known, value) != value {
                    self.gather_anew();
                }
                true
            }
            None => false,
        }
    }

    /// Sets push constants from a byte on. False: beyond their end, or not whole dwords.
    #[inline]
    pub fn push(&mut self, offset_bytes: u32, data: &[u8]) -> bool {
        let (at, count) = (offset_bytes as usize / 4, data.len() / 4);
        let aligned = offset_bytes.is_multiple_of(4) && data.len().is_multiple_of(4);
        let constants = &mut self.bound.words[..PUSH_CONSTANTS_DW];
        match constants.get_mut(at..at.saturating_add(count)) {
            Some(place) if aligned => {
                // Four are common, and stored without a call.
                let dwords = data.as_chunks().0;
                let (place, dwords) = match (
                    place.split_first_chunk_mut(),
                    dwords.split_first_chunk::<4>(),
                ) {
                    (Some((to, place)), Some((from, dwords))) => {
                        *to = from.map(u32::from_le_bytes);
                        (place, dwords)
                    }
                    _ => (place, dwords),
                };
                for (to, from) in place.iter_mut().zip(dwords) {
                    *to = u32::from_le_bytes(*from);
                }
                self.constants_dirty = true;
                true
            }
            _ => false,
        }
    }

    /// Asks for something to happen before what comes next.
    #[inline]
    pub fn barrier(&mut self, pending: Pending) {
        self.pending = self.pending.with(pending);
    }

    /// Whether a barrier has asked that the next command waits for those before.
    pub fn is_waiting(&self) -> bool {
        self.pending.any(Pending::STALL)
    }

    /// Does what barriers have asked for.
    #[inline]
    pub fn settle(&mut self) -> Result<(), M::Error> {
        if self.pending.is_none() {
            return Ok(());
        }
        self.settle_pending(Pending::NONE)
    }

    /// As [`Recorder::settle`], before what fetches no vertices.
    #[inline]
    pub fn settle_other(&mut self) -> Result<(), M::Error> {
        let later = Pending::INVALIDATE_VERTICES;
        if self.pending.without(later).is_none() {
            return Ok(());
        }
        self.settle_pending(later)
    }

    #[inline(never)]
    fn settle_pending(&mut self, later: Pending) -> Result<(), M::Error> {
        let pending = self.pending.without(later);
        self.pending = self.pending.and(later);
        let invalidated = pending.and(Pending::INVALIDATIONS);
        let invalidates = !invalidated.is_none();
        let mut written = Pending::NONE;
        if self.dirty {
            written = written.with(Pending::FLUSH_DATA);
        }
        if self.drawn {
            written = written.with(Pending::FLUSH_TARGETS);
        }
        let flushed = pending.and(written);
        let stall = self.busy && (pending.any(Pending::STALL) || invalidates);
        if !flushed.is_none() || stall {
            let mut control = Control::of(flushed);
            if invalidates {
                // What is invalidated must not be filled again before the data has arrived.
                control = control.with(Control::WRITE);
            }
            G::control(&mut self.stream, control, self.machine.scrap_address)?;
            self.busy = false;
            self.dirty &= !flushed.any(Pending::FLUSH_DATA);
            self.drawn &= !flushed.any(Pending::FLUSH_TARGETS);
        }
        if invalidates {
            let mut control = Control::of(invalidated);
            if invalidated.any(Pending::INVALIDATE_VERTICES) {
                // The fetcher's cache wants a write beside it.
                control = control.with(Control::WRITE);
            }
            G::control(&mut self.stream, control, self.machine.scrap_address)?;
            if let Some(draws) = &mut self.draws {
                if invalidated.any(Pending::INVALIDATE_VERTICES) {
                    draws.evicted();
                }
                if invalidated.any(Pending::INVALIDATE_CONSTANT) {
                    draws.contents_changed();
                }
            }
        }
        Ok(())
    }

    /// Says what has changed since the last launch, but for constants.
    #[inline(always)]
    fn prepare(&mut self) -> Result<(), M::Error> {
        self.settle_other()?;
        if let Some(launch) = &self.bound.launch
            && self.descriptor != launch.descriptor_offset_bytes
        {
            self.change_pipeline()?;
        }
        Ok(())
    }

    #[inline(never)]
    fn change_pipeline(&mut self) -> Result<(), M::Error> {
        self.select_dispatches()?;
        let Some(launch) = &self.bound.launch else {
            return Ok(());
        };
        let said = self.front_end;
        let (has, wants) = (said.scratch, launch.scratch);
        let more_scratch = wants.thread_bytes > has.thread_bytes;
        if launch.curbe_grf > said.curbe_grf || more_scratch || said.curbe_grf == 0 {
            if self.busy {
                G::control(&mut self.stream, Control::STALL, 0)?;
                self.busy = false;
            }
            let room = launch.curbe_grf.max(LEAST_CURBE_GRF).next_multiple_of(2);
            self.front_end = FrontEnd {
                curbe_grf: said.curbe_grf.max(room),
                scratch: if more_scratch { wants } else { has },
            };
            G::front_end(&mut self.stream, self.machine.max_threads, &self.front_end)?;
            // It moves what was loaded.
            self.constants_dirty = true;
        }
        G::load_descriptor(&mut self.stream, launch.descriptor_offset_bytes)?;
        self.descriptor = launch.descriptor_offset_bytes;
        Ok(())
    }

    /// Selects the pipeline that draws. Batches begin and end with the other one.
    pub(crate) fn select_draws(&mut self) -> Result<(), M::Error> {
        if self.drawing {
            return Ok(());
        }
        G::select_draws(&mut self.stream, &self.machine)?;
        (self.busy, self.dirty, self.drawn) = (false, false, false);
        self.drawing = true;
        // The next dispatch finds neither its descriptor nor its front end.
        self.descriptor = NO_DESCRIPTOR;
        self.front_end = FrontEnd::default();
        if let Some(draws) = &mut self.draws {
            draws.forget();
        }
        Ok(())
    }

    /// Selects the pipeline that dispatches.
    fn select_dispatches(&mut self) -> Result<(), M::Error> {
        if !self.drawing {
            return Ok(());
        }
        self.restore()?;
        G::select_dispatches(&mut self.stream)?;
        (self.busy, self.dirty, self.drawn) = (false, false, false);
        self.drawing = false;
        Ok(())
    }

    /// What draws have said and others do not expect is as it was.
    fn restore(&mut self) -> Result<(), M::Error> {
        match &mut self.draws {
            Some(draws) => draws.restore(&mut self.stream),
            None => Ok(()),
        }
    }

    /// Launches workgroups, the first of them having the number `base`. False: no pipeline is bound.
    #[inline(always)]
    pub fn dispatch(&mut self, base: [u32; 3], count: [u32; 3]) -> Result<bool, M::Error> {
        let Some(launch) = &self.bound.launch else {
            return Ok(false);
        };
        if count.contains(&0) {
            return Ok(true);
        }
        if launch.uses_counts || launch.uses_base {
            self.workgroups(base, count)?;
        }
        self.prepare()?;
        (self.busy, self.dirty) = (true, true);
        let Some(launch) = &self.bound.launch else {
            return Ok(false);
        };
        let (stream, conditional) = (&mut self.stream, self.conditional);
        if std::mem::take(&mut self.constants_dirty) && launch.curbe_grf > 0 {
            if std::mem::take(&mut self.values_dirty) {
                launch.gather(&self.bound.words, &mut self.gathered);
            }
            let pushed = Pushed {
                words: &self.bound.words,
                gathered: &self.gathered,
                dynamic_base: self.machine.dynamic_base,
            };
            G::walk_with(stream, launch, &pushed, count, conditional)?;
        } else {
            G::walk(stream, &launch.walker, count, conditional)?;
        }
        Ok(true)
    }

    /// Notes what a shader asks about its workgroups.
    #[inline(never)]
    fn workgroups(&mut self, base: [u32; 3], count: [u32; 3]) -> Result<(), M::Error> {
        let Some(launch) = &self.bound.launch else {
            return Ok(());
        };
        let (uses_base, uses_counts) = (launch.uses_base, launch.uses_counts);
        if uses_base {
            for (place, value) in (BASE_AT..).zip(base) {
                self.set_value(place, value);
            }
        }
        let at = VALUES_AT + COUNTS_AT;
        let known = self.bound.words[at] | self.bound.words[at + 1] != 0;
        if uses_counts && (!known || self.counts != count) {
            let data = self.stream.data(count.len())?;
            data.words.copy_from_slice(&count);
            let address = data.address;
            self.counts = count;
            self.counts_address(address);
        }
        Ok(())
    }

    fn counts_address(&mut self, address: u64) {
        self.set_value(COUNTS_AT, address as u32);
        self.set_value(COUNTS_AT + 1, (address >> 32) as u32);
    }

    /// Launches as many workgroups as three dwords at an address say. False: no pipeline is bound.
    pub fn dispatch_indirect(&mut self, address: u64) -> Result<bool, M::Error> {
        let Some(launch) = &self.bound.launch else {
            return Ok(false);
        };
        let (uses_base, uses_counts) = (launch.uses_base, launch.uses_counts);
        if uses_base {
            for place in BASE_AT..BASE_AT + 3 {
                self.set_value(place, 0);
            }
        }
        if uses_counts {
            self.counts_address(address);
            // What is there is not what the last launch had.
            self.counts = [0; 3];
        }
        self.prepare()?;
        (self.busy, self.dirty) = (true, true);
        let Some(launch) = &self.bound.launch else {
            return Ok(false);
        };
        if std::mem::take(&mut self.constants_dirty) && launch.curbe_grf > 0 {
            if std::mem::take(&mut self.values_dirty) {
                launch.gather(&self.bound.words, &mut self.gathered);
            }
            let pushed = Pushed {
                words: &self.bound.words,
                gathered: &self.gathered,
                dynamic_base: self.machine.dynamic_base,
            };
            G::constants(&mut self.stream, launch, &pushed)?;
        }
        G::walk_indirect(&mut self.stream, &launch.walker, address, self.conditional)?;
        Ok(true)
    }

    /// Launches a shader of the driver's own, with dynamic buffers and push constants of its own; what the application has bound stays.
    pub fn internal(
        &mut self,
        launch: &Launch<G>,
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
        self.gather_anew();
        let conditional = std::mem::replace(&mut self.conditional, self.supposes);
        let launched = self.dispatch([0; 3], groups);
        self.conditional = conditional;
        self.bound = application;
        self.gather_anew();
        launched.map(|_| ())
    }

    /// Room for data that shaders read, beside the commands.
    pub fn data(&mut self, len_dw: usize) -> Result<Data<'_>, M::Error> {
        self.stream.data(len_dw)
    }

    /// Writes a dword, after what barriers have asked for.
    pub fn store(&mut self, address: u64, value: u32) -> Result<(), M::Error> {
        self.settle_other()?;
        self.stream.put(mi::store(address, value))
    }

    /// Waits until a dword has a value.
    pub fn wait_equal(&mut self, address: u64, value: u32) -> Result<(), M::Error> {
        self.settle_other()?;
        self.stream.put(mi::wait_equal(address, value))
    }

    /// Says what a context must know before its other batches.
    pub fn context(&mut self, device: &hw::Device, heaps: &Heaps) -> Result<(), M::Error> {
        G::context(&mut self.stream, device, heaps)?;
        self.select_draws()?;
        G::draw_context(&mut self.stream)
    }

    /// Begins as a part of another batch's rendering: it has selected the pipeline that draws, and says the targets.
    pub fn inherit(&mut self, targets: &Targets) {
        self.drawing = true;
        self.draws().set_targets(targets);
    }

    /// Appends the commands of another batch, chunk by chunk. What this one has bound is forgotten.
    pub fn call<'a>(
        &mut self,
        left: Left,
        chunks: impl Iterator<Item = &'a [u32]>,
    ) -> Result<(), M::Error> {
        self.settle_other()?;
        self.select_dispatches()?;
        self.append(chunks)?;
        self.front_end = left.front_end;
        self.drawing = left.drawing;
        if let Some(draws) = &mut self.draws {
            draws.forget();
        }
        Ok(())
    }

    /// The same for a batch that inherits what this one draws to ([`Recorder::inherit`]). False: it draws to nothing.
    pub fn call_drawing<'a>(
        &mut self,
        chunks: impl Iterator<Item = &'a [u32]>,
    ) -> Result<bool, M::Error> {
        self.settle_other()?;
        self.select_draws()?;
        self.restore()?;
        let lent = match &mut self.draws {
            Some(draws) => draws.lend(&mut self.stream)?,
            None => false,
        };
        if lent {
            self.append(chunks)?;
        }
        Ok(lent)
    }

    fn append<'a>(&mut self, chunks: impl Iterator<Item = &'a [u32]>) -> Result<(), M::Error> {
        for words in chunks {
            self.stream.append(words)?;
        }
        self.unbind();
        self.barrier(Pending::INVALIDATE_VERTICES);
        self.descriptor = NO_DESCRIPTOR;
        (self.busy, self.dirty, self.drawn) = (true, true, true);
        Ok(())
    }

    /// What the batch leaves behind.
    pub fn left(&self) -> Left {
        Left {
            front_end: self.front_end,
            drawing: self.drawing,
        }
    }

    /// Ends a batch that others run, after what barriers have asked for.
    pub fn end_part(&mut self) -> Result<(), M::Error> {
        self.settle_other()?;
        self.restore()
    }

    /// Ends the batch, and does what barriers have asked for: others may follow in the same submission.
    pub fn end(&mut self) -> Result<(), M::Error> {
        self.settle_other()?;
        self.select_dispatches()?;
        self.stream.end()
    }
}

#[cfg(test)]
#[path = "recorder_tests.rs"]
mod tests;
