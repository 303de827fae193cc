// B7, S5: the mask of a comparison of doubles is read as one dword of each quadword, by the sum.
// fill 0: 8 0 0x3ff0000000000000 0xbff0000000000000 0x7ff8000000000000
// conv_mov: 0
// times: simd8 1 <8;4,2>:d
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { double a[]; };
layout(std430, binding = 1) buffer B1 { int o[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    bool p = a[i] < a[i + 1];
    o[i] = int(p) + (p ? 3 : 5);
}
