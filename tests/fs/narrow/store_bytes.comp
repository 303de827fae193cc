// Eight bytes of each invocation are one store.
// sends: 3 3 5
// instructions: 33 34 68
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer O { uint8_t o[]; };
layout(std430, binding = 1) readonly buffer A { uint a[]; };
void main() {
    uint i = gl_LocalInvocationIndex, x = a[i];
    for (int k = 0; k < 8; k++)
        o[i * 8u + k] = uint8_t(x + k);
}
