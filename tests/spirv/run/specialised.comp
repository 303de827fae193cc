// Specialization constants in the workgroup size, array lengths, expressions and branches.
// spec 0: 4
// spec 1: 3
// spec 2: 0
// buffer 0 0: fill 8
// expect 0 0: 4 3 10 7 2 100 0 4
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int n = 8;
layout(constant_id = 2) const bool on = true;
layout(constant_id = 3) const uint u = 100;
const int m = n * 2 + 1;
layout(std430, binding = 0) buffer B { int v[8]; };
int t[m + 3];
void main() {
    if (gl_LocalInvocationIndex != 0) return;
    v[0] = int(gl_WorkGroupSize.x);
    v[1] = n;
    v[2] = t.length();
    v[3] = m;
    v[4] = on ? 1 : 2;
    v[5] = int(u);
    v[6] = int(m > 100);
    v[7] = ~(-n - 2);
}
