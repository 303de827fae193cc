// B2: AND and XOR of two masks of words with two users each. The sum reads both results negated.
// fill 0: 2 0 1 2 0xffff
// alu: 5 5 10
// frame alu: 5
// conv_mov: 0
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { int16_t a[]; };
layout(std430, binding = 1) buffer B1 { int o[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef FRAME
    o[i] = (int(a[i]) + int(a[i + 1])) + (int(a[i + 2]) + int(a[i + 3]));
#else
    bool p = a[i] < a[i + 1], q = a[i + 2] != a[i + 3];
    o[i] = int(p && q) + int(p ^^ q);
#endif
}
