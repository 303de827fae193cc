//! Shaders that are bound one by one (VK_EXT_shader_object).

use std::cell::RefCell;

use ash::{ext, vk};

use crate::canvas::{
    FRAGMENT, GREEN, Look, RED, SIZE, Target, VERTEX, compile, pipeline, rectangle, stored,
    vertices, viewport, whole,
};
use crate::library_maker::all_stages;
use crate::rig::{self, Buffer, Rig};

use vk::ShaderStageFlags as Stage;

const COLOUR: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// Shader objects and what they are drawn with.
struct Objects<'a> {
    rig: &'a Rig,
    commands: ext::shader_object::Device,
    set_layouts: Vec<vk::DescriptorSetLayout>,
    made: RefCell<Vec<vk::ShaderEXT>>,
}

/// The code of a shader.
#[derive(Clone, Copy)]
enum Code<'a> {
    Spirv(&'a [u32]),
    Binary(&'a [u8]),
}

impl<'a> Objects<'a> {
    fn new(rig: &'a Rig) -> Self {
        Self {
            rig,
            commands: ext::shader_object::Device::new(&rig.instance, &rig.device),
            set_layouts: Vec::new(),
            made: RefCell::default(),
        }
    }

    /// Creates shaders; null ones where this fails.
    fn create(
        &self,
        codes: &[(Stage, Code<'_>)],
        flags: vk::ShaderCreateFlagsEXT,
    ) -> (Vec<vk::ShaderEXT>, vk::Result) {
        let push = [vk::PushConstantRange::default()
            .stage_flags(Stage::ALL_GRAPHICS)
            .size(64)];
        let all: Stage = codes.iter().fold(Stage::empty(), |all, code| all | code.0);
        let infos: Vec<_> = codes
            .iter()
            .map(|(stage, code)| {
                let next = match *stage {
                    Stage::VERTEX => all & !Stage::VERTEX,
                    Stage::FRAGMENT | Stage::COMPUTE => Stage::empty(),
                    _ => Stage::FRAGMENT,
                };
                let mut info = vk::ShaderCreateInfoEXT::default()
                    .flags(flags)
                    .stage(*stage)
                    .next_stage(next)
                    .name(c"main")
                    .set_layouts(&self.set_layouts);
                if *stage != Stage::COMPUTE {
                    info = info.push_constant_ranges(&push);
                }
                match *code {
                    Code::Spirv(words) => {
                        info.code_type = vk::ShaderCodeTypeEXT::SPIRV;
                        info.code_size = words.len() * 4;
                        info.p_code = words.as_ptr().cast();
                    }
                    Code::Binary(bytes) => {
                        info.code_type = vk::ShaderCodeTypeEXT::BINARY;
                        info.code_size = bytes.len();
                        info.p_code = bytes.as_ptr().cast();
                    }
                }
                info
            })
            .collect();
        let mut shaders = vec![vk::ShaderEXT::null(); infos.len()];
        let create = self.commands.fp().create_shaders_ext;
        let (device, count) = (self.rig.device.handle(), infos.len() as u32);
        let out = shaders.as_mut_ptr();
        let result = unsafe { create(device, count, infos.as_ptr(), std::ptr::null(), out) };
        let valid = shaders
            .iter()
            .filter(|&&shader| shader != vk::ShaderEXT::null());
        self.made.borrow_mut().extend(valid);
        (shaders, result)
    }

    /// Creates shaders from SPIR-V.
    fn shaders(
        &self,
        from: &[(Stage, Vec<u32>)],
        flags: vk::ShaderCreateFlagsEXT,
    ) -> Vec<vk::ShaderEXT> {
        let codes = from
            .iter()
            .map(|(stage, words)| (*stage, Code::Spirv(words)));
        let (shaders, result) = self.create(&codes.collect::<Vec<_>>(), flags);
        assert_eq!(result, vk::Result::SUCCESS);
        shaders
    }

    fn binary(&self, shader: vk::ShaderEXT) -> Vec<u8> {
        unsafe { self.commands.get_shader_binary_data(shader) }.unwrap()
    }

    fn bind(&self, commands: vk::CommandBuffer, shaders: &[(Stage, vk::ShaderEXT)]) {
        let (stages, shaders): (Vec<_>, Vec<_>) = shaders.iter().copied().unzip();
        unsafe { self.commands.cmd_bind_shaders(commands, &stages, &shaders) };
    }

    /// Sets all state that draws to one colour attachment use, with commands that belong to this
    /// extension too.
    fn set_state(&self, commands: vk::CommandBuffer, topology: vk::PrimitiveTopology) {
        let (d, rig) = (&self.rig.device, self.rig);
        let states2 = ext::extended_dynamic_state2::Device::new(&rig.instance, d);
        let inputs = ext::vertex_input_dynamic_state::Device::new(&rig.instance, d);
        set_plain_state(rig, commands, topology);
        unsafe {
            states2.cmd_set_patch_control_points(commands, 3);
            let bindings = [vk::VertexInputBindingDescription2EXT::default()
                .stride(24)
                .divisor(1)];
            let attribute = |location, format, offset| {
                vk::VertexInputAttributeDescription2EXT::default()
                    .location(location)
                    .format(format)
                    .offset(offset)
            };
            let attributes = [
                attribute(0, vk::Format::R32G32_SFLOAT, 0),
                attribute(1, vk::Format::R32G32B32A32_SFLOAT, 8),
            ];
            inputs.cmd_set_vertex_input(commands, &bindings, &attributes);
        }
    }

    /// Renders to a target, cleared to zeros.
    fn render(&self, target: &Target<'_>, body: impl FnOnce(vk::CommandBuffer)) {
        let d = &self.rig.device;
        self.rig.run(|commands| unsafe {
            let colours = [vk::RenderingAttachmentInfo::default()
                .image_view(target.view)
                .image_layout(vk::ImageLayout::GENERAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)];
            let info = vk::RenderingInfo::default()
                .render_area(whole())
                .layer_count(1)
                .color_attachments(&colours);
            d.cmd_begin_rendering(commands, &info);
            body(commands);
            d.cmd_end_rendering(commands);
        });
    }

    /// Draws vertices without push constants.
    fn draw(&self, commands: vk::CommandBuffer, buffer: &Buffer<'_>, first: u32, count: u32) {
        let d = &self.rig.device;
        unsafe {
            d.cmd_bind_vertex_buffers(commands, 0, &[buffer.buffer], &[0]);
            d.cmd_draw(commands, count, 1, first, 0);
        }
    }
}

impl Drop for Objects<'_> {
    fn drop(&mut self) {
        for &shader in self.made.borrow().iter() {
            unsafe { self.commands.destroy_shader(shader, None) };
        }
        for &layout in &self.set_layouts {
            unsafe { self.rig.device.destroy_descriptor_set_layout(layout, None) };
        }
    }
}

fn unlinked() -> vk::ShaderCreateFlagsEXT {
    vk::ShaderCreateFlagsEXT::empty()
}

fn pair(vertex: &str, fragment: &str) -> Vec<(Stage, Vec<u32>)> {
    let stages = [Stage::VERTEX, Stage::FRAGMENT];
    stages.into_iter().zip(compile(vertex, fragment)).collect()
}

/// Writes the colour with its channels in another order.
const SWAPPED: &str = "#version 450
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 colour;
void main() { colour = shade.grba; }";

/// As [`VERTEX`], upside down, without push constants.
const FLIPPED: &str = "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 shade;
layout(location = 1) out vec4 unread;
void main()
{
    gl_Position = vec4(position.x, -position.y, 0.0, 1.0);
    shade = colour;
    unread = colour * 2.0;
}";

/// Sets the state of draws to one colour attachment without tests and blending, except for the
/// vertex input.
pub fn set_plain_state(rig: &Rig, commands: vk::CommandBuffer, topology: vk::PrimitiveTopology) {
    let d = &rig.device;
    let states3 = ext::extended_dynamic_state3::Device::new(&rig.instance, d);
    unsafe {
        d.cmd_set_viewport_with_count(commands, &[viewport()]);
        d.cmd_set_scissor_with_count(commands, &[whole()]);
        d.cmd_set_rasterizer_discard_enable(commands, false);
        d.cmd_set_cull_mode(commands, vk::CullModeFlags::NONE);
        d.cmd_set_front_face(commands, vk::FrontFace::CLOCKWISE);
        d.cmd_set_depth_test_enable(commands, false);
        d.cmd_set_depth_write_enable(commands, false);
        d.cmd_set_depth_bias_enable(commands, false);
        d.cmd_set_stencil_test_enable(commands, false);
        d.cmd_set_primitive_topology(commands, topology);
        d.cmd_set_primitive_restart_enable(commands, false);
        states3.cmd_set_polygon_mode(commands, vk::PolygonMode::FILL);
        states3.cmd_set_rasterization_samples(commands, vk::SampleCountFlags::TYPE_1);
        states3.cmd_set_sample_mask(commands, vk::SampleCountFlags::TYPE_1, &[1]);
        states3.cmd_set_alpha_to_coverage_enable(commands, false);
        states3.cmd_set_alpha_to_one_enable(commands, false);
        states3.cmd_set_depth_clamp_enable(commands, false);
        states3.cmd_set_logic_op_enable(commands, false);
        states3.cmd_set_color_blend_enable(commands, 0, &[0]);
        states3.cmd_set_color_write_mask(commands, 0, &[vk::ColorComponentFlags::RGBA]);
    }
}

#[test]
fn one_stage_is_bound_anew_between_draws() {
    let rig = Rig::new();
    let objects = Objects::new(&rig);
    let target = Target::new(&rig, COLOUR, 1);
    let first = objects.shaders(&pair(FLIPPED, FRAGMENT), unlinked());
    let second = objects.shaders(&pair(VERTEX, SWAPPED), unlinked());
    let mut all = rectangle([-1.0, -1.0], [0.0, 0.0], RED);
    all.extend(rectangle([0.0, -1.0], [1.0, 0.0], RED));
    let buffer = vertices(&rig, &all);
    // Twice: the second time, the programs are found.
    for _ in 0..2 {
        objects.render(&target, |commands| {
            objects.set_state(commands, vk::PrimitiveTopology::TRIANGLE_LIST);
            let both = [(Stage::VERTEX, first[0]), (Stage::FRAGMENT, first[1])];
            objects.bind(commands, &both);
            objects.draw(commands, &buffer, 0, 6);
            objects.bind(commands, &[(Stage::FRAGMENT, second[1])]);
            objects.draw(commands, &buffer, 6, 6);
        });
        // The lower half: red at the left, and its channels swapped at the right.
        target.check(|x, y| match (y >= SIZE / 2, x < SIZE / 2) {
            (false, _) => [0; 4],
            (true, true) => stored(RED),
            (true, false) => stored(GREEN),
        });
    }
}

#[test]
fn linked_shaders_draw_what_unlinked_ones_draw() {
    let rig = Rig::new();
    let objects = Objects::new(&rig);
    let target = Target::new(&rig, COLOUR, 1);
    let buffer = vertices(&rig, &rectangle([-1.0, -1.0], [1.0, 0.0], RED));
    let linked = vk::ShaderCreateFlagsEXT::LINK_STAGE;
    for flags in [unlinked(), linked] {
        let shaders = objects.shaders(&pair(FLIPPED, SWAPPED), flags);
        objects.render(&target, |commands| {
            objects.set_state(commands, vk::PrimitiveTopology::TRIANGLE_LIST);
            // Linked shaders may be bound by several commands, in any order.
            objects.bind(commands, &[(Stage::FRAGMENT, shaders[1])]);
            objects.bind(commands, &[(Stage::VERTEX, shaders[0])]);
            objects.draw(commands, &buffer, 0, 6);
        });
        let lower = |_, y| if y >= SIZE / 2 { stored(GREEN) } else { [0; 4] };
        target.check(lower);
    }
}

/// Stages whose code depends on those before them, from SPIR-V and from binaries.
#[test]
fn all_stages_are_bound() {
    let rig = Rig::new();
    let objects = Objects::new(&rig);
    let target = Target::new(&rig, COLOUR, 1);
    let from = all_stages();
    let buffer = rig.buffer(64);
    let linked = vk::ShaderCreateFlagsEXT::LINK_STAGE;
    for flags in [unlinked(), linked] {
        let shaders = objects.shaders(&from, flags);
        let binaries: Vec<_> = shaders.iter().map(|&s| objects.binary(s)).collect();
        let stages = from.iter().map(|shader| shader.0);
        let codes = stages
            .zip(&binaries)
            .map(|(stage, bytes)| (stage, Code::Binary(bytes)));
        let (copies, result) = objects.create(&codes.collect::<Vec<_>>(), flags);
        assert_eq!(result, vk::Result::SUCCESS);
        for shaders in [shaders, copies] {
            objects.render(&target, |commands| {
                objects.set_state(commands, vk::PrimitiveTopology::PATCH_LIST);
                let stages = from.iter().map(|shader| shader.0);
                objects.bind(commands, &stages.zip(shaders).collect::<Vec<_>>());
                objects.draw(commands, &buffer, 0, 3);
            });
            // As in the test of pipeline libraries.
            target.check(|_, _| [6, 3, 9, 255]);
        }
    }
}

#[test]
fn damaged_binaries_are_incompatible() {
    let rig = Rig::new();
    let objects = Objects::new(&rig);
    let from = pair(VERTEX, FRAGMENT);
    let shaders = objects.shaders(&from, unlinked());
    let whole = objects.binary(shaders[0]);
    let mut properties = vk::PhysicalDeviceShaderObjectPropertiesEXT::default();
    let mut query = vk::PhysicalDeviceProperties2::default().push_next(&mut properties);
    unsafe {
        rig.instance
            .get_physical_device_properties2(rig.physical, &mut query)
    };
    assert_eq!(properties.shader_binary_version, 2);
    assert_ne!(properties.shader_binary_uuid, [0; 16]);
    // The same code again has the same binary.
    let again = objects.create(&[(Stage::VERTEX, Code::Binary(&whole))], unlinked());
    assert_eq!(again.1, vk::Result::SUCCESS);
    assert_eq!(objects.binary(again.0[0]), whole);
    let incompatible = |stage, bytes: &[u8]| {
        let code = [
            (stage, Code::Binary(bytes)),
            (Stage::FRAGMENT, Code::Spirv(&from[1].1)),
        ];
        let (made, result) = objects.create(&code, unlinked());
        assert_eq!(result, vk::Result::INCOMPATIBLE_SHADER_BINARY_EXT);
        // The others are created all the same.
        assert_eq!(made[0], vk::ShaderEXT::null());
        assert_ne!(made[1], vk::ShaderEXT::null());
    };
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        incompatible(Stage::VERTEX, &bytes);
        incompatible(Stage::VERTEX, &whole[..at]);
    }
    // Of other parameters.
    incompatible(Stage::FRAGMENT, &whole);
    let (mut size, none) = (0, std::ptr::null_mut());
    let get = objects.commands.fp().get_shader_binary_data_ext;
    let device = rig.device.handle();
    let result = unsafe { get(device, shaders[0], &mut size, none) };
    assert_eq!((size, result), (whole.len(), vk::Result::SUCCESS));
    let mut room = vec![7u8; whole.len()];
    size -= 1;
    let result = unsafe { get(device, shaders[0], &mut size, room.as_mut_ptr().cast()) };
    assert_eq!(result, vk::Result::INCOMPLETE);
    assert!(room.iter().all(|&byte| byte == 7));
    // The first null shader's error is returned.
    let (bad, damaged) = (Code::Spirv(&[1]), Code::Binary(&whole[1..]));
    let orders = [[bad, damaged], [damaged, bad]];
    let results = orders.map(|[first, second]| {
        let codes = [(Stage::VERTEX, first), (Stage::FRAGMENT, second)];
        objects.create(&codes, unlinked()).1
    });
    let incompatible_binary = vk::Result::INCOMPATIBLE_SHADER_BINARY_EXT;
    assert_eq!(
        results,
        [vk::Result::ERROR_INVALID_SHADER_NV, incompatible_binary]
    );
    // SPIR-V of another stage, or none at all.
    let wrong = [
        (Stage::FRAGMENT, Code::Spirv(&from[0].1)),
        (Stage::VERTEX, Code::Spirv(&[1])),
    ];
    let (made, result) = objects.create(&wrong, unlinked());
    assert_eq!(made, [vk::ShaderEXT::null(); 2]);
    assert!(result.as_raw() < 0);
}

#[test]
fn compute_shaders_are_bound() {
    let rig = Rig::new();
    let d = &rig.device;
    let mut objects = Objects::new(&rig);
    let words = rig::compile(
        "#version 450
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint stored[]; };
void main() { stored[gl_WorkGroupID.x] = 5 + gl_WorkGroupID.x; }",
    );
    let bindings = [vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
        .descriptor_count(1)
        .stage_flags(Stage::COMPUTE)];
    let info = vk::DescriptorSetLayoutCreateInfo::default()
        .bindings(&bindings)
        .flags(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR);
    let set_layout = unsafe { d.create_descriptor_set_layout(&info, None) }.unwrap();
    objects.set_layouts = vec![set_layout];
    let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&objects.set_layouts);
    let layout = unsafe { d.create_pipeline_layout(&info, None) }.unwrap();
    let push = ash::khr::push_descriptor::Device::new(&rig.instance, d);
    let shader = objects.shaders(&[(Stage::COMPUTE, words)], unlinked())[0];
    let bytes = objects.binary(shader);
    let (copy, result) = objects.create(&[(Stage::COMPUTE, Code::Binary(&bytes))], unlinked());
    assert_eq!(result, vk::Result::SUCCESS);
    for shader in [shader, copy[0]] {
        let out = rig.buffer(16);
        rig.run(|commands| unsafe {
            objects.bind(commands, &[(Stage::COMPUTE, shader)]);
            let buffer = [vk::DescriptorBufferInfo::default()
                .buffer(out.buffer)
                .range(vk::WHOLE_SIZE)];
            let writes = [vk::WriteDescriptorSet::default()
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .buffer_info(&buffer)];
            let point = vk::PipelineBindPoint::COMPUTE;
            push.cmd_push_descriptor_set(commands, point, layout, 0, &writes);
            d.cmd_dispatch(commands, 3, 1, 1);
        });
        assert_eq!(out.dwords(), [5, 6, 7, 0]);
    }
    unsafe { d.destroy_pipeline_layout(layout, None) };
}

#[test]
fn draws_without_a_vertex_shader_and_wrong_stages_fail() {
    let rig = Rig::new();
    let objects = Objects::new(&rig);
    let shaders = objects.shaders(&pair(FLIPPED, FRAGMENT), unlinked());
    let target = Target::new(&rig, COLOUR, 1);
    let recorded = |body: &dyn Fn(vk::CommandBuffer)| {
        let commands = rig.command_buffer(vk::CommandBufferLevel::PRIMARY);
        rig.record_into(commands, |commands| unsafe {
            let colours = [vk::RenderingAttachmentInfo::default()
                .image_view(target.view)
                .image_layout(vk::ImageLayout::GENERAL)];
            let info = vk::RenderingInfo::default()
                .render_area(whole())
                .layer_count(1)
                .color_attachments(&colours);
            rig.device.cmd_begin_rendering(commands, &info);
            objects.set_state(commands, vk::PrimitiveTopology::TRIANGLE_LIST);
            body(commands);
            rig.device.cmd_draw(commands, 3, 1, 0, 0);
            rig.device.cmd_end_rendering(commands);
        })
    };
    let (vertex, fragment) = ((Stage::VERTEX, shaders[0]), (Stage::FRAGMENT, shaders[1]));
    let none = vk::ShaderEXT::null();
    assert!(recorded(&|commands| objects.bind(commands, &[vertex, fragment])).is_ok());
    // Stages that the device does not have may be unbound.
    let mesh = (Stage::MESH_EXT, none);
    assert!(recorded(&|commands| objects.bind(commands, &[mesh, vertex])).is_ok());
    assert!(recorded(&|commands| objects.bind(commands, &[fragment])).is_err());
    let unbound = (Stage::VERTEX, none);
    assert!(recorded(&|c| objects.bind(c, &[vertex, fragment, unbound])).is_err());
    let wrong = (Stage::FRAGMENT, shaders[0]);
    assert!(recorded(&|commands| objects.bind(commands, &[vertex, wrong])).is_err());
    let wrong = (Stage::COMPUTE, shaders[0]);
    assert!(recorded(&|commands| objects.bind(commands, &[vertex, wrong])).is_err());
}

/// A bound pipeline unbinds all shader objects, and they unbind it.
#[test]
fn pipelines_and_shader_objects_replace_each_other() {
    let rig = Rig::new();
    let d = &rig.device;
    let objects = Objects::new(&rig);
    let target = Target::new(&rig, COLOUR, 1);
    let shaders = objects.shaders(&pair(FLIPPED, SWAPPED), unlinked());
    let push = [vk::PushConstantRange::default()
        .stage_flags(Stage::ALL_GRAPHICS)
        .size(64)];
    let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&push);
    let layout = unsafe { d.create_pipeline_layout(&info, None) }.unwrap();
    let look = Look {
        formats: Some((COLOUR, vk::Format::UNDEFINED)),
        ..Look::default()
    };
    let words = compile(FLIPPED, FRAGMENT);
    let pass = vk::RenderPass::null();
    let made = pipeline(&rig, &words, &look, layout, pass).unwrap();
    let mut all = rectangle([-1.0, -1.0], [0.0, 0.0], RED);
    all.extend(rectangle([0.0, -1.0], [1.0, 0.0], RED));
    all.extend(rectangle([-1.0, 0.0], [0.0, 1.0], RED));
    let buffer = vertices(&rig, &all);
    objects.render(&target, |commands| {
        let both = [(Stage::VERTEX, shaders[0]), (Stage::FRAGMENT, shaders[1])];
        objects.set_state(commands, vk::PrimitiveTopology::TRIANGLE_LIST);
        objects.bind(commands, &both);
        objects.draw(commands, &buffer, 0, 6);
        objects.bind(commands, &both);
        unsafe { d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, made) };
        objects.draw(commands, &buffer, 6, 6);
        objects.set_state(commands, vk::PrimitiveTopology::TRIANGLE_LIST);
        objects.bind(commands, &both);
        objects.draw(commands, &buffer, 12, 6);
    });
    target.check(|x, y| match (x < SIZE / 2, y < SIZE / 2) {
        (true, false) => stored(GREEN),
        (false, false) => stored(RED),
        (true, true) => stored(GREEN),
        (false, true) => [0; 4],
    });
    unsafe {
        d.destroy_pipeline(made, None);
        d.destroy_pipeline_layout(layout, None);
    }
}

const VIEWS: &str = "#version 450
#extension GL_EXT_multiview : require
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(shade.r, float(gl_ViewIndex), 0.0, 1.0); }";

/// The view mask belongs to the rendering: shaders are linked for each.
#[test]
fn renderings_have_the_views() {
    let rig = Rig::new();
    let d = &rig.device;
    let objects = Objects::new(&rig);
    let target = Target::new(&rig, COLOUR, 2);
    let shaders = objects.shaders(&pair(FLIPPED, VIEWS), unlinked());
    let buffer = vertices(&rig, &rectangle([-1.0, -1.0], [1.0, 1.0], RED));
    let part = |layer| vk::ImageSubresource {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        mip_level: 0,
        array_layer: layer,
    };
    let layouts =
        [0, 1].map(|layer| unsafe { d.get_image_subresource_layout(target.image, part(layer)) });
    let pixels = |commands: vk::CommandBuffer, mask: u32| unsafe {
        let colours = [vk::RenderingAttachmentInfo::default()
            .image_view(target.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let info = vk::RenderingInfo::default()
            .render_area(whole())
            .layer_count(2)
            .view_mask(mask)
            .color_attachments(&colours);
        d.cmd_begin_rendering(commands, &info);
        objects.draw(commands, &buffer, 0, 6);
        d.cmd_end_rendering(commands);
    };
    // Bound once: the second rendering has other views.
    for (masks, expected) in [
        ([3, 0], [[255, 0, 0, 255], [0; 4]]),
        ([0, 3], [[255, 0, 0, 255], [255, 255, 0, 255]]),
    ] {
        rig.run(|commands| {
            objects.set_state(commands, vk::PrimitiveTopology::TRIANGLE_LIST);
            let both = [(Stage::VERTEX, shaders[0]), (Stage::FRAGMENT, shaders[1])];
            objects.bind(commands, &both);
            for mask in masks {
                pixels(commands, mask);
                rig.barrier(commands);
            }
        });
        let bytes = target.linear.unwrap().0;
        let second = (layouts[1].offset - layouts[0].offset) as usize;
        assert_eq!(target.pixel(5, 5), expected[0]);
        assert_eq!(bytes[second..second + 4], expected[1]);
    }
}
