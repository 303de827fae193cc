// The mask of a comparison of halves is no half. Numbers of other types are made of it.
// fill 0: 2 0 0x3c00 0xbc00 0x3800 0xb800 0x7e00 0x8000
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { float16_t a[]; };
layout(std430, binding = 1) buffer B1 { float o[]; };
layout(std430, binding = 2) buffer B2 { float16_t h[]; };
layout(std430, binding = 3) buffer B3 { double d[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    bool p = a[i] < a[i + 1], q = a[i] == a[i + 1];
    float16_t x = float16_t(p), y = p ? a[i + 1] : 0.5hf;
    o[i] = float(p) + 2.0 * float(q) + float(x) * 4.0;
    d[i] = double(p && q) + double(q);
    h[2 * i] = y;
    h[2 * i + 1] = x;
}
