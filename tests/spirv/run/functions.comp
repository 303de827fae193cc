// Calls with in, out and inout parameters, arrays by value, early returns, recursion-free call chains.
// buffer 0 0: 5 0 0 0 0 0 0 0 0 0
// expect 0 0: 5 120 13 24 3 11 1 -1 42 45
#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer B { int v[]; };
int factorial(int n) { int r = 1; while (true) { if (n <= 1) return r; r *= n--; } }
int search(int a[4], int x) { for (int i = 0; i < 4; i++) { if (a[i] == x) return i; } return -1; }
void two(in int a, out int b, inout int c) { a += 1; b = a * 2; c += b; }
int sum(int n) { int s = 0; for (int i = 0; ; i++) { if (i == n) break; if ((i & 1) != 0) continue; s += i; } return s; }
int pick(int n) { switch (n) { case 0: return 7; case 1: n += 10; case 2: n += 100; break; default: n = 42; } return n; }
void main() {
    int n = v[0];
    v[1] = factorial(n);
    int b = 0, c = 1;
    two(n, b, c);
    v[2] = c;
    v[3] = b * 2;
    int a[4] = int[4](4, 9, 1, n);
    v[4] = search(a, 5);
    a[n - 4] = 11;
    v[5] = a[1];
    v[6] = search(a, 11);
    v[7] = search(a, 100);
    v[8] = pick(n);
    v[9] = 3 + pick(n) ;
}
