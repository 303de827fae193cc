// Votes, ballots and shuffles of conditions of every size. A shuffle exchanges dwords.
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
    int s = int(subgroupAll(w || x || q)) + 2 * int(subgroupAny(w && q)) + 4 * int(subgroupAllEqual(w));
    if (w)
        s += 8 * int(subgroupAll(q)) + 16 * int(bitCount(subgroupBallot(q).x & 0xff00ffu));
    s += 1024 * int(subgroupShuffleXor(w, 1u)) + 2048 * int(subgroupShuffleXor(q, 2u));
    s += 4096 * int(subgroupBroadcastFirst(x)) + 8192 * int(subgroupBroadcastFirst(w));
    bool both = w && a[i + 1] != a[i + 2];
    s += 16384 * int(subgroupShuffleXor(both, 3u)) + (both ? 32768 : 0);
    o[i] = s;
}
