//! VK_KHR_device_address_commands: commands that take addresses do what those with buffers do.
//!
//! Structures are written as quadwords: type, chain, members.

use std::ffi::CStr;

use ash::vk::Handle;
use ash::{ext, khr, vk};

use crate::canvas::{Canvas, FRAGMENT, GREEN, Look, RED, VERTEX, compile, rectangle, stored};
use crate::images::Image;
use crate::rig::{Buffer, Kernel, Rig, fill};
use crate::textures::image_info;

/// The type of a structure of the extension.
const TYPE: u64 = 1_000_318_000;

type Command = unsafe extern "system" fn(vk::CommandBuffer, *const u64);

fn pointer(rig: &Rig, name: &CStr) -> unsafe extern "system" fn() {
    let load = rig.instance.fp_v1_0().get_device_proc_addr;
    unsafe { load(rig.device.handle(), name.as_ptr()) }.unwrap()
}

/// Records a command with one structure.
fn record(rig: &Rig, name: &CStr, commands: vk::CommandBuffer, words: &[u64]) {
    unsafe {
        let command =
            std::mem::transmute::<unsafe extern "system" fn(), Command>(pointer(rig, name));
        command(commands, words.as_ptr());
    }
}

fn address(rig: &Rig, buffer: &Buffer<'_>) -> u64 {
    let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.buffer);
    unsafe { rig.device.get_buffer_device_address(&info) }
}

/// Two members of 32 bits.
fn two(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// A buffer of dwords.
fn words<'a>(rig: &'a Rig, values: &[u32]) -> Buffer<'a> {
    let buffer = rig.buffer(256);
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    buffer.data[..bytes.len()].copy_from_slice(&bytes);
    buffer
}

/// A barrier for all work, of a range of addresses.
fn barrier(rig: &Rig, commands: vk::CommandBuffer, (address, bytes): (u64, u64)) {
    let stages = vk::PipelineStageFlags2::ALL_COMMANDS.as_raw();
    let (writes, all) = (
        vk::AccessFlags2::MEMORY_WRITE.as_raw(),
        (vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE).as_raw(),
    );
    let range = [
        TYPE + 5,
        0,
        stages,
        writes,
        stages,
        all,
        two(!0, !0),
        address,
        bytes,
        0,
    ];
    let chain = [TYPE + 4, 0, 1, range.as_ptr() as u64];
    let info = vk::DependencyInfo {
        p_next: chain.as_ptr().cast(),
        ..Default::default()
    };
    let commands2 = khr::synchronization2::Device::new(&rig.instance, &rig.device);
    unsafe { commands2.cmd_pipeline_barrier2(commands, &info) };
}

/// Records a copy between memory and a 4 × 4 image.
fn copy_image(rig: &Rig, name: &CStr, commands: vk::CommandBuffer, image: vk::Image, at: u64) {
    let general = vk::ImageLayout::GENERAL.as_raw().cast_unsigned();
    let aspect = vk::ImageAspectFlags::COLOR.as_raw();
    let region = [
        TYPE + 2,
        0,
        at,
        64,
        // Flags and row length, height and aspect, level and layer, layers and layout.
        two(0, 0),
        two(0, aspect),
        two(0, 0),
        two(1, general),
        two(0, 0),
        two(0, 4),
        two(4, 1),
    ];
    let info = [TYPE + 3, 0, image.as_raw(), 1, region.as_ptr() as u64];
    record(rig, name, commands, &info);
}

#[test]
fn transfers_take_addresses() {
    let rig = Rig::new();
    let d = &rig.device;
    let (source, target) = (words(&rig, &[7; 64]), words(&rig, &[0; 64]));
    let pixels: Vec<u32> = (0..16).map(|at| at * 0x0103_0507).collect();
    let picture = words(&rig, &pixels);
    let [from, to, seen] = [&source, &target, &picture].map(|buffer| address(&rig, buffer));
    let image = Image::new(
        &rig,
        &image_info(vk::Format::R8G8B8A8_UNORM, [4, 4, 1], 1, 1),
    );
    let info = vk::QueryPoolCreateInfo::default()
        .query_type(vk::QueryType::TIMESTAMP)
        .query_count(1);
    let pool = unsafe { d.create_query_pool(&info, None) }.unwrap();
    let kernel_out = words(&rig, &[0; 64]);
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let kernel = Kernel::new(
        &rig,
        &fill(),
        kind,
        &[&kernel_out],
        vk::PipelineCache::null(),
    );
    let groups = words(&rig, &[9, 9, 1, 1, 1]);
    rig.run(|commands| unsafe {
        let filled = [from + 16, 32];
        type Fill = unsafe extern "system" fn(vk::CommandBuffer, *const u64, u32, u32);
        let fill = std::mem::transmute::<unsafe extern "system" fn(), Fill>(pointer(
            &rig,
            c"vkCmdFillMemoryKHR",
        ));
        fill(commands, filled.as_ptr(), 0, 0x1111_2222);
        type Update =
            unsafe extern "system" fn(vk::CommandBuffer, *const u64, u32, u64, *const u32);
        let update = std::mem::transmute::<unsafe extern "system" fn(), Update>(pointer(
            &rig,
            c"vkCmdUpdateMemoryKHR",
        ));
        let updated = [from + 48, 8];
        update(commands, updated.as_ptr(), 0, 8, [21u32, 22].as_ptr());
        barrier(&rig, commands, (from, 256));
        let region = [TYPE, 0, from + 12, 48, 0, to + 4, 48, 0];
        let info = [TYPE + 1, 0, 1, region.as_ptr() as u64];
        record(&rig, c"vkCmdCopyMemoryKHR", commands, &info);
        copy_image(
            &rig,
            c"vkCmdCopyMemoryToImageKHR",
            commands,
            image.image,
            seen,
        );
        rig.barrier(commands);
        copy_image(
            &rig,
            c"vkCmdCopyImageToMemoryKHR",
            commands,
            image.image,
            to + 64,
        );
        let late = vk::PipelineStageFlags2::ALL_COMMANDS.as_raw();
        let marker = [TYPE + 14, 0, late, to + 60, 4, two(0, 77)];
        record(&rig, c"vkCmdWriteMarkerToMemoryAMD", commands, &marker);
        d.cmd_reset_query_pool(commands, pool, 0, 1);
        d.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, 0);
        type Results = unsafe extern "system" fn(
            vk::CommandBuffer,
            vk::QueryPool,
            u32,
            u32,
            *const u64,
            u32,
            vk::QueryResultFlags,
        );
        let name = c"vkCmdCopyQueryPoolResultsToMemoryKHR";
        let results =
            std::mem::transmute::<unsafe extern "system" fn(), Results>(pointer(&rig, name));
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        results(commands, pool, 0, 1, [to + 128, 8, 8].as_ptr(), 0, flags);
        let point = vk::PipelineBindPoint::COMPUTE;
        d.cmd_bind_pipeline(commands, point, kernel.pipeline);
        d.cmd_bind_descriptor_sets(commands, point, kernel.layout, 0, &[kernel.set], &[]);
        let push: Vec<u8> = [5u32, 3]
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let stage = vk::ShaderStageFlags::COMPUTE;
        d.cmd_push_constants(commands, kernel.layout, stage, 0, &push);
        let dispatch = [TYPE + 11, 0, address(&rig, &groups) + 8, 12, 0];
        record(&rig, c"vkCmdDispatchIndirect2KHR", commands, &dispatch);
    });
    let mut time = [0u64];
    let found = target.dwords();
    let filled = 0x1111_2222;
    let mut expected = vec![0, 7];
    expected.extend([filled; 8]);
    expected.extend([21, 22, 7, 0, 0, 77]);
    expected.extend(&pixels);
    assert_eq!(found[..32], expected);
    unsafe {
        let flags = vk::QueryResultFlags::TYPE_64;
        d.get_query_pool_results(pool, 0, &mut time, flags).unwrap();
        d.destroy_query_pool(pool, None);
    }
    assert_eq!(two(found[32], found[33]), time[0]);
    assert_eq!(kernel_out.dwords()[..5], [5, 5, 5, 0, 0]);
    kernel.destroy(&rig);
}

#[test]
fn draws_take_addresses() {
    let rig = Rig::new();
    let d = &rig.device;
    let conditions = ext::conditional_rendering::Device::new(&rig.instance, d);
    let canvas = Canvas::new(&rig, None);
    let look = Look {
        dynamic: &[vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE],
        ..Look::default()
    };
    let drawn = canvas.pipeline(&compile(VERTEX, FRAGMENT), &look);
    // A quarter in red, and all in green.
    let mut corners = rectangle([-1.0, -1.0], [-0.5, 1.0], RED);
    corners.extend(rectangle([-1.0, -1.0], [1.0, 1.0], GREEN));
    let vertices = crate::canvas::vertices(&rig, &corners);
    let indices = words(&rig, &[99, 5, 4, 3, 2, 1, 0]);
    // Parameters of a draw at 0, of an indexed one at 32; numbers of draws, conditions.
    let mut parameters = [0u32; 64];
    parameters[..4].copy_from_slice(&[6, 1, 0, 0]);
    parameters[8..13].copy_from_slice(&[6, 1, 0, 0, 0]);
    parameters[16..20].copy_from_slice(&[6, 1, 6, 0]);
    parameters[24..26].copy_from_slice(&[1, 0]);
    let parameters = words(&rig, &parameters);
    let at = address(&rig, &parameters);
    let (one, zero) = (at + 96, at + 100);
    let condition = |commands, value| {
        let words = [TYPE + 12, 0, value, 4, 0];
        record(
            &rig,
            c"vkCmdBeginConditionalRendering2EXT",
            commands,
            &words,
        );
    };
    canvas.run(|commands| unsafe {
        d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, drawn);
        type Bind = unsafe extern "system" fn(vk::CommandBuffer, u32, u32, *const u64);
        let bind = std::mem::transmute::<unsafe extern "system" fn(), Bind>(pointer(
            &rig,
            c"vkCmdBindVertexBuffers3KHR",
        ));
        let bytes = corners.len() as u64 * 24;
        let buffer = [TYPE + 8, 0, 1, address(&rig, &vertices), bytes, 24, 0];
        bind(commands, 0, 1, buffer.as_ptr());
        let kind = vk::IndexType::UINT32.as_raw().cast_unsigned();
        let index = [TYPE + 7, 0, address(&rig, &indices) + 4, 24, two(0, kind)];
        record(&rig, c"vkCmdBindIndexBuffer3KHR", commands, &index);
        canvas.shift(commands, [0.0; 3]);
        let draw = |at, bytes, count| [TYPE + 9, 0, at, bytes, 32, two(0, count)];
        record(&rig, c"vkCmdDrawIndirect2KHR", commands, &draw(at, 16, 1));
        canvas.shift(commands, [0.5, 0.0, 0.0]);
        record(
            &rig,
            c"vkCmdDrawIndexedIndirect2KHR",
            commands,
            &draw(at + 32, 20, 1),
        );
        canvas.shift(commands, [1.0, 0.0, 0.0]);
        let counted = |at, bytes, count| [TYPE + 10, 0, at, bytes, 32, 0, count, 4, two(0, 3)];
        record(
            &rig,
            c"vkCmdDrawIndirectCount2KHR",
            commands,
            &counted(at, 64, one),
        );
        // None of these is drawn.
        record(
            &rig,
            c"vkCmdDrawIndirectCount2KHR",
            commands,
            &counted(at + 64, 16, zero),
        );
        condition(commands, zero);
        record(
            &rig,
            c"vkCmdDrawIndirect2KHR",
            commands,
            &draw(at + 64, 16, 1),
        );
        (conditions.fp().cmd_end_conditional_rendering_ext)(commands);
        condition(commands, one);
        canvas.shift(commands, [1.5, 0.0, 0.0]);
        let indexed = counted(at + 32, 20, one);
        record(
            &rig,
            c"vkCmdDrawIndexedIndirectCount2KHR",
            commands,
            &indexed,
        );
        (conditions.fp().cmd_end_conditional_rendering_ext)(commands);
    });
    canvas.colour.check(|_, _| stored(RED));
}

#[test]
fn transform_feedback_takes_addresses() {
    let rig = Rig::new();
    let d = &rig.device;
    let canvas = Canvas::new(&rig, None);
    let look = Look {
        topology: vk::PrimitiveTopology::POINT_LIST,
        bindings: &[],
        attributes: &[],
        ..Look::default()
    };
    let words_of = compile(
        "#version 450
layout(location = 0) out vec4 shade;
layout(xfb_buffer = 0, xfb_stride = 4, xfb_offset = 0, location = 1) flat out uint number;
void main()
{
    gl_Position = vec4((vec2(gl_VertexIndex) + 0.5) / 8.0 - 1.0, 0.0, 1.0);
    gl_PointSize = 1.0;
    shade = vec4(1.0, 0.0, 0.0, 1.0);
    number = gl_VertexIndex + 40;
}",
        FRAGMENT,
    );
    let drawn = canvas.pipeline(&words_of, &look);
    let (out, counter) = (words(&rig, &[0; 64]), words(&rig, &[0; 64]));
    let range = |buffer: &Buffer<'_>, offset| [TYPE + 13, 0, address(&rig, buffer) + offset, 32, 0];
    type Bind = unsafe extern "system" fn(vk::CommandBuffer, u32, u32, *const u64);
    let command = |name: &CStr| unsafe {
        std::mem::transmute::<unsafe extern "system" fn(), Bind>(pointer(&rig, name))
    };
    let (captured, counted) = (range(&out, 4), range(&counter, 8));
    canvas.run(|commands| unsafe {
        d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, drawn);
        canvas.shift(commands, [0.0; 3]);
        command(c"vkCmdBindTransformFeedbackBuffers2EXT")(commands, 0, 1, captured.as_ptr());
        command(c"vkCmdBeginTransformFeedback2EXT")(commands, 0, 0, std::ptr::null());
        d.cmd_draw(commands, 3, 1, 0, 0);
        command(c"vkCmdEndTransformFeedback2EXT")(commands, 0, 1, counted.as_ptr());
    });
    assert_eq!(out.dwords()[..6], [0, 40, 41, 42, 0, 0]);
    assert_eq!(counter.dwords()[..4], [0, 0, 12, 0]);
    canvas.run(|commands| unsafe {
        d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, drawn);
        canvas.shift(commands, [0.0; 3]);
        // Goes on where the counter says.
        command(c"vkCmdBindTransformFeedbackBuffers2EXT")(commands, 0, 1, captured.as_ptr());
        command(c"vkCmdBeginTransformFeedback2EXT")(commands, 0, 1, counted.as_ptr());
        d.cmd_draw(commands, 1, 1, 9, 0);
        command(c"vkCmdEndTransformFeedback2EXT")(commands, 0, 0, std::ptr::null());
    });
    assert_eq!(out.dwords()[..6], [0, 40, 41, 42, 49, 0]);
    canvas.run(|commands| unsafe {
        d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, drawn);
        canvas.shift(commands, [0.0; 3]);
        type Draw = unsafe extern "system" fn(vk::CommandBuffer, u32, u32, *const u64, u32, u32);
        let draw = std::mem::transmute::<unsafe extern "system" fn(), Draw>(pointer(
            &rig,
            c"vkCmdDrawIndirectByteCount2EXT",
        ));
        draw(commands, 1, 0, counted.as_ptr(), 0, 4);
    });
    canvas.colour.check(|x, y| match x == y && x < 3 {
        true => stored(RED),
        false => [0; 4],
    });
}
