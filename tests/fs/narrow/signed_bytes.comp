// Eight signed bytes of each invocation are one message.
// sends: 3 3 5
// instructions: 29 30 56
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer O { int o[]; };
layout(std430, binding = 1) readonly buffer A { int8_t a[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    int s = 0;
    for (int k = 0; k < 8; k++)
        s += int(a[i * 8u + k]) * int(a[i * 8u + 7u - k]);
    o[i] = s;
}
