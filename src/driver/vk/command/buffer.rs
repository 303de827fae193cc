//! Command buffers: life cycle, bindings, dispatches.

use std::sync::Arc;

use ash::vk as api;
use cmd::{DeviceInfo, Gen9, Recorder};
use smallvec::SmallVec;

use super::barrier::Dependency;
use super::clear_state::{ClearStates, FastClearTarget};
use super::copy_hazards::CopyHazards;
use super::memory::{BatchMemory, PoolMemory};
use super::pass::RenderPassInstance;
use super::target::{InheritedRendering, Rendering, Resolve};
use super::transient_surfaces::TransientSurfaces;
use crate::context::Context;
use crate::descriptor::{
    BufferDescriptor, DescriptorSet, PipelineLayout, PushDescriptorSet, handle_at,
};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::graphics::{BoundShaders, ShaderPrograms};
use crate::meta_pipelines::MetaPipelines;
use crate::pipeline::Pipeline;
use crate::queue::QueuedBatch;

/// `VkCommandPool`.
#[derive(Debug)]
pub struct CommandPool {
    context: Arc<Context>,
    meta_pipelines: Arc<MetaPipelines>,
    shader_programs: Arc<ShaderPrograms>,
    memory: Arc<PoolMemory>,
    machine: DeviceInfo,
}

impl CommandPool {
    /// An empty pool.
    pub fn new(device: &Device) -> Self {
        let context = device.context.clone();
        Self {
            memory: PoolMemory::new(&context.chunks, context.gpu.bindless()),
            machine: context.machine(),
            meta_pipelines: device.meta_pipelines.clone(),
            shader_programs: device.shader_programs.clone(),
            context,
        }
    }

    /// Returns unused memory to the device.
    pub fn trim(&self) {
        self.memory.trim();
    }
}

/// A set of embedded samplers: its bind point, number and handle.
pub(super) type EmbeddedSamplers = (BindPoint, u32, u32);

/// A bind point, with its own pipeline, descriptors and push constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the bind points' names")]
pub enum BindPoint {
    Compute,
    Graphics,
}

/// Life cycle of a command buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Initial,
    Recording,
    /// Recording after an error: commands have no effect.
    Failed,
    Executable,
    Invalid,
}

/// `VkCommandBuffer`.
#[derive(Debug)]
pub struct CommandBuffer {
    pub(super) context: Arc<Context>,
    pub(super) meta_pipelines: Arc<MetaPipelines>,
    pub(super) shader_programs: Arc<ShaderPrograms>,
    pub(super) bound_shaders: BoundShaders,
    pub(super) recorder: Recorder<Gen9, BatchMemory>,
    pub(super) surfaces: TransientSurfaces,
    /// Push descriptor sets by bind point.
    pushed: [PushDescriptorSet; 2],
    /// Addresses of the bound descriptor buffers.
    descriptor_buffers: SmallVec<[u64; 4]>,
    /// Addresses of the heaps that were bound last: of samplers, and of resources.
    pub(super) heaps: [Option<u64>; 2],
    /// The sets of embedded samplers of the bound pipelines.
    pub(super) embedded_samplers: SmallVec<[EmbeddedSamplers; 2]>,
    pub(super) rendering: Rendering,
    /// State of attachment clears, created at first use.
    pub(super) attachment_clear_state: Option<Box<cmd::draw::state::FixedFunctionState>>,
    /// State of fast clears, resolves and rectangle draws, created at first use.
    pub(super) rectangle_state: Option<Box<cmd::draw::state::FixedFunctionState>>,
    /// Fast-cleared targets to resolve at the end of the rendering.
    pub(super) unresolved_clears: SmallVec<[FastClearTarget; 1]>,
    /// Clear states of images with tracked clears.
    pub(super) clear_states: ClearStates,
    /// Multisample resolves at the end of the rendering.
    pub(super) resolves: Vec<Resolve>,
    pub(super) pass: Option<RenderPassInstance>,
    /// Recent writes of copies.
    pub(super) copy_hazards: CopyHazards,
    /// Uploads that do not fit into a chunk.
    pub(super) large_uploads: Vec<i915::PoolAllocation>,
    secondary: bool,
    /// It continues a rendering of the primary.
    inherits: bool,
    /// It may be executed within conditional rendering.
    expects_condition: bool,
    state: State,
    /// The first error of the commands.
    error: Option<Error>,
}

impl CommandBuffer {
    /// Creates a command buffer in the initial state.
    pub fn new(pool: &CommandPool, secondary: bool) -> Self {
        Self {
            context: pool.context.clone(),
            meta_pipelines: pool.meta_pipelines.clone(),
            shader_programs: pool.shader_programs.clone(),
            bound_shaders: BoundShaders::default(),
            recorder: Recorder::new(BatchMemory::new(&pool.memory), pool.machine),
            surfaces: TransientSurfaces::default(),
            pushed: Default::default(),
            descriptor_buffers: SmallVec::new(),
            heaps: [None; 2],
            embedded_samplers: SmallVec::new(),
            rendering: Rendering::default(),
            attachment_clear_state: None,
            rectangle_state: None,
            unresolved_clears: SmallVec::new(),
            clear_states: ClearStates::default(),
            resolves: Vec::new(),
            pass: None,
            copy_hazards: CopyHazards::default(),
            large_uploads: Vec::new(),
            secondary,
            inherits: false,
            expects_condition: false,
            state: State::Initial,
            error: None,
        }
    }

    /// Whether it is a secondary command buffer.
    pub fn is_secondary(&self) -> bool {
        self.secondary
    }

    /// Discards the recording.
    pub fn reset(&mut self) {
        if self.state != State::Initial {
            self.recorder.restart().clear();
            self.surfaces.clear();
            self.pushed = Default::default();
            self.descriptor_buffers.clear();
            self.heaps = [None; 2];
            self.embedded_samplers.clear();
            self.bound_shaders.clear();
            self.rendering.clear();
            self.unresolved_clears.clear();
            self.clear_states.clear();
            self.resolves.clear();
            self.pass = None;
            self.copy_hazards.clear();
            self.large_uploads.clear();
            self.error = None;
            self.state = State::Initial;
        }
    }

    /// Begins recording with nothing bound, as part of a rendering if `inherited` is given.
    /// `conditional`: it may be executed within conditional rendering.
    pub fn begin(
        &mut self,
        inherited: Option<&InheritedRendering>,
        conditional: bool,
    ) -> Result<()> {
        self.reset();
        self.recorder.memory().begin()?;
        self.recorder.set_conditional(conditional);
        self.expects_condition = conditional;
        self.inherits = inherited.is_some();
        if let Some(inherited) = inherited {
            self.recorder.inherit_targets(&inherited.targets());
            self.recorder.draws().set_target_slots(&inherited.slots);
            self.rendering = inherited.rendering();
        }
        self.state = State::Recording;
        Ok(())
    }

    /// Ends recording. Fails with the first error of the recorded commands.
    pub fn end(&mut self) -> Result<()> {
        if !matches!(self.state, State::Recording | State::Failed) {
            return Err(Error::InvalidUse {
                why: "ending a command buffer that is not recording",
            });
        }
        let ended = match (self.error.take(), self.secondary) {
            (Some(error), _) => Err(error),
            (None, true) => self.recorder.end_secondary(),
            (None, false) => self.recorder.end(),
        };
        self.state = match &ended {
            Ok(()) => State::Executable,
            Err(_) => State::Invalid,
        };
        ended?;
        self.context.physical.diagnosis().log(debug::Flag::Bat, || {
            let stream = self.recorder.stream();
            let chunks = stream.memory().commands(stream.commands_dw());
            let print = |(address, words)| {
                hw::batch::commands(words, hw::Gen::Gen9)
                    .map(move |command| hw::batch::format_command(&command, address))
            };
            chunks.flat_map(print).collect()
        });
        Ok(())
    }

    /// Records a command. An error is reported by [`CommandBuffer::end`].
    #[inline]
    pub fn record(&mut self, command: impl FnOnce(&mut Self) -> Result<()>) {
        if self.state == State::Recording
            && let Err(error) = command(self)
        {
            self.fail(error);
        }
    }

    #[cold]
    #[inline(never)]
    fn fail(&mut self, error: Error) {
        self.error = Some(error);
        self.state = State::Failed;
    }

    /// Binds a compute pipeline.
    #[inline]
    pub fn bind_pipeline(&mut self, pipeline: &Pipeline) -> Result<()> {
        self.recorder.bind(pipeline.launch());
        self.embed_samplers(BindPoint::Compute, pipeline.embedded_samplers().into_iter())
    }

    /// Binds a descriptor set; its dynamic buffers take the next offsets.
    #[inline]
    pub fn bind_set(
        &mut self,
        point: BindPoint,
        layout: &PipelineLayout,
        number: usize,
        set: &DescriptorSet,
        offsets: &mut std::slice::Iter<'_, u32>,
    ) -> Result<()> {
        if !self.set_handle(point, number, set.handle()) {
            return Err(Error::InvalidUse {
                why: "a descriptor set beyond maxBoundDescriptorSets",
            });
        }
        if set.layout().dynamic_count() > 0 {
            return self.bind_dynamic(point, layout, number, set, offsets);
        }
        Ok(())
    }

    /// Binds descriptor buffers, by address.
    pub fn bind_descriptor_buffers(&mut self, addresses: impl Iterator<Item = u64>) {
        self.descriptor_buffers.clear();
        self.descriptor_buffers.extend(addresses);
    }

    /// Binds the set at an offset of a descriptor buffer, given by its index.
    pub fn bind_buffer_set(
        &mut self,
        point: BindPoint,
        number: usize,
        index: u32,
        offset: u64,
    ) -> Result<()> {
        let buffer = self.descriptor_buffers.get(index as usize);
        let address = buffer.and_then(|address| address.checked_add(offset));
        let handle = address.and_then(handle_at).ok_or(Error::InvalidUse {
            why: "a set in a descriptor buffer that is not bound, or whose memory is of another \
                  type than vkGetBufferMemoryRequirements returns",
        })?;
        self.set_buffer_handle(point, number, handle)
    }

    /// Binds the embedded samplers of a set.
    pub fn bind_embedded_samplers(
        &mut self,
        point: BindPoint,
        layout: &PipelineLayout,
        number: usize,
    ) -> Result<()> {
        let set = layout.sets.get(number);
        let handle = set.and_then(|set| set.embedded_handle());
        let handle = handle.ok_or(Error::InvalidUse {
            why: "embedded samplers of a set layout that has none",
        })?;
        self.set_buffer_handle(point, number, handle)
    }

    pub(super) fn set_buffer_handle(
        &mut self,
        point: BindPoint,
        number: usize,
        handle: u32,
    ) -> Result<()> {
        match self.set_handle(point, number, handle) {
            true => Ok(()),
            false => Err(Error::InvalidUse {
                why: "a descriptor set beyond maxBoundDescriptorSets",
            }),
        }
    }

    #[inline]
    fn set_handle(&mut self, point: BindPoint, number: usize, handle: u32) -> bool {
        match point {
            BindPoint::Compute => self.recorder.set_handle(number, handle),
            BindPoint::Graphics => {
                let set = number as u32;
                let value = abi::DriverValue::SetHandle { set };
                self.recorder.draws().set_value(value, handle)
            }
        }
    }

    fn bind_dynamic(
        &mut self,
        point: BindPoint,
        layout: &PipelineLayout,
        number: usize,
        set: &DescriptorSet,
        offsets: &mut std::slice::Iter<'_, u32>,
    ) -> Result<()> {
        let base = layout.dynamic_bases().nth(number).unwrap_or(0) as usize;
        for (index, buffer) in (base..).zip(set.dynamic_buffers()) {
            let offset = offsets.next().ok_or(Error::InvalidUse {
                why: "too few dynamic offsets",
            })?;
            let buffer = BufferDescriptor {
                address: buffer.address.wrapping_add(u64::from(*offset)),
                ..buffer
            };
            let handle =
                self.surfaces
                    .dynamic_handle(&self.context, point as usize, index, buffer)?;
            let set = match point {
                BindPoint::Compute => self.recorder.dynamic_handle(index, handle),
                BindPoint::Graphics => {
                    let index = index as u32;
                    let value = abi::DriverValue::DynamicHandle { index };
                    self.recorder.draws().set_value(value, handle)
                }
            };
            if !set {
                return Err(Error::InvalidUse {
                    why: "more dynamic buffers than a pipeline layout can have",
                });
            }
        }
        Ok(())
    }

    /// Binds a push descriptor set; `write` updates what was pushed before.
    pub fn push_set(
        &mut self,
        point: BindPoint,
        layout: &PipelineLayout,
        number: usize,
        write: impl FnOnce(&mut PushDescriptorSet) -> Result<()>,
    ) -> Result<()> {
        let set = layout.sets.get(number).filter(|set| set.is_push());
        let [compute, graphics] = &mut self.pushed;
        let pushed = match point {
            BindPoint::Compute => compute,
            BindPoint::Graphics => graphics,
        };
        pushed.begin(
            number,
            set.ok_or(Error::InvalidUse {
                why: "descriptors pushed to a set that has no push descriptors",
            })?,
        )?;
        write(pushed)?;
        let handle = self.surfaces.write(&self.context, pushed.surfaces())?;
        self.set_handle(point, number, handle);
        Ok(())
    }

    /// Sets push constants of stages from a byte offset.
    #[inline]
    pub fn push(
        &mut self,
        stages: api::ShaderStageFlags,
        offset_bytes: u32,
        data: &[u8],
    ) -> Result<()> {
        let compute = stages.contains(api::ShaderStageFlags::COMPUTE);
        let graphics = stages.intersects(api::ShaderStageFlags::ALL_GRAPHICS);
        if (!compute || self.recorder.push(offset_bytes, data))
            && (!graphics || self.recorder.draws().push(offset_bytes, data))
        {
            return Ok(());
        }
        Err(Error::InvalidUse {
            why: "push constants beyond their limit",
        })
    }

    /// Dispatches workgroups; the first has the ID `base`.
    #[inline(always)]
    pub fn dispatch(&mut self, base: [u32; 3], count: [u32; 3]) -> Result<()> {
        if self.recorder.dispatch(base, count)? {
            return Ok(());
        }
        Err(UNBOUND)
    }

    /// Dispatches with workgroup counts from three dwords in memory.
    pub fn dispatch_indirect(&mut self, address: u64) -> Result<()> {
        if self.recorder.dispatch_indirect(address)? {
            return Ok(());
        }
        Err(UNBOUND)
    }

    /// Adds a dependency between earlier and later commands.
    #[inline]
    pub fn barrier(&mut self, dependency: &Dependency) {
        self.recorder.barrier(dependency.pending());
    }

    /// Executes a secondary command buffer by copying its commands.
    pub fn execute(&mut self, secondary: &CommandBuffer) -> Result<()> {
        if !secondary.secondary || secondary.state != State::Executable {
            return Err(Error::InvalidUse {
                why: "executing a command buffer that is not an executable secondary",
            });
        }
        if secondary.expects_condition && !self.recorder.is_conditional() {
            self.recorder.set_condition_true()?;
        }
        let stream = secondary.recorder.stream();
        let chunks = stream.memory().commands(stream.commands_dw());
        let chunks = chunks.map(|(_, words)| words);
        if !secondary.inherits {
            self.clear_states.clear();
            self.recorder
                .execute_secondary(secondary.recorder.end_state(), chunks)?;
            return self.bind_heaps_again();
        }
        let left = secondary.recorder.end_state();
        if self.recorder.execute_secondary_in_rendering(left, chunks)? {
            return self.bind_heaps_again();
        }
        Err(Error::InvalidUse {
            why: "executing a render pass continuation outside a rendering",
        })
    }

    /// The batch for a submission.
    pub fn batch(&self) -> Result<QueuedBatch> {
        let first = self.recorder.stream().memory().first();
        match (first, self.state, self.secondary) {
            (Some(chunk), State::Executable, false) => Ok(QueuedBatch {
                start: chunk.start(),
                l3: self.recorder.end_state().l3(),
            }),
            _ => Err(Error::InvalidUse {
                why: "submitting a command buffer that is not executable",
            }),
        }
    }
}

const UNBOUND: Error = Error::InvalidUse {
    why: "a dispatch without a compute pipeline",
};
