// Sixteen bytes of each invocation are one message.
// sends: 3 3 5
// instructions: 26 27 50
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer O { uint o[]; };
layout(std430, binding = 1) readonly buffer A { uint8_t a[]; };
void main() {
    uint i = gl_LocalInvocationIndex, s = 0u;
    for (int k = 0; k < 16; k++)
        s += uint(a[i * 16u + k]);
    o[i] = s;
}
