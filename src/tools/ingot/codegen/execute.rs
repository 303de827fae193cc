//! Runs a shader once on the simulated GPU, and reads its cost from the simulator's profile.
//!
//! In:  a pipeline and its layout. Out: threads, instructions, messages and cycles of the shader's
//!      stage; a file of its results.
#![allow(
    unsafe_code,
    reason = "Vulkan is a C interface; this module is where bench records and submits"
)]

use crate::codegen::adjacent_stages::patch_vertices;
use crate::codegen::contents;
use crate::codegen::interface::{BoundDescriptor, Interface};
use crate::codegen::pipeline::{Layout, PUSH_BYTES, VERTEX_BYTES, targets};
use crate::codegen::resources::{ClearedImage, ResourceMemory, Resources, whole};
use crate::codegen::results::{self, ChangedResource};
use crate::codegen::texels;
use crate::codegen::vulkan_objects::{Buffer, VulkanObjects};
use crate::vulkan_device::error;
use ash::vk;
use compile::Stage;
use nir::VariableMode;
use std::path::Path;

/// Width and height of a render target in pixels.
const PIXELS: u32 = 64;
/// Number of vertices in the buffers.
const VERTICES: u64 = 1024;
/// Number of primitives in a draw for vertex stages.
const PRIMITIVES: u32 = 64;
/// Number of workgroups in x and y.
const GROUPS: u32 = 2;
/// Cost of a run, summed over the stage's threads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunCost {
    pub threads: f64,
    pub invocations: f64,
    pub instructions: f64,
    pub sends: f64,
    /// Cycles in which an FPU is busy.
    pub busy: f64,
    /// Cycles of the threads from start to end, each alone on an EU.
    pub alone: f64,
    /// Cycles of an EU that runs its maximum number of threads.
    pub cycles: f64,
    /// Channels of the widest thread.
    pub width: f64,
}

impl RunCost {
    /// All figures, in order.
    pub fn figures(&self) -> [f64; 8] {
        [
            self.threads,
            self.invocations,
            self.instructions,
            self.sends,
            self.busy,
            self.alone,
            self.cycles,
            self.width,
        ]
    }

    /// The inverse of [`RunCost::figures`]; `None` if the number of figures is wrong.
    pub fn of_figures(figures: &[f64]) -> Option<RunCost> {
        let &[
            threads,
            invocations,
            instructions,
            sends,
            busy,
            alone,
            cycles,
            width,
        ] = figures
        else {
            return None;
        };
        Some(RunCost {
            threads,
            invocations,
            instructions,
            sends,
            busy,
            alone,
            cycles,
            width,
        })
    }
}

/// The device and queue on which a shader runs.
pub struct Machine<'a> {
    pub device: &'a ash::Device,
    pub queue: vk::Queue,
    /// Host-visible memory types, a bit each.
    pub visible: u32,
    /// The simulator's profile.
    pub profile: &'a Path,
    /// The file for the shader's results.
    pub results: &'a Path,
    /// Value of integers in uniform blocks and push constants; by default 1 or 2.
    pub integer: Option<u32>,
}

/// The render targets of a draw, and the buffers that they are copied to.
struct Targets {
    framebuffer: vk::Framebuffer,
    colors: Vec<(ClearedImage, Buffer)>,
    depth: Option<ClearedImage>,
}

impl Targets {
    fn new(
        machine: &Machine<'_>,
        objects: &VulkanObjects<'_>,
        shader: &Interface,
        pass: vk::RenderPass,
    ) -> Result<Targets, String> {
        use vk::ImageUsageFlags as U;
        let mut views = Vec::new();
        let mut target = |format: vk::Format, usage: U| {
            let info = vk::ImageCreateInfo::default()
                .image_type(vk::ImageType::TYPE_2D)
                .format(format)
                .extent(vk::Extent3D {
                    width: PIXELS,
                    height: PIXELS,
                    depth: 1,
                })
                .mip_levels(1)
                .array_layers(1)
                .samples(vk::SampleCountFlags::TYPE_1)
                .usage(usage | U::TRANSFER_SRC | U::TRANSFER_DST);
            let image = objects.image(&info)?;
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(format)
                .subresource_range(whole(format));
            views.push(objects.image_view(&info)?);
            Ok::<_, String>(ClearedImage { image, format })
        };
        let depth = target(vk::Format::D32_SFLOAT, U::DEPTH_STENCIL_ATTACHMENT)?;
        let mut colors = Vec::new();
        for format in targets(shader).into_iter().flatten() {
            let color = target(format, U::COLOR_ATTACHMENT)?;
            let bytes = u64::from(PIXELS * PIXELS) * 16;
            colors.push((color, objects.buffer(bytes, machine.visible)?));
        }
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(&views)
            .width(PIXELS)
            .height(PIXELS)
            .layers(1);
        Ok(Targets {
            framebuffer: objects.framebuffer(&info)?,
            colors,
            depth: Some(depth),
        })
    }

    /// The components that the shader writes; other components of a texel are undefined.
    fn results(&mut self, shader: &Interface) -> Vec<ChangedResource> {
        let written: Vec<u8> = match shader.stage {
            Stage::Fragment => shader.outputs.iter().map(|o| o.components).collect(),
            _ => vec![4],
        };
        let mut results = Vec::new();
        for (index, (target, written)) in self.colors.iter_mut().zip(written).enumerate() {
            let (color, buffer) = target;
            let texel = texels::texel_bytes(color.format).unwrap_or_default();
            let bytes = (PIXELS * PIXELS * texel) as usize;
            let contents = buffer.contents().get(..bytes).unwrap_or_default();
            results.push(ChangedResource {
                name: format!("color target {index}"),
                numbers: texels::numbers(color.format, contents, written.into()),
            });
        }
        results
    }
}

/// Records commands, submits them and waits for them.
fn submit(
    machine: &Machine<'_>,
    objects: &VulkanObjects<'_>,
    record: impl FnOnce(vk::CommandBuffer),
) -> Result<(), String> {
    let device = machine.device;
    let pool = objects.command_pool(&vk::CommandPoolCreateInfo::default())?;
    let info = vk::CommandBufferAllocateInfo::default()
        .command_pool(pool)
        .command_buffer_count(1);
    // The simulator limits the work of a draw or dispatch, so that the wait ends.
    // SAFETY: handles are of this device, and what commands use lives until the fence says that
    // they are done, or the device is lost.
    unsafe {
        let commands = device
            .allocate_command_buffers(&info)
            .map_err(error("vkAllocateCommandBuffers"))?;
        let &[commands] = &commands[..] else {
            return Err("no command buffer".into());
        };
        device
            .begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())
            .map_err(error("vkBeginCommandBuffer"))?;
        record(commands);
        device
            .end_command_buffer(commands)
            .map_err(error("vkEndCommandBuffer"))?;
        let fence = objects.fence(&vk::FenceCreateInfo::default())?;
        let commands = [commands];
        let work = [vk::SubmitInfo::default().command_buffers(&commands)];
        device
            .queue_submit(machine.queue, &work, fence)
            .map_err(error("vkQueueSubmit"))?;
        device
            .wait_for_fences(&[fence], true, u64::MAX)
            .map_err(error("vkWaitForFences"))
    }
}

/// A full memory barrier.
fn barrier(device: &ash::Device, commands: vk::CommandBuffer) {
    use vk::AccessFlags as A;
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    let memory = [vk::MemoryBarrier::default()
        .src_access_mask(A::MEMORY_WRITE)
        .dst_access_mask(A::MEMORY_READ | A::MEMORY_WRITE)];
    let host = vk::PipelineStageFlags::HOST;
    let none = vk::DependencyFlags::empty();
    // SAFETY: the command buffer is being recorded.
    unsafe { device.cmd_pipeline_barrier(commands, all, all | host, none, &memory, &[], &[]) };
}

fn clear(device: &ash::Device, commands: vk::CommandBuffer, cleared: &ClearedImage) {
    let (image, range) = (cleared.image, [whole(cleared.format)]);
    let layout = vk::ImageLayout::GENERAL;
    let change = [vk::ImageMemoryBarrier::default()
        .dst_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .new_layout(layout)
        .image(image)
        .subresource_range(whole(cleared.format))];
    let (top, copies) = (
        vk::PipelineStageFlags::TOP_OF_PIPE,
        vk::PipelineStageFlags::TRANSFER,
    );
    let none = vk::DependencyFlags::empty();
    let name = format!("{:?}", cleared.format);
    let color = match (name.contains("SINT"), name.contains("UINT")) {
        (true, _) => vk::ClearColorValue { int32: [2; 4] },
        (_, true) => vk::ClearColorValue { uint32: [2; 4] },
        _ => vk::ClearColorValue { float32: [0.5; 4] },
    };
    // SAFETY: the command buffer is being recorded; the image can be cleared.
    unsafe {
        device.cmd_pipeline_barrier(commands, top, copies, none, &[], &[], &change);
        match cleared.format {
            vk::Format::D32_SFLOAT => {
                let value = vk::ClearDepthStencilValue {
                    depth: 1.0,
                    stencil: 0,
                };
                device.cmd_clear_depth_stencil_image(commands, image, layout, &value, &range);
            }
            _ => device.cmd_clear_color_image(commands, image, layout, &color, &range),
        }
    }
}

/// Vertex buffers: floats for one binding, integers for the other.
fn vertices(
    machine: &Machine<'_>,
    objects: &VulkanObjects<'_>,
    shader: &Interface,
) -> Result<[Buffer; 2], String> {
    let bytes = VERTICES * u64::from(VERTEX_BYTES);
    let (mut floats, mut integers) = (
        objects.buffer(bytes, machine.visible)?,
        objects.buffer(bytes, machine.visible)?,
    );
    for (k, word) in floats.contents().chunks_exact_mut(4).enumerate() {
        let value = 0.25 + (k as u32).wrapping_mul(0x9e37_79b9) as f32 / 2f32.powi(33);
        word.copy_from_slice(&value.to_le_bytes());
    }
    for (k, word) in integers.contents().chunks_exact_mut(4).enumerate() {
        word.copy_from_slice(&(1 + k as u32 % 2).to_le_bytes());
    }
    if shader.stage == Stage::Fragment {
        // A triangle that covers the whole render target.
        let corners: [[f32; 4]; 3] = [
            [-1.0, -1.0, 0.5, 1.0],
            [3.0, -1.0, 0.5, 1.0],
            [-1.0, 3.0, 0.5, 1.0],
        ];
        let places = (floats.contents()).chunks_exact_mut(VERTEX_BYTES as usize);
        for (place, corner) in places.zip(corners) {
            for (word, value) in place.chunks_exact_mut(4).zip(corner) {
                word.copy_from_slice(&value.to_le_bytes());
            }
        }
    }
    Ok([floats, integers])
}

/// An offset of 0 for each descriptor with a dynamic one.
fn dynamic_offsets(shader: &Interface) -> Vec<u32> {
    use vk::DescriptorType as D;
    let dynamic = [D::UNIFORM_BUFFER_DYNAMIC, D::STORAGE_BUFFER_DYNAMIC];
    let bindings = shader.sets.iter().flatten();
    let bindings = bindings.filter(|b| dynamic.contains(&b.kind));
    vec![0; bindings.map(|b| b.count as usize).sum()]
}

/// Runs the pipeline once.
pub fn run(
    machine: &Machine<'_>,
    objects: &VulkanObjects<'_>,
    shader: &Interface,
    layout: &Layout,
    pipeline: vk::Pipeline,
) -> Result<RunCost, String> {
    let device = machine.device;
    let is_attachment = |b: &BoundDescriptor| b.kind == vk::DescriptorType::INPUT_ATTACHMENT;
    if shader.bindings.iter().any(is_attachment) {
        return Err("reads input attachments".into());
    }
    if let Some((set, binding)) = shader.conflict {
        let what = "has variables of different descriptor types";
        return Err(format!("set {set} binding {binding} {what}"));
    }
    let memory = ResourceMemory {
        visible: machine.visible,
        integer: machine.integer,
    };
    let mut resources = Resources::new(objects, shader, &layout.sets, &memory)?;
    let mut targets = match shader.stage {
        Stage::Compute => Targets {
            framebuffer: vk::Framebuffer::null(),
            colors: Vec::new(),
            depth: None,
        },
        _ => Targets::new(machine, objects, shader, layout.pass)?,
    };
    submit(machine, objects, |commands| {
        let of_targets = targets.colors.iter().map(|c| &c.0).chain(&targets.depth);
        for cleared in resources.images.iter().chain(of_targets) {
            clear(device, commands, cleared);
        }
        barrier(device, commands);
    })?;
    let mut constants = [0; PUSH_BYTES as usize];
    let mut vars = shader.shader.vars.iter();
    if let Some((_, var)) = vars.find(|(_, var)| var.mode == VariableMode::PushConst) {
        contents::fill(&shader.shader, var.ty, &mut constants, &resources.values);
    }
    let vertices = vertices(machine, objects, shader)?;
    let before = length(machine.profile);
    submit(machine, objects, |commands| {
        let point = match shader.stage {
            Stage::Compute => vk::PipelineBindPoint::COMPUTE,
            _ => vk::PipelineBindPoint::GRAPHICS,
        };
        let all = vk::ShaderStageFlags::ALL;
        // SAFETY: the command buffer is being recorded; everything named lives until its commands
        // are done.
        unsafe {
            device.cmd_bind_pipeline(commands, point, pipeline);
            if !resources.sets.is_empty() {
                let sets = &resources.sets;
                let (layout, offsets) = (layout.layout, dynamic_offsets(shader));
                device.cmd_bind_descriptor_sets(commands, point, layout, 0, sets, &offsets);
            }
            device.cmd_push_constants(commands, layout.layout, all, 0, &constants);
        }
        match shader.stage {
            // SAFETY: as above.
            Stage::Compute => unsafe { device.cmd_dispatch(commands, GROUPS, GROUPS, 1) },
            _ => draw(device, commands, shader, layout.pass, &targets, &vertices),
        }
        barrier(device, commands);
    })?;
    let cost = of_stage(&since(machine.profile, before)?, shader.stage)?;
    // A submission of its own: a driver may implement copies as draws.
    submit(machine, objects, |commands| {
        for (color, buffer) in &targets.colors {
            let extent = vk::Extent3D {
                width: PIXELS,
                height: PIXELS,
                depth: 1,
            };
            copy(device, commands, color.image, extent, 1, buffer);
        }
        for storage in &resources.storage_images {
            let (image, extent) = (storage.image, storage.extent);
            copy(
                device,
                commands,
                image,
                extent,
                storage.layers,
                &storage.copy,
            );
        }
        barrier(device, commands);
    })?;
    let mut changed = targets.results(shader);
    changed.extend(resources.results(shader));
    results::write(machine.results, &changed)?;
    Ok(cost)
}

fn draw(
    device: &ash::Device,
    commands: vk::CommandBuffer,
    shader: &Interface,
    pass: vk::RenderPass,
    targets: &Targets,
    vertices: &[Buffer; 2],
) {
    let area = vk::Rect2D::default().extent(vk::Extent2D {
        width: PIXELS,
        height: PIXELS,
    });
    let viewport = vk::Viewport {
        width: PIXELS as f32,
        height: PIXELS as f32,
        max_depth: 1.0,
        ..vk::Viewport::default()
    };
    let info = vk::RenderPassBeginInfo::default()
        .render_pass(pass)
        .framebuffer(targets.framebuffer)
        .render_area(area);
    let count = match shader.stage {
        Stage::Fragment => 3,
        Stage::TessControl | Stage::TessEval => patch_vertices(shader) * PRIMITIVES,
        _ => 6 * PRIMITIVES,
    };
    // SAFETY: as in `run`.
    unsafe {
        device.cmd_begin_render_pass(commands, &info, vk::SubpassContents::INLINE);
        device.cmd_set_viewport(commands, 0, &[viewport]);
        device.cmd_set_scissor(commands, 0, &[area]);
        let buffers = vertices.map(|buffer| buffer.handle);
        device.cmd_bind_vertex_buffers(commands, 0, &buffers, &[0, 0]);
        device.cmd_draw(commands, count.min(VERTICES as u32), 1, 0, 0);
        device.cmd_end_render_pass(commands);
    }
}

/// Copies the first mip level of an image to a buffer.
fn copy(
    device: &ash::Device,
    commands: vk::CommandBuffer,
    image: vk::Image,
    extent: vk::Extent3D,
    layers: u32,
    to: &Buffer,
) {
    let region = [vk::BufferImageCopy::default()
        .image_subresource(
            vk::ImageSubresourceLayers::default()
                .aspect_mask(vk::ImageAspectFlags::COLOR)
                .layer_count(layers),
        )
        .image_extent(extent)];
    let layout = vk::ImageLayout::GENERAL;
    // SAFETY: as in `run`.
    unsafe { device.cmd_copy_image_to_buffer(commands, image, layout, to.handle, &region) };
}

fn length(profile: &Path) -> usize {
    std::fs::metadata(profile).map_or(0, |file| file.len() as usize)
}

/// The profile's header, and its lines from a byte offset on.
fn since(profile: &Path, before: usize) -> Result<String, String> {
    let text = std::fs::read_to_string(profile)
        .map_err(|e| format!("the profile {}: {e}", profile.display()))?;
    let header = text.lines().next().unwrap_or_default();
    let new = match before {
        0 => text.get(header.len()..),
        _ => text.get(before..),
    };
    Ok(format!(
        "{header}\n{}",
        new.unwrap_or_default().trim_start()
    ))
}

/// The stage's cost in the last draw or dispatch that ran it.
fn of_stage(profile: &str, stage: Stage) -> Result<RunCost, String> {
    let prefix = match stage {
        Stage::Vertex => "VS",
        Stage::TessControl => "HS",
        Stage::TessEval => "DS",
        Stage::Geometry => "GS",
        Stage::Fragment => "PS",
        Stage::Compute => "CS",
    };
    let mut lines = profile.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| header.iter().position(|h| *h == name);
    let missing = |name: &str| format!("the profile has no column {name}");
    let place = |name: &str| column(name).ok_or_else(|| missing(name));
    let (stage, number) = (place("stage")?, place("number")?);
    let rows: Vec<Vec<&str>> = lines
        .map(|line| line.split('\t').collect())
        .filter(|row: &Vec<&str>| row.get(stage).is_some_and(|s| s.starts_with(prefix)))
        .collect();
    let last = rows.last().ok_or("no thread of the stage ran")?[number];
    let mut ran = RunCost::default();
    for (name, sum) in [
        ("threads", &mut ran.threads),
        ("invocations", &mut ran.invocations),
        ("instructions", &mut ran.instructions),
        ("messages", &mut ran.sends),
        ("busy", &mut ran.busy),
        ("alone", &mut ran.alone),
        ("cycles", &mut ran.cycles),
    ] {
        let at = place(name)?;
        let of = |row: &Vec<&str>| row.get(at)?.parse::<f64>().ok();
        *sum = (rows.iter().filter(|row| row.get(number) == Some(&last)))
            .filter_map(of)
            .sum();
    }
    let extent = place("extent")?;
    let width = |row: &Vec<&str>| -> Option<u32> {
        // Pixel shaders have it in the stage's name, dispatches at the end of their extent.
        let digits = match row.get(stage)?.strip_prefix("PS") {
            Some(digits) => digits,
            None => row.get(extent)?.rsplit_once("SIMD")?.1,
        };
        digits.parse().ok()
    };
    let ran_last = rows.iter().filter(|row| row.get(number) == Some(&last));
    // The other stages have eight channels.
    ran.width = ran_last.filter_map(width).max().unwrap_or(8).into();
    Ok(ran)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_draw_of_a_stage_counts_with_all_its_widths() {
        let profile = "submission\tnumber\textent\tstage\tthreads\tinvocations\t\
            instructions\tmessages\tbusy\talone\tcycles\n\
            4\t1\t3 x 1 vertices\tPS16\t9\t9\t9\t9\t9\t9\t9\n\
            4\t2\t3 x 1 vertices\tVS\t1\t3\t20\t2\t40\t70\t40\n\
            4\t2\t3 x 1 vertices\tPS8\t1\t8\t10\t3\t20\t100\t20\n\
            4\t2\t3 x 1 vertices\tPS16\t2\t32\t22\t4\t80\t300\t80\n\
            4\t3\t1 x 1 x 1 groups of 2 SIMD32\tCS\t1\t1\t1\t1\t1\t1\t1\n";
        let ran = of_stage(profile, Stage::Fragment).unwrap();
        assert_eq!((ran.threads, ran.invocations), (3.0, 40.0));
        assert_eq!((ran.instructions, ran.sends), (32.0, 7.0));
        assert_eq!((ran.busy, ran.alone, ran.cycles), (100.0, 400.0, 100.0));
        assert_eq!(ran.width, 16.0);
        assert_eq!(of_stage(profile, Stage::Vertex).unwrap().width, 8.0);
        assert_eq!(of_stage(profile, Stage::Compute).unwrap().width, 32.0);
        assert!(of_stage(profile, Stage::Geometry).is_err());
    }
}
