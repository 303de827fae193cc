// Constants take the size of the other operand.
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
    bool r = b[i] > 0;
    bool w = r ? a[i] < a[i + 1] : true;
    bool x = r ? false : b[i + 1] < b[i + 2];
    bool y = a[i] == int16_t(1) ? w : a[i + 1] != int16_t(2);
    o[i] = int(w) + 2 * int(x) + 4 * int(y) + 8 * int(w != y);
}
