//! BoundWords draw state of a batch, and its emission at draws.
//!
//! In:  state as it is set, shaders, targets, draws. Out: packets for the state that changed since
//!      the last draw.

use std::sync::Arc;

use abi::DriverValue;

use crate::draw::generation::{
    ByteCount, CONSTANT_BUFFERS, CONSTANT_STAGES, ConstantBuffer, ConstantStage, DrawGeneration,
    DrawParams, DrawState,
};
pub use crate::draw::pipeline::DrawPipeline;
use crate::draw::push_constants::{
    BUFFER_CONTENTS, BoundWords, EmptyLastBuffers, WordMask, emit_latched_constants, word_mask,
};
use crate::draw::shader::VertexInputs;
use crate::draw::state::{DirtyGroups, FixedFunctionState, TargetSlots};
use crate::draw::target::{DepthStencilTarget, HizOp, RenderTargets};
use crate::draw::vertex_cache::{self, VertexCache};

use crate::generation::{
    BOUND_DW, DeviceInfo, HEAP_AT, PUSH_CONSTANTS_DW, PipeControl, VALUES_AT, value_index,
};

use crate::stream::{Stream, StreamMemory};

/// A meta operation's draw.
#[derive(Debug)]
pub struct InternalDraw<'a, G: DrawGeneration> {
    /// Its shaders.
    pub pipeline: &'a Arc<DrawPipeline<G>>,
    /// Its state; unchanged on return.
    pub state: &'a mut Box<FixedFunctionState>,
    /// State groups that may differ from the previous draw with this pipeline.
    pub differs: DirtyGroups,
    /// Its push constants.
    pub constants_dw: &'a [u32],
    /// The draw is predicated.
    pub predicated: bool,
}

/// Draw state of a batch.
#[derive(Debug)]
pub struct BatchDrawState<G: DrawGeneration> {
    state: Box<FixedFunctionState>,
    dirty: DirtyGroups,
    /// Words that changed since constants were emitted.
    changed_words: WordMask,
    /// Groups set by commands since the pipeline was bound.
    groups_set: DirtyGroups,
    pipeline: Option<Arc<DrawPipeline<G>>>,
    targets: Option<RenderTargets>,
    /// Offset of the binding table of colour targets.
    table_offset: u32,
    /// First vertex, first instance and, if the shader reads it, draw index, as emitted last.
    bases: Option<([u32; 2], Option<u32>)>,
    /// Ranges that the vertex cache may hold.
    vertex_cache: VertexCache,
    /// The application's push constants, and the driver's values from [`VALUES_AT`] on.
    words: [u32; BOUND_DW],
    /// Surface State Base Address, if known.
    surface_base: Option<u64>,
    /// The targets were emitted where secondaries that inherit them expect them.
    secondary_targets_emitted: bool,
    /// A custom sample pattern was emitted.
    custom_pattern_emitted: bool,
    /// Stages whose last constant buffer is empty.
    empty_last: EmptyLastBuffers,
    /// Constant buffers of each stage, as emitted last.
    emitted_buffers: [[ConstantBuffer; CONSTANT_BUFFERS]; CONSTANT_STAGES],
    /// The pipeline whose constants were emitted last, if they are in effect.
    pushed_pipeline: Option<Arc<DrawPipeline<G>>>,
    /// State packets in effect.
    emitted: G::EmittedPackets,
    /// Groups that are dirty right after a draw: none, or all of them for diagnosis.
    dirty_after_draws: DirtyGroups,
    /// Inactive stages reference no constants of earlier batches. The hardware reads constants of
    /// inactive stages too, and their memory may be freed.
    inactive_stages_reset: bool,
    /// Pipeline of the meta draw that emitted state last, if nothing was emitted since.
    last_meta_pipeline: Option<Arc<DrawPipeline<G>>>,
}

impl<G: DrawGeneration> Default for BatchDrawState<G> {
    /// Nothing is bound, and nothing was emitted.
    fn default() -> Self {
        Self {
            state: Box::default(),
            dirty: DirtyGroups::ALL,
            changed_words: WordMask::MAX,
            groups_set: DirtyGroups::NONE,
            pipeline: None,
            targets: None,
            table_offset: 0,
            bases: None,
            vertex_cache: VertexCache::default(),
            words: [0; BOUND_DW],
            surface_base: None,
            secondary_targets_emitted: false,
            custom_pattern_emitted: false,
            empty_last: EmptyLastBuffers::default(),
            emitted_buffers: Default::default(),
            pushed_pipeline: None,
            emitted: G::EmittedPackets::default(),
            dirty_after_draws: DirtyGroups::NONE,
            inactive_stages_reset: false,
            last_meta_pipeline: None,
        }
    }
}

impl<G: DrawGeneration> BatchDrawState<G> {
    /// Creates draw state with nothing bound. Shaders read sizes and addresses of buffers from the
    /// bindless surface heap.
    pub(crate) fn new(machine: &DeviceInfo) -> Self {
        let mut draws = Self::default();
        if machine.full_state {
            draws.dirty_after_draws = DirtyGroups::ALL;
        }
        let heap = machine.bindless_base;
        draws.words[VALUES_AT + HEAP_AT] = heap as u32;
        draws.words[VALUES_AT + HEAP_AT + 1] = (heap >> 32) as u32;
        draws
    }

    /// All state.
    pub fn state(&self) -> &FixedFunctionState {
        &self.state
    }

    /// Sets state, and marks its groups dirty.
    #[inline]
    pub fn change(&mut self, groups: DirtyGroups, change: impl FnOnce(&mut FixedFunctionState)) {
        change(&mut self.state);
        self.dirty = self.dirty.with(groups);
        self.groups_set = self.groups_set.with(groups);
    }

    fn constants_changed(&mut self, words: WordMask) {
        self.changed_words |= words;
        self.dirty = self.dirty.with(DirtyGroups::CONSTANTS);
    }

    /// Uniform buffers may have changed: pushed ranges are read again.
    pub(crate) fn contents_changed(&mut self) {
        // A pipeline that is bound later may have the same ranges as the one that was drawn last.
        self.changed_words |= BUFFER_CONTENTS;
        let pipeline = self.pipeline.as_ref();
        let reads = |pipeline: &Arc<DrawPipeline<G>>| {
            let stages = pipeline.pushed.iter();
            let mut stages = stages.filter_map(|stage| stage.1.as_ref());
            stages.any(|pushed| pushed.reads & BUFFER_CONTENTS != 0)
        };
        if pipeline.is_some_and(reads) {
            self.constants_changed(BUFFER_CONTENTS);
        }
    }

    /// Sets one of the driver's values. Returns false if its index is out of range.
    pub fn set_value(&mut self, value: DriverValue, word: u32) -> bool {
        let at = value_index(value).map(|index| VALUES_AT + index);
        let Some((at, known)) = at.and_then(|at| Some((at, self.words.get_mut(at)?))) else {
            return false;
        };
        if *known != word {
            *known = word;
            self.constants_changed(word_mask(at, 1));
        }
        true
    }

    /// Sets push constants from a byte offset. Returns false if they are out of range or not whole
    /// dwords.
    pub fn push(&mut self, offset_bytes: u32, data: &[u8]) -> bool {
        let (at, count) = (offset_bytes as usize / 4, data.len() / 4);
        let aligned = offset_bytes.is_multiple_of(4) && data.len().is_multiple_of(4);
        let constants = &mut self.words[..PUSH_CONSTANTS_DW];
        match constants.get_mut(at..at.saturating_add(count)) {
            Some(room) if aligned => {
                for (to, from) in room.iter_mut().zip(data.as_chunks().0) {
                    *to = u32::from_le_bytes(*from);
                }
                self.constants_changed(word_mask(at, count));
                true
            }
            _ => false,
        }
    }

    /// Binds a pipeline. `apply` writes its static state over the current state and returns the
    /// groups that it changed.
    #[inline]
    pub fn bind(
        &mut self,
        pipeline: &Arc<DrawPipeline<G>>,
        apply: impl FnOnce(&mut FixedFunctionState) -> DirtyGroups,
    ) {
        let same = |bound: &Arc<DrawPipeline<G>>| Arc::ptr_eq(bound, pipeline);
        let again = self.pipeline.as_ref().is_some_and(same);
        if again && self.groups_set.is_none() {
            return;
        }
        if !again {
            self.pipeline = Some(Arc::clone(pipeline));
            self.dirty = self
                .dirty
                .with(DirtyGroups::SHADERS.with(DirtyGroups::CONSTANTS));
        }
        self.groups_set = DirtyGroups::NONE;
        self.dirty = self.dirty.with(apply(&mut self.state));
    }

    /// Binds render targets.
    pub fn set_targets(&mut self, targets: &RenderTargets) {
        self.targets = Some(*targets);
        self.state.dithered = targets.dithered;
        self.state.target_slots = TargetSlots::default();
        self.dirty = self.dirty.with(DirtyGroups::TARGETS);
        self.secondary_targets_emitted = false;
    }

    /// Sets the locations of the bound colour targets, which a new rendering resets.
    pub fn set_target_slots(&mut self, slots: &TargetSlots) {
        let from = std::mem::replace(&mut self.state.target_slots, *slots);
        let Some(targets) = self.targets.as_mut().filter(|_| from != *slots) else {
            return;
        };
        targets.colours = slots.by_slot(&from.by_attachment(&targets.colours));
        targets.records = slots.by_slot(&from.by_attachment(&targets.records));
        self.dirty = self.dirty.with(DirtyGroups::TARGETS);
        self.secondary_targets_emitted = false;
    }

    /// Unbinds the render targets.
    pub fn end_targets(&mut self) {
        self.targets = None;
    }

    /// Marks all state dirty: another user of the 3D pipeline may have changed it, including
    /// Surface State Base Address.
    pub(crate) fn invalidate(&mut self) {
        self.invalidate_state();
        self.surface_base = None;
        self.secondary_targets_emitted = false;
    }

    /// Performs a HiZ operation on a depth buffer with the given number of samples.
    pub(crate) fn hiz_op<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
        target: (&DepthStencilTarget, u8),
        work: &HizOp,
    ) -> Result<(), M::Error> {
        let replaced = G::emit_hiz_op(stream, &mut self.emitted, machine, target, work)?;
        self.dirty = self.dirty.with(replaced);
        self.secondary_targets_emitted = false;
        self.last_meta_pipeline = None;
        Ok(())
    }

    fn invalidate_state(&mut self) {
        self.dirty = DirtyGroups::ALL;
        self.forget_emitted();
        self.empty_last = EmptyLastBuffers::default();
        self.inactive_stages_reset = false;
        self.last_meta_pipeline = None;
    }

    /// No packet and no constants are known to be in effect.
    fn forget_emitted(&mut self) {
        G::forget_emitted(&mut self.emitted);
        (self.bases, self.pushed_pipeline) = (None, None);
    }

    /// Restores the standard sample pattern, which other batches rely on.
    pub(crate) fn restore_sample_pattern<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
    ) -> Result<(), M::Error> {
        if std::mem::take(&mut self.custom_pattern_emitted) {
            G::emit_sample_pattern(stream, None)?;
            self.dirty = self.dirty.with(DirtyGroups::LOCATIONS);
        }
        Ok(())
    }

    /// Emits the targets for secondaries that inherit them and are executed next; all other state
    /// is lost. Returns false if no targets are bound.
    pub(crate) fn emit_secondary_targets<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
    ) -> Result<bool, M::Error> {
        self.invalidate_state();
        match &self.targets {
            None => return Ok(false),
            // The primary emits them.
            Some(targets) if targets.inherited => {}
            Some(_) if self.secondary_targets_emitted => {}
            Some(targets) => {
                self.surface_base = Some(G::emit_secondary_targets(stream, targets)?);
                self.secondary_targets_emitted = true;
            }
        }
        Ok(true)
    }

    /// Emits all dirty state. Returns false if no pipeline or no targets are bound.
    fn emit_dirty_state<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
    ) -> Result<bool, M::Error> {
        if self.pipeline.is_none() || self.targets.is_none() {
            return Ok(false);
        }
        if self.dirty.is_none() {
            return Ok(true);
        }
        self.update_values();
        let dirty = self.dirty;
        self.last_meta_pipeline = None;
        if !dirty.without(DirtyGroups::CONSTANTS).is_none() {
            self.emit_state(stream, machine)?;
        }
        let mut emit_table = dirty.any(DirtyGroups::TARGETS);
        if dirty.any(DirtyGroups::CONSTANTS) {
            emit_table |= self.emit_constants(stream, machine)?;
        }
        if emit_table {
            G::emit_binding_table_pointer(stream, ConstantStage::Fragment, self.table_offset)?;
        }
        self.dirty = self.dirty_after_draws;
        Ok(true)
    }

    /// Updates the driver values that repeat dirty state.
    fn update_values(&mut self) {
        if self.dirty.any(DirtyGroups::MULTISAMPLE) {
            let multisample = &self.state.multisample;
            let samples = match multisample.alpha_to_coverage {
                true => multisample.samples,
                false => 0,
            };
            self.set_value(DriverValue::CoverageSamples, samples.into());
        }
        if self.dirty.any(DirtyGroups::ASSEMBLY) {
            let points = self.state.patch_points;
            self.set_value(DriverValue::PatchPoints, points.into());
        }
    }

    /// Emits dirty state, except constants.
    #[inline(never)]
    fn emit_state<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
    ) -> Result<(), M::Error> {
        if !self.dirty_after_draws.is_none() {
            self.emitted = G::EmittedPackets::default();
            self.forget_emitted();
            self.inactive_stages_reset = false;
        }
        let (Some(pipeline), Some(targets)) = (&self.pipeline, &self.targets) else {
            return Ok(());
        };
        let dirty = self.dirty;
        let draw_state = DrawState {
            dirty,
            state: &self.state,
            pipeline: &*pipeline.packed,
            targets,
            dynamic_base: machine.dynamic_base,
        };
        if G::emit_state(stream, &mut self.emitted, &draw_state)? {
            // Push constants lie in the URB.
            self.pushed_pipeline = None;
        }
        let locations = self.state.custom_sample_locations();
        if dirty.any(DirtyGroups::LOCATIONS) && (self.custom_pattern_emitted || locations.is_some())
        {
            G::emit_sample_pattern(stream, locations)?;
            self.custom_pattern_emitted = locations.is_some();
        }
        if dirty.any(DirtyGroups::VERTEX_BUFFERS.with(DirtyGroups::INDEX_BUFFER)) {
            let state = &self.state;
            let bound = usize::from(state.vertex_buffer_count);
            let mut aliases = false;
            for (slot, from) in state.vertex_buffers.iter().enumerate().take(bound) {
                aliases |= self
                    .vertex_cache
                    .bind(slot, from.address, from.bytes.into());
            }
            let from = &state.index_buffer;
            aliases |=
                self.vertex_cache
                    .bind(vertex_cache::INDEX_SLOT, from.address, from.bytes.into());
            if aliases {
                invalidate_vertex_cache::<G, M>(stream, machine, &mut self.vertex_cache)?;
            }
        }
        if dirty.any(DirtyGroups::TARGETS) {
            if targets.inherited {
                self.table_offset = G::inherited_table_offset::<M>();
            } else {
                let (base, table_offset) = G::emit_targets(stream, targets, self.surface_base)?;
                (self.surface_base, self.table_offset) = (Some(base), table_offset);
                self.secondary_targets_emitted = false;
            }
        }
        Ok(())
    }

    /// Emits dirty constants. Returns true if those of the fragment stage were among them: its
    /// binding table pointer must follow, to latch them.
    fn emit_constants<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
    ) -> Result<bool, M::Error> {
        let Some(pipeline) = &self.pipeline else {
            return Ok(false);
        };
        if !std::mem::replace(&mut self.inactive_stages_reset, true) {
            use ConstantStage::{Domain, Geometry, Hull};
            let is_on = |stage: ConstantStage| {
                let mut stages = pipeline.pushed.iter();
                stages.any(|pushed| pushed.0 as u8 == stage as u8)
            };
            for stage in [Hull, Domain, Geometry] {
                if !is_on(stage) {
                    let (emitted_buffers, empty_last) = (
                        &mut self.emitted_buffers[stage as usize],
                        &mut self.empty_last,
                    );
                    let none = BoundWords {
                        words: &self.words,
                        changed: 0,
                    };
                    emit_latched_constants::<G, M>(
                        stream,
                        machine,
                        stage,
                        None,
                        &none,
                        emitted_buffers,
                        empty_last,
                    )?;
                }
            }
        }
        if self.dirty.any(DirtyGroups::SHADERS) {
            return self.emit_switched_constants(stream, machine);
        }
        let bound = BoundWords {
            words: &self.words,
            changed: self.changed_words,
        };
        let mut fragment_emitted = false;
        for (stage, pushed) in &pipeline.pushed {
            let reads = pushed.as_ref().map_or(0, |pushed| pushed.reads);
            if reads & bound.changed == 0 {
                continue;
            }
            let (emitted_buffers, empty_last) = (
                &mut self.emitted_buffers[*stage as usize],
                &mut self.empty_last,
            );
            fragment_emitted |= emit_latched_constants::<G, M>(
                stream,
                machine,
                *stage,
                pushed.as_ref(),
                &bound,
                emitted_buffers,
                empty_last,
            )?;
        }
        self.changed_words = 0;
        Ok(fragment_emitted)
    }

    /// As [`BatchDrawState::emit_constants`], if the pipeline may have changed: all constants of
    /// stages whose push layout is not that of the constants in effect.
    #[inline(never)]
    fn emit_switched_constants<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
    ) -> Result<bool, M::Error> {
        let Some(pipeline) = &self.pipeline else {
            return Ok(false);
        };
        let last = self.pushed_pipeline.replace(Arc::clone(pipeline));
        let mut fragment_emitted = false;
        for (stage, pushed) in &pipeline.pushed {
            let pushed = pushed.as_ref();
            let emitted_buffers = &mut self.emitted_buffers[*stage as usize];
            let mut changed = self.changed_words;
            if last
                .as_ref()
                .is_some_and(|last| last.pushes(*stage, pushed))
            {
                if pushed.is_none_or(|pushed| pushed.reads & changed == 0) {
                    continue;
                }
            } else {
                *emitted_buffers = Default::default();
                changed = WordMask::MAX;
            }
            let bound = BoundWords {
                words: &self.words,
                changed,
            };
            let empty_last = &mut self.empty_last;
            fragment_emitted |= emit_latched_constants::<G, M>(
                stream,
                machine,
                *stage,
                pushed,
                &bound,
                emitted_buffers,
                empty_last,
            )?;
        }
        self.changed_words = 0;
        Ok(fragment_emitted)
    }

    /// The inputs of the vertex shader.
    fn inputs(&self) -> VertexInputs {
        let pipeline = self.pipeline.as_ref();
        pipeline.map_or_else(VertexInputs::default, |pipeline| {
            *G::vertex_inputs(&pipeline.packed)
        })
    }

    /// Draws. Returns false if no pipeline or no targets are bound.
    pub(crate) fn draw<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
        draw: &DrawParams,
        predicated: bool,
    ) -> Result<bool, M::Error> {
        if draw.vertices == 0 || draw.instances == 0 {
            return Ok(self.pipeline.is_some() && self.targets.is_some());
        }
        if !self.emit_dirty_state(stream, machine)? {
            return Ok(false);
        }
        let draw = self.with_draw_parameters(stream, machine, draw)?;
        G::emit_primitive(stream, &draw, predicated)?;
        Ok(true)
    }

    /// Draws with a vertex count from memory. Returns false as [`BatchDrawState::draw`] does.
    pub(crate) fn draw_byte_count<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
        draw: &DrawParams,
        count: &ByteCount,
        predicated: bool,
    ) -> Result<bool, M::Error> {
        if !self.emit_dirty_state(stream, machine)? {
            return Ok(false);
        }
        let draw = self.with_draw_parameters(stream, machine, draw)?;
        G::emit_primitive_byte_count(stream, &draw, count, predicated)?;
        Ok(true)
    }

    /// Emits the draw parameters that the vertex shader reads. Returns the draw with its instances
    /// multiplied by the views.
    ///
    /// The pipeline's inputs are read in place: a copy defeats store-to-load forwarding.
    #[inline(always)]
    fn with_draw_parameters<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
        draw: &DrawParams,
    ) -> Result<DrawParams, M::Error> {
        let (mut reads_parameters, mut draw_id, mut views) = (false, false, 1);
        if let Some(pipeline) = &self.pipeline {
            let inputs = G::vertex_inputs(&pipeline.packed);
            draw_id = inputs.draw_id;
            reads_parameters = inputs.has_numbers() || draw_id;
            views = inputs.instances();
        }
        if reads_parameters {
            self.emit_draw_parameters(stream, machine, draw, draw_id)?;
        }
        Ok(DrawParams {
            instances: draw.instances.saturating_mul(views),
            ..*draw
        })
    }

    /// Emits first vertex, first instance and, if read, the draw index.
    fn emit_draw_parameters<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
        draw: &DrawParams,
        draw_id: bool,
    ) -> Result<(), M::Error> {
        let first = draw
            .indexed
            .map_or(draw.first_vertex, |vertex| vertex.cast_unsigned());
        let number = draw_id.then_some(draw.number);
        let bases = ([first, draw.first_instance], number);
        if self.bases != Some(bases) {
            let words = [first, draw.first_instance, number.unwrap_or(0)];
            let data = stream.data(words.len())?;
            data.words.copy_from_slice(&words);
            let address = data.address;
            self.emit_bases_buffer(stream, machine, address)?;
            if draw_id {
                self.emit_draw_id_buffer(stream, machine, address + 8)?;
            }
            self.bases = Some(bases);
        }
        Ok(())
    }

    /// Binds the vertex buffer with first vertex and first instance.
    fn emit_bases_buffer<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
        address: u64,
    ) -> Result<(), M::Error> {
        G::emit_bases_buffer(stream, address)?;
        match self.vertex_cache.bind(vertex_cache::BASES_SLOT, address, 8) {
            true => invalidate_vertex_cache::<G, M>(stream, machine, &mut self.vertex_cache),
            false => Ok(()),
        }
    }

    /// Binds the vertex buffer with the draw index.
    fn emit_draw_id_buffer<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
        address: u64,
    ) -> Result<(), M::Error> {
        G::emit_draw_id_buffer(stream, address)?;
        match self
            .vertex_cache
            .bind(vertex_cache::DRAW_ID_SLOT, address, 4)
        {
            true => invalidate_vertex_cache::<G, M>(stream, machine, &mut self.vertex_cache),
            false => Ok(()),
        }
    }

    /// The vertex cache was invalidated.
    pub(crate) fn vertex_cache_invalidated(&mut self) {
        self.vertex_cache.invalidate();
    }

    /// Performs a meta draw with its own shaders, state and constants; the application's bindings
    /// are restored.
    pub(crate) fn meta_draw<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
        internal: InternalDraw<'_, G>,
        draw: &DrawParams,
    ) -> Result<bool, M::Error> {
        // All groups but the targets, which the meta draw shares.
        let groups = DirtyGroups::ALL.without(DirtyGroups::TARGETS);
        let mut words = [0; BOUND_DW];
        for (to, &from) in words.iter_mut().zip(internal.constants_dw) {
            *to = from;
        }
        let words = std::mem::replace(&mut self.words, words);
        std::mem::swap(&mut self.state, internal.state);
        let pipeline = self.pipeline.replace(Arc::clone(internal.pipeline));
        let last = self.last_meta_pipeline.take();
        self.changed_words = WordMask::MAX;
        self.dirty = match last.is_some_and(|last| Arc::ptr_eq(&last, internal.pipeline)) {
            // Nothing was emitted since the same pipeline's last draw: only what differs is dirty.
            true => {
                let targets = self.dirty.without(groups);
                targets.with(internal.differs).with(DirtyGroups::CONSTANTS)
            }
            false => self.dirty.with(groups),
        };
        self.bases = None;
        let drawn = self.draw(stream, machine, draw, internal.predicated);
        // An empty draw emits nothing.
        let emitted = drawn.is_ok() && self.dirty.is_none();
        self.last_meta_pipeline = emitted.then(|| Arc::clone(internal.pipeline));
        std::mem::swap(&mut self.state, internal.state);
        (self.words, self.pipeline) = (words, pipeline);
        self.changed_words = WordMask::MAX;
        (self.dirty, self.bases) = (self.dirty.with(groups), None);
        drawn
    }

    /// Draws with parameters from memory: four dwords, or five if indexed. Returns false as
    /// [`BatchDrawState::draw`] does.
    pub(crate) fn draw_indirect<M: StreamMemory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &DeviceInfo,
        address: u64,
        indexed: bool,
        number: u32,
        predicated: bool,
    ) -> Result<bool, M::Error> {
        if !self.emit_dirty_state(stream, machine)? {
            return Ok(false);
        }
        let inputs = self.inputs();
        if inputs.has_numbers() {
            // First vertex and first instance are adjacent in memory.
            self.emit_bases_buffer(stream, machine, address + if indexed { 12 } else { 8 })?;
            self.bases = None;
        }
        if inputs.draw_id {
            let data = stream.data(1)?;
            data.words.copy_from_slice(&[number]);
            let address = data.address;
            self.emit_draw_id_buffer(stream, machine, address)?;
            self.bases = None;
        }
        let instances = inputs.instances();
        G::emit_primitive_indirect(stream, address, indexed, instances, predicated)?;
        Ok(true)
    }
}

/// Invalidates the vertex cache, after the draws that use it.
#[cold]
fn invalidate_vertex_cache<G: DrawGeneration, M: StreamMemory>(
    stream: &mut Stream<M>,
    machine: &DeviceInfo,
    vertex_cache: &mut VertexCache,
) -> Result<(), M::Error> {
    for control in [PipeControl::STALL, PipeControl::INVALIDATE_VERTICES] {
        let control = control.with(PipeControl::WRITE);
        G::emit_pipe_control(stream, control, machine.scrap_address)?;
    }
    vertex_cache.invalidate();
    Ok(())
}

#[cfg(test)]
mod tests;
