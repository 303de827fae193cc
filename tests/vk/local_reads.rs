//! Dynamic rendering in which draws read the attachments, and locations are assigned to attachments
//! by commands (VK_KHR_dynamic_rendering_local_read).

use ash::{khr, vk};

use crate::canvas::{
    BLUE, GREEN, Look, RED, SIZE, Target, compile, pipeline, stored, viewport, whole,
};
use crate::rig::Rig;

const COLOUR: vk::Format = vk::Format::R8G8B8A8_UNORM;
const LOCAL: vk::ImageLayout = vk::ImageLayout::RENDERING_LOCAL_READ_KHR;

/// A triangle that covers the target, at a depth of 0.25.
const VERTEX: &str = "#version 450
void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(corner * 4.0 - 1.0, 0.25, 1.0);
}";

/// Writes red to location 0, and green to location 1.
const RED_GREEN: &str = "#version 450
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
void main()
{
    first = vec4(1.0, 0.0, 0.0, 1.0);
    second = vec4(0.0, 1.0, 0.0, 1.0);
}";

/// Attachments that shaders read, by binding, with the layout of their sets.
struct Inputs<'a> {
    rig: &'a Rig,
    sets: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
    layout: vk::PipelineLayout,
}

impl<'a> Inputs<'a> {
    fn new(rig: &'a Rig, views: &[vk::ImageView]) -> Self {
        let d = &rig.device;
        let kind = vk::DescriptorType::INPUT_ATTACHMENT;
        let bindings: Vec<_> = (0..views.len() as u32)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(kind)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::FRAGMENT)
            })
            .collect();
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let layouts = [d.create_descriptor_set_layout(&info, None).unwrap()];
            let sizes = [vk::DescriptorPoolSize {
                ty: kind,
                descriptor_count: views.len().max(1) as u32,
            }];
            let info = vk::DescriptorPoolCreateInfo::default()
                .max_sets(1)
                .pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&info, None).unwrap();
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&layouts);
            let set = d.allocate_descriptor_sets(&info).unwrap()[0];
            for (binding, &image_view) in (0..).zip(views) {
                let images = [vk::DescriptorImageInfo {
                    image_view,
                    image_layout: LOCAL,
                    ..Default::default()
                }];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(binding)
                    .descriptor_type(kind)
                    .image_info(&images);
                d.update_descriptor_sets(&[write], &[]);
            }
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            let layout = d.create_pipeline_layout(&info, None).unwrap();
            Self {
                rig,
                sets: layouts[0],
                pool,
                set,
                layout,
            }
        }
    }

    fn bind(&self, commands: vk::CommandBuffer, pipeline: vk::Pipeline) {
        let (d, point) = (&self.rig.device, vk::PipelineBindPoint::GRAPHICS);
        unsafe {
            d.cmd_bind_pipeline(commands, point, pipeline);
            d.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
        }
    }
}

impl Drop for Inputs<'_> {
    fn drop(&mut self) {
        let d = &self.rig.device;
        unsafe {
            d.destroy_descriptor_pool(self.pool, None);
            d.destroy_pipeline_layout(self.layout, None);
            d.destroy_descriptor_set_layout(self.sets, None);
        }
    }
}

/// An attachment that is cleared to zeros.
fn cleared(target: &Target<'_>) -> vk::RenderingAttachmentInfo<'static> {
    vk::RenderingAttachmentInfo::default()
        .image_view(target.view)
        .image_layout(LOCAL)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
}

/// Brings images with undefined contents into the layout of local reads.
fn prepare(rig: &Rig, commands: vk::CommandBuffer, images: &[(vk::Image, vk::ImageAspectFlags)]) {
    for &(image, aspects) in images {
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(aspects)
            .level_count(1)
            .layer_count(1);
        let barrier = [vk::ImageMemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(vk::AccessFlags2::MEMORY_WRITE | vk::AccessFlags2::MEMORY_READ)
            .new_layout(LOCAL)
            .image(image)
            .subresource_range(range)];
        let info = vk::DependencyInfo::default().image_memory_barriers(&barrier);
        unsafe { rig.device.cmd_pipeline_barrier2(commands, &info) };
    }
}

/// Makes what draws have written to attachments visible to reads of later draws.
fn local_barrier(rig: &Rig, commands: vk::CommandBuffer) {
    use vk::{AccessFlags2 as A, PipelineStageFlags2 as S};
    let barrier = [vk::MemoryBarrier2::default()
        .src_stage_mask(S::COLOR_ATTACHMENT_OUTPUT | S::LATE_FRAGMENT_TESTS)
        .src_access_mask(A::COLOR_ATTACHMENT_WRITE | A::DEPTH_STENCIL_ATTACHMENT_WRITE)
        .dst_stage_mask(S::FRAGMENT_SHADER)
        .dst_access_mask(A::INPUT_ATTACHMENT_READ)];
    let info = vk::DependencyInfo::default()
        .dependency_flags(vk::DependencyFlags::BY_REGION)
        .memory_barriers(&barrier);
    unsafe { rig.device.cmd_pipeline_barrier2(commands, &info) };
}

/// Sets the locations of the colour attachments.
fn locate(
    local: &khr::dynamic_rendering_local_read::Device,
    commands: vk::CommandBuffer,
    locations: &[u32],
) {
    let info =
        vk::RenderingAttachmentLocationInfoKHR::default().color_attachment_locations(locations);
    unsafe { local.cmd_set_rendering_attachment_locations(commands, &info) };
}

/// A look with the states that all pipelines of this file share.
fn look<'a>(others: &'a [(vk::Format, vk::PipelineColorBlendAttachmentState)]) -> Look<'a> {
    Look {
        bindings: &[],
        attributes: &[],
        formats: Some((COLOUR, vk::Format::UNDEFINED)),
        others,
        ..Look::default()
    }
}

const ALL: vk::PipelineColorBlendAttachmentState = vk::PipelineColorBlendAttachmentState {
    blend_enable: 0,
    src_color_blend_factor: vk::BlendFactor::ZERO,
    dst_color_blend_factor: vk::BlendFactor::ZERO,
    color_blend_op: vk::BlendOp::ADD,
    src_alpha_blend_factor: vk::BlendFactor::ZERO,
    dst_alpha_blend_factor: vk::BlendFactor::ZERO,
    alpha_blend_op: vk::BlendOp::ADD,
    color_write_mask: vk::ColorComponentFlags::RGBA,
};

/// Draws the upper half, then with other locations the lower half; returns a pixel of each half of
/// each of two attachments.
fn halves(
    others: vk::PipelineColorBlendAttachmentState,
    locations: [&[u32]; 2],
    clear: Option<u32>,
) -> [[[u8; 4]; 2]; 2] {
    let rig = Rig::new();
    let d = &rig.device;
    let local = khr::dynamic_rendering_local_read::Device::new(&rig.instance, d);
    let targets = [0; 2].map(|_| Target::new(&rig, COLOUR, 1));
    let inputs = Inputs::new(&rig, &[]);
    let others = [(COLOUR, others)];
    let look = Look {
        dynamic: &[vk::DynamicState::SCISSOR],
        ..look(&others)
    };
    let none = vk::RenderPass::null();
    let words = compile(VERTEX, RED_GREEN);
    let drawn = pipeline(&rig, &words, &look, inputs.layout, none).unwrap();
    let half = |lower: bool| vk::Rect2D {
        offset: vk::Offset2D {
            x: 0,
            y: if lower { SIZE as i32 / 2 } else { 0 },
        },
        extent: vk::Extent2D {
            width: SIZE,
            height: SIZE / 2,
        },
    };
    rig.run(|commands| unsafe {
        let images = targets
            .each_ref()
            .map(|target| (target.image, vk::ImageAspectFlags::COLOR));
        prepare(&rig, commands, &images);
        let colours = targets.each_ref().map(cleared);
        let info = vk::RenderingInfo::default()
            .render_area(whole())
            .layer_count(1)
            .color_attachments(&colours);
        d.cmd_begin_rendering(commands, &info);
        d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, drawn);
        for (lower, locations) in [false, true].into_iter().zip(locations) {
            locate(&local, commands, locations);
            d.cmd_set_scissor(commands, 0, &[half(lower)]);
            d.cmd_draw(commands, 3, 1, 0, 0);
        }
        if let Some(color_attachment) = clear {
            let clear = [vk::ClearAttachment {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                color_attachment,
                clear_value: vk::ClearValue {
                    color: vk::ClearColorValue { float32: BLUE },
                },
            }];
            let rect = [vk::ClearRect {
                rect: half(true),
                base_array_layer: 0,
                layer_count: 1,
            }];
            d.cmd_clear_attachments(commands, &clear, &rect);
        }
        d.cmd_end_rendering(commands);
    });
    unsafe { d.destroy_pipeline(drawn, None) };
    targets
        .each_ref()
        .map(|target| [target.pixel(5, 3), target.pixel(5, SIZE - 3)])
}

#[test]
fn draws_write_attachments_by_location() {
    let [red, green, none] = [stored(RED), stored(GREEN), [0; 4]];
    // The locations of one draw do not hold for the next.
    let crossed = halves(ALL, [&[1, 0], &[0, 1]], None);
    assert_eq!(crossed, [[green, red], [red, green]]);
    let unused = vk::ATTACHMENT_UNUSED;
    let partly = halves(ALL, [&[unused, 0], &[1, unused]], None);
    assert_eq!(partly, [[none, green], [red, none]]);
}

#[test]
fn blend_states_belong_to_attachments() {
    // The second attachment takes alpha alone, from whichever location.
    let alpha = vk::PipelineColorBlendAttachmentState {
        color_write_mask: vk::ColorComponentFlags::A,
        ..ALL
    };
    let [red, green] = [stored(RED), stored(GREEN)];
    let black = [0, 0, 0, 255];
    let got = halves(alpha, [&[1, 0], &[0, 1]], None);
    assert_eq!(got, [[green, red], [black, black]]);
}

#[test]
fn attachments_without_a_location_are_cleared() {
    let unused = vk::ATTACHMENT_UNUSED;
    let got = halves(ALL, [&[0, 1], &[1, unused]], Some(1));
    let [red, green, blue] = [stored(RED), stored(GREEN), stored(BLUE)];
    assert_eq!(got, [[red, green], [green, blue]]);
    let got = halves(ALL, [&[0, 1], &[1, 0]], Some(0));
    assert_eq!(got, [[red, blue], [green, red]]);
}

#[test]
fn secondaries_inherit_the_locations() {
    let rig = Rig::new();
    let d = &rig.device;
    let local = khr::dynamic_rendering_local_read::Device::new(&rig.instance, d);
    let targets = [0; 2].map(|_| Target::new(&rig, COLOUR, 1));
    let inputs = Inputs::new(&rig, &[]);
    let alpha = vk::PipelineColorBlendAttachmentState {
        color_write_mask: vk::ColorComponentFlags::A | vk::ColorComponentFlags::R,
        ..ALL
    };
    let others = [(COLOUR, alpha)];
    let none = vk::RenderPass::null();
    let words = compile(VERTEX, RED_GREEN);
    let drawn = pipeline(&rig, &words, &look(&others), inputs.layout, none).unwrap();
    let second = rig.command_buffer(vk::CommandBufferLevel::SECONDARY);
    let locations = [vk::ATTACHMENT_UNUSED, 0];
    unsafe {
        let formats = [COLOUR; 2];
        let mut located = vk::RenderingAttachmentLocationInfoKHR::default()
            .color_attachment_locations(&locations);
        let mut rendering = vk::CommandBufferInheritanceRenderingInfo::default()
            .color_attachment_formats(&formats)
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let inheritance = vk::CommandBufferInheritanceInfo::default()
            .push_next(&mut rendering)
            .push_next(&mut located);
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
            .inheritance_info(&inheritance);
        d.begin_command_buffer(second, &info).unwrap();
        d.cmd_bind_pipeline(second, vk::PipelineBindPoint::GRAPHICS, drawn);
        d.cmd_draw(second, 3, 1, 0, 0);
        d.end_command_buffer(second).unwrap();
    }
    rig.run(|commands| unsafe {
        let images = targets
            .each_ref()
            .map(|target| (target.image, vk::ImageAspectFlags::COLOR));
        prepare(&rig, commands, &images);
        let colours = targets.each_ref().map(cleared);
        let info = vk::RenderingInfo::default()
            .flags(vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS)
            .render_area(whole())
            .layer_count(1)
            .color_attachments(&colours);
        d.cmd_begin_rendering(commands, &info);
        locate(&local, commands, &locations);
        d.cmd_execute_commands(commands, &[second]);
        d.cmd_end_rendering(commands);
    });
    unsafe { d.destroy_pipeline(drawn, None) };
    targets[0].check(|_, _| [0; 4]);
    targets[1].check(|_, _| [255, 0, 0, 255]);
}

#[test]
fn draws_read_colour_depth_and_stencil() {
    const READS: &str = "#version 450
layout(input_attachment_index = 0, binding = 0) uniform subpassInput colour;
layout(input_attachment_index = 1, binding = 1) uniform subpassInput depth;
layout(input_attachment_index = 2, binding = 2) uniform usubpassInput stencil;
layout(location = 0) out vec4 read;
void main()
{
    float bits = float(subpassLoad(stencil).x) / 255.0;
    read = vec4(subpassLoad(colour).y, subpassLoad(depth).x, bits, 1.0);
}";
    const WRITES: &str = "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(0.0, gl_FragCoord.x < 8.0 ? 0.6 : 0.2, 0.0, 1.0); }";
    let rig = Rig::new();
    let d = &rig.device;
    let local = khr::dynamic_rendering_local_read::Device::new(&rig.instance, d);
    let [first, second] = [0; 2].map(|_| Target::new(&rig, COLOUR, 1));
    let format = vk::Format::D32_SFLOAT_S8_UINT;
    let tests = Target::new(&rig, format, 1);
    let aspect = |aspect| unsafe {
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(aspect)
            .level_count(1)
            .layer_count(1);
        let info = vk::ImageViewCreateInfo::default()
            .image(tests.image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(format)
            .subresource_range(range);
        d.create_image_view(&info, None).unwrap()
    };
    let aspects = [vk::ImageAspectFlags::DEPTH, vk::ImageAspectFlags::STENCIL].map(aspect);
    let inputs = Inputs::new(&rig, &[first.view, aspects[0], aspects[1]]);
    let face = vk::StencilOpState {
        pass_op: vk::StencilOp::REPLACE,
        compare_op: vk::CompareOp::ALWAYS,
        write_mask: 0xff,
        compare_mask: 0xff,
        reference: 51,
        ..Default::default()
    };
    let others = [(COLOUR, ALL)];
    let writes = Look {
        depth: vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(true)
            .depth_write_enable(true)
            .depth_compare_op(vk::CompareOp::LESS)
            .stencil_test_enable(true)
            .front(face)
            .back(face),
        formats: Some((COLOUR, format)),
        ..look(&others)
    };
    let reads = Look {
        formats: Some((COLOUR, format)),
        ..look(&others)
    };
    let make = |fragment, look| {
        let words = compile(VERTEX, fragment);
        pipeline(&rig, &words, look, inputs.layout, vk::RenderPass::null()).unwrap()
    };
    let drawn = [make(WRITES, &writes), make(READS, &reads)];
    rig.run(|commands| unsafe {
        let both = vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL;
        let images = [
            (first.image, vk::ImageAspectFlags::COLOR),
            (second.image, vk::ImageAspectFlags::COLOR),
            (tests.image, both),
        ];
        prepare(&rig, commands, &images);
        let colours = [cleared(&first), cleared(&second)];
        let depth = cleared(&tests).clear_value(vk::ClearValue {
            depth_stencil: vk::ClearDepthStencilValue {
                depth: 1.0,
                stencil: 0,
            },
        });
        let info = vk::RenderingInfo::default()
            .render_area(whole())
            .layer_count(1)
            .color_attachments(&colours)
            .depth_attachment(&depth)
            .stencil_attachment(&depth);
        d.cmd_begin_rendering(commands, &info);
        locate(&local, commands, &[0, vk::ATTACHMENT_UNUSED]);
        inputs.bind(commands, drawn[0]);
        d.cmd_draw(commands, 3, 1, 0, 0);
        local_barrier(&rig, commands);
        locate(&local, commands, &[vk::ATTACHMENT_UNUSED, 0]);
        let (depth, stencil) = (1, 2);
        let indices = [0, vk::ATTACHMENT_UNUSED];
        let info = vk::RenderingInputAttachmentIndexInfoKHR::default()
            .color_attachment_input_indices(&indices)
            .depth_input_attachment_index(&depth)
            .stencil_input_attachment_index(&stencil);
        local.cmd_set_rendering_input_attachment_indices(commands, &info);
        inputs.bind(commands, drawn[1]);
        d.cmd_draw(commands, 3, 1, 0, 0);
        d.cmd_end_rendering(commands);
    });
    let values = |x| if x < 8 { 0.6 } else { 0.2 };
    first.check(|x, _| stored([0.0, values(x), 0.0, 1.0]));
    second.check(|x, _| stored([values(x), 0.25, 0.2, 1.0]));
    unsafe {
        aspects
            .into_iter()
            .for_each(|view| d.destroy_image_view(view, None));
        drawn
            .into_iter()
            .for_each(|drawn| d.destroy_pipeline(drawn, None));
    }
}

#[test]
fn draws_read_each_sample() {
    // Sample n has n fifths of red.
    const WRITES: &str = "#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(float(gl_SampleID) / 5.0, 0.0, 0.0, 1.0); }";
    const READS: &str = "#version 450
layout(input_attachment_index = 0, binding = 0) uniform subpassInputMS colour;
layout(location = 1) out vec4 read;
void main() { read = vec4(subpassLoad(colour, 2).x, subpassLoad(colour, 3).x, 0.0, 1.0); }";
    let rig = Rig::new();
    let d = &rig.device;
    let four = vk::SampleCountFlags::TYPE_4;
    let [first, second] = [0; 2].map(|_| Target::sampled(&rig, COLOUR, 1, four));
    let resolved = Target::new(&rig, COLOUR, 1);
    let inputs = Inputs::new(&rig, &[first.view]);
    let others = [(COLOUR, ALL)];
    let look = Look {
        samples: four,
        ..look(&others)
    };
    let make = |fragment| {
        let words = compile(VERTEX, fragment);
        pipeline(&rig, &words, &look, inputs.layout, vk::RenderPass::null()).unwrap()
    };
    let drawn = [make(WRITES), make(READS)];
    rig.run(|commands| unsafe {
        let colour = vk::ImageAspectFlags::COLOR;
        let images = [&first, &second, &resolved].map(|target| (target.image, colour));
        prepare(&rig, commands, &images);
        let colours = [
            cleared(&first),
            cleared(&second)
                .resolve_mode(vk::ResolveModeFlags::AVERAGE)
                .resolve_image_view(resolved.view)
                .resolve_image_layout(LOCAL),
        ];
        let info = vk::RenderingInfo::default()
            .render_area(whole())
            .layer_count(1)
            .color_attachments(&colours);
        d.cmd_begin_rendering(commands, &info);
        inputs.bind(commands, drawn[0]);
        d.cmd_draw(commands, 3, 1, 0, 0);
        local_barrier(&rig, commands);
        inputs.bind(commands, drawn[1]);
        d.cmd_set_viewport(commands, 0, &[viewport()]);
        d.cmd_draw(commands, 3, 1, 0, 0);
        d.cmd_end_rendering(commands);
    });
    resolved.check(|_, _| stored([0.4, 0.6, 0.0, 1.0]));
    for drawn in drawn {
        unsafe { d.destroy_pipeline(drawn, None) };
    }
}
