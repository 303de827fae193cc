// A condition that goes through shared memory and buffers is 0 or 1 there.
// fill 0: 2 0 1 2 0xffff
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { int16_t a[]; };
layout(std430, binding = 1) buffer B1 { uint o[]; };
shared bool s[32];

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint l = gl_LocalInvocationIndex;
    s[l] = a[i] < a[i + 1];
    barrier();
    bool p = s[31 - l], q = s[l ^ 1];
    o[i] = uint(p) + 2u * uint(q) + 4u * uint(p == q);
}
