#version 450
layout(local_size_x_id=0, local_size_y=2) in;
layout(constant_id=3) const int N = 5;
layout(constant_id=4) const float F = 2.5;
layout(constant_id=5) const bool B = true;
const int M = N*2+1;
struct S { float a; vec3 b; mat3 m; int arr[4]; };
layout(std140, set=1, binding=2) uniform U { S s[3]; layout(row_major) mat4x3 rm; mat2 cm[2]; } u;
layout(std430, set=0, binding=0) buffer O { layout(row_major) mat3x4 m; S s; vec4 v[]; } o[4];
layout(std430, binding=5) coherent buffer A { int c; uint d; uint list[]; } a;
layout(push_constant) uniform P { layout(offset=16) uint idx; mat2 pm; } p;
shared float sh[64]; shared S shs; shared uint cnt;
float tab[M];
float f(inout S s, int k) { for (int i=0;i<k;i++) { if (s.arr[i&3]>3) return s.a; s.a += s.b[i%3]; } s.m[1][2]=F; return -s.a; }
int fact(int n){ int r=1; while(n>1){ r*=n; n--; if(r>100000) break; if ((n&1)!=0) continue; r^=3;} return r;}
void main(){
  S s = u.s[p.idx];
  float r = f(s, N);
  o[1].s = s; o[p.idx].m = transpose(u.rm) * 2.0; 
  vec4 v = o[2].v[gl_GlobalInvocationID.x];
  v.zx = v.xy; v[p.idx] = r; v.y += float(o[3].v.length()) + float(a.list.length());
  mat3 im = inverse(mat3(u.rm)); float det = determinant(im);
  sh[gl_LocalInvocationIndex] = det;
  barrier(); memoryBarrierShared(); memoryBarrier(); groupMemoryBarrier(); memoryBarrierBuffer();
  tab[N] = sh[63-gl_LocalInvocationIndex];
  atomicAdd(cnt, 3u); uint x = atomicCompSwap(a.d, 1u, 7u); atomicMax(a.c, -3); atomicExchange(a.list[2], x); atomicXor(a.d, 5u); atomicMin(a.d,1u); atomicAnd(a.d,1u); atomicOr(a.d,1u);
  shs = s;
  switch (fact(int(p.idx))) { case 1: v.x = 1; case 2: v.y = 3; break; case 7: case 9: { if (v.x>2) break; v.z=1; return; } default: v.w = 8; }
  o[0].v[0] = v * (B ? 1.0 : tab[p.idx]);
  o[0].s.m = outerProduct(v.xyz, v.zyx) * u.s[1].m;
  o[0].s.b = v.xyz * u.s[1].m + u.s[0].m * v.yzw; o[0].m[1] = vec4(p.pm[0], u.cm[1][p.idx]);
  o[0].m[p.idx].y = 5;
  o[0].s.arr[p.idx] = M;
  bvec3 bb = lessThan(v.xyz, v.yzw); if (any(bb) && !all(not(bb))) o[0].s.arr[0] = int(bb.x);
  for (int i=0;i<3;i++) for(int j=0;j<3;j++){ if (i==j) continue; if (v[i]>7) { o[0].v[i].x = 3; if (v[j] < 2) return; break;} }
}
