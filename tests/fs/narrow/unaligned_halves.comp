// Rows of five halves: the pairs in them are unaligned dwords.
// sends: 5 5 9
// instructions: 12 13 22
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer O { float16_t o[]; };
layout(std430, binding = 1) readonly buffer A { float16_t a[]; };
void main() {
    uint i = gl_LocalInvocationIndex * 5u;
    for (int k = 0; k < 4; k++)
        o[i + k] = a[i + k];
}
