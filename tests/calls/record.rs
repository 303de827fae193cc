//! Command buffers of random commands. Each command but those of one rendering stands between two
//! full barriers, and every image is in the layout GENERAL there, so that command buffers may come
//! in any order.

mod draw;
mod transfer;

use ash::vk;

use crate::object::{
    COUNT_AT, DISPATCH_AT, DRAWS_AT, INDEXED_AT, INDICES, INDICES_AT, Image, KINDS, Kind, Objects,
    VERTICES, Written,
};
use crate::random::Random;
use crate::scene::{Pipeline, Scene};
use crate::world::{PUSH_BYTES, STAGES, World};

/// What a thread records with.
pub struct Recorder<'a> {
    world: &'a World,
    objects: &'a Objects,
    scenes: &'a [Scene],
    random: Random,
    pool: vk::CommandPool,
    sets: vk::DescriptorPool,
    queries: [vk::QueryPool; 3],
    events: Vec<vk::Event>,
    /// Queries of each pool that this command buffer has used.
    used: [u32; 3],
    pub commands: Vec<vk::CommandBuffer>,
}

const SETS: u32 = 256;
const QUERIES: u32 = 16;
const OCCLUSION: usize = 0;
const STATISTICS: usize = 1;
const TIMESTAMP: usize = 2;

const ALL: vk::PipelineStageFlags = vk::PipelineStageFlags::ALL_COMMANDS;

impl<'a> Recorder<'a> {
    pub fn new(
        world: &'a World,
        objects: &'a Objects,
        scenes: &'a [Scene],
        random: Random,
    ) -> Recorder<'a> {
        let d = &world.device;
        let query = |kind| {
            let mut info = vk::QueryPoolCreateInfo::default()
                .query_type(kind)
                .query_count(QUERIES);
            if kind == vk::QueryType::PIPELINE_STATISTICS {
                info = info.pipeline_statistics(
                    vk::QueryPipelineStatisticFlags::INPUT_ASSEMBLY_VERTICES
                        | vk::QueryPipelineStatisticFlags::FRAGMENT_SHADER_INVOCATIONS,
                );
            }
            unsafe { d.create_query_pool(&info, None) }.expect("queries")
        };
        let mut random = random;
        unsafe {
            let flags = match random.one_in(2) {
                true => vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER,
                false => vk::CommandPoolCreateFlags::TRANSIENT,
            };
            let info = vk::CommandPoolCreateInfo::default().flags(flags);
            let sizes = KINDS.map(|(_, kind)| vk::DescriptorPoolSize {
                ty: kind,
                descriptor_count: SETS,
            });
            let sets = vk::DescriptorPoolCreateInfo::default()
                .max_sets(SETS)
                .pool_sizes(&sizes);
            Recorder {
                world,
                objects,
                scenes,
                pool: d.create_command_pool(&info, None).expect("a pool"),
                sets: d.create_descriptor_pool(&sets, None).expect("a pool"),
                queries: [
                    vk::QueryType::OCCLUSION,
                    vk::QueryType::PIPELINE_STATISTICS,
                    vk::QueryType::TIMESTAMP,
                ]
                .map(query),
                events: Vec::new(),
                used: [0; 3],
                commands: Vec::new(),
                random,
            }
        }
    }

    fn allocate(&self, level: vk::CommandBufferLevel) -> vk::CommandBuffer {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(level)
            .command_buffer_count(1);
        unsafe { self.world.device.allocate_command_buffers(&info) }.expect("a command buffer")[0]
    }

    /// Records a primary command buffer.
    pub fn primary(&mut self) {
        let d = &self.world.device;
        let to = self.allocate(vk::CommandBufferLevel::PRIMARY);
        let info = vk::CommandBufferBeginInfo::default();
        unsafe { d.begin_command_buffer(to, &info) }.expect("begun");
        // Queries belong to the first command buffer alone.
        let first = self.commands.is_empty();
        self.used = [if first { 0 } else { QUERIES }; 3];
        if first {
            for pool in self.queries {
                unsafe { d.cmd_reset_query_pool(to, pool, 0, QUERIES) };
            }
        }
        barrier(d, to);
        for _ in 0..self.random.range(1, 8) {
            match self.random.below(8) {
                0 | 1 => self.dispatch(to),
                2 | 3 => self.transfer(to),
                4 => self.event(to),
                5 if !self.scenes.is_empty() => self.secondary(to),
                _ => self.render(to),
            }
            self.barrier(to);
        }
        self.copy_queries(to);
        unsafe { d.end_command_buffer(to) }.expect("ended");
        self.commands.push(to);
    }

    /// Everything before, then everything after, by one of the forms there are.
    fn barrier(&mut self, to: vk::CommandBuffer) {
        let d = &self.world.device;
        match self.random.below(3) {
            0 => {
                let all = vk::PipelineStageFlags2::ALL_COMMANDS;
                let access = vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE;
                let whole = [vk::MemoryBarrier2::default()
                    .src_stage_mask(all)
                    .dst_stage_mask(all)
                    .src_access_mask(access)
                    .dst_access_mask(access)];
                unsafe {
                    d.cmd_pipeline_barrier2(
                        to,
                        &vk::DependencyInfo::default().memory_barriers(&whole),
                    )
                };
            }
            1 => {
                // A layout that is not stayed in.
                let image = self.random.pick(&self.objects.images);
                let other = match image.kind {
                    Kind::Depth => vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                    _ => vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
                };
                let other = *self.random.pick(&[
                    other,
                    vk::ImageLayout::TRANSFER_DST_OPTIMAL,
                    vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
                ]);
                transition(d, to, image, vk::ImageLayout::GENERAL, other);
                transition(d, to, image, other, vk::ImageLayout::GENERAL);
                barrier(d, to);
            }
            _ => barrier(d, to),
        }
    }

    /// A set of theirs, written by a write or by a template.
    fn set(&mut self, but: &[vk::Image]) -> vk::DescriptorSet {
        let d = &self.world.device;
        let layouts = [self.objects.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.sets)
            .set_layouts(&layouts);
        let set = unsafe { d.allocate_descriptor_sets(&info) }.expect("a set")[0];
        let written = self.objects.written(&mut self.random, but);
        if self.random.one_in(2) {
            let data = (&raw const written).cast();
            unsafe { d.update_descriptor_set_with_template(set, self.objects.template, data) };
        } else {
            unsafe { d.update_descriptor_sets(&writes(&written, set), &[]) };
        }
        set
    }

    fn push_constants(&mut self, to: vk::CommandBuffer, layout: vk::PipelineLayout) {
        let bytes: Vec<u8> = (0..PUSH_BYTES / 4)
            .flat_map(|_| self.random.unit().to_le_bytes())
            .collect();
        unsafe {
            self.world
                .device
                .cmd_push_constants(to, layout, STAGES, 0, &bytes)
        };
    }

    fn dispatch(&mut self, to: vk::CommandBuffer) {
        let d = &self.world.device;
        let &(pipeline, pushed) = self.random.pick(&self.objects.compute);
        let layout = if pushed {
            self.objects.pushing
        } else {
            self.objects.layout
        };
        let point = vk::PipelineBindPoint::COMPUTE;
        unsafe {
            d.cmd_bind_pipeline(to, point, pipeline);
            if pushed {
                let written = self.objects.written(&mut self.random, &[]);
                let writes = writes(&written, vk::DescriptorSet::null());
                self.world
                    .push_descriptor
                    .cmd_push_descriptor_set(to, point, layout, 0, &writes);
            } else {
                let sets = [self.set(&[])];
                d.cmd_bind_descriptor_sets(to, point, layout, 0, &sets, &[]);
            }
        }
        for _ in 0..self.random.range(1, 3) {
            self.push_constants(to, layout);
            let stop = self.query(to, STATISTICS);
            let [x, y, z] = [3, 2, 2].map(|most| self.random.range(1, most));
            unsafe {
                match self.random.below(3) {
                    0 => d.cmd_dispatch_indirect(to, self.objects.fixed.buffer, DISPATCH_AT),
                    1 => d.cmd_dispatch_base(to, 1, 0, 2, x, y, z),
                    _ => d.cmd_dispatch(to, x, y, z),
                }
            }
            self.stop(to, stop);
            barrier(d, to);
        }
    }

    fn event(&mut self, to: vk::CommandBuffer) {
        let d = &self.world.device;
        let event =
            unsafe { d.create_event(&vk::EventCreateInfo::default(), None) }.expect("an event");
        self.events.push(event);
        let pool = self.queries[TIMESTAMP];
        unsafe {
            d.cmd_set_event(to, event, vk::PipelineStageFlags::COMPUTE_SHADER);
            if self.used[TIMESTAMP] < QUERIES {
                d.cmd_write_timestamp(
                    to,
                    vk::PipelineStageFlags::BOTTOM_OF_PIPE,
                    pool,
                    self.used[TIMESTAMP],
                );
                self.used[TIMESTAMP] += 1;
            }
            d.cmd_wait_events(
                to,
                &[event],
                vk::PipelineStageFlags::COMPUTE_SHADER,
                ALL,
                &[],
                &[],
                &[],
            );
            barrier(d, to);
            if self.random.one_in(2) {
                d.cmd_reset_event(to, event, ALL);
            }
        }
    }

    /// Begins a query, sometimes.
    fn query(&mut self, to: vk::CommandBuffer, kind: usize) -> Option<(usize, u32)> {
        if kind == STATISTICS && self.world.features.pipeline_statistics_query == vk::FALSE {
            return None;
        }
        if self.used[kind] == QUERIES || !self.random.one_in(2) {
            return None;
        }
        let number = self.used[kind];
        self.used[kind] += 1;
        let exact = kind == OCCLUSION
            && self.world.features.occlusion_query_precise == vk::TRUE
            && self.random.one_in(2);
        let flags = if exact {
            vk::QueryControlFlags::PRECISE
        } else {
            vk::QueryControlFlags::empty()
        };
        unsafe {
            self.world
                .device
                .cmd_begin_query(to, self.queries[kind], number, flags)
        };
        Some((kind, number))
    }

    fn stop(&self, to: vk::CommandBuffer, begun: Option<(usize, u32)>) {
        if let Some((kind, number)) = begun {
            unsafe {
                self.world
                    .device
                    .cmd_end_query(to, self.queries[kind], number)
            };
        }
    }

    fn copy_queries(&mut self, to: vk::CommandBuffer) {
        if !self.commands.is_empty() {
            return;
        }
        let buffer = self.random.pick(&self.objects.buffers).buffer;
        for (kind, used) in self
            .used
            .into_iter()
            .enumerate()
            .filter(|(_, used)| *used > 0)
        {
            let wait = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            let at = kind as u64 * 1024;
            unsafe {
                self.world.device.cmd_copy_query_pool_results(
                    to,
                    self.queries[kind],
                    0,
                    used,
                    buffer,
                    at,
                    16,
                    wait,
                )
            };
            barrier(&self.world.device, to);
        }
    }

    /// A secondary command buffer of dispatches and transfers, executed at once.
    fn secondary(&mut self, to: vk::CommandBuffer) {
        let d = &self.world.device;
        let other = self.allocate(vk::CommandBufferLevel::SECONDARY);
        let inherited = vk::CommandBufferInheritanceInfo::default();
        let info = vk::CommandBufferBeginInfo::default().inheritance_info(&inherited);
        unsafe { d.begin_command_buffer(other, &info) }.expect("begun");
        for _ in 0..self.random.range(1, 3) {
            match self.random.one_in(2) {
                true => self.dispatch(other),
                false => self.transfer(other),
            }
            self.barrier(other);
        }
        unsafe {
            d.end_command_buffer(other).expect("ended");
            d.cmd_execute_commands(to, &[other]);
        }
    }

    pub fn destroy(self) {
        let d = &self.world.device;
        unsafe {
            d.destroy_command_pool(self.pool, None);
            d.destroy_descriptor_pool(self.sets, None);
            self.queries
                .into_iter()
                .for_each(|pool| d.destroy_query_pool(pool, None));
            self.events
                .into_iter()
                .for_each(|event| d.destroy_event(event, None));
        }
    }
}

fn writes(written: &Written, set: vk::DescriptorSet) -> [vk::WriteDescriptorSet<'_>; 4] {
    let mut number = 0;
    KINDS.map(|(binding, kind)| {
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(binding)
            .descriptor_type(kind);
        let place = number % 2;
        number += 1;
        match number {
            1 | 2 => write.buffer_info(&written.buffers[place..=place]),
            _ => write.image_info(&written.images[place..=place]),
        }
    })
}

/// A level of an image, and a size that fits in.
fn level_of(random: &mut Random, image: &Image) -> (u32, u32, u32) {
    let level = random.range(0, image.levels - 1);
    let (width, height) = image.size(level);
    (level, random.range(1, width), random.range(1, height))
}

/// A layer of a level.
fn layer(random: &mut Random, image: &Image, level: u32) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers::default()
        .aspect_mask(image.aspects)
        .mip_level(level)
        .base_array_layer(random.range(0, image.layers - 1))
        .layer_count(1)
}

fn colour(random: &mut Random, kind: Kind) -> vk::ClearColorValue {
    match kind {
        Kind::Whole => vk::ClearColorValue {
            uint32: [random.range(0, 255), 1, 2, 3],
        },
        _ => vk::ClearColorValue {
            float32: [random.unit(), 0.5, random.unit(), 1.0],
        },
    }
}

/// Everything before, then everything after.
pub fn barrier(d: &ash::Device, to: vk::CommandBuffer) {
    let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    let whole = [vk::MemoryBarrier::default()
        .src_access_mask(access)
        .dst_access_mask(access)];
    unsafe { d.cmd_pipeline_barrier(to, ALL, ALL, vk::DependencyFlags::empty(), &whole, &[], &[]) };
}

/// An image from one layout to another.
pub fn transition(
    d: &ash::Device,
    to: vk::CommandBuffer,
    image: &Image,
    old: vk::ImageLayout,
    new: vk::ImageLayout,
) {
    let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    let whole = [vk::ImageMemoryBarrier::default()
        .src_access_mask(access)
        .dst_access_mask(access)
        .old_layout(old)
        .new_layout(new)
        .image(image.image)
        .subresource_range(image.range())];
    unsafe { d.cmd_pipeline_barrier(to, ALL, ALL, vk::DependencyFlags::empty(), &[], &[], &whole) };
}
