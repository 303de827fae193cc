// B4, S4: bytes are compared as words, and the result is a flag alone.
// fill 0: 1 0 1 2 0xff 0x80
// conv_mov: 0
// check: cmp (8|M0) (lt)f0.0         null<2>:w
// check: (f0.0)
// not: null<2>:b
// not: null<4>:b
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { int8_t a[]; };
layout(std430, binding = 1) buffer B1 { int o[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    o[i] = (a[i] < a[i + 1]) ? 7 : 9;
}
