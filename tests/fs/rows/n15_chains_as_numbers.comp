// Chains of conditions as numbers, which take two moves if no mask is needed.
// With a NaN, no comparison of halves holds.
// fill 0: 2 0 0x3c00 0xbc00 0x3800 0xb800 0x7e00 0x8000
// fill 2: 4 0 1 0xffffffff
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { float16_t a[]; };
layout(std430, binding = 1) buffer B1 { int o[]; };
layout(std430, binding = 2) buffer B2 { int b[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    bool p = a[i] < a[i + 1], q = a[i + 1] >= a[i + 2], r = b[i] < b[i + 1], t = b[i + 1] == 1;
    o[i] = int(p && q && r && t);
}
