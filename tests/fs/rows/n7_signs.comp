// A mask of words that becomes an unsigned or a 64-bit number is extended as a signed one.
// fill 0: 2 0 1 2 0xffff
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { int16_t a[]; };
layout(std430, binding = 1) buffer B1 { uint o[]; };
layout(std430, binding = 2) buffer B2 { uint64_t l[]; };
layout(std430, binding = 3) buffer B3 { uint8_t c[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    bool p = a[i] < a[i + 1], q = a[i + 1] == a[i + 2];
    o[i] = uint(p) + 2u * uint(p ^^ q) + (0u - uint(q)) * 4u;
    l[i] = uint64_t(p) + (uint64_t(q) << 40);
    c[i] = uint8_t(p) + uint8_t(uint8_t(2) * uint8_t(q));
}
