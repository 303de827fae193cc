//! Samplers that change under one pipeline: sets with other samplers, bound one after another.

use ash::vk;

use crate::canvas::{Canvas, Look, VERTEX, compile, pipeline, rectangle, vertices};
use crate::images::Image;
use crate::rig::{self, Rig};
use crate::textures::{COLOUR, fill, image_info, nearest, view};

const KIND: vk::DescriptorType = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
/// Combined image samplers of a set.
const COUNT: u32 = 2;

/// Sets of one layout, each with samplers of its own: outside of the image they see other colours.
struct Sets<'a> {
    rig: &'a Rig,
    _image: Image<'a>,
    view: vk::ImageView,
    samplers: Vec<vk::Sampler>,
    pool: vk::DescriptorPool,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    sets: Vec<vk::DescriptorSet>,
}

impl<'a> Sets<'a> {
    /// A set for each pair of border colours; with `first` a storage buffer stands before them.
    fn new(
        rig: &'a Rig,
        pairs: &[[vk::BorderColor; 2]],
        first: Option<vk::Buffer>,
        stages: vk::ShaderStageFlags,
    ) -> Self {
        let d = &rig.device;
        let format = vk::Format::R8G8B8A8_UNORM;
        let info = image_info(format, [4, 4, 1], 1, 1);
        let image = Image::new(rig, &info);
        fill(rig, &image, &info, &[0x80; 64]);
        let view = view(rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
        let mut bindings: Vec<_> = (1..=COUNT)
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(KIND)
                    .descriptor_count(1)
                    .stage_flags(stages)
            })
            .collect();
        if first.is_some() {
            bindings.push(
                vk::DescriptorSetLayoutBinding::default()
                    .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                    .descriptor_count(1)
                    .stage_flags(stages),
            );
        }
        let sizes = [KIND, vk::DescriptorType::STORAGE_BUFFER].map(|kind| {
            vk::DescriptorPoolSize::default()
                .ty(kind)
                .descriptor_count(COUNT * pairs.len() as u32)
        });
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layout = d.create_descriptor_set_layout(&info, None).unwrap();
            let layouts = vec![set_layout; pairs.len()];
            let push = [vk::PushConstantRange::default()
                .stage_flags(vk::ShaderStageFlags::ALL_GRAPHICS | stages)
                .size(64)];
            let info = vk::PipelineLayoutCreateInfo::default()
                .set_layouts(&layouts[..1])
                .push_constant_ranges(&push);
            let layout = d.create_pipeline_layout(&info, None).unwrap();
            let info = vk::DescriptorPoolCreateInfo::default()
                .max_sets(pairs.len() as u32)
                .pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&info, None).unwrap();
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&layouts);
            let sets = d.allocate_descriptor_sets(&info).unwrap();
            let mut samplers = Vec::new();
            for (&set, pair) in sets.iter().zip(pairs) {
                if let Some(buffer) = first {
                    let buffers = [vk::DescriptorBufferInfo::default()
                        .buffer(buffer)
                        .range(vk::WHOLE_SIZE)];
                    let write = vk::WriteDescriptorSet::default()
                        .dst_set(set)
                        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                        .buffer_info(&buffers);
                    d.update_descriptor_sets(&[write], &[]);
                }
                for (binding, &colour) in (1..).zip(pair) {
                    let border = vk::SamplerAddressMode::CLAMP_TO_BORDER;
                    let info = nearest()
                        .address_mode_u(border)
                        .address_mode_v(border)
                        .border_color(colour);
                    let sampler = d.create_sampler(&info, None).unwrap();
                    samplers.push(sampler);
                    let images = [vk::DescriptorImageInfo {
                        sampler,
                        image_view: view,
                        image_layout: vk::ImageLayout::GENERAL,
                    }];
                    let write = vk::WriteDescriptorSet::default()
                        .dst_set(set)
                        .dst_binding(binding)
                        .descriptor_type(KIND)
                        .image_info(&images);
                    d.update_descriptor_sets(&[write], &[]);
                }
            }
            Self {
                rig,
                _image: image,
                view,
                samplers,
                pool,
                set_layout,
                layout,
                sets,
            }
        }
    }
}

impl Drop for Sets<'_> {
    fn drop(&mut self) {
        let d = &self.rig.device;
        unsafe {
            let _ = d.device_wait_idle();
            d.destroy_descriptor_pool(self.pool, None);
            for &sampler in &self.samplers {
                d.destroy_sampler(sampler, None);
            }
            d.destroy_image_view(self.view, None);
            d.destroy_pipeline_layout(self.layout, None);
            d.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

const WHITE: vk::BorderColor = vk::BorderColor::FLOAT_OPAQUE_WHITE;
const BLACK: vk::BorderColor = vk::BorderColor::FLOAT_OPAQUE_BLACK;
const CLEAR: vk::BorderColor = vk::BorderColor::FLOAT_TRANSPARENT_BLACK;
const PAIRS: &[[vk::BorderColor; 2]] = &[[WHITE, BLACK], [BLACK, CLEAR], [CLEAR, WHITE]];

/// Red and alpha of a border colour.
fn seen(colour: vk::BorderColor) -> [u8; 2] {
    match colour {
        WHITE => [255, 255],
        BLACK => [0, 255],
        _ => [0, 0],
    }
}

#[test]
fn draws_use_the_samplers_of_the_bound_set() {
    let rig = Rig::new();
    let d = &rig.device;
    let canvas = Canvas::new(&rig, None);
    let sets = Sets::new(&rig, PAIRS, None, vk::ShaderStageFlags::FRAGMENT);
    let words = compile(
        VERTEX,
        "#version 450
layout(binding = 1) uniform sampler2D first;
layout(binding = 2) uniform sampler2D second;
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 colour;
void main()
{
    vec4 a = texture(first, vec2(2.0)), b = texture(second, vec2(-1.0));
    colour = vec4(a.x, a.w, b.x, b.w) + texture(first, vec2(0.5)) * shade.y;
}",
    );
    let look = Look::default();
    let made = pipeline(&rig, &words, &look, sets.layout, canvas.pass).unwrap();
    // Four columns; the first set comes back at the end.
    let order = [0, 1, 2, 0];
    let shapes: Vec<_> = (0..4)
        .flat_map(|column| {
            let left = column as f32 * 0.5 - 1.0;
            rectangle([left, -1.0], [left + 0.5, 1.0], [1.0, 0.0, 0.0, 1.0])
        })
        .collect();
    let corners = vertices(&rig, &shapes);
    canvas.run(|commands| unsafe {
        let point = vk::PipelineBindPoint::GRAPHICS;
        canvas.bind(commands, made, &corners);
        for (column, set) in (0..).zip(order) {
            d.cmd_bind_descriptor_sets(commands, point, sets.layout, 0, &[sets.sets[set]], &[]);
            d.cmd_draw(commands, 6, 1, column * 6, 0);
        }
    });
    canvas.colour.check(|x, _| {
        let [first, second] = PAIRS[order[x as usize / 4]].map(seen);
        [first[0], first[1], second[0], second[1]]
    });
    unsafe { d.destroy_pipeline(made, None) };
}

#[test]
fn dispatches_use_the_samplers_of_the_bound_set() {
    let rig = Rig::new();
    let d = &rig.device;
    let out = rig.buffer(64);
    let compute = vk::ShaderStageFlags::COMPUTE;
    let sets = Sets::new(&rig, PAIRS, Some(out.buffer), compute);
    let words = rig::compile(
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(binding = 1) uniform sampler2D first;
layout(binding = 2) uniform sampler2D second;
layout(push_constant) uniform Push { uint at; };
void main()
{
    vec4 a = textureLod(first, vec2(2.0), 0.0), b = textureLod(second, vec2(-1.0), 0.0);
    r[at] = packUnorm4x8(vec4(a.x, a.w, b.x, b.w));
}",
    );
    let order = [2, 0, 1, 1, 2];
    unsafe {
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let module = d.create_shader_module(&info, None).unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(compute)
            .module(module)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(sets.layout)];
        let made = d
            .create_compute_pipelines(vk::PipelineCache::null(), &info, None)
            .unwrap()[0];
        rig.run(|commands| {
            let point = vk::PipelineBindPoint::COMPUTE;
            d.cmd_bind_pipeline(commands, point, made);
            for (at, set) in (0u32..).zip(order) {
                let set = [sets.sets[set]];
                d.cmd_bind_descriptor_sets(commands, point, sets.layout, 0, &set, &[]);
                let stages = vk::ShaderStageFlags::ALL_GRAPHICS | compute;
                d.cmd_push_constants(commands, sets.layout, stages, 0, &at.to_le_bytes());
                d.cmd_dispatch(commands, 1, 1, 1);
            }
        });
        d.destroy_pipeline(made, None);
        d.destroy_shader_module(module, None);
    }
    let wanted = order.map(|set| {
        let [first, second] = PAIRS[set].map(seen);
        u32::from_le_bytes([first[0], first[1], second[0], second[1]])
    });
    assert_eq!(out.dwords()[..order.len()], wanted);
}
