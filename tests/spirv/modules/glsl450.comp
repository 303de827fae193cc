#version 450
layout(local_size_x=64) in;
layout(std430, binding=0) buffer A { vec4 f[32]; ivec4 i[32]; uvec4 u[32]; };
void main(){
 uint k = gl_GlobalInvocationID.x; vec4 x=f[0]; vec4 y=f[1]; vec4 z=f[2]; int n=0;
#define R(e) f[n++] = vec4(e);
 R(sin(x)) R(cos(x)) R(tan(x)) R(asin(x)) R(acos(x)) R(atan(x)) R(atan(x,y)) R(sinh(x)) R(cosh(x)) R(tanh(x)) R(asinh(x)) R(acosh(x)) R(atanh(x))
 R(pow(x,y)) R(exp(x)) R(log(x)) R(exp2(x)) R(log2(x)) R(sqrt(x)) R(inversesqrt(x)) R(abs(x)) R(sign(x)) R(floor(x)) R(trunc(x)) R(round(x)) R(roundEven(x)) R(ceil(x)) R(fract(x)) R(mod(x,y)) R(mod(x,2.0)) vec4 w; R(modf(x,w)) R(w) R(min(x,y)) R(max(x,1.0)) R(clamp(x,y,z)) R(mix(x,y,z)) R(mix(x,y,bvec4(x.x>1,true,false,y.y<2))) R(step(x,y)) R(smoothstep(x,y,z)) R(isnan(x)) R(isinf(x)) R(floatBitsToInt(x)) R(intBitsToFloat(i[0])) R(fma(x,y,z)) ivec4 e; R(frexp(x,e)) R(ldexp(x,e))
 R(packUnorm2x16(x.xy)) R(packSnorm2x16(x.xy)) R(packUnorm4x8(x)) R(packSnorm4x8(x)) R(packHalf2x16(x.xy)) f[n++].xy=unpackUnorm2x16(u[0].x); f[n++].xy = unpackSnorm2x16(u[0].x); R(unpackUnorm4x8(u[0].x)) R(unpackSnorm4x8(u[0].x)) f[n++].xy=unpackHalf2x16(u[0].y);
 R(length(x)) R(length(x.x)) R(distance(x,y)) R(dot(x,y)) f[n++].xyz=cross(x.xyz,y.xyz); R(normalize(x)) R(normalize(x.y)) R(faceforward(x,y,z)) R(reflect(x,y)) R(refract(x,y,z.x)) R(radians(x)) R(degrees(x))
 R(dot(x.xy,y.xy)) R(reflect(x.x,y.x)) R(refract(x.x,y.x,z.x)) R(faceforward(x.x,y.x,z.x)) R(determinant(mat4(x,y,z,x))) mat4 im=inverse(mat4(x,y,z,w)); R(im[0]) R(im[1]) f[n++].xy=inverse(mat2(x))[1];
#define I(e) i[n++] = ivec4(e);
#define U(e) u[n++] = uvec4(e);
 n=0; ivec4 a=i[0], b=i[1]; uvec4 c=u[0], d=u[1];
 I(a+b) I(a-b) I(a*b) I(a/b) I(a%b) I(-a) I(~a) I(a&b) I(a|b) I(a^b) I(a<<b) I(a>>b) U(c/d) U(c%d) U(c>>d) U(c<<a) I(abs(a)) I(sign(a)) I(min(a,b)) I(max(a,b)) I(clamp(a,b,ivec4(4))) U(min(c,d)) U(max(c,d)) U(clamp(c,d,c))
 I(bitfieldExtract(a,3,5)) U(bitfieldExtract(c,3,5)) I(bitfieldInsert(a,b,3,5)) U(bitfieldReverse(c)) I(bitCount(c)) I(findLSB(a)) I(findMSB(a)) I(findMSB(c)) uvec4 hi,lo; umulExtended(c,d,hi,lo); U(hi) U(lo) ivec4 h2,l2; imulExtended(a,b,h2,l2); I(h2) I(l2) U(uaddCarry(c,d,hi)) U(usubBorrow(c,d,lo)) U(hi+lo)
 I(x) U(x) f[n]=vec4(a); f[n+1]=vec4(c); I(equal(a,b)) I(notEqual(x,y)) I(lessThanEqual(c,d)) I(greaterThan(a,b)) I(greaterThanEqual(x,y)) I(lessThan(c,d)) 
 f[k] = (a==b) ? x : y;  precise float q = x.x*y.x+z.x; f[k].x = q;
 vec4 arr[5]; for(int t=0;t<5;t++) arr[t]=x*t; vec4 arr2[5]=arr; f[3]=arr2[a.x]; if (arr==arr2) f[4]=x;
}
