//! Buffers in heaps, in push data and at addresses, through every source of a mapping.

use super::heap::{
    ALL, DESCRIPTOR, Resource, Source, Type, address, bind_resources, dispatch, first_bytes, heap,
    map, push, write_descriptor,
};
use crate::rig::{Buffer, Rig, compile};

/// A uniform buffer with a dword at the start of each of eight slots of 64 bytes.
fn numbers<'a>(rig: &'a Rig, first: u32) -> Buffer<'a> {
    let mut buffer = rig.buffer(512);
    let dwords: Vec<u32> = (0..128).map(|at| first + at / 16).collect();
    buffer.write_dwords(&dwords);
    buffer
}

/// The bytes of an array that has the stride of heaps in these tests.
const STRIDE: u32 = 32;

/// The descriptor of slot `slot` of a buffer.
fn slot(rig: &Rig, buffer: &Buffer<'_>, slot: u64) -> Resource<'static> {
    Resource::Buffer(Some((address(rig, buffer) + 64 * slot, 16)))
}

#[test]
fn heap_offsets_are_constants_and_indices() {
    let rig = Rig::new();
    let (out, values, mut heap) = (rig.buffer(64), numbers(&rig, 100), heap(&rig));
    write_descriptor(&mut heap, 0, Type::STORAGE_BUFFER, first_bytes(&out, 64));
    // Eight uniform buffers from byte 256 on.
    for at in 0..8 {
        let offset = 256 + STRIDE as usize * at;
        write_descriptor(
            &mut heap,
            offset,
            Type::UNIFORM_BUFFER,
            slot(&rig, &values, at as u64),
        );
    }
    let mut indirect = rig.buffer(256);
    indirect.write_dwords(&[9, 9, 3, 7, 6]);
    let words = compile(
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(std140, binding = 3) uniform A { uint v; } constant[3];
layout(std140, binding = 5) uniform B { uint v; } next;
layout(std140, set = 1, binding = 0) uniform C { uint v; } pushed[2];
layout(std140, set = 7, binding = 1) uniform D { uint v; } once[2];
layout(std140, set = 9, binding = 2) uniform E { uint v; } each[2];
layout(push_constant) uniform P { uint index; };
void main()
{
    r[0] = constant[index].v;
    r[1] = next.v;
    r[2] = pushed[index].v;
    r[3] = once[index].v;
    r[4] = each[0].v;
    r[5] = each[index].v;
    r[6] = r.length();
}",
    );
    let none = [0; 2];
    let mappings = [
        map((0, 0, 1), ALL, Source::Constant([0, 0], none), None),
        // Bindings 3 to 5 are consecutive elements of one array.
        map((0, 3, 3), ALL, Source::Constant([256, STRIDE], none), None),
        map(
            (1, 0, 1),
            ALL,
            Source::PushIndex([256, 8, STRIDE, 2 * STRIDE], [0; 4]),
            None,
        ),
        // The index at byte 8 of the memory.
        map(
            (7, 1, 1),
            ALL,
            Source::IndirectIndex([256, 16, 8, STRIDE, STRIDE], [0; 5]),
            None,
        ),
        // An index for each element.
        map(
            (9, 2, 1),
            ALL,
            Source::IndirectIndexArray([256, 16, 12, STRIDE], [0; 4]),
            None,
        ),
    ];
    let at = address(&rig, &indirect);
    dispatch(&rig, &words, &mappings, |commands| {
        bind_resources(&rig, commands, &heap);
        push(&rig, commands, 0, &[1, 77, 4, 77]);
        push(&rig, commands, 16, &[at as u32, (at >> 32) as u32]);
    });
    // Of `pushed`: index 4, and one element of two strides.
    assert_eq!(out.dwords()[..7], [101, 102, 106, 104, 107, 106, 16]);
}

#[test]
fn buffers_need_no_descriptor() {
    let rig = Rig::new();
    let (out, values, mut heap) = (rig.buffer(64), numbers(&rig, 200), heap(&rig));
    write_descriptor(&mut heap, 16, Type::STORAGE_BUFFER, first_bytes(&out, 64));
    heap.data[512 + 64 + 16..][..4].copy_from_slice(&55u32.to_le_bytes());
    let mut indirect = rig.buffer(64);
    let at = address(&rig, &values);
    indirect.write_dwords(&[0, 0, (at + 128) as u32, (at >> 32) as u32]);
    let words = compile(
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(std140, binding = 1) uniform A { uvec4 v[2]; } in_heap;
layout(std140, binding = 2) uniform B { uint i; uvec4 v[2]; } in_push;
layout(std140, binding = 3) uniform C { uvec4 v[17]; } at_address;
layout(std430, binding = 4) buffer D { uint v[]; } stored;
layout(std140, binding = 5) uniform E { uint v; } indirect;
void main()
{
    r[0] = in_heap.v[in_push.i].x;
    r[1] = in_push.v[in_push.i].y;
    r[2] = at_address.v[16].x;
    r[3] = indirect.v;
    r[4] = atomicAdd(stored.v[17], 5u);
    stored.v[0] = 99u;
}",
    );
    let mappings = [
        map((0, 0, 1), ALL, Source::Constant([16, 0], [0; 2]), None),
        map((0, 1, 1), ALL, Source::HeapData(512, 4), None),
        map((0, 2, 1), ALL, Source::PushData(64), None),
        map((0, 3, 2), ALL, Source::PushAddress(8), None),
        map((0, 5, 1), ALL, Source::IndirectAddress(16, 8), None),
    ];
    let memory = address(&rig, &indirect);
    dispatch(&rig, &words, &mappings, |commands| {
        bind_resources(&rig, commands, &heap);
        let split = |address: u64| [address as u32, (address >> 32) as u32];
        push(&rig, commands, 4, &[64]);
        push(&rig, commands, 8, &[split(at), split(memory)].concat());
        push(
            &rig,
            commands,
            64,
            &[1, 0, 0, 0, 0, 0, 0, 0, 31, 32, 33, 34],
        );
    });
    assert_eq!(out.dwords()[..5], [55, 32, 204, 202, 201]);
    let stored = values.dwords();
    assert_eq!((stored[0], stored[17]), (99, 206));
}

#[test]
fn mappings_select_types_of_resources() {
    let rig = Rig::new();
    let (out, values, mut heap) = (rig.buffer(64), numbers(&rig, 300), heap(&rig));
    write_descriptor(&mut heap, 0, Type::STORAGE_BUFFER, first_bytes(&out, 64));
    write_descriptor(&mut heap, 16, Type::STORAGE_BUFFER, slot(&rig, &values, 1));
    write_descriptor(&mut heap, 32, Type::UNIFORM_BUFFER, slot(&rig, &values, 2));
    // Three variables at one set and binding.
    let words = compile(
        "#version 450
layout(local_size_x = 1) in;
layout(std430, set = 3, binding = 4) buffer Out { uint r[]; };
layout(std430, set = 3, binding = 4) readonly buffer In { uint v; } stored;
layout(std140, set = 3, binding = 4) uniform U { uint v; } uniforms;
void main()
{
    r[0] = stored.v;
    r[1] = uniforms.v;
}",
    );
    let at = |mask: u32, offset| map((3, 4, 1), mask, Source::Constant([offset, 0], [0; 2]), None);
    let mappings = [at(1 << 5, 32), at(1 << 6, 16), at(1 << 7, 0)];
    dispatch(&rig, &words, &mappings, |commands| {
        bind_resources(&rig, commands, &heap)
    });
    assert_eq!(out.dwords()[..2], [301, 302]);
}

#[test]
fn null_buffers_and_bounds() {
    let rig = Rig::new();
    let (out, values, mut heap) = (rig.buffer(64), numbers(&rig, 400), heap(&rig));
    write_descriptor(&mut heap, 0, Type::STORAGE_BUFFER, first_bytes(&out, 64));
    write_descriptor(&mut heap, 16, Type::UNIFORM_BUFFER, Resource::Buffer(None));
    write_descriptor(&mut heap, 32, Type::STORAGE_BUFFER, Resource::Buffer(None));
    write_descriptor(&mut heap, 48, Type::STORAGE_BUFFER, slot(&rig, &values, 0));
    let words = compile(
        "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(std140, binding = 1) uniform U { uint v; } none;
layout(std430, binding = 2) buffer B { uint v[]; } buffers[2];
void main()
{
    r[0] = 1u + none.v;
    r[1] = 1u + buffers[0].v[0] + buffers[0].v.length();
    r[2] = buffers[1].v[3];
    // Four dwords are in bounds.
    r[3] = 1u + buffers[1].v[4];
    buffers[1].v[5] = 7u;
    buffers[0].v[0] = 7u;
    r[4] = buffers[1].v.length();
}",
    );
    let source = Source::Constant([0, DESCRIPTOR as u32], [0; 2]);
    let mappings = [map((0, 0, 3), ALL, source, None)];
    dispatch(&rig, &words, &mappings, |commands| {
        bind_resources(&rig, commands, &heap)
    });
    assert_eq!(out.dwords()[..5], [1, 1, 400, 1, 4]);
    assert!(!values.dwords().contains(&7));
}

#[test]
fn indices_may_differ_between_invocations() {
    let rig = Rig::new();
    let (out, values, mut heap) = (rig.buffer(256), numbers(&rig, 500), heap(&rig));
    write_descriptor(&mut heap, 0, Type::STORAGE_BUFFER, first_bytes(&out, 256));
    for at in 0..8 {
        write_descriptor(
            &mut heap,
            256 + 16 * at,
            Type::UNIFORM_BUFFER,
            slot(&rig, &values, at as u64),
        );
        write_descriptor(
            &mut heap,
            512 + 16 * at,
            Type::STORAGE_BUFFER,
            slot(&rig, &values, at as u64),
        );
    }
    let mut indirect = rig.buffer(64);
    indirect.write_dwords(&[7, 6, 5, 4, 3, 2, 1, 0]);
    let words = compile(
        "#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer Out { uint r[]; };
layout(std140, set = 1, binding = 0) uniform U { uint v; } uniforms[];
layout(std430, set = 1, binding = 1) readonly buffer B { uint v; } buffers[];
void main()
{
    uint i = gl_LocalInvocationIndex;
    r[i] = 1000u * uniforms[nonuniformEXT(i % 8)].v + buffers[nonuniformEXT(i / 4)].v;
}",
    );
    let stride = DESCRIPTOR as u32;
    let mappings = [
        map((0, 0, 1), ALL, Source::Constant([0, 0], [0; 2]), None),
        map(
            (1, 0, 1),
            ALL,
            Source::Constant([256, stride], [0; 2]),
            None,
        ),
        map(
            (1, 1, 1),
            ALL,
            Source::IndirectIndexArray([512, 0, 0, stride], [0; 4]),
            None,
        ),
    ];
    let at = address(&rig, &indirect);
    dispatch(&rig, &words, &mappings, |commands| {
        bind_resources(&rig, commands, &heap);
        push(&rig, commands, 0, &[at as u32, (at >> 32) as u32]);
    });
    let expected: Vec<u32> = (0..32)
        .map(|i| 1000 * (500 + i % 8) + 507 - i / 4)
        .collect();
    assert_eq!(out.dwords()[..32], expected);
}
