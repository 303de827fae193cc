/* OpenCL kernels whose results the host checks: a client for Intel's OpenCL driver on the simulated GPU.
 *
 * In:  optionally a part of the device's name, which must be found in it.
 * Out: a line `ok NAME` or `FAILED NAME: …` for each kernel, then a count; exit status 1 if one failed or nothing ran.
 *
 * Most kernels are C as well: the same text is compiled by the OpenCL driver and by the host's compiler, and each work
 * item's result compared. Kernels of several items, and images, have a check of their own.
 */
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 1024, GROUP = 64 };

typedef uint32_t u32;
typedef uint64_t u64;

/* What OpenCL C has and C has not. */
#define MUL_HI(a, b) ((u32)((u64)(a) * (b) >> 32))
#define ROTATE(a, n) ((a) << ((n) & 31) | (a) >> (-(n) & 31))
#define POPCOUNT(a) ((u32)__builtin_popcount(a))
#define CLZ(a) ((a) ? (u32)__builtin_clz(a) : 32u)
static u32 bits_of(float f) { u32 u; memcpy(&u, &f, 4); return u; }
static u64 bits_of_double(double d) { u64 u; memcpy(&u, &d, 8); return u; }

/* The beginning of the program that the driver compiles: the same names, by OpenCL's functions. */
static const char *const PRELUDE =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "typedef uint u32; typedef ulong u64;\n"
    "#define MUL_HI(a, b) mul_hi((uint)(a), (uint)(b))\n"
    "#define ROTATE(a, n) rotate((uint)(a), (uint)(n))\n"
    "#define POPCOUNT(a) popcount((uint)(a))\n"
    "#define CLZ(a) clz((uint)(a))\n"
    "#define bits_of(f) as_uint((float)(f))\n"
    "#define bits_of_double(d) as_ulong((double)(d))\n";

/* Item `i` reads `in` and gives a number. */
typedef u64 (*Item)(u32 i, const u32 *in);

#define PLAIN(X) \
    X(add, return in[i] + i;) \
    X(product, return in[i] * (in[i] | 1u) + MUL_HI(in[i], in[(i + 1) % 1024]);) \
    X(quotient, return in[i] / (i % 37 + 1) * 100000u + in[i] % (i % 91 + 1);) \
    X(signed_quotient, int a = (int)in[i]; int b = (int)(i % 53) - 60; return (u32)(a / b) ^ (u32)(a % b) << 7;) \
    X(shifts, return (in[i] >> (i & 31)) ^ (in[i] << (in[i] & 7)) ^ (u32)((int)in[i] >> (i & 15));) \
    X(bits, return ROTATE(in[i], i) + POPCOUNT(in[i]) * 1000u + CLZ(in[i] >> (i & 31));) \
    X(bytes, unsigned char a = (unsigned char)in[i]; signed char b = (signed char)(in[i] >> 8); \
        return (u32)(unsigned char)(a * 3) + (u32)(int)(signed char)(b + a) * 5u;) \
    X(words, unsigned short a = (unsigned short)in[i]; short b = (short)(in[i] >> 16); \
        return (u32)(unsigned short)(a + 7) ^ (u32)(int)b << 3;) \
    X(long_sum, u64 a = (u64)in[i] << 20 | i; return a + ((u64)in[(i * 7) % 1024] << 9) - 5;) \
    X(long_product, u64 a = (u64)in[i] * 0x9e3779b97f4a7c15ul; return a * (a >> 31 | 1);) \
    X(long_quotient, u64 a = (u64)in[i] << 21 | in[i ^ 5]; return a / (in[i ^ 1] | 1) + a % ((u64)i * 99 + 7);) \
    X(long_shift, u64 a = (u64)in[i] << 32 | in[i ^ 3]; return a >> (i & 63) ^ a << (in[i] & 31);) \
    X(float_sum, float a = (float)(int)(in[i] & 0xffff); float b = (float)i * 0.25f; return bits_of(a + b - 3.5f);) \
    X(float_product, float a = (float)(in[i] & 0xfff); return bits_of(a * 1.5f * ((float)i + 0.125f));) \
    X(conversions, float a = (float)(int)in[i]; int b = (int)(a * 0.0001f); return (u32)b ^ bits_of((float)b);) \
    X(double_sum, double a = (double)(int)in[i]; return bits_of_double(a * 0.5 + (double)i - 1.25);) \
    X(double_quotient, double a = (double)(int)in[i]; return bits_of_double(a / ((double)i + 3.0));) \
    X(loop, u32 a = in[i]; u32 n = 0; while (a > 1 && n < 200) { a = a & 1 ? a * 3 + 1 : a >> 1; n++; } return n * 65536u + (a & 0xffff);) \
    X(branches, u32 a = in[i]; if (a & 1) { if (a & 2) a += 10; else a ^= 0xff00; } else switch (i & 3) { \
        case 0: a *= 3; break; case 1: a = ~a; break; default: a -= i; } return a;) \
    X(chain, double a = (double)(in[i] & 0xffff); u32 k = i & 63; \
        if (k < 16) a = a * a + 0.5; else if (k < 32) a = sqrt(a); else a = a * 3.0; return bits_of_double(a);) \
    X(private_array, u32 t[48]; for (u32 k = 0; k < 48; k++) t[k] = in[(i + k) % 1024] + k; \
        u32 s = 0; for (u32 k = 0; k < 48; k++) s = s * 31 + t[(k * 7 + i) % 48]; return s;)

#define HOST(name, ...) static u64 host_##name(u32 i, const u32 *in) { __VA_ARGS__ }
PLAIN(HOST)

#define DEVICE(name, ...) \
    "u64 item_" #name "(u32 i, global const u32 *in) { " #__VA_ARGS__ " }\n" \
    "kernel void " #name "(global const u32 *in, global u64 *out) {\n" \
    "    u32 i = get_global_id(0); out[i] = item_" #name "(i, in); }\n"
static const char *const PLAIN_TEXT = PLAIN(DEVICE);

static const char *const OTHER_TEXT =
    "kernel void reduction(global const u32 *in, global u64 *out) {\n"
    "    local u32 t[64]; u32 l = get_local_id(0); t[l] = in[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (u32 s = 32; s > 0; s >>= 1) { if (l < s) t[l] += t[l + s]; barrier(CLK_LOCAL_MEM_FENCE); }\n"
    "    out[get_global_id(0)] = t[0]; }\n"
    "kernel void reversal(global const u32 *in, global u64 *out) {\n"
    "    local u32 t[64]; u32 l = get_local_id(0); t[l] = in[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = t[63 - l]; }\n"
    "kernel void histogram(global const u32 *in, global u64 *out) {\n"
    "    atomic_inc((volatile global u32 *)out + in[get_global_id(0)] % 256 * 2); }\n"
    "kernel void vectors(global const u32 *in, global u64 *out) {\n"
    "    u32 i = get_global_id(0); uint4 v = vload4(i % 256, in); v = v.wzyx * (uint4)(1, 2, 3, 4) + v.xxyy;\n"
    "    out[i] = v.x ^ v.y ^ v.z ^ v.w; }\n"
    "kernel void picture(read_only image2d_t from, write_only image2d_t to, sampler_t s) {\n"
    "    int2 p = (int2)(get_global_id(0), get_global_id(1)); uint4 v = read_imageui(from, s, p + (int2)(1, 0));\n"
    "    write_imageui(to, p, v.yxwz + (uint4)(p.x, p.y, 0, 1)); }\n";

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;
static cl_program program;
static u32 input[ITEMS];
static int failed, passed;

static void check(cl_int error, const char *what) {
    if (error != CL_SUCCESS) {
        printf("FAILED: %s gives %d\n", what, error);
        exit(1);
    }
}

static void verdict(const char *name, const u64 *expected, const u64 *found, size_t count) {
    size_t wrong = 0, first = 0;
    for (size_t i = count; i-- > 0;)
        if (expected[i] != found[i]) {
            wrong++;
            first = i;
        }
    if (wrong) {
        printf("FAILED %s: %zu of %zu; at %zu %#llx instead of %#llx\n", name, wrong, count, first,
               (unsigned long long)found[first], (unsigned long long)expected[first]);
        failed++;
    } else {
        printf("ok %s\n", name);
        passed++;
    }
}

/* Runs a kernel of one number for each item. */
static void run(const char *name, u64 *found) {
    cl_int error;
    memset(found, 0, ITEMS * sizeof *found);
    cl_kernel kernel = clCreateKernel(program, name, &error);
    check(error, name);
    cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof input, input, &error);
    check(error, "clCreateBuffer");
    cl_mem out = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, ITEMS * sizeof *found, found, &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof in, &in), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof out, &out), "clSetKernelArg");
    size_t items = ITEMS, group = GROUP;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL), name);
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, ITEMS * sizeof *found, found, 0, NULL, NULL), name);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
}

static void plain(const char *name, Item item) {
    static u64 expected[ITEMS], found[ITEMS];
    for (u32 i = 0; i < ITEMS; i++)
        expected[i] = item(i, input);
    run(name, found);
    verdict(name, expected, found, ITEMS);
}

static void groups(void) {
    static u64 expected[ITEMS], found[ITEMS];
    for (u32 i = 0; i < ITEMS; i++) {
        u32 sum = 0;
        for (u32 k = 0; k < GROUP; k++)
            sum += input[i / GROUP * GROUP + k];
        expected[i] = sum;
    }
    run("reduction", found);
    verdict("reduction", expected, found, ITEMS);
    for (u32 i = 0; i < ITEMS; i++)
        expected[i] = input[i / GROUP * GROUP + GROUP - 1 - i % GROUP];
    run("reversal", found);
    verdict("reversal", expected, found, ITEMS);
    memset(expected, 0, sizeof expected);
    for (u32 i = 0; i < ITEMS; i++)
        expected[input[i] % 256]++;
    run("histogram", found);
    verdict("histogram", expected, found, ITEMS);
    for (u32 i = 0; i < ITEMS; i++) {
        const u32 *v = input + i % 256 * 4;
        expected[i] = (v[3] + v[0]) ^ (v[2] * 2 + v[0]) ^ (v[1] * 3 + v[1]) ^ (v[0] * 4 + v[1]);
    }
    run("vectors", found);
    verdict("vectors", expected, found, ITEMS);
}

/* Texels of a picture, one to the right, swizzled; the border repeats the edge. */
static void picture(void) {
    enum { SIDE = 32 };
    static unsigned char from[SIDE * SIDE * 4], to[SIDE * SIDE * 4];
    static u64 expected[SIDE * SIDE], found[SIDE * SIDE];
    cl_int error;
    for (u32 i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(input[i % ITEMS] >> 8) & 0x7f;
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    cl_mem in = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &shape, from, &error);
    check(error, "clCreateImage");
    cl_mem out = clCreateImage(context, CL_MEM_READ_WRITE, &format, &shape, NULL, &error);
    check(error, "clCreateImage");
    cl_sampler_properties how[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_ADDRESSING_MODE,
                                   CL_ADDRESS_CLAMP_TO_EDGE, CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, 0};
    cl_sampler sampler = clCreateSamplerWithProperties(context, how, &error);
    check(error, "clCreateSamplerWithProperties");
    cl_kernel kernel = clCreateKernel(program, "picture", &error);
    check(error, "picture");
    check(clSetKernelArg(kernel, 0, sizeof in, &in), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof sampler, &sampler), "clSetKernelArg");
    size_t items[2] = {SIDE, SIDE}, origin[3] = {0, 0, 0}, region[3] = {SIDE, SIDE, 1};
    check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, items, NULL, 0, NULL, NULL), "picture");
    check(clEnqueueReadImage(queue, out, CL_TRUE, origin, region, 0, 0, to, 0, NULL, NULL), "clEnqueueReadImage");
    for (u32 i = 0; i < SIDE * SIDE; i++) {
        u32 x = i % SIDE, y = i / SIDE;
        const unsigned char *v = from + (y * SIDE + (x + 1 < SIDE ? x + 1 : x)) * 4;
        expected[i] = (u32)(v[1] + x) | (u32)(v[0] + y) << 8 | (u32)v[3] << 16 | (u32)(v[2] + 1) << 24;
        found[i] = (u32)to[i * 4] | (u32)to[i * 4 + 1] << 8 | (u32)to[i * 4 + 2] << 16 | (u64)to[i * 4 + 3] << 24;
    }
    verdict("picture", expected, found, SIDE * SIDE);
}

int main(int argc, char **argv) {
    cl_platform_id platform;
    cl_int error;
    char name[256];
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL), "clGetDeviceIDs");
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
    printf("device: %s\n", name);
    if (argc > 1 && !strstr(name, argv[1])) {
        printf("FAILED: that is not %s\n", argv[1]);
        return 1;
    }
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    check(error, "clCreateCommandQueueWithProperties");
    const char *texts[] = {PRELUDE, PLAIN_TEXT, OTHER_TEXT};
    program = clCreateProgramWithSource(context, 3, texts, NULL, &error);
    check(error, "clCreateProgramWithSource");
    /* No fused multiplications: the host makes none. */
    error = clBuildProgram(program, 1, &device, "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt", NULL, NULL);
    if (error != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        printf("FAILED: the program is not built: %d\n%s\n", error, log);
        return 1;
    }
    u32 state = 12345;
    for (u32 i = 0; i < ITEMS; i++) {
        state = state * 1664525u + 1013904223u;
        input[i] = state ^ state >> 13;
    }
#define RUN(name, ...) plain(#name, host_##name);
    PLAIN(RUN)
    groups();
    picture();
    printf("%d kernels as the host computes them, %d not\n", passed, failed);
    return failed || !passed;
}
