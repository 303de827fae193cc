// Conditions that are the same for all lanes, of every size, with conditions that are not.
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
    uint g = gl_WorkGroupID.x;
    bool u = b[g] < b[g + 1], v = a[g] < a[g + 1], w = a[i] < a[i + 1];
    int s = 0;
    for (int k = 0; k < 3; k++) {
        s = 2 * s + int(u && w) + 4 * int(v ^^ w) + (u == v ? 8 : 0);
        u = !u && v;
        v = b[k] != b[k + 1];
    }
    o[i] = s + int(u);
}
