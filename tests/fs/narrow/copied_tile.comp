// A tile is copied in fours: the elements of an invocation are in one row.
// sends: 10 10 15
// instructions: 45 47 78
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer O { float16_t o[]; };
layout(std430, binding = 1) readonly buffer A { float16_t a[]; };
shared float16_t tile[8][16];
void main() {
    uint i = gl_LocalInvocationIndex;
    for (int q = 0; q < 4; q++) {
        uint e = i * 4u + q;
        tile[e >> 4][e & 15u] = a[(e >> 4) * 18u + (e & 15u)];
    }
    barrier();
    for (int q = 0; q < 4; q++)
        o[i * 4u + q] = tile[(i * 4u + q) & 7u][i & 15u];
}
