// Integers of 8, 16 and 64 bits, floats of 16 and 64 bits, bitcasts that change the number of components.
// buffer 0 0: -3 7 2.5 1000000
// buffer 0 1: fill 24
// expect 0 1: 253 -3 65533 4 -1 -21 -1 1000000 3567587328 232 3 0 5.0 2.5 1.5 0 1073741824 1 513 2 -3
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer A { int a; int b; float f; uint u; };
layout(std430, binding = 1) buffer O { uint o[]; };
void main() {
    uint8_t x8 = uint8_t(a);
    int8_t s8 = int8_t(a);
    uint16_t x16 = uint16_t(a);
    int16_t s16 = int16_t(a);
    o[0] = x8; o[1] = uint(int(s8)); o[2] = x16;
    o[3] = uint(int(s8) + b);
    o[4] = uint(int(s16 / int16_t(2)));
    int64_t l = int64_t(a) * int64_t(b);
    u32vec2 w = unpack32(uint64_t(l));
    o[5] = w.x; o[6] = w.y;
    uint64_t q = uint64_t(u) * uint64_t(u);
    o[7] = uint(q / uint64_t(u));
    w = unpack32(q);
    o[8] = w.x; o[9] = w.y;
    float16_t h = float16_t(f);
    o[10] = uint(h + float16_t(0.5));
    o[11] = uint(h > float16_t(3.0));
    double d = double(f) * 2.0;
    o[12] = floatBitsToUint(float(d));
    o[13] = floatBitsToUint(float(h));
    o[14] = floatBitsToUint(float(d) - 3.5);
    uvec2 dd = unpackDouble2x32(d * 0.4);           // 2.0
    o[15] = dd.x; o[16] = dd.y;
    o[17] = uint(abs(s8 + int8_t(2)));
    o[18] = pack32(u8vec4(1, 2, 0, 0));
    o[19] = unpack8(uint16_t(0x0201)).y;
    o[20] = uint(int(int64_t(a) >> 0));
}
