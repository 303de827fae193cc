/*
 * A program with a simulated GPU of its own: two batches, of which the second breaks a rule.
 *
 * Prints what it sees; embed.rs knows what that must be.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <i915_drm.h>
#include <ingot_sim.h>

/* GPU addresses of the two buffers. */
#define BATCH 0x100000ull
#define DATA 0x200000ull

static void line(void *user, const char *text)
{
    ++*(int *)user;
    if (strstr(text, "skl"))
        printf("told of GPUs\n");
}

static void stopped(void *user, const struct ingot_sim_stop *stop)
{
    (void)user;
    printf("submission %u stopped: kind %u, rule %s, at +%#x, %s\n", (unsigned)stop->submission, stop->kind,
           stop->rule ? stop->rule : "none", (unsigned)(stop->address - BATCH), stop->source && stop->text ? "with words" : "mute");
}

static void must(int result, const char *what)
{
    if (result) {
        printf("%s: %s\n", what, strerror(-result));
        exit(1);
    }
}

/* A buffer of a page, and where the program sees it. */
static uint32_t *buffer(ingot_sim_node *node, uint32_t *handle)
{
    struct drm_i915_gem_create create = {.size = 4096};
    struct drm_i915_gem_mmap_offset map = {.flags = I915_MMAP_OFFSET_WB};
    void *mapped;
    must(ingot_sim_ioctl(node, DRM_IOCTL_I915_GEM_CREATE, &create), "create");
    map.handle = *handle = create.handle;
    must(ingot_sim_ioctl(node, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &map), "offset");
    printf("too long: %d\n", ingot_sim_mmap(node, NULL, 8192, PROT_READ, MAP_SHARED, map.offset, &mapped) == -EINVAL);
    must(ingot_sim_mmap(node, NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, map.offset, &mapped), "mmap");
    return mapped;
}

static void submit(ingot_sim_node *node, uint32_t data, uint32_t batch, uint32_t bytes)
{
    struct drm_i915_gem_exec_object2 objects[2] = {
        {.handle = data, .offset = DATA, .flags = EXEC_OBJECT_PINNED | EXEC_OBJECT_WRITE},
        {.handle = batch, .offset = BATCH, .flags = EXEC_OBJECT_PINNED},
    };
    struct drm_i915_gem_execbuffer2 exec = {
        .buffers_ptr = (uintptr_t)objects, .buffer_count = 2, .batch_len = bytes, .flags = I915_EXEC_RENDER | I915_EXEC_NO_RELOC};
    struct drm_i915_gem_wait wait = {.bo_handle = batch, .timeout_ns = -1};
    must(ingot_sim_ioctl(node, DRM_IOCTL_I915_GEM_EXECBUFFER2, &exec), "execbuffer");
    must(ingot_sim_ioctl(node, DRM_IOCTL_I915_GEM_WAIT, &wait), "wait");
}

int main(void)
{
    int lines = 0;
    struct ingot_sim_callbacks callbacks = {.user = &lines, .line = line, .stopped = stopped};
    ingot_sim *sim;
    ingot_sim_node *node;
    printf("voodoo: %d\n", ingot_sim_create("voodoo", NULL, &callbacks, &sim) == -ENODEV);
    printf("sloppy: %d\n", ingot_sim_create("skl", "sloppy", &callbacks, &sim) == -EINVAL);
    must(ingot_sim_create("skl", "strict,hang=10", &callbacks, &sim), "simulator");
    must(ingot_sim_open(sim, &node), "node");

    int chip = 0;
    struct drm_i915_getparam get = {.param = I915_PARAM_CHIPSET_ID, .value = &chip};
    must(ingot_sim_ioctl(node, DRM_IOCTL_I915_GETPARAM, &get), "getparam");
    printf("chip %#x, bad address %d, no ioctl %d\n", (unsigned)chip,
           ingot_sim_ioctl(node, DRM_IOCTL_I915_GETPARAM, (void *)8) == -EFAULT, ingot_sim_ioctl(node, 0x5401, NULL) == -ENOTTY);

    uint32_t data, batch;
    volatile uint32_t *seen = buffer(node, &data);
    uint32_t *commands = buffer(node, &batch);
    /* MI_STORE_DATA_IMM of a dword, MI_BATCH_BUFFER_END. */
    const uint32_t store[] = {0x10000002, (uint32_t)DATA + 64, 0, 0xc0ffee, 0x05000000, 0};
    memcpy(commands, store, sizeof store);
    submit(node, data, batch, sizeof store);
    printf("stored %#x\n", seen[16]);

    /* A bit of the command that is no field. */
    lines = 0;
    commands[4] |= 1u << 4;
    submit(node, data, batch, sizeof store);
    printf("lines: %d\n", lines);

    /* The node outlives the name of its device. */
    ingot_sim_destroy(sim);
    must(ingot_sim_ioctl(node, DRM_IOCTL_I915_GETPARAM, &get), "getparam");
    ingot_sim_close(node);
    ingot_sim_close(NULL);
    ingot_sim_destroy(NULL);
    munmap((void *)seen, 4096);
    munmap(commands, 4096);
    return 0;
}
