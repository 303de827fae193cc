//! What a batch's draws have bound, and what must be said before the next one.
//!
//! In:  state as it is set, shaders, targets, draws. Out: words, for what has changed since the last draw.

use std::sync::Arc;

use abi::DriverValue;

use crate::draw::fetched::{self, Fetched};
use crate::draw::generation::{
    ByteCount, CONSTANT_BUFFERS, CONSTANT_STAGES, ConstantBuffer, ConstantStage, Draw,
    DrawGeneration, Own, Said,
};
use crate::draw::pushed::{Bound, CONTENTS, Pushed, Short, Words, bits, constants};
use crate::draw::shader::{Shaders, Tessellation, VertexInputs};
use crate::draw::state::{Dirty, State};
use crate::draw::target::Targets;

use crate::generation::{BOUND_DW, Control, HEAP_AT, Machine, PUSH_CONSTANTS_DW, VALUES_AT, place};

use crate::stream::{Memory, Stream};

/// Shaders as they are bound: packed once.
#[derive(Clone, Debug)]
pub struct DrawPipeline<G: DrawGeneration> {
    packed: Box<G::Pipeline>,
    /// By stage; none of the stages that are off, but for fragments, whose constants are said in any case.
    pushed: Vec<(ConstantStage, Option<Pushed>)>,
}

impl<G: DrawGeneration> DrawPipeline<G> {
    /// Packs shaders, with the state that belongs to them. None: they want more constants, more room for vertices or more declarations of
    /// what is captured than there is.
    pub fn new(device: &hw::Device, shaders: &Shaders<'_>, own: Option<&Own<'_>>) -> Option<Self> {
        use ConstantStage as S;
        let mut pushed = vec![(S::Vertex, Some(Pushed::new(shaders.vertex.push)?))];
        if let Some(Tessellation {
            control,
            evaluation,
            ..
        }) = &shaders.tessellation
        {
            pushed.push((S::Hull, Some(Pushed::new(control.program.push)?)));
            pushed.push((S::Domain, Some(Pushed::new(evaluation.program.push)?)));
        }
        if let Some(geometry) = &shaders.geometry {
            pushed.push((S::Geometry, Some(Pushed::new(geometry.program.push)?)));
        }
        pushed.push((
            S::Fragment,
            match &shaders.fragment {
                Some(fragment) => Some(Pushed::new(fragment.push)?),
                None => None,
            },
        ));
        Some(Self {
            packed: G::pipeline(device, shaders, own)?,
            pushed,
        })
    }
}

/// A draw of the driver's own.
#[derive(Debug)]
pub struct InternalDraw<'a, G: DrawGeneration> {
    /// Shaders.
    pub pipeline: &'a Arc<DrawPipeline<G>>,
    /// State, which comes back as it was.
    pub state: &'a mut Box<State>,
    /// Groups of it that may be other than in the draw before by this pipeline.
    pub differs: Dirty,
    /// Constants.
    pub constants_dw: &'a [u32],
    /// The predicate says whether it runs.
    pub predicated: bool,
}

/// The state of a batch's draws.
#[derive(Debug)]
pub struct Draws<G: DrawGeneration> {
    state: Box<State>,
    dirty: Dirty,
    /// Words that have changed since they were said.
    changed: Words,
    /// What commands have set since shaders were bound.
    set: Dirty,
    pipeline: Option<Arc<DrawPipeline<G>>>,
    targets: Option<Targets>,
    /// Offset of the table of colours.
    table: u32,
    /// First vertex, first instance and number of the draw, as they were said last.
    bases: Option<[u32; 3]>,
    /// What the fetcher's cache may hold.
    fetched: Fetched,
    /// The application's push constants, and from [`VALUES_AT`] on the driver's values, by place.
    words: [u32; BOUND_DW],
    /// Surface State Base Address, from which tables of surfaces are found.
    surface_base: Option<u64>,
    /// The targets were said where batches that inherit them look for them.
    lent: bool,
    /// Samples were said to lie elsewhere than they always do.
    located: bool,
    /// Stages whose constants have no last buffer.
    short: Short,
    /// The constants of each stage, as they were named last.
    named: [[ConstantBuffer; CONSTANT_BUFFERS]; CONSTANT_STAGES],
    /// Stages that are off have no constants of older batches: their memory may be gone, and the machine reads them all the same.
    cleared: bool,
    /// The pipeline of a draw of the driver's own that was the last to say anything.
    own: Option<Arc<DrawPipeline<G>>>,
}

impl<G: DrawGeneration> Default for Draws<G> {
    /// Nothing is bound, and nothing was said.
    fn default() -> Self {
        Self {
            state: Box::default(),
            dirty: Dirty::ALL,
            changed: Words::MAX,
            set: Dirty::NONE,
            pipeline: None,
            targets: None,
            table: 0,
            bases: None,
            fetched: Fetched::default(),
            words: [0; BOUND_DW],
            surface_base: None,
            lent: false,
            located: false,
            short: Short::default(),
            named: Default::default(),
            cleared: false,
            own: None,
        }
    }
}

impl<G: DrawGeneration> Draws<G> {
    /// Nothing is bound, and nothing was said. `heap`: where the surfaces lie that handles name, which shaders read sizes and addresses
    /// of buffers from.
    pub(crate) fn new(heap: u64) -> Self {
        let mut draws = Self::default();
        draws.words[VALUES_AT + HEAP_AT] = heap as u32;
        draws.words[VALUES_AT + HEAP_AT + 1] = (heap >> 32) as u32;
        draws
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Changes state of some groups.
    #[inline]
    pub fn change(&mut self, groups: Dirty, change: impl FnOnce(&mut State)) {
        change(&mut self.state);
        self.dirty = self.dirty.with(groups);
        self.set = self.set.with(groups);
    }

    fn constants_changed(&mut self, words: Words) {
        self.changed |= words;
        self.dirty = self.dirty.with(Dirty::CONSTANTS);
    }

    /// Uniform buffers may hold something else from here on: what is pushed of them is read again.
    pub(crate) fn contents_changed(&mut self) {
        let pipeline = self.pipeline.as_ref();
        let reads = |pipeline: &Arc<DrawPipeline<G>>| {
            let stages = pipeline.pushed.iter();
            let mut stages = stages.filter_map(|stage| stage.1.as_ref());
            stages.any(|pushed| pushed.reads & CONTENTS != 0)
        };
        if pipeline.is_some_and(reads) {
            self.constants_changed(CONTENTS);
        }
    }

    /// Sets one of the driver's values. False: there are not so many of its kind.
    pub fn set_value(&mut self, value: DriverValue, word: u32) -> bool {
        let at = place(value).map(|place| VALUES_AT + place);
        let Some((at, known)) = at.and_then(|at| Some((at, self.words.get_mut(at)?))) else {
            return false;
        };
        if *known != word {
            *known = word;
            self.constants_changed(bits(at, 1));
        }
        true
    }

    /// Sets push constants from a byte on. False: beyond their end, or not whole dwords.
    pub fn push(&mut self, offset_bytes: u32, data: &[u8]) -> bool {
        let (at, count) = (offset_bytes as usize / 4, data.len() / 4);
        let aligned = offset_bytes.is_multiple_of(4) && data.len().is_multiple_of(4);
        let constants = &mut self.words[..PUSH_CONSTANTS_DW];
        match constants.get_mut(at..at.saturating_add(count)) {
            Some(place) if aligned => {
                for (to, from) in place.iter_mut().zip(data.as_chunks().0) {
                    *to = u32::from_le_bytes(*from);
                }
                self.constants_changed(bits(at, count));
                true
            }
            _ => false,
        }
    }

    /// Binds shaders, and state with them: `lay` lays it over what is set, and tells of the groups that it has changed.
    #[inline]
    pub fn bind(&mut self, pipeline: &Arc<DrawPipeline<G>>, lay: impl FnOnce(&mut State) -> Dirty) {
        let same = |bound: &Arc<DrawPipeline<G>>| Arc::ptr_eq(bound, pipeline);
        let again = self.pipeline.as_ref().is_some_and(same);
        if again && self.set.is_none() {
            return;
        }
        if !again {
            self.pipeline = Some(Arc::clone(pipeline));
            self.dirty = self.dirty.with(Dirty::SHADERS.with(Dirty::CONSTANTS));
            self.bases = None;
        }
        self.set = Dirty::NONE;
        self.dirty = self.dirty.with(lay(&mut self.state));
    }

    /// Draws to other targets from here on.
    pub fn set_targets(&mut self, targets: &Targets) {
        self.targets = Some(*targets);
        self.dirty = self.dirty.with(Dirty::TARGETS);
        self.lent = false;
    }

    /// Draws to nothing from here on.
    pub fn end_targets(&mut self) {
        self.targets = None;
    }

    /// Forgets what was said, but not what is bound: others have used the pipeline.
    pub(crate) fn forget(&mut self) {
        self.forget_state();
        self.surface_base = None;
        self.lent = false;
    }

    /// Forgets what was said, targets too: something else was said to the same pipeline.
    pub(crate) fn disturb(&mut self) {
        self.forget_state();
        self.lent = false;
    }

    fn forget_state(&mut self) {
        self.dirty = Dirty::ALL;
        self.bases = None;
        self.short = Short::default();
        self.cleared = false;
        self.own = None;
    }

    /// Says that samples lie where they always do, if they do not: others rely on it.
    pub(crate) fn restore<M: Memory>(&mut self, stream: &mut Stream<M>) -> Result<(), M::Error> {
        if std::mem::take(&mut self.located) {
            G::sample_pattern(stream, None)?;
            self.dirty = self.dirty.with(Dirty::LOCATIONS);
        }
        Ok(())
    }

    /// Says the targets for batches that inherit them and are run next; whatever else was said is forgotten. False: there is nothing to
    /// draw to.
    pub(crate) fn lend<M: Memory>(&mut self, stream: &mut Stream<M>) -> Result<bool, M::Error> {
        self.forget_state();
        match &self.targets {
            None => return Ok(false),
            Some(_) if self.lent => {}
            Some(targets) => {
                self.surface_base = Some(G::lend_targets(stream, targets)?);
                self.lent = true;
            }
        }
        Ok(true)
    }

    /// Says what has changed. False: no shaders are bound, or nothing to draw to.
    fn prepare<M: Memory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &Machine,
    ) -> Result<bool, M::Error> {
        if self.pipeline.is_none() || self.targets.is_none() {
            return Ok(false);
        }
        let dirty = self.dirty;
        if dirty.is_none() {
            return Ok(true);
        }
        self.own = None;
        if !dirty.without(Dirty::CONSTANTS).is_none() {
            self.say_state(stream, machine)?;
        }
        let mut table = dirty.any(Dirty::TARGETS);
        if dirty.any(Dirty::CONSTANTS) {
            table |= self.say_constants(stream, machine)?;
        }
        if table {
            G::table(stream, ConstantStage::Fragment, self.table)?;
        }
        self.dirty = Dirty::NONE;
        Ok(true)
    }

    /// Says what has changed, but for constants.
    #[inline(never)]
    fn say_state<M: Memory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &Machine,
    ) -> Result<(), M::Error> {
        let (Some(pipeline), Some(targets)) = (&self.pipeline, &self.targets) else {
            return Ok(());
        };
        let dirty = self.dirty;
        let said = Said {
            dirty,
            state: &self.state,
            pipeline: &*pipeline.packed,
            targets,
            dynamic_base: machine.dynamic_base,
        };
        G::state(stream, &said)?;
        let locations = self.state.own_locations();
        if dirty.any(Dirty::LOCATIONS) && (self.located || locations.is_some()) {
            G::sample_pattern(stream, locations)?;
            self.located = locations.is_some();
        }
        if dirty.any(Dirty::VERTEX_BUFFERS.with(Dirty::INDEX_BUFFER)) {
            let state = &self.state;
            let bound = usize::from(state.vertex_buffer_count);
            let mut aliases = false;
            for (slot, from) in state.vertex_buffers.iter().enumerate().take(bound) {
                aliases |= self.fetched.bind(slot, from.address, from.bytes.into());
            }
            let from = &state.index_buffer;
            aliases |= self
                .fetched
                .bind(fetched::INDICES, from.address, from.bytes.into());
            if aliases {
                evict::<G, M>(stream, machine, &mut self.fetched)?;
            }
        }
        if dirty.any(Dirty::TARGETS) {
            if targets.inherited {
                self.table = G::inherited_table::<M>();
            } else {
                let (base, table) = G::targets(stream, targets, self.surface_base)?;
                (self.surface_base, self.table) = (Some(base), table);
                self.lent = false;
            }
        }
        Ok(())
    }

    /// Says the constants that have changed. True: those of fragments too, which are read when their table is named.
    fn say_constants<M: Memory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &Machine,
    ) -> Result<bool, M::Error> {
        let Some(pipeline) = &self.pipeline else {
            return Ok(false);
        };
        if !std::mem::replace(&mut self.cleared, true) {
            use ConstantStage::{Domain, Geometry, Hull};
            let is_on = |stage: ConstantStage| {
                let mut stages = pipeline.pushed.iter();
                stages.any(|pushed| pushed.0 as u8 == stage as u8)
            };
            for stage in [Hull, Domain, Geometry] {
                if !is_on(stage) {
                    let (named, short) = (&mut self.named[stage as usize], &mut self.short);
                    let none = Bound {
                        words: &self.words,
                        changed: 0,
                    };
                    constants::<G, M>(stream, machine, stage, None, &none, named, short)?;
                    G::table(stream, stage, 0)?;
                }
            }
        }
        let all = self.dirty.any(Dirty::SHADERS);
        let bound = Bound {
            words: &self.words,
            changed: if all { Words::MAX } else { self.changed },
        };
        let mut fragments = false;
        for (stage, pushed) in &pipeline.pushed {
            let reads = pushed.as_ref().map_or(0, |pushed| pushed.reads);
            if !all && reads & bound.changed == 0 {
                continue;
            }
            let (named, short) = (&mut self.named[*stage as usize], &mut self.short);
            if all {
                *named = Default::default();
            }
            let pushed = pushed.as_ref();
            constants::<G, M>(stream, machine, *stage, pushed, &bound, named, short)?;
            // They are read when a table is named.
            match stage {
                ConstantStage::Fragment => fragments = true,
                _ => G::table(stream, *stage, 0)?,
            }
        }
        self.changed = 0;
        Ok(fragments)
    }

    /// What the vertex shader reads.
    fn inputs(&self) -> VertexInputs {
        let pipeline = self.pipeline.as_ref();
        pipeline.map_or_else(VertexInputs::default, |pipeline| {
            *G::inputs(&pipeline.packed)
        })
    }

    /// Draws. False: no shaders are bound, or nothing to draw to.
    pub(crate) fn draw<M: Memory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &Machine,
        draw: &Draw,
        predicated: bool,
    ) -> Result<bool, M::Error> {
        if draw.vertices == 0 || draw.instances == 0 {
            return Ok(self.pipeline.is_some() && self.targets.is_some());
        }
        if !self.prepare(stream, machine)? {
            return Ok(false);
        }
        let draw = self.numbered(stream, machine, draw)?;
        G::primitive(stream, &draw, predicated)?;
        Ok(true)
    }

    /// Draws as many vertices as memory tells of. False: as [`Draws::draw`].
    pub(crate) fn draw_byte_count<M: Memory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &Machine,
        draw: &Draw,
        count: &ByteCount,
        predicated: bool,
    ) -> Result<bool, M::Error> {
        if !self.prepare(stream, machine)? {
            return Ok(false);
        }
        let draw = self.numbered(stream, machine, draw)?;
        G::primitive_byte_count(stream, &draw, count, predicated)?;
        Ok(true)
    }

    /// Says the numbers of a draw that its vertex shader asks for; the draw, with its instances for all views. What shaders read is looked
    /// at where it lies: a processor that reads a copy in other pieces than it was written in waits for it.
    #[inline(always)]
    fn numbered<M: Memory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &Machine,
        draw: &Draw,
    ) -> Result<Draw, M::Error> {
        let (mut asks, mut draw_id, mut views) = (false, false, 1);
        if let Some(pipeline) = &self.pipeline {
            let inputs = G::inputs(&pipeline.packed);
            draw_id = inputs.draw_id;
            asks = inputs.has_numbers() || draw_id;
            views = inputs.instances();
        }
        if asks {
            self.say_numbers(stream, machine, draw, draw_id)?;
        }
        Ok(Draw {
            instances: draw.instances.saturating_mul(views),
            ..*draw
        })
    }

    /// Says first vertex and first instance of a draw, and its number where that is asked for.
    fn say_numbers<M: Memory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &Machine,
        draw: &Draw,
        draw_id: bool,
    ) -> Result<(), M::Error> {
        let first = draw
            .indexed
            .map_or(draw.first, |vertex| vertex.cast_unsigned());
        let number = if draw_id { draw.number } else { 0 };
        let bases = [first, draw.first_instance, number];
        if self.bases != Some(bases) {
            let data = stream.data(bases.len())?;
            data.words.copy_from_slice(&bases);
            let address = data.address;
            self.say_bases(stream, machine, address)?;
            if draw_id {
                self.say_number(stream, machine, address + 8)?;
            }
            self.bases = Some(bases);
        }
        Ok(())
    }

    /// Where first vertex and first instance are.
    fn say_bases<M: Memory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &Machine,
        address: u64,
    ) -> Result<(), M::Error> {
        G::bases(stream, address)?;
        match self.fetched.bind(fetched::BASES, address, 8) {
            true => evict::<G, M>(stream, machine, &mut self.fetched),
            false => Ok(()),
        }
    }

    /// Where the number of the draw is.
    fn say_number<M: Memory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &Machine,
        address: u64,
    ) -> Result<(), M::Error> {
        G::draw_id(stream, address)?;
        match self.fetched.bind(fetched::NUMBER, address, 4) {
            true => evict::<G, M>(stream, machine, &mut self.fetched),
            false => Ok(()),
        }
    }

    /// The fetcher's cache has forgotten what it held.
    pub(crate) fn evicted(&mut self) {
        self.fetched.forget();
    }

    /// Draws with shaders, state and constants of the driver's own; what the application has bound stays.
    pub(crate) fn internal<M: Memory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &Machine,
        internal: InternalDraw<'_, G>,
        draw: &Draw,
    ) -> Result<bool, M::Error> {
        // All but what is drawn to.
        let groups = Dirty::ALL.without(Dirty::TARGETS);
        let mut words = [0; BOUND_DW];
        for (to, &from) in words.iter_mut().zip(internal.constants_dw) {
            *to = from;
        }
        let words = std::mem::replace(&mut self.words, words);
        std::mem::swap(&mut self.state, internal.state);
        let pipeline = self.pipeline.replace(Arc::clone(internal.pipeline));
        let last = self.own.take();
        self.dirty = match last.is_some_and(|last| Arc::ptr_eq(&last, internal.pipeline)) {
            // All but what is new to draw to is said, and nothing else since.
            true => {
                self.changed = Words::MAX;
                let targets = self.dirty.without(groups);
                targets.with(internal.differs).with(Dirty::CONSTANTS)
            }
            false => self.dirty.with(groups),
        };
        self.bases = None;
        let drawn = self.draw(stream, machine, draw, internal.predicated);
        // Draws of nothing say nothing.
        let said = drawn.is_ok() && self.dirty.is_none();
        self.own = said.then(|| Arc::clone(internal.pipeline));
        std::mem::swap(&mut self.state, internal.state);
        (self.words, self.pipeline) = (words, pipeline);
        (self.dirty, self.bases) = (self.dirty.with(groups), None);
        drawn
    }

    /// Draws as memory says: four dwords, or five for indices. False: as [`Draws::draw`].
    pub(crate) fn draw_indirect<M: Memory>(
        &mut self,
        stream: &mut Stream<M>,
        machine: &Machine,
        address: u64,
        indexed: bool,
        number: u32,
        predicated: bool,
    ) -> Result<bool, M::Error> {
        if !self.prepare(stream, machine)? {
            return Ok(false);
        }
        let inputs = self.inputs();
        if inputs.has_numbers() {
            // First vertex and first instance stand side by side in memory.
            self.say_bases(stream, machine, address + if indexed { 12 } else { 8 })?;
            self.bases = None;
        }
        if inputs.draw_id {
            let data = stream.data(1)?;
            data.words.copy_from_slice(&[number]);
            let place = data.address;
            self.say_number(stream, machine, place)?;
            self.bases = None;
        }
        let instances = inputs.instances();
        G::primitive_indirect(stream, address, indexed, instances, predicated)?;
        Ok(true)
    }
}

/// Lets the fetcher's cache forget, once what was fetched into it is used.
#[cold]
fn evict<G: DrawGeneration, M: Memory>(
    stream: &mut Stream<M>,
    machine: &Machine,
    fetched: &mut Fetched,
) -> Result<(), M::Error> {
    for control in [Control::STALL, Control::INVALIDATE_VERTICES] {
        let control = control.with(Control::WRITE);
        G::control(stream, control, machine.scrap_address)?;
    }
    fetched.forget();
    Ok(())
}
