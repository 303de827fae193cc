/*
 * A program that submits many batches and ends at once, in the way that its argument names. Its last words come from a destructor
 * and a function that atexit knows, both of which submit, too.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <i915_drm.h>

/* GPU addresses of the two buffers. */
#define BATCH 0x100000ull
#define DATA 0x200000ull
#define DWORDS (1 << 18)

static int node = -1;
static uint32_t batch, data;

static void must(int result, const char *what)
{
    if (result < 0) {
        perror(what);
        abort();
    }
}

static uint32_t buffer(uint32_t **words)
{
    struct drm_i915_gem_create create = {.size = DWORDS * 4};
    must(ioctl(node, DRM_IOCTL_I915_GEM_CREATE, &create), "create");
    struct drm_i915_gem_mmap_offset map = {.handle = create.handle, .flags = I915_MMAP_OFFSET_WB};
    must(ioctl(node, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &map), "offset");
    *words = mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, node, map.offset);
    must(*words == MAP_FAILED ? -1 : 0, "mmap");
    return create.handle;
}

static void submit(void)
{
    struct drm_i915_gem_exec_object2 objects[2] = {
        {.handle = data, .offset = DATA, .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_WRITE},
        {.handle = batch, .offset = BATCH, .flags = EXEC_OBJECT_PINNED},
    };
    struct drm_i915_gem_execbuffer2 exec = {
        .buffers_ptr = (uintptr_t)objects,
        .buffer_count = 2,
        .flags = I915_EXEC_RENDER | I915_EXEC_NO_RELOC,
    };
    must(ioctl(node, DRM_IOCTL_I915_GEM_EXECBUFFER2, &exec), "exec");
}

__attribute__((destructor)) static void unload(void)
{
    if (node >= 0)
        submit();
}

/* A child that could not execute its program, as those who start programs make them: it ends in its parent's memory. */
static int ended_child(int status)
{
    const pid_t child = vfork();
    if (!child)
        _exit(status);
    must(waitpid(child, &status, 0), "waitpid");
    return WEXITSTATUS(status);
}

int main(int count, char **arguments)
{
    const char *how = count > 1 ? arguments[1] : "";
    uint32_t *words, *ignored;
    /* Before the device has been asked for anything. */
    const int early = strcmp(how, "vfork") ? 0 : ended_child(2);
    node = open("/dev/dri/renderD128", O_RDWR);
    must(node, "open");
    batch = buffer(&words);
    data = buffer(&ignored);
    /* MI_STORE_DATA_IMM, as often as the buffer has room for, and MI_BATCH_BUFFER_END. */
    for (uint32_t i = 0; i + 4 < DWORDS; i += 4) {
        const uint32_t store[] = {0x20u << 23 | 2, DATA + i, 0, i};
        memcpy(words + i, store, sizeof store);
    }
    words[DWORDS - 4] = 0x0au << 23;
    for (int i = 0; i < 8; ++i)
        submit();
    atexit(submit);
    at_quick_exit(submit);
    if (!strcmp(how, "exit"))
        exit(7);
    if (!strcmp(how, "_exit"))
        _exit(7);
    if (!strcmp(how, "_Exit"))
        _Exit(7);
    if (!strcmp(how, "quick_exit"))
        quick_exit(7);
    if (!strcmp(how, "fork")) {
        /* A child has no batches, and does not wait for those of its parent. */
        int status;
        pid_t child = fork();
        if (!child)
            _exit(3);
        must(waitpid(child, &status, 0), "waitpid");
        _exit(WEXITSTATUS(status) + 4);
    }
    if (!strcmp(how, "vfork")) {
        const int late = ended_child(5);
        submit();
        _exit(early + late);
    }
    return 7;
}
