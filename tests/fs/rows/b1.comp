// B1, S1: the absolute value of the operand stays a source modifier, and one MOV makes the number
// of the mask of words.
// fill 0: 2 0 0x3c00 0xbc00 0x3800 0xb800 0x7e00 0x8000
// alu: 2 2 4
// frame alu: 1
// conv_mov: 0
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { float16_t a[]; };
layout(std430, binding = 1) buffer B1 { float o[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
#ifdef FRAME
    o[i] = uintBitsToFloat(uint(float16BitsToUint16(a[i])));
#else
    o[i] = float(abs(a[i]) > 0.5hf);
#endif
}
