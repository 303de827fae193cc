//! Commands into a batch.
//!
//! In:  commands in order. Out: batch words through `cmd`; push data, workgroup counts and surfaces of dynamic buffers beside
//!      them, in pieces of the device's heaps that live as long as the recording.

use std::sync::Arc;

use abi::PushValue;
use cmd::compute::{self as words, Walk};

use super::emit::Emitter;
use super::{BoundSet, Command, CopyRegion, Groups};
use crate::descriptor::{BufferDescriptor, PipelineLayout};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::limits::{MAX_PUSH_CONSTANTS_BYTES, MAX_SETS};
use crate::pipeline::Pipeline;
use crate::query::QUERY_BYTES;
use crate::surface_state;
use crate::sync::EVENT_SET;

/// Bytes of a register: the unit of push data.
const REGISTER_BYTES: usize = 32;
/// Bytes of the pieces in which dynamic state is taken.
const STATE_CHUNK_BYTES: u64 = 16 << 10;
/// Surfaces of the pieces in which the bindless heap is taken.
const SURFACE_CHUNK: u32 = 64;
/// Bytes of one surface.
const SURFACE_BYTES: u32 = 64;

/// What commands have bound.
#[derive(Clone, Debug)]
struct Bindings {
    pipeline: Option<Arc<Pipeline>>,
    sets: [u32; MAX_SETS as usize],
    dynamic: Vec<u32>,
    push: [u8; MAX_PUSH_CONSTANTS_BYTES as usize],
}

impl Default for Bindings {
    fn default() -> Self {
        Self {
            pipeline: None,
            sets: [0; MAX_SETS as usize],
            dynamic: Vec::new(),
            push: [0; MAX_PUSH_CONSTANTS_BYTES as usize],
        }
    }
}

/// A recording.
#[derive(Debug)]
pub(super) struct Encoder {
    device: Arc<Device>,
    emitter: Emitter,
    bindings: Bindings,
    states: Vec<Arc<i915::Slice>>,
    state_used: u64,
    surfaces: Vec<i915::HeapPiece>,
    surfaces_used: u32,
    /// Pipelines whose code the batch runs.
    pipelines: Vec<Arc<Pipeline>>,
}

/// A piece of dynamic state.
struct State {
    slice: Arc<i915::Slice>,
    offset_bytes: u64,
}

impl State {
    fn address(&self) -> u64 {
        self.slice.address() + self.offset_bytes
    }

    fn write(&self, data: &[u8]) -> Result<()> {
        Ok(self.slice.write(self.offset_bytes as usize, data)?)
    }
}

impl Encoder {
    /// An empty recording.
    pub(super) fn new(device: &Arc<Device>) -> Result<Self> {
        Ok(Self {
            device: device.clone(),
            emitter: Emitter::new(device)?,
            bindings: Bindings::default(),
            states: Vec::new(),
            state_used: STATE_CHUNK_BYTES,
            surfaces: Vec::new(),
            surfaces_used: SURFACE_CHUNK,
            pipelines: Vec::new(),
        })
    }

    /// Ends the batch.
    pub(super) fn finish(&mut self) -> Result<i915::Start> {
        self.emitter.finish()
    }

    /// Unbinds everything.
    pub(super) fn forget_bindings(&mut self) {
        self.bindings = Bindings::default();
    }

    /// Writes one command.
    pub(super) fn apply(&mut self, command: &Command) -> Result<()> {
        match command {
            Command::BindPipeline(pipeline) => self.bindings.pipeline = Some(pipeline.clone()),
            Command::BindSets {
                layout,
                first,
                sets,
            } => self.bind_sets(layout, *first, sets)?,
            Command::Push { offset_bytes, data } => {
                let start = *offset_bytes as usize;
                let place = self
                    .bindings
                    .push
                    .get_mut(start..start.saturating_add(data.len()));
                place
                    .ok_or(Error::InvalidUse {
                        why: "push constants beyond their limit",
                    })?
                    .copy_from_slice(data);
            }
            Command::Dispatch(groups) => {
                let bindings = self.bindings.clone();
                self.dispatch(&bindings, *groups)?;
            }
            Command::Copy(regions) => {
                for &CopyRegion {
                    source,
                    destination,
                    bytes,
                } in regions
                {
                    self.launch_all(&blit::copy_launches(source, destination, bytes))?;
                }
            }
            Command::Fill {
                address,
                bytes,
                value,
            } => {
                self.launch_all(&blit::fill_launches(*address, *bytes, *value))?;
            }
            Command::Update { address, data } => {
                let state = self.state(data.len() as u64, 64)?;
                state.write(data)?;
                self.launch_all(&blit::copy_launches(
                    state.address(),
                    *address,
                    data.len() as u64,
                ))?;
            }
            Command::Barrier => self.emitter.barrier()?,
            Command::SetEvent { address, set } => {
                self.emitter.barrier()?;
                self.emitter
                    .store(*address, if *set { EVENT_SET } else { 0 })?;
            }
            Command::WaitEvents { addresses } => {
                for &address in addresses {
                    self.emitter.wait_equal(address, EVENT_SET)?;
                }
                self.emitter.barrier()?;
            }
            Command::ResetQueries { address, count } => {
                // Timestamps of before may still be on their way.
                self.emitter.barrier()?;
                for query in 0..u64::from(*count) {
                    for dword in 0..QUERY_BYTES / 4 {
                        self.emitter
                            .store(address + query * QUERY_BYTES + dword * 4, 0)?;
                    }
                }
            }
            Command::Timestamp { address, early } => self.emitter.timestamp(*address, *early)?,
            Command::CopyResults {
                queries,
                count,
                destination,
                stride_bytes,
                flags,
            } => {
                // Timestamps are written in order, so after this those of before are there.
                self.emitter.barrier()?;
                let launch =
                    blit::query_launch(*queries, *destination, *count, *stride_bytes, *flags);
                self.launch_all(&[launch])?;
            }
        }
        Ok(())
    }

    fn bind_sets(&mut self, layout: &PipelineLayout, first: u32, sets: &[BoundSet]) -> Result<()> {
        for (index, set) in sets.iter().enumerate() {
            let number = first as usize + index;
            let place = self.bindings.sets.get_mut(number);
            *place.ok_or(Error::InvalidUse {
                why: "a descriptor set beyond maxBoundDescriptorSets",
            })? = set.handle;
            let base = layout.dynamic_base.get(number).copied().unwrap_or(0) as usize;
            for (element, &buffer) in set.dynamic.iter().enumerate() {
                // What was never written reads as nothing, of no bytes.
                let buffer = buffer.unwrap_or(BufferDescriptor {
                    address: 0,
                    bytes: 0,
                });
                let handle = self.surface(buffer)?;
                if self.bindings.dynamic.len() <= base + element {
                    self.bindings.dynamic.resize(base + element + 1, 0);
                }
                if let Some(place) = self.bindings.dynamic.get_mut(base + element) {
                    *place = handle;
                }
            }
        }
        Ok(())
    }

    /// Writes a surface; its handle.
    fn surface(&mut self, buffer: BufferDescriptor) -> Result<u32> {
        if self.surfaces_used == SURFACE_CHUNK || self.surfaces.is_empty() {
            self.surfaces.push(
                self.device
                    .context
                    .gpu
                    .bindless_piece(SURFACE_CHUNK * SURFACE_BYTES)?,
            );
            self.surfaces_used = 0;
        }
        let start = self
            .surfaces
            .last()
            .map_or(0, i915::HeapPiece::offset_bytes);
        let at = start + self.surfaces_used * SURFACE_BYTES;
        self.device
            .context
            .gpu
            .write_bindless(at, &surface_state::buffer(buffer))?;
        self.surfaces_used += 1;
        Ok(at << 6)
    }

    /// Dynamic state of some size, at a multiple of `align` up to a page.
    fn state(&mut self, bytes: u64, align: u64) -> Result<State> {
        let last = self.states.last().map_or(0, |slice| slice.bytes());
        let at = self.state_used.next_multiple_of(align);
        if let Some(slice) = self.states.last().filter(|_| at + bytes <= last) {
            self.state_used = at + bytes;
            return Ok(State {
                slice: slice.clone(),
                offset_bytes: at,
            });
        }
        let slice = Arc::new(
            self.device
                .context
                .dynamic
                .take(bytes.max(STATE_CHUNK_BYTES), 4096)?,
        );
        self.states.push(slice.clone());
        self.state_used = bytes;
        Ok(State {
            slice,
            offset_bytes: 0,
        })
    }

    /// Launches of internal shaders. They bind nothing that the application sees.
    fn launch_all(&mut self, launches: &[blit::Launch]) -> Result<()> {
        for launch in launches {
            let pipeline = self
                .device
                .internal
                .pipeline(&self.device.context, launch.shader)?;
            let mut bindings = Bindings {
                pipeline: Some(pipeline),
                ..Bindings::default()
            };
            for span in &launch.buffers {
                let handle = self.surface(BufferDescriptor {
                    address: span.address,
                    bytes: span.bytes,
                })?;
                bindings.dynamic.push(handle);
            }
            let bytes = launch.push_dw.iter().flat_map(|dword| dword.to_le_bytes());
            for (to, from) in bindings.push.iter_mut().zip(bytes) {
                *to = from;
            }
            self.dispatch(
                &bindings,
                Groups::Direct {
                    base: [0; 3],
                    count: [launch.groups, 1, 1],
                },
            )?;
        }
        Ok(())
    }

    fn dispatch(&mut self, bindings: &Bindings, groups: Groups) -> Result<()> {
        let pipeline = bindings.pipeline.clone().ok_or(Error::InvalidUse {
            why: "a dispatch without a compute pipeline",
        })?;
        if matches!(groups, Groups::Direct { count, .. } if count.contains(&0)) {
            return Ok(());
        }
        let compute = &pipeline.shader().compute;
        let variant = pipeline.variant().ok_or(Error::InvalidUse {
            why: "a pipeline without code",
        })?;
        let invocations: u32 = compute.workgroup_size.iter().product();
        let threads = invocations.div_ceil(u32::from(variant.simd_width).max(1));
        let counts_address = match groups {
            Groups::Indirect { address } => address,
            Groups::Direct { count, .. } if uses_counts(compute) => {
                let state = self.state(12, 64)?;
                let bytes: Vec<u8> = count.iter().flat_map(|dword| dword.to_le_bytes()).collect();
                state.write(&bytes)?;
                state.address()
            }
            Groups::Direct { .. } => 0,
        };
        let base = match groups {
            Groups::Direct { base, .. } => base,
            Groups::Indirect { .. } => [0; 3],
        };
        let push = push_data(compute, bindings, counts_address, base, threads);
        let push_state = match push.len() {
            0 => None,
            bytes => {
                let state = self.state(bytes as u64, 64)?;
                state.write(&push)?;
                Some(state)
            }
        };
        let descriptor = self.state(words::DESCRIPTOR_BYTES, 64)?;
        let from_dynamic_base = |state: &State| state.address() - i915::DYNAMIC_BASE;
        let walk = Walk {
            kernel_offset_bytes: pipeline.kernel_offset_bytes(),
            simd_width: variant.simd_width.into(),
            invocations,
            slm_bytes: compute.slm_bytes,
            barrier: compute.uses_barrier,
            scratch: (
                pipeline.scratch().map_or(0, |buffer| buffer.address()),
                variant.scratch_bytes,
            ),
            push_offset_bytes: push_state.as_ref().map_or(0, from_dynamic_base),
            cross_thread_grf: (compute.cross_thread.len() * 4).div_ceil(REGISTER_BYTES) as u32,
            per_thread_grf: compute.per_thread_push.into(),
            descriptor_offset_bytes: from_dynamic_base(&descriptor),
            groups: match groups {
                Groups::Direct { count, .. } => words::Groups::Direct(count),
                Groups::Indirect { address } => words::Groups::Indirect(address),
            },
        };
        let bytes: Vec<u8> = walk
            .descriptor()
            .iter()
            .flat_map(|dword| dword.to_le_bytes())
            .collect();
        descriptor.write(&bytes)?;
        self.emitter.walk(&walk)?;
        if !self
            .pipelines
            .iter()
            .any(|known| Arc::ptr_eq(known, &pipeline))
        {
            self.pipelines.push(pipeline);
        }
        Ok(())
    }
}

fn uses_counts(compute: &abi::ComputeInfo) -> bool {
    compute
        .cross_thread
        .iter()
        .any(|value| matches!(value, PushValue::NumWorkgroupsAddress { .. }))
}

/// The push data of a dispatch, as `abi` lays it out: cross-thread dwords, padded to registers, then a register for each thread.
fn push_data(
    compute: &abi::ComputeInfo,
    bindings: &Bindings,
    counts_address: u64,
    base: [u32; 3],
    threads: u32,
) -> Vec<u8> {
    let dword = |value: &PushValue| -> u32 {
        match *value {
            PushValue::PushConstant { offset_bytes } => {
                let start = offset_bytes as usize;
                let bytes = bindings
                    .push
                    .get(start..start + 4)
                    .and_then(|bytes| bytes.first_chunk::<4>());
                bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
            }
            PushValue::SetHandle { set } => bindings.sets.get(set as usize).copied().unwrap_or(0),
            PushValue::DynamicHandle { index } => {
                bindings.dynamic.get(index as usize).copied().unwrap_or(0)
            }
            PushValue::NumWorkgroupsAddress { dword: 0 } => counts_address as u32,
            PushValue::NumWorkgroupsAddress { .. } => (counts_address >> 32) as u32,
            PushValue::BaseWorkgroupId { component } => {
                base.get(component as usize).copied().unwrap_or(0)
            }
            PushValue::SurfaceHeapAddress { dword: 0 } => i915::BINDLESS_BASE as u32,
            PushValue::SurfaceHeapAddress { .. } => (i915::BINDLESS_BASE >> 32) as u32,
            PushValue::Zero => 0,
        }
    };
    let mut data: Vec<u8> = compute
        .cross_thread
        .iter()
        .flat_map(|value| dword(value).to_le_bytes())
        .collect();
    data.resize(data.len().next_multiple_of(REGISTER_BYTES), 0);
    if compute.per_thread_push {
        for thread in 0..threads {
            let start = data.len();
            data.extend_from_slice(&thread.to_le_bytes());
            data.resize(start + REGISTER_BYTES, 0);
        }
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_data_follows_the_contract() {
        let mut bindings = Bindings {
            dynamic: vec![0xd0, 0xd1],
            ..Bindings::default()
        };
        bindings.push[4..8].copy_from_slice(&7u32.to_le_bytes());
        bindings.sets[1] = 0x1000;
        let compute = abi::ComputeInfo {
            cross_thread: vec![
                PushValue::PushConstant { offset_bytes: 4 },
                PushValue::SetHandle { set: 1 },
                PushValue::DynamicHandle { index: 1 },
                PushValue::NumWorkgroupsAddress { dword: 0 },
                PushValue::NumWorkgroupsAddress { dword: 1 },
                PushValue::BaseWorkgroupId { component: 2 },
                PushValue::Zero,
                PushValue::PushConstant { offset_bytes: 0 },
                PushValue::SetHandle { set: 99 },
            ],
            per_thread_push: true,
            ..Default::default()
        };
        let data = push_data(&compute, &bindings, 0x12_3456_7890, [1, 2, 3], 3);
        let dwords: Vec<u32> = data
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        assert_eq!(
            dwords[..9],
            [7, 0x1000, 0xd1, 0x3456_7890, 0x12, 3, 0, 0, 0]
        );
        assert_eq!(dwords.len(), 16 + 3 * 8);
        assert_eq!((dwords[16], dwords[24], dwords[32]), (0, 1, 2));
    }
}
