// Subgroup operations on eight invocations.
// buffer 0 0: fill 40
// expect 0 0: 28 1 255 4 3 7 8 3 5 22 3 6 0 4 1 0 5 3 2 6
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer B { uint v[]; };
void main() {
    uint i = gl_SubgroupInvocationID;
    uint a = subgroupAdd(i);
    bool all = subgroupAll(i < 8);
    uvec4 b = subgroupBallot(true);
    uvec4 odd = subgroupBallot((i & 1) != 0);
    uint count = subgroupBallotBitCount(odd);
    uint below = subgroupBallotExclusiveBitCount(odd);
    uint msb = subgroupBallotFindMSB(odd);
    uint size = gl_SubgroupSize;
    uint up = subgroupShuffleUp(i, 2u);
    uint x = subgroupShuffleXor(i, 3u);
    uint cl = subgroupClusteredAdd(i, 4u);
    uint bc = subgroupBroadcast(i, 3u);
    uint inc = subgroupInclusiveAdd(i);
    uint first = subgroupBroadcastFirst(i);
    uint mask = bitCount(gl_SubgroupGtMask).x;
    bool bit = subgroupBallotBitExtract(odd, 3u);
    bool inv = subgroupInverseBallot(odd);
    uint r = 0;
    if ((i & 1) != 0) { r = subgroupAdd(1u); } else { r = subgroupMax(i); }
    uint q = subgroupQuadSwapHorizontal(i);
    uint mn = subgroupExclusiveAdd(i);
    if (i == 6) { v[16] = subgroupBroadcastFirst(i) - 1u; }
    if (i == 5) {
        v[0] = a; v[1] = uint(all); v[2] = b.x; v[3] = count; v[4] = i - below; v[5] = msb; v[6] = size; v[7] = up;
        v[8] = x - 1u; v[9] = cl; v[10] = bc; v[11] = inc - 9u; v[12] = first; v[13] = r; v[14] = uint(bit);
        v[15] = mask - mask;
        v[17] = i - mask; v[18] = uint(inv) + uint(bit); v[19] = q + 2u;
    }
}
