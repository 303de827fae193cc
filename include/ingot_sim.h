/*
 * A simulated Intel GPU in this process: for programs that drive a GPU by the kernel's interface and want one without hardware.
 *
 * A device (ingot_sim) is a GPU, from i915 down to its execution units. A node (ingot_sim_node) is what open("/dev/dri/renderD128")
 * gives on a machine that has one: it takes the ioctls of drm.h and i915_drm.h, and its buffers are mapped by their offsets.
 * Batches are executed by a thread of the device.
 *
 * Link with libingot_sim. The library also holds the libc functions by which `ingot sim` gives a GPU to programs that know nothing
 * of it; without INGOT_GPU in the environment those do what libc's do.
 *
 * All functions may be called by any thread. Those that return int return 0, or a negative errno.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef INGOT_SIM_H
#define INGOT_SIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A simulated GPU. */
typedef struct ingot_sim ingot_sim;
/* One open file of it, with buffers, contexts and syncobjs of its own. */
typedef struct ingot_sim_node ingot_sim_node;

/* What kind of end a batch found. */
enum ingot_sim_stop_kind {
    /* Strict mode found a rule of the hardware broken, or a program did what the manual leaves undefined. */
    INGOT_SIM_STOP_RULE = 1,
    /* A real machine would fault or hang. */
    INGOT_SIM_STOP_FAULT = 2,
    /* Legal, but not simulated. */
    INGOT_SIM_STOP_NOT_SIMULATED = 3,
    /* It took too long, or could not be begun. */
    INGOT_SIM_STOP_OTHER = 4,
};

/* Why a batch was stopped before its end. Strings live as long as the callback runs. */
struct ingot_sim_stop {
    /* One of enum ingot_sim_stop_kind. */
    uint32_t kind;
    /* Which submission it was, from 0. */
    uint64_t submission;
    /* GPU address of the command or the instruction; 0: of the batch as a whole. */
    uint64_t address;
    /* INGOT_SIM_STOP_RULE: the rule's name, as `ingot sim --rules` lists them; NULL for other kinds. */
    const char *rule;
    /* Where the hardware's manual says so; NULL without a rule. */
    const char *source;
    /* What happened, in one line. */
    const char *text;
};

/* What the device tells. Any function may be NULL. They are called by threads of the device, one at a time, and must not call
 * functions of this header for the same device. */
struct ingot_sim_callbacks {
    /* Passed to the functions as it is. */
    void *user;
    /* A line for people: traces, submissions that failed. Without its end. */
    void (*line)(void *user, const char *line);
    /* A batch was stopped; its context is reset, and its fences are signalled. */
    void (*stopped)(void *user, const struct ingot_sim_stop *stop);
};

/*
 * Makes a GPU.
 *
 * gpu: its short name, "skl"; `ingot sim --help` lists them.
 * options: a comma list as INGOT_SIM holds, such as "strict,hang=10"; NULL: none.
 * callbacks: copied; NULL: nothing is told.
 * Errors: -ENODEV: no such GPU is simulated; -EINVAL: options hold a word that is none. callbacks->line gets the reason.
 */
int ingot_sim_create(const char *gpu, const char *options, const struct ingot_sim_callbacks *callbacks, ingot_sim **sim);

/* Waits for what runs, and frees the GPU once its last node is closed. NULL is allowed. */
void ingot_sim_destroy(ingot_sim *sim);

/* Opens the render node. */
int ingot_sim_open(ingot_sim *sim, ingot_sim_node **node);

/* Closes a node and frees what it holds; mappings stay. NULL is allowed. */
void ingot_sim_close(ingot_sim_node *node);

/* ioctl(2) on the node. Errors: those of the kernel; -EFAULT for bad addresses, in argument too. */
int ingot_sim_ioctl(ingot_sim_node *node, unsigned long request, void *argument);

/*
 * mmap(2) on the node: maps length bytes of the buffer whose DRM_IOCTL_I915_GEM_MMAP_OFFSET gave this offset. munmap(2) unmaps it.
 * address, protection, flags: as mmap's. Errors: as mmap's, and -EINVAL if the buffer is shorter than length.
 */
int ingot_sim_mmap(ingot_sim_node *node, void *address, size_t length, int protection, int flags, uint64_t offset, void **mapped);

#ifdef __cplusplus
}
#endif

#endif
