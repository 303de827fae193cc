//! Command buffers.
//!
//! In:  commands, one method call or value each, with resources already resolved to GPU addresses and heap handles.
//! Out: primary ones: a batch, written as commands come. Secondary ones: the list of commands, written into the batch of each
//!      primary that executes them, so that they may be pending many times at once and inherit nothing but the device.
//! The first error of a recording is kept and reported by `vkEndCommandBuffer`, as Vulkan has it.

mod emit;
mod encode;

pub use blit::{RESULT_64, RESULT_AVAILABILITY, RESULT_PARTIAL};

use std::sync::Arc;

use crate::descriptor::{BufferDescriptor, PipelineLayout, Set};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::pipeline::Pipeline;

use encode::Encoder;

/// A bound descriptor set, resolved when it is bound: its contents must not change before the command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundSet {
    /// Handle of its first surface.
    pub handle: u32,
    /// Its dynamic buffers, offsets applied, in order.
    pub dynamic: Vec<Option<BufferDescriptor>>,
}

/// A copy between two ranges of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyRegion {
    /// GPU address read from.
    pub source: u64,
    /// GPU address written to.
    pub destination: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Workgroups of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// As many along x, y, z, the first of them having the number `base`.
    Direct {
        /// First workgroup.
        base: [u32; 3],
        /// Workgroups.
        count: [u32; 3],
    },
    /// Three dwords at a GPU address.
    Indirect {
        /// GPU address.
        address: u64,
    },
}

/// One command.
#[derive(Clone, Debug)]
pub enum Command {
    /// Bind a compute pipeline.
    BindPipeline(Arc<Pipeline>),
    /// Bind descriptor sets from `first` on.
    BindSets {
        /// Layout they are bound with.
        layout: Arc<PipelineLayout>,
        /// Number of the first.
        first: u32,
        /// The sets.
        sets: Vec<BoundSet>,
    },
    /// Set push constants from a byte on.
    Push {
        /// First byte.
        offset_bytes: u32,
        /// The bytes.
        data: Vec<u8>,
    },
    /// Run workgroups.
    Dispatch(Groups),
    /// Copy memory.
    Copy(Vec<CopyRegion>),
    /// Fill memory with a dword.
    Fill {
        /// GPU address, a multiple of 4.
        address: u64,
        /// Bytes, a multiple of 4.
        bytes: u64,
        /// The dword.
        value: u32,
    },
    /// Write bytes of the command buffer to memory.
    Update {
        /// GPU address, a multiple of 4.
        address: u64,
        /// The bytes, a multiple of 4.
        data: Vec<u8>,
    },
    /// Everything before is done and visible to everything after.
    Barrier,
    /// Write an event's dword when everything before is done.
    SetEvent {
        /// GPU address of its dword.
        address: u64,
        /// Set or not.
        set: bool,
    },
    /// Wait until events are set.
    WaitEvents {
        /// GPU addresses of their dwords.
        addresses: Vec<u64>,
    },
    /// Make queries unavailable.
    ResetQueries {
        /// GPU address of the first.
        address: u64,
        /// Queries.
        count: u32,
    },
    /// Write a timestamp and make its query available.
    Timestamp {
        /// GPU address of the query.
        address: u64,
        /// Before the work ahead of it may be done, that is: at the top of the pipe.
        early: bool,
    },
    /// Copy query results to a buffer.
    CopyResults {
        /// GPU address of the first query.
        queries: u64,
        /// Queries.
        count: u32,
        /// GPU address of the first result.
        destination: u64,
        /// Bytes from one result to the next.
        stride_bytes: u64,
        /// `blit::RESULT_*`.
        flags: u32,
    },
}

/// Resolves descriptor sets for a bind: takes their dynamic offsets in order.
pub fn bound_sets(sets: &[Arc<Set>], offsets: &[u32]) -> Result<Vec<BoundSet>> {
    let mut offsets = offsets.iter();
    let mut bound = Vec::with_capacity(sets.len());
    for set in sets {
        let mut dynamic = set.dynamic_buffers();
        for buffer in &mut dynamic {
            let offset = u64::from(*offsets.next().ok_or(Error::InvalidUse {
                why: "too few dynamic offsets",
            })?);
            if let Some(buffer) = buffer {
                buffer.address += offset;
            }
        }
        bound.push(BoundSet {
            handle: set.handle(),
            dynamic,
        });
    }
    Ok(bound)
}

/// Where a command buffer is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Initial,
    Recording,
    Executable,
    Invalid,
}

#[derive(Debug)]
enum Recorder {
    Empty,
    Primary(Box<Encoder>),
    Secondary(Vec<Command>),
}

/// `VkCommandBuffer`.
#[derive(Debug)]
pub struct CommandBuffer {
    device: Arc<Device>,
    secondary: bool,
    state: State,
    error: Option<Error>,
    recorder: Recorder,
    start: Option<i915::Start>,
}

impl CommandBuffer {
    /// A command buffer in the initial state.
    pub fn new(device: &Arc<Device>, secondary: bool) -> Self {
        Self {
            device: device.clone(),
            secondary,
            state: State::Initial,
            error: None,
            recorder: Recorder::Empty,
            start: None,
        }
    }

    /// Its device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Whether it is a secondary one.
    pub fn is_secondary(&self) -> bool {
        self.secondary
    }

    /// Frees what was recorded.
    pub fn reset(&mut self) {
        self.recorder = Recorder::Empty;
        self.start = None;
        self.error = None;
        self.state = State::Initial;
    }

    /// Begins recording, from an empty state.
    pub fn begin(&mut self) -> Result<()> {
        self.reset();
        self.recorder = if self.secondary {
            Recorder::Secondary(Vec::new())
        } else {
            Recorder::Primary(Box::new(Encoder::new(&self.device)?))
        };
        self.state = State::Recording;
        Ok(())
    }

    /// Ends recording; fails with the first error of the commands.
    pub fn end(&mut self) -> Result<()> {
        if self.state != State::Recording {
            return Err(Error::InvalidUse {
                why: "a command buffer ended that is not recording",
            });
        }
        let ended = match (self.error.take(), &mut self.recorder) {
            (Some(error), _) => Err(error),
            (None, Recorder::Primary(encoder)) => encoder.finish().map(Some),
            (None, _) => Ok(None),
        };
        match ended {
            Ok(start) => {
                self.start = start;
                self.state = State::Executable;
                Ok(())
            }
            Err(error) => {
                self.state = State::Invalid;
                Err(error)
            }
        }
    }

    /// Records a command, or keeps the error of making it.
    pub fn record(&mut self, command: Result<Command>) {
        if self.state != State::Recording || self.error.is_some() {
            return;
        }
        let recorded = command.and_then(|command| match &mut self.recorder {
            Recorder::Primary(encoder) => encoder.apply(&command),
            Recorder::Secondary(list) => {
                list.push(command);
                Ok(())
            }
            Recorder::Empty => Ok(()),
        });
        if let Err(error) = recorded {
            self.error = Some(error);
        }
    }

    /// Records the commands of a secondary one.
    pub fn execute(&mut self, secondary: &CommandBuffer) {
        let commands = match (&secondary.recorder, secondary.state) {
            (Recorder::Secondary(commands), State::Executable) => commands,
            _ => {
                self.record(Err(Error::InvalidUse {
                    why: "executing what is no recorded secondary command buffer",
                }));
                return;
            }
        };
        if let Recorder::Primary(encoder) = &mut self.recorder {
            // What a secondary binds is its own.
            encoder.forget_bindings();
        }
        for command in commands {
            self.record(Ok(command.clone()));
        }
        if let Recorder::Primary(encoder) = &mut self.recorder {
            encoder.forget_bindings();
        }
    }

    /// What a submission runs.
    pub fn batch(&self) -> Result<i915::Start> {
        match (&self.start, self.state) {
            (Some(start), State::Executable) => Ok(*start),
            _ => Err(Error::InvalidUse {
                why: "a command buffer submitted that is not executable",
            }),
        }
    }
}
