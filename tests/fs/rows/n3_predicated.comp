// Conditions assigned under a branch, which keep their value in other lanes.
// fill 0: 2 0 1 2 0xffff
// fill 2: 4 0 1 0xffffffff
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
    bool r = b[i] < b[i + 1];
    if (a[i] < a[i + 1])
        r = r && a[i + 2] != a[i + 3];
    bool t = r;
    if (b[i + 2] > 0)
        t = a[i + 1] < a[i + 2];
    o[i] = int(r) + 2 * int(t) + 4 * int(r == t);
}
