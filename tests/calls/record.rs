//! Command buffers of random commands. Each command but those of one rendering stands between two full barriers, and every image is in
//! the layout GENERAL there, so that command buffers may come in any order.

use ash::vk;

use crate::object::{
    COUNT_AT, DISPATCH_AT, DRAWS_AT, INDEXED_AT, INDICES, INDICES_AT, Image, KINDS, Kind, Objects,
    TEXEL_BYTES, VERTICES, Written,
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

    fn transfer(&mut self, to: vk::CommandBuffer) {
        let d = &self.world.device;
        let general = vk::ImageLayout::GENERAL;
        let from = self.random.pick(&self.objects.buffers);
        let into = self
            .random
            .pick_where(&self.objects.buffers, |b| b.buffer != from.buffer)
            .expect("two");
        let image = self.random.pick(&self.objects.images);
        let random = &mut self.random;
        unsafe {
            match random.below(9) {
                0 => {
                    let at = random.below(into.bytes / 4) * 4;
                    d.cmd_fill_buffer(to, into.buffer, at, vk::WHOLE_SIZE, random.next() as u32);
                }
                1 => {
                    let data: Vec<u8> = (0..random.range(1, 64) * 4)
                        .map(|_| random.next() as u8)
                        .collect();
                    d.cmd_update_buffer(to, into.buffer, random.below(512) * 4, &data);
                }
                2 => {
                    let bytes = 1 + random.below(from.bytes.min(into.bytes) / 2);
                    let region = vk::BufferCopy {
                        src_offset: random.below(64),
                        dst_offset: random.below(64),
                        size: bytes,
                    };
                    d.cmd_copy_buffer(to, from.buffer, into.buffer, &[region]);
                }
                3 | 4 if image.single() => {
                    let (level, width, height) = part(random, image);
                    // One aspect; a buffer that is large enough for the largest texels.
                    let aspects = match image.aspects.contains(vk::ImageAspectFlags::DEPTH) {
                        true => vk::ImageAspectFlags::DEPTH,
                        false => image.aspects,
                    };
                    let bytes = u64::from(width * height) * TEXEL_BYTES;
                    let Some(buffer) =
                        random.pick_where(&self.objects.buffers, |b| b.bytes >= bytes + 64)
                    else {
                        return;
                    };
                    let region = [vk::BufferImageCopy::default()
                        .buffer_offset(random.below(8) * 8)
                        .image_subresource(layer(random, image, level).aspect_mask(aspects))
                        .image_extent(vk::Extent3D {
                            width,
                            height,
                            depth: 1,
                        })];
                    match random.one_in(2) {
                        // Depth that is no number between 0 and 1 must not be written.
                        true if image.kind != Kind::Depth => {
                            d.cmd_copy_buffer_to_image(
                                to,
                                buffer.buffer,
                                image.image,
                                general,
                                &region,
                            );
                        }
                        _ => d.cmd_copy_image_to_buffer(
                            to,
                            image.image,
                            general,
                            buffer.buffer,
                            &region,
                        ),
                    }
                }
                5 => {
                    let range = [image.range()];
                    if image.kind == Kind::Depth {
                        let value = vk::ClearDepthStencilValue {
                            depth: random.unit(),
                            stencil: random.range(0, 255),
                        };
                        d.cmd_clear_depth_stencil_image(to, image.image, general, &value, &range);
                    } else {
                        d.cmd_clear_color_image(
                            to,
                            image.image,
                            general,
                            &colour(random, image.kind),
                            &range,
                        );
                    }
                }
                6 => {
                    let same = |other: &Image| {
                        other.image != image.image
                            && other.format == image.format
                            && other.samples == image.samples
                    };
                    let Some(other) = self
                        .random
                        .pick_where(&self.objects.images, |other| same(other))
                    else {
                        return;
                    };
                    let random = &mut self.random;
                    // All images of a round have one size.
                    let region = [vk::ImageCopy::default()
                        .src_subresource(layer(random, image, 0))
                        .dst_subresource(layer(random, other, 0))
                        .extent(vk::Extent3D {
                            width: image.width,
                            height: image.height,
                            depth: 1,
                        })];
                    d.cmd_copy_image(to, image.image, general, other.image, general, &region);
                }
                7 => {
                    let fits = |other: &Image| {
                        other.image != image.image
                            && other.kind == image.kind
                            && other.single()
                            && other.features.contains(vk::FormatFeatureFlags::BLIT_DST)
                    };
                    let whole = image.features.contains(vk::FormatFeatureFlags::BLIT_SRC)
                        && image.single()
                        && image.kind != Kind::Depth;
                    let Some(other) = self
                        .random
                        .pick_where(&self.objects.images, |other| fits(other))
                        .filter(|_| whole)
                    else {
                        return;
                    };
                    let random = &mut self.random;
                    let (level, width, height) = part(random, image);
                    let (other_level, other_width, other_height) = part(random, other);
                    let corner = |width: u32, height: u32| vk::Offset3D {
                        x: width as i32,
                        y: height as i32,
                        z: 1,
                    };
                    let start = vk::Offset3D::default();
                    let region = [vk::ImageBlit::default()
                        .src_subresource(layer(random, image, level))
                        .src_offsets([start, corner(width, height)])
                        .dst_subresource(layer(random, other, other_level))
                        .dst_offsets([start, corner(other_width, other_height)])];
                    d.cmd_blit_image(
                        to,
                        image.image,
                        general,
                        other.image,
                        general,
                        &region,
                        vk::Filter::NEAREST,
                    );
                }
                _ => {
                    let many = |image: &&Image| !image.single() && image.kind != Kind::Depth;
                    let Some(many) = self
                        .random
                        .pick_where(&self.objects.images, |image| many(&image))
                    else {
                        return;
                    };
                    let fits = |other: &Image| other.single() && other.format == many.format;
                    let Some(other) = self
                        .random
                        .pick_where(&self.objects.images, |other| fits(other))
                    else {
                        return;
                    };
                    let random = &mut self.random;
                    let region = [vk::ImageResolve::default()
                        .src_subresource(layer(random, many, 0))
                        .dst_subresource(layer(random, other, 0))
                        .extent(vk::Extent3D {
                            width: many.width,
                            height: many.height,
                            depth: 1,
                        })];
                    let (read, written) = (
                        vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
                        vk::ImageLayout::TRANSFER_DST_OPTIMAL,
                    );
                    transition(d, to, many, general, read);
                    transition(d, to, other, general, written);
                    d.cmd_resolve_image(to, many.image, read, other.image, written, &region);
                    transition(d, to, many, read, general);
                    transition(d, to, other, written, general);
                }
            }
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

    /// Draws to a scene.
    fn render(&mut self, to: vk::CommandBuffer) {
        let d = &self.world.device;
        let scene = self.random.pick(self.scenes);
        let area = vk::Rect2D::default().extent(vk::Extent2D {
            width: scene.width,
            height: scene.height,
        });
        let inside = self.random.one_in(4);
        let kind = scene
            .colour
            .map_or(Kind::Depth, |place| self.objects.images[place].kind);
        let depth = vk::ClearDepthStencilValue {
            depth: self.random.unit(),
            stencil: 3,
        };
        let colour_clear = vk::ClearValue {
            color: colour(&mut self.random, kind),
        };
        let depth_clear = vk::ClearValue {
            depth_stencil: depth,
        };
        let around = if inside {
            None
        } else {
            self.query(to, STATISTICS)
        };
        unsafe {
            if scene.pass != vk::RenderPass::null() {
                let clears = match scene.colour {
                    Some(_) => [colour_clear, depth_clear, colour_clear],
                    None => [depth_clear; 3],
                };
                let info = vk::RenderPassBeginInfo::default()
                    .render_pass(scene.pass)
                    .framebuffer(scene.framebuffer)
                    .render_area(area)
                    .clear_values(&clears);
                let contents = match inside {
                    true => vk::SubpassContents::SECONDARY_COMMAND_BUFFERS,
                    false => vk::SubpassContents::INLINE,
                };
                d.cmd_begin_render_pass(to, &info, contents);
            } else {
                let general = vk::ImageLayout::GENERAL;
                let view = |place: usize| self.objects.images[place].target;
                let mut load = || {
                    *self.random.pick(&[
                        vk::AttachmentLoadOp::LOAD,
                        vk::AttachmentLoadOp::CLEAR,
                        vk::AttachmentLoadOp::DONT_CARE,
                    ])
                };
                let mut colours = Vec::new();
                if let Some(place) = scene.colour {
                    let mut info = vk::RenderingAttachmentInfo::default()
                        .image_view(view(place))
                        .image_layout(general)
                        .load_op(load())
                        .store_op(vk::AttachmentStoreOp::STORE)
                        .clear_value(colour_clear);
                    if let Some(place) = scene.resolve {
                        let mode = match kind {
                            Kind::Whole => vk::ResolveModeFlags::SAMPLE_ZERO,
                            _ => vk::ResolveModeFlags::AVERAGE,
                        };
                        info = info
                            .resolve_image_view(view(place))
                            .resolve_image_layout(general)
                            .resolve_mode(mode);
                    }
                    colours.push(info);
                }
                let mut depth_info = vk::RenderingAttachmentInfo::default()
                    .image_layout(general)
                    .load_op(load())
                    .store_op(vk::AttachmentStoreOp::STORE)
                    .clear_value(depth_clear);
                if let Some(place) = scene.depth {
                    depth_info = depth_info.image_view(view(place));
                }
                let (_, depth, stencil) = scene.formats(self.objects);
                let mut info = vk::RenderingInfo::default()
                    .render_area(area)
                    .layer_count(1)
                    .color_attachments(&colours);
                if depth != vk::Format::UNDEFINED {
                    info = info.depth_attachment(&depth_info);
                }
                if stencil != vk::Format::UNDEFINED {
                    info = info.stencil_attachment(&depth_info);
                }
                if inside {
                    info = info.flags(vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS);
                }
                d.cmd_begin_rendering(to, &info);
            }
        }
        if inside {
            let other = self.drawn(scene);
            unsafe { d.cmd_execute_commands(to, &[other]) };
        } else {
            for _ in 0..self.random.range(1, 4) {
                let begun = self.query(to, OCCLUSION);
                self.draws(to, scene);
                self.stop(to, begun);
            }
            if self.random.one_in(3) {
                self.clear(to, scene);
            }
        }
        unsafe {
            match scene.pass == vk::RenderPass::null() {
                true => d.cmd_end_rendering(to),
                false => d.cmd_end_render_pass(to),
            }
        }
        self.stop(to, around);
    }

    /// A secondary command buffer that draws to a scene.
    fn drawn(&mut self, scene: &Scene) -> vk::CommandBuffer {
        let d = &self.world.device;
        let to = self.allocate(vk::CommandBufferLevel::SECONDARY);
        let (colours, depth, stencil) = scene.formats(self.objects);
        let mut rendering = vk::CommandBufferInheritanceRenderingInfo::default()
            .color_attachment_formats(&colours)
            .depth_attachment_format(depth)
            .stencil_attachment_format(stencil)
            .rasterization_samples(scene.samples);
        let mut inherited = vk::CommandBufferInheritanceInfo::default();
        match scene.pass == vk::RenderPass::null() {
            true => inherited = inherited.push_next(&mut rendering),
            false => {
                inherited = inherited
                    .render_pass(scene.pass)
                    .framebuffer(scene.framebuffer)
            }
        }
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
            .inheritance_info(&inherited);
        unsafe { d.begin_command_buffer(to, &info) }.expect("begun");
        for _ in 0..self.random.range(1, 3) {
            self.draws(to, scene);
        }
        unsafe { d.end_command_buffer(to) }.expect("ended");
        to
    }

    fn clear(&mut self, to: vk::CommandBuffer, scene: &Scene) {
        let mut attachments = Vec::new();
        if let Some(place) = scene.colour {
            let color = colour(&mut self.random, self.objects.images[place].kind);
            attachments.push(vk::ClearAttachment {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                color_attachment: 0,
                clear_value: vk::ClearValue { color },
            });
        }
        if let Some(place) = scene.depth {
            attachments.push(vk::ClearAttachment {
                aspect_mask: self.objects.images[place].aspects,
                color_attachment: 0,
                clear_value: vk::ClearValue {
                    depth_stencil: vk::ClearDepthStencilValue {
                        depth: self.random.unit(),
                        stencil: 9,
                    },
                },
            });
        }
        let (width, height) = (
            self.random.range(1, scene.width),
            self.random.range(1, scene.height),
        );
        let rectangle = [vk::ClearRect {
            rect: vk::Rect2D::default().extent(vk::Extent2D { width, height }),
            base_array_layer: 0,
            layer_count: 1,
        }];
        if !attachments.is_empty() {
            unsafe {
                self.world
                    .device
                    .cmd_clear_attachments(to, &attachments, &rectangle)
            };
        }
    }

    /// Draws with one pipeline.
    fn draws(&mut self, to: vk::CommandBuffer, scene: &Scene) {
        let d = &self.world.device;
        let made = self.random.pick(&scene.pipelines);
        let fixed = &self.objects.fixed;
        let point = vk::PipelineBindPoint::GRAPHICS;
        unsafe {
            d.cmd_bind_pipeline(to, point, made.pipeline);
            self.dynamic(to, scene, made);
            if made.reads {
                let sets = [self.set(&scene.used(self.objects))];
                d.cmd_bind_descriptor_sets(to, point, self.objects.layout, 0, &sets, &[]);
            }
            d.cmd_bind_vertex_buffers(to, 0, &[fixed.buffer], &[0]);
            d.cmd_bind_index_buffer(to, fixed.buffer, INDICES_AT, vk::IndexType::UINT16);
        }
        for _ in 0..self.random.range(1, 4) {
            if self.random.one_in(2) {
                self.push_constants(to, self.objects.layout);
            } else {
                unsafe {
                    d.cmd_push_constants(
                        to,
                        self.objects.layout,
                        STAGES,
                        0,
                        &[0; PUSH_BYTES as usize],
                    )
                };
            }
            let instances = self.random.range(1, 2);
            let count = self.random.range(1, 8) * 3;
            let several = self.world.features.multi_draw_indirect == vk::TRUE;
            let draws = if several { self.random.range(0, 2) } else { 1 };
            unsafe {
                match self.random.below(6) {
                    0 => d.cmd_draw(
                        to,
                        count,
                        instances,
                        self.random.range(0, VERTICES - count),
                        0,
                    ),
                    1 | 2 => d.cmd_draw_indexed(
                        to,
                        count,
                        instances,
                        self.random.range(0, INDICES - count),
                        0,
                        0,
                    ),
                    3 => d.cmd_draw_indirect(to, fixed.buffer, DRAWS_AT, draws, 16),
                    4 => d.cmd_draw_indexed_indirect(to, fixed.buffer, INDEXED_AT, draws, 20),
                    _ => d.cmd_draw_indirect_count(
                        to,
                        fixed.buffer,
                        DRAWS_AT,
                        fixed.buffer,
                        COUNT_AT,
                        2,
                        16,
                    ),
                }
            }
        }
    }

    /// Says all that the pipeline left to be said.
    fn dynamic(&mut self, to: vk::CommandBuffer, scene: &Scene, made: &Pipeline) {
        let d = &self.world.device;
        let random = &mut self.random;
        let faces = vk::StencilFaceFlags::FRONT_AND_BACK;
        let (_, depth, stencil) = scene.formats(self.objects);
        for state in &made.dynamic {
            let yes = random.one_in(2);
            unsafe {
                match *state {
                    vk::DynamicState::VIEWPORT => {
                        let viewport = vk::Viewport {
                            x: random.unit() * 4.0 - 2.0,
                            y: random.unit() * 4.0,
                            width: 1.0 + scene.width as f32 * random.unit(),
                            height: if yes {
                                scene.height as f32
                            } else {
                                -(scene.height as f32)
                            },
                            min_depth: 0.0,
                            max_depth: random.unit(),
                        };
                        d.cmd_set_viewport(to, 0, &[viewport]);
                    }
                    vk::DynamicState::SCISSOR => {
                        let extent = vk::Extent2D {
                            width: random.range(0, scene.width),
                            height: scene.height,
                        };
                        d.cmd_set_scissor(to, 0, &[vk::Rect2D::default().extent(extent)]);
                    }
                    vk::DynamicState::CULL_MODE => d.cmd_set_cull_mode(
                        to,
                        if yes {
                            vk::CullModeFlags::BACK
                        } else {
                            vk::CullModeFlags::NONE
                        },
                    ),
                    vk::DynamicState::FRONT_FACE => d.cmd_set_front_face(
                        to,
                        if yes {
                            vk::FrontFace::CLOCKWISE
                        } else {
                            vk::FrontFace::COUNTER_CLOCKWISE
                        },
                    ),
                    vk::DynamicState::PRIMITIVE_TOPOLOGY => {
                        d.cmd_set_primitive_topology(to, made.topology)
                    }
                    vk::DynamicState::DEPTH_TEST_ENABLE => {
                        d.cmd_set_depth_test_enable(to, yes && depth != vk::Format::UNDEFINED)
                    }
                    vk::DynamicState::DEPTH_WRITE_ENABLE => d.cmd_set_depth_write_enable(to, yes),
                    vk::DynamicState::DEPTH_COMPARE_OP => {
                        d.cmd_set_depth_compare_op(to, vk::CompareOp::LESS_OR_EQUAL)
                    }
                    vk::DynamicState::DEPTH_BIAS => {
                        d.cmd_set_depth_bias(to, random.unit(), 0.0, random.unit())
                    }
                    vk::DynamicState::DEPTH_BIAS_ENABLE => d.cmd_set_depth_bias_enable(to, yes),
                    vk::DynamicState::STENCIL_TEST_ENABLE => {
                        d.cmd_set_stencil_test_enable(to, yes && stencil != vk::Format::UNDEFINED)
                    }
                    vk::DynamicState::STENCIL_OP => d.cmd_set_stencil_op(
                        to,
                        faces,
                        vk::StencilOp::ZERO,
                        vk::StencilOp::INCREMENT_AND_CLAMP,
                        vk::StencilOp::KEEP,
                        vk::CompareOp::NOT_EQUAL,
                    ),
                    vk::DynamicState::STENCIL_REFERENCE => {
                        d.cmd_set_stencil_reference(to, faces, random.range(0, 255))
                    }
                    vk::DynamicState::STENCIL_COMPARE_MASK => {
                        d.cmd_set_stencil_compare_mask(to, faces, random.range(0, 255))
                    }
                    vk::DynamicState::STENCIL_WRITE_MASK => {
                        d.cmd_set_stencil_write_mask(to, faces, random.range(0, 255))
                    }
                    vk::DynamicState::BLEND_CONSTANTS => {
                        d.cmd_set_blend_constants(to, &[random.unit(); 4])
                    }
                    vk::DynamicState::LINE_WIDTH => d.cmd_set_line_width(to, 1.0),
                    vk::DynamicState::RASTERIZER_DISCARD_ENABLE => {
                        d.cmd_set_rasterizer_discard_enable(to, random.one_in(8))
                    }
                    vk::DynamicState::PRIMITIVE_RESTART_ENABLE => {
                        let strip = matches!(
                            made.topology,
                            vk::PrimitiveTopology::TRIANGLE_STRIP
                                | vk::PrimitiveTopology::TRIANGLE_FAN
                                | vk::PrimitiveTopology::LINE_STRIP
                        );
                        d.cmd_set_primitive_restart_enable(to, yes && strip);
                    }
                    other => unreachable!("{other:?} is not among those that are left open"),
                }
            }
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
fn part(random: &mut Random, image: &Image) -> (u32, u32, u32) {
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
