// Products, transpose, determinant, inverse, outer product.
// buffer 0 0: 2.0 1.0 0.0 0.0 3.0 1.0 1.0 0.0 4.0
// buffer 0 1: fill 26
// expect 0 1: 25.0 4.0 7.0 16.0 4.0 3.0 16.0 1.0 4.0 2.0 48.0 -16.0 4.0 3.0 6.0 6.0 12.0 9.0 18.0 1.0 -2.0 3.0 2.0
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer A { float a[9]; };
layout(std430, binding = 1) buffer O { float o[]; };
void main() {
    // Columns (2,1,0), (0,3,1), (1,0,4).
    mat3 m = mat3(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]);
    o[0] = determinant(m);
    vec3 v = vec3(1, 2, 3) * m;         // (4, 9, 13)
    o[1] = v.x;
    v = m * vec3(1, 2, 3);              // (5, 7, 14)
    o[2] = v.y;
    mat3 p = m * m;                     // columns (4,5,1), (1,10,7), (6,1,17)
    o[3] = p[2][2];
    mat3 t = transpose(m);              // columns (2,0,1), (1,3,0), (0,1,4)
    o[4] = t[2].z; o[5] = t[1].y;
    p = 2.0 * m * 2.0;
    o[6] = p[2].z; o[7] = m[0].y; o[8] = p[2].x; o[9] = m[0].x;
    mat3 i = inverse(m);
    o[10] = floor(i[0].x * 100.0 + 0.5); o[11] = floor(i[0].y * 100.0 + 0.5); o[12] = floor(i[2].y * 100.0 + 0.5);
    mat3x2 q = outerProduct(vec2(1, 2), vec3(3, 6, 9));
    o[13] = q[0].x; o[14] = q[0].y; o[15] = q[1].x; o[16] = q[1].y; o[17] = q[2].x; o[18] = q[2].y;
    vec3 r = m * i * vec3(1, -2, 3);
    o[19] = floor(r.x + 0.5); o[20] = floor(r.y + 0.5); o[21] = floor(r.z + 0.5);
    mat2 d = mat2(4, 2, 1, 1);
    o[22] = determinant(d);
}
