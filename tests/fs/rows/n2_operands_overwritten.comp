// The operands of a comparison change before its condition is read.
// fill 0: 2 0 1 2 0xffff
// conv_mov: 0
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { int16_t a[]; };
layout(std430, binding = 1) buffer B1 { int o[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    int16_t x = a[i], y = a[i + 1];
    int s = 0;
    for (int k = 0; k < 5; k++) {
        bool p = x < y;
        int16_t t = x;
        x = y + int16_t(k);
        y = t;
        s = 2 * s + (p ? 1 : 0);
        if (p && x != int16_t(2))
            s += 3;
    }
    o[i] = s;
}
