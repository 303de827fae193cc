// A logic operation of words is read in another block and in the next iteration.
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
    bool r = a[i] < a[i + 1] && a[i + 1] != a[i + 2];
    bool before = false;
    int s = 0;
    for (int k = 0; k < 4; k++) {
        if (a[i + k] > int16_t(0))
            s += int(r) + 2 * int(before);
        before = r;
        r = r != (a[i + k] == int16_t(1));
    }
    o[i] = s + 64 * int(r) + 128 * int(before);
}
