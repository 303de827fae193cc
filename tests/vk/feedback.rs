//! Draws that read the attachment that they write (VK_EXT_attachment_feedback_loop_layout).

use ash::vk;

use crate::canvas::{Look, compile, pipeline};
use crate::images::{Image, layer, range};
use crate::rig::Rig;
use crate::textures::{COLOUR, image_info, nearest, view};

/// The width and height in pixels: large enough for a fast clear, which the sampler would not see.
const SIDE: u32 = 300;
const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
const LOOP: vk::ImageLayout = vk::ImageLayout::ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT;

/// A triangle that covers the target.
const VERTEX: &str = "#version 450
void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(corner * 4.0 - 1.0, 0.0, 1.0);
}";
/// Adds a constant to the colour of the target.
const FRAGMENT: &str = "#version 450
layout(set = 0, binding = 0) uniform sampler2D target;
layout(location = 0) out vec4 colour;
void main()
{
    colour = texelFetch(target, ivec2(gl_FragCoord.xy), 0) + vec4(17.0, 34.0, 51.0, 0.0) / 255.0;
}";

/// The dependency of each draw on the one before, whose colours it reads.
fn draw_to_draw() -> vk::SubpassDependency {
    vk::SubpassDependency::default()
        .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
        .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags::FRAGMENT_SHADER)
        .dst_access_mask(vk::AccessFlags::SHADER_READ)
        .dependency_flags(vk::DependencyFlags::BY_REGION)
}

/// Creates a render pass of one subpass in which draws depend on each other, and a copy on them.
fn render_pass(d: &ash::Device) -> vk::RenderPass {
    let attachments = [vk::AttachmentDescription::default()
        .format(FORMAT)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL)];
    let colours = [vk::AttachmentReference {
        attachment: 0,
        layout: LOOP,
    }];
    let subpasses = [vk::SubpassDescription::default().color_attachments(&colours)];
    let after = vk::SubpassDependency::default()
        .dst_subpass(vk::SUBPASS_EXTERNAL)
        .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
        .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags::TRANSFER)
        .dst_access_mask(vk::AccessFlags::TRANSFER_READ);
    let dependencies = [draw_to_draw(), after];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    unsafe { d.create_render_pass(&info, None) }.unwrap()
}

/// The set of the sampled target, its layout and its pool.
struct TargetSet {
    layout: vk::DescriptorSetLayout,
    pool: vk::DescriptorPool,
    set: vk::DescriptorSet,
}

impl TargetSet {
    fn new(d: &ash::Device, view: vk::ImageView, sampler: vk::Sampler) -> TargetSet {
        unsafe {
            let kind = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
            let binding = [vk::DescriptorSetLayoutBinding::default()
                .descriptor_type(kind)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&binding);
            let layouts = [d.create_descriptor_set_layout(&info, None).unwrap()];
            let sizes = [vk::DescriptorPoolSize {
                ty: kind,
                descriptor_count: 1,
            }];
            let info = vk::DescriptorPoolCreateInfo::default()
                .max_sets(1)
                .pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&info, None).unwrap();
            let info = vk::DescriptorSetAllocateInfo::default()
                .descriptor_pool(pool)
                .set_layouts(&layouts);
            let set = d.allocate_descriptor_sets(&info).unwrap()[0];
            let images = [vk::DescriptorImageInfo {
                sampler,
                image_view: view,
                image_layout: LOOP,
            }];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(set)
                .descriptor_type(kind)
                .image_info(&images);
            d.update_descriptor_sets(&[write], &[]);
            TargetSet {
                layout: layouts[0],
                pool,
                set,
            }
        }
    }
}

/// Records a barrier between the draws of a feedback loop.
fn feedback_barrier(d: &ash::Device, commands: vk::CommandBuffer, image: vk::Image) {
    let dependency = draw_to_draw();
    let barrier = vk::ImageMemoryBarrier::default()
        .src_access_mask(dependency.src_access_mask)
        .dst_access_mask(dependency.dst_access_mask)
        .old_layout(LOOP)
        .new_layout(LOOP)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .image(image)
        .subresource_range(range(COLOUR));
    unsafe {
        d.cmd_pipeline_barrier(
            commands,
            dependency.src_stage_mask,
            dependency.dst_stage_mask,
            dependency.dependency_flags,
            &[],
            &[],
            &[barrier],
        )
    };
}

#[test]
fn draws_read_their_color_attachment() {
    draw_loop(false);
}

#[test]
fn commands_enable_feedback_loops() {
    draw_loop(true);
}

/// Draws three times in a feedback loop that the pipeline, or else a command, enables.
fn draw_loop(dynamic_enable: bool) {
    let rig = Rig::new();
    let d = &rig.device;
    let enables = ash::ext::attachment_feedback_loop_dynamic_state::Device::new(&rig.instance, d);
    let uses = vk::ImageUsageFlags::COLOR_ATTACHMENT
        | vk::ImageUsageFlags::SAMPLED
        | vk::ImageUsageFlags::TRANSFER_SRC
        | vk::ImageUsageFlags::ATTACHMENT_FEEDBACK_LOOP_EXT;
    let info = image_info(FORMAT, [SIDE, SIDE, 1], 1, 1).usage(uses);
    let image = Image::new(&rig, &info);
    let got = rig.buffer(u64::from(SIDE * SIDE * 4));
    unsafe {
        let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, FORMAT, COLOUR);
        let pass = render_pass(d);
        let views = [seen];
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(&views)
            .width(SIDE)
            .height(SIDE)
            .layers(1);
        let framebuffer = d.create_framebuffer(&info, None).unwrap();
        let sampler = d.create_sampler(&nearest(), None).unwrap();
        let target = TargetSet::new(d, seen, sampler);
        let sets = [target.layout];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        let layout = d.create_pipeline_layout(&info, None).unwrap();
        let dynamic = [
            vk::DynamicState::VIEWPORT,
            vk::DynamicState::SCISSOR,
            vk::DynamicState::ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT,
        ];
        let (dynamic, flags) = match dynamic_enable {
            true => (&dynamic[..], vk::PipelineCreateFlags::empty()),
            false => (
                &dynamic[..2],
                vk::PipelineCreateFlags::COLOR_ATTACHMENT_FEEDBACK_LOOP_EXT,
            ),
        };
        let look = Look {
            bindings: &[],
            attributes: &[],
            dynamic,
            flags,
            ..Look::default()
        };
        let words = compile(VERTEX, FRAGMENT);
        let drawn = pipeline(&rig, &words, &look, layout, pass).unwrap();
        let area = vk::Rect2D {
            extent: vk::Extent2D {
                width: SIDE,
                height: SIDE,
            },
            ..Default::default()
        };
        rig.run(|commands| {
            let clears = [vk::ClearValue {
                color: vk::ClearColorValue {
                    float32: [0.2, 0.0, 0.4, 1.0],
                },
            }];
            let info = vk::RenderPassBeginInfo::default()
                .render_pass(pass)
                .framebuffer(framebuffer)
                .render_area(area)
                .clear_values(&clears);
            d.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE);
            let graphics = vk::PipelineBindPoint::GRAPHICS;
            d.cmd_bind_pipeline(commands, graphics, drawn);
            d.cmd_bind_descriptor_sets(commands, graphics, layout, 0, &[target.set], &[]);
            let whole = vk::Viewport {
                width: SIDE as f32,
                height: SIDE as f32,
                max_depth: 1.0,
                ..Default::default()
            };
            d.cmd_set_viewport(commands, 0, &[whole]);
            d.cmd_set_scissor(commands, 0, &[area]);
            if dynamic_enable {
                let aspects = vk::ImageAspectFlags::COLOR;
                (enables.fp().cmd_set_attachment_feedback_loop_enable_ext)(commands, aspects);
            }
            for _ in 0..3 {
                feedback_barrier(d, commands, image.image);
                d.cmd_draw(commands, 3, 1, 0, 0);
            }
            d.cmd_end_render_pass(commands);
            let region = vk::BufferImageCopy::default()
                .image_subresource(layer(COLOUR, 0, 0))
                .image_extent(vk::Extent3D {
                    width: SIDE,
                    height: SIDE,
                    depth: 1,
                });
            let from = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
            d.cmd_copy_image_to_buffer(commands, image.image, from, got.buffer, &[region]);
        });
        d.destroy_pipeline(drawn, None);
        d.destroy_descriptor_pool(target.pool, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_descriptor_set_layout(target.layout, None);
        d.destroy_sampler(sampler, None);
        d.destroy_framebuffer(framebuffer, None);
        d.destroy_render_pass(pass, None);
        d.destroy_image_view(seen, None);
    }
    let expected = [51 + 3 * 17, 3 * 34, 102 + 3 * 51, 255];
    assert!(got.data.chunks_exact(4).all(|pixel| pixel == expected));
}
