// Ldexp and Frexp of constants, which are folded, and of values loaded at run time.
// buffer 0 0: 1.5 -0.75 0.0 8.0
// buffer 0 1: 3 4294967294 5 1
// buffer 0 2: fill 64
// buffer 0 3: fill 32
// expect 0 2: 12.0 -0.1875 0.0 16.0 0.75 -0.75 0.0 0.5 -12.0 -12.0 -12.0 -12.0 -0.75 -0.75 -0.75 -0.75
// expect 0 3: 1 0 0 4 1 1 1 1
#version 450
layout(local_size_x = 4) in;
layout(std430, set = 0, binding = 0) buffer A { float x[]; };
layout(std430, set = 0, binding = 1) buffer B { int e[]; };
layout(std430, set = 0, binding = 2) buffer C { float r[]; };
layout(std430, set = 0, binding = 3) buffer D { int s[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    int n, m;
    r[i] = ldexp(x[i], e[i]);
    r[i + 4] = frexp(x[i], n);
    r[i + 8] = ldexp(-1.5, 3);
    r[i + 12] = frexp(-1.5, m);
    s[i] = n;
    s[i + 4] = m;
}
