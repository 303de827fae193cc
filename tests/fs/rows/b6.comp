// B6: each component of a vector of masks is in its own register.
// fill 0: 2 0 0x3c00 0xbc00 0x3800 0xb800 0x7e00 0x8000
// alu: 9 9 18
// frame alu: 8
// conv_mov: 0
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { f16vec4 a[]; };
layout(std430, binding = 1) buffer B1 { uvec4 o[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef FRAME
    o[i] = uvec4(float16BitsToUint16(a[i])) ^ uvec4(float16BitsToUint16(a[i + 1]));
#else
    bvec4 v = lessThan(a[i], a[i + 1]);
    o[i] = uvec4(v) * uint(any(v.yw));
#endif
}
