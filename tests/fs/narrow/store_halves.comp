// Eight halves of each invocation are one store.
// sends: 3 3 5
// instructions: 29 30 64
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer O { float16_t o[]; };
layout(std430, binding = 1) readonly buffer A { float a[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    float x = float(i) + float(floatBitsToInt(a[i]) & 15);
    for (int k = 0; k < 8; k++)
        o[i * 8u + k] = float16_t(x + float(k));
}
