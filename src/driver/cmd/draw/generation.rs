//! What differs from one generation to the next: the packets of draws.
//!
//! In:  state, shaders and targets of a draw. Out: through an implementation of [`DrawGeneration`], words in a [`Stream`].

use crate::draw::shader::{Shaders, VertexInputs};
use crate::draw::state::{Dirty, Locations, State};
use crate::draw::target::{DepthStencilTarget, DepthWork, Targets};
use crate::generation::{Generation, Machine};
use crate::stream::{Memory, Stream};

/// Where vertices and instances of a draw begin and end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Draw {
    /// Vertices, or indices.
    pub vertices: u32,
    /// Instances.
    pub instances: u32,
    /// First vertex, or index.
    pub first: u32,
    /// First instance.
    pub first_instance: u32,
    /// What is added to each index; None: there are no indices.
    pub indexed: Option<i32>,
    /// Its number among those of a command.
    pub number: u32,
}

/// How many vertices a draw has, as a number of bytes in memory tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteCount {
    /// Where the number lies.
    pub at: u64,
    /// Bytes of it that are no vertices.
    pub offset_bytes: u32,
    /// Bytes of a vertex: not 0.
    pub stride_bytes: u32,
}

/// Buffers of a stage's constants.
pub const CONSTANT_BUFFERS: usize = abi::PUSHED_RANGES + 1;

/// Where constants lie, and how many registers of them are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConstantBuffer {
    /// GPU address, a multiple of 32.
    pub address: u64,
    /// Registers of 32 bytes.
    pub registers: u32,
}

/// How many stages have constants.
pub const CONSTANT_STAGES: usize = 5;

/// The stages that have constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the stages' names")]
pub enum ConstantStage {
    Vertex,
    Hull,
    Domain,
    Geometry,
    Fragment,
}

/// What state packets are made from.
#[derive(Debug)]
pub struct Said<'a, P> {
    /// What has changed.
    pub dirty: Dirty,
    /// Everything.
    pub state: &'a State,
    /// The shaders.
    pub pipeline: &'a P,
    /// The targets.
    pub targets: &'a Targets,
    /// Dynamic State Base Address.
    pub dynamic_base: u64,
}

/// State that belongs to a pipeline: of these groups, nothing is set by commands while it is bound.
#[derive(Clone, Copy, Debug)]
pub struct Own<'a> {
    /// The state; what of it is in no group of these does not count.
    pub state: &'a State,
    /// The groups. [`Dirty::VIEWPORTS`] stands for how many viewports there are.
    pub groups: Dirty,
}

/// The packets of draws.
pub trait DrawGeneration: Generation {
    /// Shaders, packed, with what of them later packets need.
    type Pipeline: Clone + std::fmt::Debug;
    /// Packs shaders, and with them what follows from them and their own state. None: their vertices do not fit into the URB.
    fn pipeline(
        device: &hw::Device,
        shaders: &Shaders<'_>,
        own: Option<&Own<'_>>,
    ) -> Option<Box<Self::Pipeline>>;
    /// Selects the pipeline that draws, after the one that dispatches.
    fn select_draws<M: Memory>(stream: &mut Stream<M>, machine: &Machine) -> Result<(), M::Error>;
    /// Selects the pipeline that dispatches, after the one that draws.
    fn select_dispatches<M: Memory>(stream: &mut Stream<M>) -> Result<(), M::Error>;
    /// What a context is told once, when its pipeline is the one for draws.
    fn draw_context<M: Memory>(stream: &mut Stream<M>) -> Result<(), M::Error>;
    /// Says what has changed, but for constants.
    fn state<M: Memory>(
        stream: &mut Stream<M>,
        said: &Said<'_, Self::Pipeline>,
    ) -> Result<(), M::Error>;
    /// Says where samples lie: of pixels with so many there, else where they always do.
    fn sample_pattern<M: Memory>(
        stream: &mut Stream<M>,
        locations: Option<&Locations>,
    ) -> Result<(), M::Error>;
    /// Says what depth and stencil are drawn to, and writes the table of colours. In: what Surface State Base Address is, if that is
    /// known. Out: what it is from here on, and the table's offset from there.
    fn targets<M: Memory>(
        stream: &mut Stream<M>,
        targets: &Targets,
        surface_base: Option<u64>,
    ) -> Result<(u64, u32), M::Error>;
    /// Works on depth by way of its hierarchy, of so many samples. What was said of the pipeline's state is forgotten.
    fn depth_work<M: Memory>(
        stream: &mut Stream<M>,
        machine: &Machine,
        target: (&DepthStencilTarget, u8),
        work: &DepthWork,
    ) -> Result<(), M::Error>;
    /// Says the targets for batches that are run by this one and inherit them: the table's offset is [`DrawGeneration::inherited_table`].
    /// Out: what Surface State Base Address is from here on.
    fn lend_targets<M: Memory>(stream: &mut Stream<M>, targets: &Targets) -> Result<u64, M::Error>;
    /// Where a batch finds the table of colours that it inherits, from Surface State Base Address.
    fn inherited_table<M: Memory>() -> u32;
    /// Names a stage's table of surfaces, and makes the constants that were named before it the ones that hold.
    fn table<M: Memory>(
        stream: &mut Stream<M>,
        stage: ConstantStage,
        offset_bytes: u32,
    ) -> Result<(), M::Error>;
    /// Where first vertex and first instance lie, two dwords.
    fn bases<M: Memory>(stream: &mut Stream<M>, address: u64) -> Result<(), M::Error>;
    /// Where the number of the draw lies.
    fn draw_id<M: Memory>(stream: &mut Stream<M>, address: u64) -> Result<(), M::Error>;
    /// What the vertex shader reads.
    fn inputs(pipeline: &Self::Pipeline) -> &VertexInputs;
    /// Says where a stage's samplers begin, from Dynamic State Base Address.
    fn samplers<M: Memory>(
        stream: &mut Stream<M>,
        stage: ConstantStage,
        offset_bytes: u32,
    ) -> Result<(), M::Error>;
    /// Names the constants of a stage: buffers, one behind the other. Those that are empty are the first ones; where all are used, the
    /// first lies behind Dynamic State Base Address.
    fn draw_constants<M: Memory>(
        stream: &mut Stream<M>,
        stage: ConstantStage,
        buffers: &[ConstantBuffer; CONSTANT_BUFFERS],
        dynamic_base: u64,
    ) -> Result<(), M::Error>;
    /// Draws; where the predicate says so, if it is asked for.
    fn primitive<M: Memory>(
        stream: &mut Stream<M>,
        draw: &Draw,
        predicated: bool,
    ) -> Result<(), M::Error>;
    /// Draws as many vertices as memory tells of; the draw's own number does not count.
    fn primitive_byte_count<M: Memory>(
        stream: &mut Stream<M>,
        draw: &Draw,
        count: &ByteCount,
        predicated: bool,
    ) -> Result<(), M::Error>;
    /// Draws as memory says: four dwords, or five for indices; each instance as so many.
    fn primitive_indirect<M: Memory>(
        stream: &mut Stream<M>,
        address: u64,
        indexed: bool,
        instances: u32,
        predicated: bool,
    ) -> Result<(), M::Error>;
}
