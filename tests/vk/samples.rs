//! Numbers of samples: of a pass without attachments, which each pipeline sets
//! (variableMultisampleRate), and resolves.

use ash::vk;

use crate::canvas::{Look, SIZE, Target, compile, pipeline, whole};
use crate::rig::Rig;

const COVERING: &str = "#version 450
layout(location = 0) flat out uint number;
void main()
{
    number = uint(gl_InstanceIndex);
    gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4.0 - 1.0, 0.0, 1.0);
}";

/// Counts the invocations of each draw, and nothing else.
const COUNTING: &str = "#version 450
layout(location = 0) flat in uint number;
layout(binding = 0) buffer Counts { uint counts[]; };
void main() { atomicAdd(counts[number], 1); }";

#[test]
fn pipelines_of_one_pass_have_different_sample_counts() {
    let rig = Rig::new();
    let d = &rig.device;
    let features = unsafe { rig.instance.get_physical_device_features(rig.physical) };
    assert_eq!(features.variable_multisample_rate, vk::TRUE);
    let counts = rig.buffer(128);
    let rates = [1, 4, 16, 2, 8, 1];
    unsafe {
        let nothing = [vk::AttachmentReference {
            attachment: vk::ATTACHMENT_UNUSED,
            layout: vk::ImageLayout::UNDEFINED,
        }];
        let subpasses = [vk::SubpassDescription::default().color_attachments(&nothing)];
        let info = vk::RenderPassCreateInfo::default().subpasses(&subpasses);
        let pass = d.create_render_pass(&info, None).unwrap();
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .width(SIZE)
            .height(SIZE)
            .layers(1);
        let framebuffer = d.create_framebuffer(&info, None).unwrap();
        let kind = vk::DescriptorType::STORAGE_BUFFER;
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(kind)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let set_layout = d.create_descriptor_set_layout(&info, None).unwrap();
        let layouts = [set_layout];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        let layout = d.create_pipeline_layout(&info, None).unwrap();
        let sizes = [vk::DescriptorPoolSize::default()
            .ty(kind)
            .descriptor_count(1)];
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(1)
            .pool_sizes(&sizes);
        let pool = d.create_descriptor_pool(&info, None).unwrap();
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool)
            .set_layouts(&layouts);
        let sets = d.allocate_descriptor_sets(&info).unwrap();
        let buffers = [vk::DescriptorBufferInfo::default()
            .buffer(counts.buffer)
            .range(vk::WHOLE_SIZE)];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(sets[0])
            .descriptor_type(kind)
            .buffer_info(&buffers);
        d.update_descriptor_sets(&[write], &[]);
        let words = compile(COVERING, COUNTING);
        let pipelines = rates.map(|rate| {
            let look = Look {
                bindings: &[],
                attributes: &[],
                samples: vk::SampleCountFlags::from_raw(rate),
                ..Look::default()
            };
            pipeline(&rig, &words, &look, layout, pass).unwrap()
        });
        let info = vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::OCCLUSION)
            .query_count(rates.len() as u32);
        let queries = d.create_query_pool(&info, None).unwrap();
        rig.run(|commands| {
            let point = vk::PipelineBindPoint::GRAPHICS;
            d.cmd_reset_query_pool(commands, queries, 0, rates.len() as u32);
            let info = vk::RenderPassBeginInfo::default()
                .render_pass(pass)
                .framebuffer(framebuffer)
                .render_area(whole());
            d.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE);
            d.cmd_bind_descriptor_sets(commands, point, layout, 0, &sets, &[]);
            for (query, pipeline) in (0..).zip(pipelines) {
                d.cmd_bind_pipeline(commands, point, pipeline);
                d.cmd_begin_query(commands, queries, query, vk::QueryControlFlags::PRECISE);
                d.cmd_draw(commands, 3, 1, 0, query);
                d.cmd_end_query(commands, queries, query);
            }
            d.cmd_end_render_pass(commands);
        });
        let mut passed = [0u32; 6];
        d.get_query_pool_results(queries, 0, &mut passed, vk::QueryResultFlags::WAIT)
            .unwrap();
        assert_eq!(passed, rates.map(|rate| SIZE * SIZE * rate));
        // One invocation for a pixel, whatever its samples: no edge crosses any.
        assert_eq!(counts.dwords()[..rates.len()], [SIZE * SIZE; 6]);
        d.destroy_query_pool(queries, None);
        for pipeline in pipelines {
            d.destroy_pipeline(pipeline, None);
        }
        d.destroy_descriptor_pool(pool, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_descriptor_set_layout(set_layout, None);
        d.destroy_framebuffer(framebuffer, None);
        d.destroy_render_pass(pass, None);
    }
}

/// Each pixel has another set of bright samples.
const SETS: &str = "#version 450
layout(location = 0) out vec4 colour;
void main()
{
    uint set = uint(gl_FragCoord.y) * 16 + uint(gl_FragCoord.x);
    bool bright = (set >> gl_SampleID & 1) != 0;
    colour = bright ? vec4(1.0) : vec4(128.0, 64.0, 191.0, 255.0) / 255.0;
}";

/// The average of a pixel does not depend on which of its samples have which colour, even where it
/// lies in the middle between two bytes.
#[test]
fn resolves_do_not_depend_on_the_order_of_samples() {
    let rig = Rig::new();
    let d = &rig.device;
    let (format, eight) = (vk::Format::R8G8B8A8_UNORM, vk::SampleCountFlags::TYPE_8);
    let drawn = Target::sampled(&rig, format, 1, eight);
    let resolved = Target::new(&rig, format, 1);
    let look = Look {
        bindings: &[],
        attributes: &[],
        samples: eight,
        formats: Some((format, vk::Format::UNDEFINED)),
        ..Look::default()
    };
    let layout = unsafe { d.create_pipeline_layout(&Default::default(), None) }.unwrap();
    let words = compile(COVERING, SETS);
    let sets = pipeline(&rig, &words, &look, layout, vk::RenderPass::null()).unwrap();
    rig.run(|commands| unsafe {
        let colours = [vk::RenderingAttachmentInfo::default()
            .image_view(drawn.view)
            .image_layout(vk::ImageLayout::GENERAL)
            .resolve_mode(vk::ResolveModeFlags::AVERAGE)
            .resolve_image_view(resolved.view)
            .resolve_image_layout(vk::ImageLayout::GENERAL)];
        let info = vk::RenderingInfo::default()
            .render_area(whole())
            .layer_count(1)
            .color_attachments(&colours);
        d.cmd_begin_rendering(commands, &info);
        d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, sets);
        d.cmd_draw(commands, 3, 1, 0, 0);
        d.cmd_end_rendering(commands);
    });
    // The set of a pixel is its number; the first pixels have all counts of bright samples.
    let average = |count: u32| {
        let set = (1 << count) - 1;
        resolved.pixel(set % SIZE, set / SIZE)
    };
    assert_eq!((average(0), average(8)), ([128, 64, 191, 255], [255; 4]));
    resolved.check(|x, y| average((y * 16 + x).count_ones()));
    unsafe {
        d.destroy_pipeline(sets, None);
        d.destroy_pipeline_layout(layout, None);
    }
}
