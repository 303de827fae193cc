// Halves in shared memory: one store, a fence, a barrier, one load.
// sends: 6 6 7
// instructions: 53 54 100
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer O { float o[]; };
shared float16_t t[512];
void main() {
    uint i = gl_LocalInvocationIndex;
    for (int k = 0; k < 8; k++)
        t[i * 8u + k] = float16_t(i + k);
    barrier();
    float s = 0.0;
    for (int k = 0; k < 8; k++)
        s += float(t[(i ^ 1u) * 8u + k]);
    o[i] = s;
}
