// B5, S7: a loop carries a condition of two comparisons of words, which another block reads in the
// next iteration. Its phi has words, and no edge converts.
// fill 0: 2 0 1 2 0xffff
// conv_mov: 0
// times: simd16 0 -1:d
// check: cmp (8|M0) (ne)f0.0         r
// check: <1>:w
// check: else
// check: cmp (8|M0) (lt)f0.0         r
// check: <1>:w
// check: not (8|M0)
// check: <1>:w
// check: while
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
    bool r = a[i] < a[i + 1] || a[i + 2] != a[i + 3];
    int s = 0;
    for (int k = 0; k < int(a[i + 4]) + 2; k++) {
        if (r)
            s += k;
        s += int(r);
        r = !r;
    }
    o[i] = s;
}
