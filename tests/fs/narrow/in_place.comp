// Halves that are changed in place, one by one.
// sends: 3 3 5
// instructions: 29 30 64
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer O { float16_t o[]; };
void main() {
    uint i = gl_LocalInvocationIndex * 8u;
    for (int k = 0; k < 8; k++)
        o[i + k] = float16_t(int(unpackUint2x16(packFloat2x16(f16vec2(o[i + k], 0.0hf))).x) & 255);
}
