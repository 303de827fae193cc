// A condition stays in its flag through branches that do not write it, and is computed again where
// one does.
// fill 0: 2 0 1 2 0xffff
// fill 2: 4 0 1 0xffffffff
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
    bool p = b[i] < b[i + 1];
    int s = 0;
    if (p) {
        s = b[(i + 2) & 31];
        if (b[i + 2] > 0)
            s += b[(i + 3) & 31] + (b[i + 3] > 0 ? 3 : 5);
        o[i] = s + int(bitCount(subgroupBallot(b[i + 6] < 1).x));
    } else {
        s = b[(i + 7) & 31] - 7;
        if (a[i] == int16_t(2) || a[i + 1] == int16_t(1) || b[i + 4] < 0 || b[i + 5] == 1)
            o[i] = 12;
    }
    o[i + 64] = (p ? s : 11) + (b[i + 2] > 0 ? 16 : 32);
}
