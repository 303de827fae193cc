//! Records command buffers, submits them and waits for them.

use crate::vulkan::descriptor::Set;
use crate::vulkan::error::{Error, check};
use crate::vulkan::gpu::Gpu;
use crate::vulkan::memory::{Buffer, Image, Use};
use crate::vulkan::pipeline::Pipeline;
use crate::vulkan::sample_locations::sample_locations_info;
use ash::vk;

/// Load operation of an attachment.
#[derive(Clone, Copy)]
pub enum Load {
    /// Keeps the contents.
    Keep,
    /// Clears to a value.
    Clear(vk::ClearColorValue),
}

impl Load {
    /// Clears to a colour.
    pub fn clear(float32: [f32; 4]) -> Self {
        Load::Clear(vk::ClearColorValue { float32 })
    }
}

/// A colour attachment.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The image.
    pub image: &'a Image,
    /// The view of it that is rendered to.
    pub view: vk::ImageView,
    /// Load operation.
    pub load: Load,
    /// Resolve attachment.
    pub resolve: Option<&'a Image>,
}

impl<'a> Target<'a> {
    /// The whole image, cleared to a colour.
    pub fn clear(image: &'a Image, colour: [f32; 4]) -> Self {
        Target {
            image,
            view: image.view,
            load: Load::clear(colour),
            resolve: None,
        }
    }

    /// The whole image with its contents.
    pub fn keep(image: &'a Image) -> Self {
        Target {
            load: Load::Keep,
            ..Target::clear(image, [0.0; 4])
        }
    }

    /// Replaces the view.
    pub fn view(self, view: vk::ImageView) -> Self {
        Target { view, ..self }
    }

    /// Sets the resolve attachment.
    pub fn resolve(self, to: &'a Image) -> Self {
        Target {
            resolve: Some(to),
            ..self
        }
    }
}

/// The depth/stencil attachment.
#[derive(Clone, Copy)]
pub struct Depth<'a> {
    /// The image.
    pub image: &'a Image,
    /// Clear values of depth and stencil; `None` keeps the contents.
    pub clear: Option<(f32, u32)>,
}

/// The attachments of a rendering.
#[derive(Clone, Copy)]
pub struct Targets<'a> {
    /// Colour attachments, by location.
    pub colors: &'a [Target<'a>],
    /// The depth/stencil attachment.
    pub depth: Option<Depth<'a>>,
    /// Width and height of the render area.
    pub size_px: [u32; 2],
    /// Number of layers rendered to.
    pub layers: u32,
    /// View mask of multiview; 0 renders to layers instead.
    pub views: u32,
    /// Colours are dithered.
    pub dithered: bool,
}

impl<'a> Targets<'a> {
    /// Colour attachments only; the render area is the first one's size.
    pub fn new(colors: &'a [Target<'a>]) -> Self {
        let size = colors.first().map_or([1; 3], |t| t.image.info.size_px);
        Targets {
            colors,
            depth: None,
            size_px: [size[0], size[1]],
            layers: 1,
            views: 0,
            dithered: false,
        }
    }

    /// Dithers colours, with `legacy_dithering` of EXT.
    pub fn dithered(mut self) -> Self {
        self.dithered = true;
        self
    }

    /// Sets the view mask; each view renders to its layer.
    pub fn views(mut self, views: u32) -> Self {
        self.views = views;
        self
    }

    /// Adds a depth/stencil attachment with depth cleared to 1 and stencil to 0.
    pub fn depth(mut self, image: &'a Image) -> Self {
        self.depth = Some(Depth {
            image,
            clear: Some((1.0, 0)),
        });
        let [width, height, _] = image.info.size_px;
        self.size_px = [width, height];
        self
    }

    /// Adds a depth/stencil attachment with its contents.
    pub fn load_depth(mut self, image: &'a Image) -> Self {
        self.depth = Some(Depth { image, clear: None });
        self
    }
}

/// A command buffer that is being recorded.
pub struct Recorder<'g> {
    pub(super) gpu: &'g Gpu,
    pub(super) commands: vk::CommandBuffer,
}

impl Gpu {
    /// Records commands, submits them and waits until they have finished. The host may read their
    /// results afterwards.
    pub fn run(&self, body: impl FnOnce(&Recorder<'_>) -> Result<(), Error>) -> Result<(), Error> {
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .command_buffer_count(1);
        let d = &self.device;
        // SAFETY: structures live until calls return and all handles are this device's, here and
        // below.
        let buffers = check("vkAllocateCommandBuffers", unsafe {
            d.allocate_command_buffers(&info)
        })?;
        let recorder = Recorder {
            gpu: self,
            commands: buffers[0],
        };
        let done = self.record_and_wait(&recorder, body);
        if done.is_ok() {
            // SAFETY: the commands have finished, and the buffer is freed once. After an error the
            // pool frees it.
            unsafe { d.free_command_buffers(self.pool, &buffers) };
        }
        done
    }

    fn record_and_wait(
        &self,
        recorder: &Recorder<'_>,
        body: impl FnOnce(&Recorder<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let d = &self.device;
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: as above; the buffer is new.
        check("vkBeginCommandBuffer", unsafe {
            d.begin_command_buffer(recorder.commands, &info)
        })?;
        body(recorder)?;
        recorder.memory_barrier(vk::PipelineStageFlags::HOST, vk::AccessFlags::HOST_READ);
        // SAFETY: as above.
        check("vkEndCommandBuffer", unsafe {
            d.end_command_buffer(recorder.commands)
        })?;
        // SAFETY: as above.
        let fence = check("vkCreateFence", unsafe {
            d.create_fence(&vk::FenceCreateInfo::default(), None)
        })?;
        let commands = [recorder.commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&commands)];
        // SAFETY: as above; the fence is destroyed after the wait, and where the wait fails the
        // device is lost.
        unsafe {
            let submitted = check("vkQueueSubmit", d.queue_submit(self.queue, &submit, fence));
            let waited = submitted.and_then(|()| {
                let waited = d.wait_for_fences(&[fence], true, u64::MAX);
                check("vkWaitForFences", waited)
            });
            d.destroy_fence(fence, None);
            waited
        }
    }
}

impl Recorder<'_> {
    /// Emits the barrier between the image's last use and its next one, with the layout transition.
    pub fn use_as(&self, image: &Image, next: Use) {
        let last = image.used.replace(next);
        if last == next && next.reads_only() {
            return;
        }
        let writes = vk::AccessFlags::SHADER_WRITE
            | vk::AccessFlags::TRANSFER_WRITE
            | vk::AccessFlags::COLOR_ATTACHMENT_WRITE
            | vk::AccessFlags::DEPTH_STENCIL_ATTACHMENT_WRITE;
        let barrier = [vk::ImageMemoryBarrier::default()
            .src_access_mask(last.access() & writes)
            .dst_access_mask(next.access())
            .old_layout(last.layout())
            .new_layout(next.layout())
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image.handle)
            .subresource_range(vk::ImageSubresourceRange {
                aspect_mask: image.aspects(),
                base_mip_level: 0,
                level_count: image.info.mips,
                base_array_layer: 0,
                layer_count: image.info.layers,
            })];
        let none = vk::DependencyFlags::empty();
        // SAFETY: see `Gpu::run`, here and below.
        unsafe {
            self.gpu.device.cmd_pipeline_barrier(
                self.commands,
                last.stages(),
                next.stages(),
                none,
                &[],
                &[],
                &barrier,
            );
        }
    }

    /// Records the use in which a render pass leaves an image, without a barrier.
    pub fn left_as(&self, image: &Image, used: Use) {
        image.used.set(used);
    }

    /// A full memory barrier: all earlier commands finish, and their writes are visible to all
    /// later ones. For buffers.
    pub fn barrier(&self) {
        use vk::AccessFlags as A;
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        self.memory_barrier(all, A::MEMORY_READ | A::MEMORY_WRITE);
    }

    /// A barrier within a subpass that depends on itself: later draws see what fragment shaders
    /// have written, but only through these accesses of their fragment shaders.
    pub fn fragment_barrier(&self, access: vk::AccessFlags) {
        let stages = vk::PipelineStageFlags::FRAGMENT_SHADER;
        let written = vk::AccessFlags::SHADER_WRITE;
        let by_region = vk::DependencyFlags::BY_REGION;
        self.dependency((stages, written), (stages, access), by_region);
    }

    fn memory_barrier(&self, stages: vk::PipelineStageFlags, access: vk::AccessFlags) {
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let written = vk::AccessFlags::MEMORY_WRITE;
        let none = vk::DependencyFlags::empty();
        self.dependency((all, written), (stages, access), none);
    }

    /// A memory dependency between stages and accesses.
    fn dependency(
        &self,
        source: (vk::PipelineStageFlags, vk::AccessFlags),
        destination: (vk::PipelineStageFlags, vk::AccessFlags),
        flags: vk::DependencyFlags,
    ) {
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(source.1)
            .dst_access_mask(destination.1)];
        // SAFETY: as above.
        unsafe {
            self.gpu.device.cmd_pipeline_barrier(
                self.commands,
                source.0,
                destination.0,
                flags,
                &barrier,
                &[],
                &[],
            );
        }
    }

    /// Renders to attachments; `body` records the draws. Viewport and scissor start as the whole
    /// render area.
    pub fn draw_to(
        &self,
        targets: &Targets<'_>,
        body: impl FnOnce(&Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.rendering(targets, vk::RenderingFlags::empty(), |r| {
            r.whole_area(targets.size_px);
            body(r)
        })
    }

    pub(super) fn rendering(
        &self,
        targets: &Targets<'_>,
        flags: vk::RenderingFlags,
        body: impl FnOnce(&Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let rendering = self.gpu.rendering()?;
        for target in targets.colors {
            self.use_as(target.image, Use::Color);
            if let Some(to) = target.resolve {
                self.use_as(to, Use::Color);
            }
        }
        let colors = targets.colors.iter().map(|target| {
            let info = vk::RenderingAttachmentInfo::default()
                .image_view(target.view)
                .image_layout(Use::Color.layout())
                .store_op(vk::AttachmentStoreOp::STORE);
            let info = match target.load {
                Load::Keep => info.load_op(vk::AttachmentLoadOp::LOAD),
                Load::Clear(color) => info
                    .load_op(vk::AttachmentLoadOp::CLEAR)
                    .clear_value(vk::ClearValue { color }),
            };
            match target.resolve {
                Some(to) => info
                    .resolve_mode(vk::ResolveModeFlags::AVERAGE)
                    .resolve_image_view(to.view)
                    .resolve_image_layout(Use::Color.layout()),
                None => info,
            }
        });
        let colors: Vec<_> = colors.collect();
        let mut depth = vk::RenderingAttachmentInfo::default();
        let mut has = vk::ImageAspectFlags::empty();
        if let Some(target) = &targets.depth {
            self.use_as(target.image, Use::Depth);
            has = target.image.aspects();
            depth = depth
                .image_view(target.image.view)
                .image_layout(Use::Depth.layout())
                .load_op(vk::AttachmentLoadOp::LOAD)
                .store_op(vk::AttachmentStoreOp::STORE);
            if let Some((depth_clear, stencil)) = target.clear {
                depth.load_op = vk::AttachmentLoadOp::CLEAR;
                depth.clear_value.depth_stencil = vk::ClearDepthStencilValue {
                    depth: depth_clear,
                    stencil,
                };
            }
        }
        let [width, height] = targets.size_px;
        let area = vk::Rect2D::default().extent(vk::Extent2D { width, height });
        let dithers = match targets.dithered {
            true => vk::RenderingFlags::ENABLE_LEGACY_DITHERING_EXT,
            false => vk::RenderingFlags::empty(),
        };
        let mut info = vk::RenderingInfo::default()
            .flags(flags | dithers)
            .render_area(area)
            .layer_count(targets.layers)
            .view_mask(targets.views)
            .color_attachments(&colors);
        if has.contains(vk::ImageAspectFlags::DEPTH) {
            info = info.depth_attachment(&depth);
        }
        if has.contains(vk::ImageAspectFlags::STENCIL) {
            info = info.stencil_attachment(&depth);
        }
        // SAFETY: as above.
        unsafe {
            rendering.cmd_begin_rendering(self.commands, &info);
        }
        let done = body(self);
        // SAFETY: as above.
        unsafe { rendering.cmd_end_rendering(self.commands) };
        done
    }

    /// Records a render pass; `bodies` record the draws of each subpass.
    pub fn render_pass(
        &self,
        pass: vk::RenderPass,
        framebuffer: vk::Framebuffer,
        size_px: [u32; 2],
        clears: &[vk::ClearValue],
        bodies: &[&dyn Fn(&Self)],
    ) {
        self.render_pass_to(&[], pass, framebuffer, size_px, clears, bodies);
    }

    /// Records a render pass of an imageless framebuffer with these attachments.
    pub fn render_pass_to(
        &self,
        views: &[vk::ImageView],
        pass: vk::RenderPass,
        framebuffer: vk::Framebuffer,
        size_px: [u32; 2],
        clears: &[vk::ClearValue],
        bodies: &[&dyn Fn(&Self)],
    ) {
        let [width, height] = size_px;
        let mut attachments = vk::RenderPassAttachmentBeginInfo::default().attachments(views);
        let mut info = vk::RenderPassBeginInfo::default()
            .render_pass(pass)
            .framebuffer(framebuffer)
            .render_area(vk::Rect2D::default().extent(vk::Extent2D { width, height }))
            .clear_values(clears);
        if !views.is_empty() {
            info = info.push_next(&mut attachments);
        }
        let inline = vk::SubpassContents::INLINE;
        let d = &self.gpu.device;
        for (i, body) in bodies.iter().enumerate() {
            // SAFETY: as above.
            unsafe {
                match i {
                    0 => d.cmd_begin_render_pass(self.commands, &info, inline),
                    _ => d.cmd_next_subpass(self.commands, inline),
                }
            }
            self.whole_area(size_px);
            body(self);
        }
        // SAFETY: as above.
        unsafe { d.cmd_end_render_pass(self.commands) };
    }

    pub(super) fn whole_area(&self, [width, height]: [u32; 2]) {
        self.viewports(&[[0.0, 0.0, width as f32, height as f32, 0.0, 1.0]]);
        self.scissors(&[[0, 0, width, height]]);
    }

    /// Sets viewports: x, y, width, height, minimum and maximum depth.
    pub fn viewports(&self, all: &[[f32; 6]]) {
        let all: Vec<_> = all
            .iter()
            .map(
                |&[x, y, width, height, min_depth, max_depth]| vk::Viewport {
                    x,
                    y,
                    width,
                    height,
                    min_depth,
                    max_depth,
                },
            )
            .collect();
        // SAFETY: as above.
        unsafe { self.gpu.device.cmd_set_viewport(self.commands, 0, &all) };
    }

    /// Sets scissors: x, y, width, height.
    pub fn scissors(&self, all: &[[u32; 4]]) {
        let all: Vec<_> = all
            .iter()
            .map(|&[x, y, width, height]| vk::Rect2D {
                offset: vk::Offset2D {
                    x: x as i32,
                    y: y as i32,
                },
                extent: vk::Extent2D { width, height },
            })
            .collect();
        // SAFETY: as above.
        unsafe { self.gpu.device.cmd_set_scissor(self.commands, 0, &all) };
    }

    /// Binds a pipeline with its descriptor sets and push constants.
    pub fn bind<T: bytemuck::NoUninit>(&self, pipeline: &Pipeline, sets: &[Set], push: &[T]) {
        let d = &self.gpu.device;
        let sets: Vec<_> = sets.iter().map(|set| set.handle).collect();
        // SAFETY: as above.
        unsafe {
            d.cmd_bind_pipeline(self.commands, pipeline.point, pipeline.handle);
            if !sets.is_empty() {
                d.cmd_bind_descriptor_sets(
                    self.commands,
                    pipeline.point,
                    pipeline.layout,
                    0,
                    &sets,
                    &[],
                );
            }
        }
        self.push(pipeline, push);
    }

    /// Sets push constants from offset 0.
    pub fn push<T: bytemuck::NoUninit>(&self, pipeline: &Pipeline, push: &[T]) {
        let bytes: &[u8] = bytemuck::cast_slice(push);
        if bytes.is_empty() {
            return;
        }
        let all = vk::ShaderStageFlags::ALL;
        // SAFETY: as above.
        unsafe {
            self.gpu
                .device
                .cmd_push_constants(self.commands, pipeline.layout, all, 0, bytes);
        }
    }

    /// Binds vertex buffers, by binding: buffers and offsets in bytes.
    pub fn vertices(&self, streams: &[(&Buffer, u64)]) {
        let buffers: Vec<_> = streams.iter().map(|(buffer, _)| buffer.handle).collect();
        let offsets: Vec<_> = streams.iter().map(|(_, offset)| *offset).collect();
        // SAFETY: as above.
        unsafe {
            self.gpu
                .device
                .cmd_bind_vertex_buffers(self.commands, 0, &buffers, &offsets);
        }
    }

    /// Binds the index buffer.
    pub fn indices(&self, buffer: &Buffer, kind: vk::IndexType) {
        // SAFETY: as above.
        unsafe {
            self.gpu
                .device
                .cmd_bind_index_buffer(self.commands, buffer.handle, 0, kind);
        }
    }

    /// Draws `count` vertices from `first` on, `instances` times.
    pub fn draw(&self, first: u32, count: u32, instances: u32) {
        // SAFETY: as above.
        unsafe {
            self.gpu
                .device
                .cmd_draw(self.commands, count, instances, first, 0);
        }
    }

    /// Draws `count` indices from `first` on; `base` is added to each index.
    pub fn draw_indexed(&self, first: u32, count: u32, base: i32, instances: std::ops::Range<u32>) {
        let number = instances.end - instances.start;
        // SAFETY: as above.
        unsafe {
            self.gpu.device.cmd_draw_indexed(
                self.commands,
                count,
                number,
                first,
                base,
                instances.start,
            );
        }
    }

    /// Draws with `draws` VkDrawIndirectCommand structures at the start of a buffer.
    pub fn draw_indirect(&self, buffer: &Buffer, draws: u32) {
        let stride = size_of::<vk::DrawIndirectCommand>() as u32;
        // SAFETY: as above.
        unsafe {
            self.gpu
                .device
                .cmd_draw_indirect(self.commands, buffer.handle, 0, draws, stride);
        }
    }

    /// Draws with `draws` VkDrawIndexedIndirectCommand structures at the start of a buffer.
    pub fn draw_indexed_indirect(&self, buffer: &Buffer, draws: u32) {
        let stride = size_of::<vk::DrawIndexedIndirectCommand>() as u32;
        // SAFETY: as above.
        unsafe {
            self.gpu.device.cmd_draw_indexed_indirect(
                self.commands,
                buffer.handle,
                0,
                draws,
                stride,
            );
        }
    }

    /// Dispatches workgroups.
    pub fn dispatch(&self, [x, y, z]: [u32; 3]) {
        // SAFETY: as above.
        unsafe { self.gpu.device.cmd_dispatch(self.commands, x, y, z) };
    }

    /// Dispatches with a VkDispatchIndirectCommand at the start of a buffer.
    pub fn dispatch_indirect(&self, buffer: &Buffer) {
        // SAFETY: as above.
        unsafe {
            self.gpu
                .device
                .cmd_dispatch_indirect(self.commands, buffer.handle, 0);
        }
    }

    /// Sets dynamic state.
    pub fn state(&self, set: State<'_>) {
        let (d, dynamic, c) = (&self.gpu.device, &self.gpu.dynamic, self.commands);
        // SAFETY: as above; an extension's functions are loaded if the device was created with it.
        unsafe {
            match set {
                State::BlendConstants(constants) => d.cmd_set_blend_constants(c, &constants),
                State::DepthBias([constant, clamp, slope]) => {
                    d.cmd_set_depth_bias(c, constant, clamp, slope);
                }
                State::DepthBounds([near, far]) => d.cmd_set_depth_bounds(c, near, far),
                State::StencilCompareMask(faces, mask) => {
                    d.cmd_set_stencil_compare_mask(c, faces, mask);
                }
                State::StencilWriteMask(faces, mask) => {
                    d.cmd_set_stencil_write_mask(c, faces, mask)
                }
                State::StencilReference(faces, value) => {
                    d.cmd_set_stencil_reference(c, faces, value)
                }
                State::Cull(faces) => dynamic.eds1.cmd_set_cull_mode(c, faces),
                State::Front(front) => dynamic.eds1.cmd_set_front_face(c, front),
                State::Topology(topology) => dynamic.eds1.cmd_set_primitive_topology(c, topology),
                State::DepthTest(on) => dynamic.eds1.cmd_set_depth_test_enable(c, on),
                State::DepthWrite(on) => dynamic.eds1.cmd_set_depth_write_enable(c, on),
                State::DepthCompare(compare) => dynamic.eds1.cmd_set_depth_compare_op(c, compare),
                State::Viewports(area) => {
                    dynamic
                        .eds1
                        .cmd_set_viewport_with_count(c, &[viewport(area)]);
                }
                State::Scissors(area) => {
                    dynamic.eds1.cmd_set_scissor_with_count(c, &[scissor(area)]);
                }
                State::StencilTest(on) => dynamic.eds1.cmd_set_stencil_test_enable(c, on),
                State::StencilOp(faces, [fail, pass, depth_fail], compare) => {
                    dynamic
                        .eds1
                        .cmd_set_stencil_op(c, faces, fail, pass, depth_fail, compare);
                }
                State::Discard(on) => dynamic.eds2.cmd_set_rasterizer_discard_enable(c, on),
                State::DepthBiasOn(on) => dynamic.eds2.cmd_set_depth_bias_enable(c, on),
                State::Restart(on) => dynamic.eds2.cmd_set_primitive_restart_enable(c, on),
                State::LogicOp(op) => dynamic.eds2.cmd_set_logic_op(c, op),
                State::Writes(on) => {
                    let on = on.map(vk::Bool32::from);
                    (dynamic.writes.fp().cmd_set_color_write_enable_ext)(c, 2, on.as_ptr());
                }
                State::Stipple(factor, pattern) => {
                    (dynamic.lines.fp().cmd_set_line_stipple_ext)(c, factor, pattern);
                }
                State::DomainOrigin(origin) => {
                    dynamic.eds3.cmd_set_tessellation_domain_origin(c, origin);
                }
                State::DepthClamp(on) => dynamic.eds3.cmd_set_depth_clamp_enable(c, on),
                State::Fill(mode) => dynamic.eds3.cmd_set_polygon_mode(c, mode),
                State::SampleMask(mask) => {
                    let one = vk::SampleCountFlags::TYPE_1;
                    dynamic.eds3.cmd_set_sample_mask(c, one, &[mask]);
                }
                State::AlphaToOne(on) => dynamic.eds3.cmd_set_alpha_to_one_enable(c, on),
                State::Logic(on) => dynamic.eds3.cmd_set_logic_op_enable(c, on),
                State::Blended(on) => {
                    dynamic.eds3.cmd_set_color_blend_enable(c, 0, &[on.into()]);
                }
                State::Equation(equation) => {
                    dynamic.eds3.cmd_set_color_blend_equation(c, 0, &[equation]);
                }
                State::WriteMask(mask) => dynamic.eds3.cmd_set_color_write_mask(c, 0, &[mask]),
                State::DepthClip(on) => dynamic.eds3.cmd_set_depth_clip_enable(c, on),
                State::Locations(places) => {
                    let info = sample_locations_info(places);
                    let f = self.gpu.locations.fp();
                    (f.cmd_set_sample_locations_ext)(c, &info);
                }
                State::Conservative(mode) => {
                    dynamic
                        .eds3
                        .cmd_set_conservative_rasterization_mode(c, mode);
                }
                State::Stream(stream) => dynamic.eds3.cmd_set_rasterization_stream(c, stream),
                State::Provoking(mode) => dynamic.eds3.cmd_set_provoking_vertex_mode(c, mode),
                State::Lines(mode) => dynamic.eds3.cmd_set_line_rasterization_mode(c, mode),
                State::Stippled(on) => dynamic.eds3.cmd_set_line_stipple_enable(c, on),
                State::NearAtMinusW(on) => {
                    dynamic.eds3.cmd_set_depth_clip_negative_one_to_one(c, on);
                }
            }
        }
    }

    /// Clears rectangles of the first colour attachment inside a rendering: x, y, width, height.
    pub fn clear_parts(&self, colour: [f32; 4], parts: &[[u32; 4]]) {
        let value = vk::ClearValue {
            color: vk::ClearColorValue { float32: colour },
        };
        let clear = [vk::ClearAttachment::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .clear_value(value)];
        let parts: Vec<_> = parts
            .iter()
            .map(|&[x, y, width, height]| vk::ClearRect {
                rect: vk::Rect2D {
                    offset: vk::Offset2D {
                        x: x as i32,
                        y: y as i32,
                    },
                    extent: vk::Extent2D { width, height },
                },
                base_array_layer: 0,
                layer_count: 1,
            })
            .collect();
        // SAFETY: as above.
        unsafe {
            self.gpu
                .device
                .cmd_clear_attachments(self.commands, &clear, &parts);
        }
    }
}

/// Dynamic state and its value.
#[derive(Clone, Copy)]
#[expect(missing_docs, reason = "Vulkan's names")]
pub enum State<'a> {
    BlendConstants([f32; 4]),
    DepthBias([f32; 3]),
    DepthBounds([f32; 2]),
    StencilCompareMask(vk::StencilFaceFlags, u32),
    StencilWriteMask(vk::StencilFaceFlags, u32),
    StencilReference(vk::StencilFaceFlags, u32),
    Cull(vk::CullModeFlags),
    Front(vk::FrontFace),
    Topology(vk::PrimitiveTopology),
    DepthTest(bool),
    DepthWrite(bool),
    DepthCompare(vk::CompareOp),
    Viewports([f32; 4]),
    Scissors([i32; 4]),
    StencilTest(bool),
    StencilOp(vk::StencilFaceFlags, [vk::StencilOp; 3], vk::CompareOp),
    Discard(bool),
    DepthBiasOn(bool),
    Restart(bool),
    LogicOp(vk::LogicOp),
    Writes([bool; 2]),
    Stipple(u32, u16),
    DomainOrigin(vk::TessellationDomainOrigin),
    DepthClamp(bool),
    Fill(vk::PolygonMode),
    SampleMask(u32),
    AlphaToOne(bool),
    Logic(bool),
    Blended(bool),
    Equation(vk::ColorBlendEquationEXT),
    WriteMask(vk::ColorComponentFlags),
    DepthClip(bool),
    Provoking(vk::ProvokingVertexModeEXT),
    Stream(u32),
    Conservative(vk::ConservativeRasterizationModeEXT),
    Locations(&'a [vk::SampleLocationEXT]),
    Lines(vk::LineRasterizationModeEXT),
    Stippled(bool),
    NearAtMinusW(bool),
}

/// A viewport: x, y, width, height.
fn viewport([x, y, width, height]: [f32; 4]) -> vk::Viewport {
    vk::Viewport {
        x,
        y,
        width,
        height,
        min_depth: 0.0,
        max_depth: 1.0,
    }
}

/// A scissor: x, y, width, height.
fn scissor([x, y, width, height]: [i32; 4]) -> vk::Rect2D {
    vk::Rect2D {
        offset: vk::Offset2D { x, y },
        extent: vk::Extent2D {
            width: width.cast_unsigned(),
            height: height.cast_unsigned(),
        },
    }
}
