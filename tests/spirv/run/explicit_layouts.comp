// Explicit layouts: std140 and std430, row and column major, arrays of matrices, dynamic indices.
// buffer 0 0: 1.0 2.0 3.0 0 4.0 5.0 6.0 0 10.0 20.0 0 0 30.0 40.0 0 0 7 0 0 0 8 0 0 0
// buffer 0 1: fill 40
// push: 1 0 0 0 2.0 3.0 5.0 7.0
// expect 0 1: 1.0 4.0 2.0 5.0 3.0 6.0 0 0 1.0 2.0 3.0 0 4.0 5.0 6.0 0 30.0 40.0 8 1 2.0 7.0 31.0 46.0 20.0 99.0
#version 450
layout(local_size_x = 1) in;
layout(std140, row_major, set = 0, binding = 0) uniform U {
    mat3x2 m;                       // rows of three, 16 bytes apart
    layout(column_major) mat2 c;    // columns of two, 16 bytes apart
    int a[2];                       // 16 bytes apart
} u;
layout(std430, set = 0, binding = 1) buffer O {
    mat3x2 c;                       // columns of two, 8 bytes apart: 0
    layout(row_major) mat3x2 r;     // rows of three, 16 bytes apart: 8
    vec2 v;                         // 16
    int a[2];                       // 18
    float f[];                      // 20
} o;
layout(push_constant) uniform P { int i; layout(offset = 16) mat2 m; } p;
void main() {
    o.c = u.m;
    o.r = u.m;
    o.v = u.c[p.i];
    o.a[0] = u.a[p.i];
    o.a[1] = p.i;
    o.f[0] = p.m[0].x;
    o.f[1] = p.m[p.i][p.i];
    vec2 x = p.m * vec2(3.0, 5.0);      // (2,3)*3 + (5,7)*5 = (31, 44)
    o.f[2] = x.x;
    o.f[3] = x.y + 2.0;
    o.f[4] = u.c[0][p.i];
    mat3x2 k = u.m;
    k[2].y = 99.0;
    o.f[5] = k[p.i + 1][p.i];
}
