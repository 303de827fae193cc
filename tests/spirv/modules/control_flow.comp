#version 450
layout(local_size_x=8) in;
layout(std430, binding=0) buffer A { int o[]; };
int g(int x){ for(;;){ x++; if (x>10) { for(int j=0;j<x;j++){ if(o[j]==3) return j; if (o[j]==4) break; switch(o[j]){case 1: continue; case 2: return 7; case 5: x+=2; break; default: if (x>50) return x; } o[j]+=1; } if (x>20) return 99; } do { x+=2; if ((x&4)!=0) continue; if (x>30) break; } while (x<15); } }
int h(int x){ if (x>3) { if (x>5) return 1; o[1]=3; } else if (x<1) return 2; else { while(true) { if (o[x]>3) break; x++; } } o[2]=4; if (x==9) { o[3]=1; return 4; } return x; }
void v(int x){ if (x>3) return; o[5]=g(x); if (o[6]>3) { o[7]=1; return;} o[8]=2; }
void main(){ int i=int(gl_GlobalInvocationID.x); o[i]=g(h(i))+g(i+1); v(o[i]); v(o[i+1]); if (i>100) return; for (int q=0;q<o[9];q++) v(q); bool b=false; while(!b){ b=h(o[10])>2; if(o[11]>2){ if(o[12]>1) return; continue;} o[13]++; } o[14]=i; }
