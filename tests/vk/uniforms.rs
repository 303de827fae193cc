//! Uniform buffers of draws, ranges of which may be pushed: what is read is what is bound, and what
//! is there when the draw runs.

use ash::vk;

use crate::canvas::{self, BLUE, Canvas, GREEN, Look, RED, SIZE, compile, rectangle, stored};
use crate::rig::{Buffer, Rig};

/// Rectangles of the left half, moved by a uniform buffer, in colours of another.
const VERTEX: &str = "#version 450
layout(location = 0) in vec2 position;
layout(set = 0, binding = 0) uniform Place { vec4 skipped[3]; vec2 by; };
void main() { gl_Position = vec4(position + by, 0.0, 1.0); }";
const FRAGMENT: &str = "#version 450
layout(set = 0, binding = 1) uniform Shade { vec4 shade[2]; };
layout(location = 0) out vec4 colour;
void main() { colour = vec4(shade[0].x, shade[1].x, shade[1].y, 1.0); }";

/// Byte of the place in its buffer, and of colours behind each other in theirs.
const PLACE_BYTES: usize = 48;
const SHADE_BYTES: usize = 64;

type Kinds = [(vk::DescriptorType, vk::DescriptorBindingFlags); 2];

const NONE: vk::DescriptorBindingFlags = vk::DescriptorBindingFlags::empty();
const UNIFORM: (vk::DescriptorType, vk::DescriptorBindingFlags) =
    (vk::DescriptorType::UNIFORM_BUFFER, NONE);
const DYNAMIC: (vk::DescriptorType, vk::DescriptorBindingFlags) =
    (vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC, NONE);

/// A pipeline with two uniform buffers.
struct Scene<'a> {
    rig: &'a Rig,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipeline: vk::Pipeline,
    pool: vk::DescriptorPool,
    corners: Buffer<'a>,
    kinds: Kinds,
}

impl<'a> Scene<'a> {
    fn new(
        canvas: &Canvas<'a>,
        kinds: Kinds,
        flags: vk::DescriptorSetLayoutCreateFlags,
    ) -> Scene<'a> {
        let rig = canvas.rig;
        let d = &rig.device;
        let of_each = kinds.map(|kind| kind.1);
        let mut of_each =
            vk::DescriptorSetLayoutBindingFlagsCreateInfo::default().binding_flags(&of_each);
        let list = [0, 1].map(|number| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(number)
                .descriptor_type(kinds[number as usize].0)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::ALL_GRAPHICS)
        });
        let info = vk::DescriptorSetLayoutCreateInfo::default()
            .flags(flags)
            .bindings(&list)
            .push_next(&mut of_each);
        let look = Look::default();
        let sizes = kinds.map(|kind| {
            let size = vk::DescriptorPoolSize::default().ty(kind.0);
            size.descriptor_count(8)
        });
        let place = rectangle([-1.0, -1.0], [0.0, 1.0], RED);
        unsafe {
            let set_layout = d.create_descriptor_set_layout(&info, None).unwrap();
            let layouts = [set_layout];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            let layout = d.create_pipeline_layout(&info, None).unwrap();
            let words = compile(VERTEX, FRAGMENT);
            let pipeline = canvas::pipeline(rig, &words, &look, layout, canvas.pass).unwrap();
            let info = vk::DescriptorPoolCreateInfo::default()
                .flags(vk::DescriptorPoolCreateFlags::UPDATE_AFTER_BIND)
                .max_sets(8)
                .pool_sizes(&sizes);
            Scene {
                rig,
                set_layout,
                layout,
                pipeline,
                pool: d.create_descriptor_pool(&info, None).unwrap(),
                corners: canvas::vertices(rig, &place),
                kinds,
            }
        }
    }

    fn set(&self) -> vk::DescriptorSet {
        let layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(self.pool)
            .set_layouts(&layouts);
        unsafe { self.rig.device.allocate_descriptor_sets(&info) }.unwrap()[0]
    }

    /// Says what a binding is: bytes of a buffer, or no buffer.
    fn write(
        &self,
        set: vk::DescriptorSet,
        binding: u32,
        from: Option<&Buffer<'_>>,
        [offset, range]: [u64; 2],
    ) {
        let info = [match from {
            Some(buffer) => vk::DescriptorBufferInfo::default()
                .buffer(buffer.buffer)
                .offset(offset)
                .range(range),
            None => vk::DescriptorBufferInfo::default().range(vk::WHOLE_SIZE),
        }];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(set)
            .dst_binding(binding)
            .descriptor_type(self.kinds[binding as usize].0)
            .buffer_info(&info);
        unsafe { self.rig.device.update_descriptor_sets(&[write], &[]) };
    }

    fn bind(&self, commands: vk::CommandBuffer) {
        let d = &self.rig.device;
        unsafe {
            d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, self.pipeline);
            d.cmd_bind_vertex_buffers(commands, 0, &[self.corners.buffer], &[0]);
        }
    }

    fn bind_set(&self, commands: vk::CommandBuffer, set: vk::DescriptorSet, offsets: &[u32]) {
        let (d, point) = (&self.rig.device, vk::PipelineBindPoint::GRAPHICS);
        unsafe {
            d.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], offsets);
        }
    }

    fn draw(&self, commands: vk::CommandBuffer) {
        unsafe { self.rig.device.cmd_draw(commands, 6, 1, 0, 0) };
    }
}

impl Drop for Scene<'_> {
    fn drop(&mut self) {
        let d = &self.rig.device;
        unsafe {
            let _ = d.device_wait_idle();
            d.destroy_pipeline(self.pipeline, None);
            d.destroy_descriptor_pool(self.pool, None);
            d.destroy_pipeline_layout(self.layout, None);
            d.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

fn put(buffer: &mut Buffer<'_>, at: usize, values: &[f32]) {
    for (to, value) in buffer.data[at..].chunks_exact_mut(4).zip(values) {
        to.copy_from_slice(&value.to_le_bytes());
    }
}

/// Left, and right.
fn places(rig: &Rig) -> [Buffer<'_>; 2] {
    [0.0, 1.0].map(|x| {
        let mut buffer = rig.buffer(256);
        put(&mut buffer, PLACE_BYTES, &[x, 0.0]);
        buffer
    })
}

/// Colours, one after the other.
fn shades<'a>(rig: &'a Rig, colours: &[[f32; 4]]) -> Buffer<'a> {
    let mut buffer = rig.buffer((SHADE_BYTES * colours.len()) as u64);
    for (number, colour) in colours.iter().enumerate() {
        put_shade(&mut buffer, SHADE_BYTES * number, *colour);
    }
    buffer
}

/// What the shader reads a colour from.
fn shade(colour: [f32; 4]) -> [f32; 8] {
    [colour[0], 7.0, 7.0, 7.0, colour[1], colour[2], 7.0, 7.0]
}

fn put_shade(buffer: &mut Buffer<'_>, at: usize, colour: [f32; 4]) {
    put(buffer, at, &shade(colour));
}

/// Two halves.
fn halves(left: [f32; 4], right: [f32; 4]) -> impl Fn(u32, u32) -> [u8; 4] {
    move |x, _| stored(if x < SIZE / 2 { left } else { right })
}

const ALL: [u64; 2] = [0, vk::WHOLE_SIZE];
const PLAIN: vk::DescriptorSetLayoutCreateFlags = vk::DescriptorSetLayoutCreateFlags::empty();

#[test]
fn draws_read_the_bound_descriptor_set() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let scene = Scene::new(&canvas, [UNIFORM, UNIFORM], PLAIN);
    let (places, shades) = (places(&rig), shades(&rig, &[RED, GREEN]));
    let sets = [0, 1].map(|half| {
        let set = scene.set();
        scene.write(set, 0, Some(&places[half]), ALL);
        let at = (SHADE_BYTES * half) as u64;
        scene.write(set, 1, Some(&shades), [at, SHADE_BYTES as u64]);
        set
    });
    canvas.run(|commands| {
        scene.bind(commands);
        for set in sets {
            scene.bind_set(commands, set, &[]);
            scene.draw(commands);
        }
    });
    canvas.colour.check(halves(RED, GREEN));
}

#[test]
fn draws_read_at_the_bound_dynamic_offset() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let scene = Scene::new(&canvas, [DYNAMIC, DYNAMIC], PLAIN);
    let mut place = rig.buffer(512);
    put(&mut place, 256 + PLACE_BYTES, &[1.0, 0.0]);
    let shades = shades(&rig, &[RED, GREEN, BLUE]);
    let set = scene.set();
    scene.write(set, 0, Some(&place), [0, 64]);
    scene.write(set, 1, Some(&shades), [0, 32]);
    canvas.run(|commands| {
        scene.bind(commands);
        for offsets in [[0, 128], [256, 0], [256, 64]] {
            scene.bind_set(commands, set, &offsets);
            scene.draw(commands);
        }
    });
    canvas.colour.check(halves(BLUE, GREEN));
}

#[test]
fn reads_beyond_a_range_return_zero() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let scene = Scene::new(&canvas, [UNIFORM, UNIFORM], PLAIN);
    let (places, shades) = (places(&rig), shades(&rig, &[[1.0; 4]]));
    // The first two of three numbers; one; none, for there is no buffer.
    for (range, meant) in [
        (Some(20), [1.0, 1.0, 0.0, 1.0]),
        (Some(16), [1.0, 0.0, 0.0, 1.0]),
        (Some(4), [1.0, 0.0, 0.0, 1.0]),
        (None, [0.0, 0.0, 0.0, 1.0]),
    ] {
        let sets = [0, 1].map(|half| {
            let set = scene.set();
            scene.write(set, 0, Some(&places[half]), ALL);
            set
        });
        scene.write(sets[0], 1, Some(&shades), ALL);
        scene.write(sets[1], 1, range.map(|_| &shades), [0, range.unwrap_or(0)]);
        canvas.run(|commands| {
            scene.bind(commands);
            for set in sets {
                scene.bind_set(commands, set, &[]);
                scene.draw(commands);
            }
        });
        canvas.colour.check(halves([1.0; 4], meant));
        unsafe {
            let flags = vk::DescriptorPoolResetFlags::empty();
            let reset = rig.device.reset_descriptor_pool(scene.pool, flags);
            reset.unwrap();
        }
    }
}

/// A barrier from transfer writes to uniform reads, and nothing
/// more.
fn to_uniforms(rig: &Rig, commands: vk::CommandBuffer) {
    let barrier = [vk::MemoryBarrier::default()
        .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
        .dst_access_mask(vk::AccessFlags::UNIFORM_READ)];
    let (from, to) = (
        vk::PipelineStageFlags::TRANSFER,
        vk::PipelineStageFlags::VERTEX_SHADER | vk::PipelineStageFlags::FRAGMENT_SHADER,
    );
    unsafe {
        let flags = vk::DependencyFlags::empty();
        rig.device
            .cmd_pipeline_barrier(commands, from, to, flags, &barrier, &[], &[]);
    }
}

#[test]
fn gpu_writes_are_read_without_rebinding() {
    let rig = Rig::new();
    // The range is whole, or ends in the middle of what is read.
    for (range, meant) in [(32, GREEN), (16, [0.0, 0.0, 0.0, 1.0])] {
        let canvases = [0, 1].map(|_| Canvas::new(&rig, None));
        let scene = Scene::new(&canvases[0], [UNIFORM, UNIFORM], PLAIN);
        let (places, shades) = (places(&rig), shades(&rig, &[RED]));
        let set = scene.set();
        scene.write(set, 0, Some(&places[0]), ALL);
        scene.write(set, 1, Some(&shades), [0, range]);
        let green: Vec<u8> = shade(GREEN).iter().flat_map(|v| v.to_le_bytes()).collect();
        let d = &rig.device;
        rig.run(|commands| unsafe {
            scene.bind(commands);
            scene.bind_set(commands, set, &[]);
            canvases[0].begin(commands, vk::SubpassContents::INLINE);
            scene.draw(commands);
            d.cmd_end_render_pass(commands);
            rig.barrier(commands);
            d.cmd_update_buffer(commands, shades.buffer, 0, &green);
            d.cmd_update_buffer(
                commands,
                places[0].buffer,
                PLACE_BYTES as u64,
                &[0, 0, 128, 63],
            );
            to_uniforms(&rig, commands);
            canvases[1].begin(commands, vk::SubpassContents::INLINE);
            scene.draw(commands);
            d.cmd_end_render_pass(commands);
        });
        canvases[0].colour.check(|x, _| match x < SIZE / 2 {
            true => stored(RED),
            false => [0; 4],
        });
        canvases[1].colour.check(|x, _| match x < SIZE / 2 {
            true => [0; 4],
            false => stored(meant),
        });
    }
}

#[test]
fn secondary_command_buffers_read_their_own_sets() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let scene = Scene::new(&canvas, [UNIFORM, DYNAMIC], PLAIN);
    let (places, shades) = (places(&rig), shades(&rig, &[RED, GREEN]));
    let sets = [0, 1].map(|half| {
        let set = scene.set();
        scene.write(set, 0, Some(&places[half]), ALL);
        scene.write(set, 1, Some(&shades), [0, 20]);
        set
    });
    let parts = [0, 1].map(|half: usize| {
        let part = rig.command_buffer(vk::CommandBufferLevel::SECONDARY);
        let inherited = vk::CommandBufferInheritanceInfo::default()
            .render_pass(canvas.pass)
            .framebuffer(canvas.framebuffer);
        let info = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
            .inheritance_info(&inherited);
        unsafe {
            rig.device.begin_command_buffer(part, &info).unwrap();
            scene.bind(part);
            scene.bind_set(part, sets[half], &[(SHADE_BYTES * half) as u32]);
            scene.draw(part);
            rig.device.end_command_buffer(part).unwrap();
        }
        part
    });
    rig.run(|commands| unsafe {
        canvas.begin(commands, vk::SubpassContents::SECONDARY_COMMAND_BUFFERS);
        rig.device.cmd_execute_commands(commands, &parts);
        rig.device.cmd_end_render_pass(commands);
    });
    canvas.colour.check(halves(RED, GREEN));
}

#[test]
fn updates_after_binding_are_read() {
    let late = (
        vk::DescriptorType::UNIFORM_BUFFER,
        vk::DescriptorBindingFlags::UPDATE_AFTER_BIND,
    );
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let flags = vk::DescriptorSetLayoutCreateFlags::UPDATE_AFTER_BIND_POOL;
    let scene = Scene::new(&canvas, [late, late], flags);
    let (places, shades) = (places(&rig), shades(&rig, &[RED, GREEN]));
    let set = scene.set();
    scene.write(set, 0, Some(&places[0]), ALL);
    scene.write(set, 1, Some(&shades), ALL);
    let commands = rig.record(|commands| {
        canvas.begin(commands, vk::SubpassContents::INLINE);
        scene.bind(commands);
        scene.bind_set(commands, set, &[]);
        scene.draw(commands);
        unsafe { rig.device.cmd_end_render_pass(commands) };
        rig.barrier(commands);
    });
    scene.write(set, 0, Some(&places[1]), ALL);
    scene.write(set, 1, Some(&shades), [SHADE_BYTES as u64, vk::WHOLE_SIZE]);
    rig.submit(&[commands], vk::Fence::null());
    unsafe { rig.device.device_wait_idle() }.unwrap();
    canvas.colour.check(|x, _| match x < SIZE / 2 {
        true => [0; 4],
        false => stored(GREEN),
    });
}

#[test]
fn pushed_descriptors_are_read_as_they_were_at_the_draw() {
    let rig = Rig::new();
    let canvas = Canvas::new(&rig, None);
    let flags = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
    let scene = Scene::new(&canvas, [UNIFORM, UNIFORM], flags);
    let (places, shades) = (places(&rig), shades(&rig, &[RED, GREEN]));
    let push = ash::khr::push_descriptor::Device::new(&rig.instance, &rig.device);
    canvas.run(|commands| {
        scene.bind(commands);
        for half in [0, 1] {
            let buffers = [places[half].buffer, shades.buffer];
            let at = [0, SHADE_BYTES * half];
            for binding in [0, 1] {
                let info = [vk::DescriptorBufferInfo::default()
                    .buffer(buffers[binding])
                    .offset(at[binding] as u64)
                    .range(vk::WHOLE_SIZE)];
                let write = vk::WriteDescriptorSet::default()
                    .dst_binding(binding as u32)
                    .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
                    .buffer_info(&info);
                let point = vk::PipelineBindPoint::GRAPHICS;
                unsafe {
                    push.cmd_push_descriptor_set(commands, point, scene.layout, 0, &[write]);
                }
            }
            scene.draw(commands);
        }
    });
    canvas.colour.check(halves(RED, GREEN));
}
