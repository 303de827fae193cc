#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x=64) in;
layout(std430, binding=0) buffer A { double d[8]; int64_t l[8]; uint64_t ul[8]; int16_t s[8]; uint8_t b[8]; float16_t h[8]; f16vec4 hv; u16vec3 sv; uint u[64]; vec4 f[64]; };
void main(){
 uint k=gl_GlobalInvocationID.x;
 d[0] = sqrt(d[1])*floor(d[2])+double(u[3]); l[0]=l[1]*l[2]/l[3]; ul[0]=ul[1]%ul[2]>>3; s[0]=s[1]*s[2]; b[0]=b[1]+uint8_t(u[3]); h[0]=h[1]*h[2]+float16_t(f[0].x); hv = sin(hv)*atan(hv)+acos(hv); sv=sv/u16vec3(3);
 l[3]=int64_t(d[1]); d[4]=double(ul[2]); u[4]=packHalf2x16(vec2(hv.xy)); l[4] = doubleBitsToInt64(d[3]); u[5]=pack32(i16vec2(s[0],s[1])); ul[5]=pack64(u32vec2(u[0],u[1])); u[6] = pack32(u8vec4(b[0],b[1],b[2],b[3])); u16vec4 q=unpack16(ul[3]); u[7]=q.x+q.w; u8vec4 bb=unpack8(u[8]); u[9]=bb.z; 
 int ex; d[5]=frexp(d[1], ex); u[10]=uint(ex);
 dmat3 dm = dmat3(d[0],d[1],d[2],1,2,3,4,5,6); d[6]=determinant(dm); d[7]=(inverse(dm)*dvec3(1,2,3)).y; 
 uvec2 dd = unpackDouble2x32(d[0]); u[11]=dd.x; d[2]=packDouble2x32(dd);
 if (subgroupElect()) u[12]=1; subgroupBarrier(); subgroupMemoryBarrier();
 u[13]=uint(subgroupAll(k>3)) + uint(subgroupAny(k>3)) + uint(subgroupAllEqual(f[k])) + uint(subgroupAllEqual(u[k]));
 f[1]=subgroupBroadcast(f[k],3u); f[2]=subgroupBroadcastFirst(f[k]); uvec4 bl=subgroupBallot(k>5); u[14]=uint(subgroupInverseBallot(bl)); u[15]=uint(subgroupBallotBitExtract(bl,k)); u[16]=subgroupBallotBitCount(bl); u[17]=subgroupBallotInclusiveBitCount(bl); u[18]=subgroupBallotExclusiveBitCount(bl); u[19]=subgroupBallotFindLSB(bl); u[20]=subgroupBallotFindMSB(bl);
 u[21]=subgroupAdd(u[k]); u[22]=subgroupMul(u[k]); f[3]=subgroupMin(f[k]); u[23]=subgroupMax(u[k]); u[24]=subgroupAnd(u[k]); u[25]=uint(subgroupOr(k>3)); u[26]=subgroupXor(u[k]); u[27]=subgroupInclusiveAdd(u[k]); f[4]=subgroupExclusiveMul(f[k]); u[28]=subgroupClusteredAdd(u[k],4u); 
 u[29]=subgroupShuffle(u[k],k^1); u[30]=subgroupShuffleXor(u[k],3u); u[31]=subgroupShuffleUp(u[k],1u); u[32]=subgroupShuffleDown(u[k],1u); u[33]=subgroupQuadBroadcast(u[k],2u); f[5]=subgroupQuadSwapHorizontal(f[k]); u[34]=subgroupQuadSwapVertical(u[k]); u[35]=subgroupQuadSwapDiagonal(u[k]);
 u[36]=gl_SubgroupSize+gl_SubgroupID+gl_SubgroupInvocationID+gl_NumSubgroups; u[37]=gl_SubgroupEqMask.x+gl_SubgroupGeMask.y+gl_SubgroupGtMask.z+gl_SubgroupLeMask.w+gl_SubgroupLtMask.x; u[38]=gl_NumWorkGroups.x+gl_WorkGroupID.y+gl_WorkGroupSize.x+gl_LocalInvocationID.z;
}
