// Components of vectors of masks of words, at every offset.
// fill 0: 2 0 1 2 0xffff
// conv_mov: 0
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { i16vec4 a[]; };
layout(std430, binding = 1) buffer B1 { ivec4 o[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    bvec4 p = lessThan(a[i], a[i + 1]), q = notEqual(a[i + 1].wzyx, a[i + 2]);
    bvec4 r = bvec4(p.w && q.x, p.z != q.y, p.y || q.z, p.x == q.w);
    o[i] = ivec4(r.yzwx) + 2 * ivec4(p) + 4 * ivec4(q.ywxz);
}
