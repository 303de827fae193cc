// B3, S3: conditions of words and of dwords in one branch are two comparisons, the second of them
// predicated on the first.
// fill 0: 2 0 1 2 0xffff
// fill 2: 4 0 1 0xffffffff
// conv_mov: 0
// check: cmp (8|M0) (lt)f0.0         null
// check: (f0.0)  cmp (8|M0) (lt)f0.0         null
// check: (f0.0)  if (8|M0)
// not: and (8|M0)
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { int16_t a[]; };
layout(std430, binding = 1) buffer B1 { int o[]; };
layout(std430, binding = 2) buffer B2 { int b[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    bool q = a[i] < a[i + 1], p = b[i] < b[i + 1];
    if (p && q)
        o[i] = 1;
}
