// A comparison is the last instruction of its block, and its condition is read behind the end of
// the branch.
// fill 0: 2 0 1 2 0xffff
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
    int s = 0;
    bool p = a[i] < a[i + 1];
    if (p) {
        s = int(a[i + 2]) + 1;
        p = a[i + 2] < a[i + 3];
    }
    if (p)
        s += 8;
    o[i] = s + (a[i] < a[i + 1] ? 16 : 32);
}
