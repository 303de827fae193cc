// One condition of each size in one operation, and each as the operand of messages and of all
// lanes.
// fill 0: 2 0 1 2 0xffff
// fill 2: 4 0 1 0xffffffff
// fill 3: 8 0 0x3ff0000000000000 0x7ff8000000000000
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { int16_t a[]; };
layout(std430, binding = 1) buffer B1 { int o[]; };
layout(std430, binding = 2) buffer B2 { int b[]; };
layout(std430, binding = 3) buffer B3 { double d[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    bool w = a[i] < a[i + 1], x = b[i] < b[i + 1], q = d[i] < d[i + 1];
    bool all = w && x && q, odd = w ^^ x ^^ q;
    bool wq = w == q, xq = x || q;
    o[i] = int(w) + 2 * int(x) + 4 * int(q) + 8 * int(all) + 16 * int(odd) + 32 * int(wq)
        + (xq ? 64 : 0);
}
