//! Renderings at random: passes, draws, their dynamic state, clears between them.

use ash::vk;

use super::*;

impl Recorder<'_> {
    /// Draws to a scene.
    pub(super) fn render(&mut self, to: vk::CommandBuffer) {
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
    pub(super) fn drawn(&mut self, scene: &Scene) -> vk::CommandBuffer {
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

    pub(super) fn clear(&mut self, to: vk::CommandBuffer, scene: &Scene) {
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
    pub(super) fn draws(&mut self, to: vk::CommandBuffer, scene: &Scene) {
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

    /// Sets all dynamic state of the pipeline.
    pub(super) fn dynamic(&mut self, to: vk::CommandBuffer, scene: &Scene, made: &Pipeline) {
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
}
