// Eight halves of each invocation are one message.
// sends: 3 3 5
// instructions: 25 26 48
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer O { float o[]; };
layout(std430, binding = 1) readonly buffer A { float16_t a[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    float s = 0.0;
    for (int k = 0; k < 8; k++)
        s += float(a[i * 8u + k]);
    o[i] = s;
}
