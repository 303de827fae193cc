// B8, S8: the phi of a comparison of words and one of dwords has one conversion, never two.
// fill 0: 2 0 1 2 0xffff
// fill 2: 4 0 1 0xffffffff
// conv_mov: 1
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { int16_t a[]; };
layout(std430, binding = 1) buffer B1 { int o[]; };
layout(std430, binding = 2) buffer B2 { int b[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    bool p;
    if (b[i] > 0)
        p = a[i] < a[i + 1];
    else
        p = b[i + 1] < b[i + 2];
    int s = 0;
    for (int k = 0; k < b[i + 3]; k++) {
        if (p)
            s += 3;
        else
            s += b[k];
        s += int(p);
    }
    o[i] = s + int(p);
}
