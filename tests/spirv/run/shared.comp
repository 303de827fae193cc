// Shared memory, barriers, atomics; two workgroups.
// groups 2
// buffer 0 0: fill 34
// expect 0 0: 7 6 5 4 3 2 1 0 15 14 13 12 11 10 9 8 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 16 15
#version 450
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer B { uint v[32]; uint count; uint most; };
shared uint s[8];
void main() {
    uint i = gl_LocalInvocationIndex;
    s[i] = gl_GlobalInvocationID.x;
    barrier();
    v[gl_GlobalInvocationID.x] = s[7 - i];
    atomicAdd(count, 1u);
    atomicMax(most, gl_GlobalInvocationID.x);
}
