// Operands of AND, OR and XOR whose complement is evaluated: comparisons of halves have no exact
// inverse, for with a NaN none of them holds.
// fill 0: 2 0 0x3c00 0xbc00 0x3800 0xb800 0x7e00 0x8000
// fill 2: 4 0 1 0xffffffff
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer B0 { float16_t a[]; };
layout(std430, binding = 1) buffer B1 { int o[]; };
layout(std430, binding = 2) buffer B2 { int b[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    bool p = a[i] < a[i + 1], u = a[i + 1] < a[i + 3], q = a[i + 1] >= a[i + 2];
    bool v = a[i + 2] > a[i + 3];
    bool r = b[i] < b[i + 1], t = b[i + 1] == 1, w = b[i + 2] >= b[i + 3];
    int s = 0;
    if (!(p && u) && r) s += 1;
    if (!(p && u) || r) s += 2;
    if (!(q || v) && t) s += 4;
    if (!(q || v) || w) s += 8;
    if (r && !(p && q)) s += 16;
    if (r || !(u && v)) s += 32;
    if (!(p && u) && r && t) s += 64;
    if ((!(p && q) && t) || w) s += 128;
    if (!(p && u && r) ^^ (q && t)) s += 256;
    if (!(p && u) ^^ (q || v)) s += 512;
    if (!(p && v) ^^ !(u && q && t)) s += 1024;
    if (!(p && u) && !(q && v)) s += 2048;
    if (!(p && q && r) || !(u && v)) s += 4096;
    if (!(p || u) == (q && v && w)) s += 8192;
    if (!(!(p && v) && r) || (u && q)) s += 16384;
    o[i] = s;
}
