/*
 * A simulated Intel GPU in this process: for programs that drive a GPU through the kernel's
 * interface, without hardware.
 *
 * A device (ingot_sim) is a GPU, from i915 down to its execution units. A node (ingot_sim_node) is
 * what open("/dev/dri/renderD128")
 * gives on a machine that has one: it takes the ioctls of drm.h and i915_drm.h, and its buffers are
 * mapped by their offsets.
 * Batches are executed by a thread of the device.
 *
 * Link with libingot_sim. The library also contains the interposed libc functions by which `ingot
 * sim` gives a GPU to unmodified
 * programs; without INGOT_GPU in the environment they behave like libc's.
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

/* The kinds of reasons for which a batch is stopped. */
enum ingot_sim_stop_kind {
    /* The batch breaks a rule of strict mode, or depends on what the PRM leaves undefined. */
    INGOT_SIM_STOP_RULE = 1,
    /* A real machine would fault or hang; also a batch that runs longer than the hang timeout. */
    INGOT_SIM_STOP_FAULT = 2,
    /* Legal, but not simulated. */
    INGOT_SIM_STOP_NOT_SIMULATED = 3,
    /* The batch could not be started, or the simulator failed. */
    INGOT_SIM_STOP_OTHER = 4,
};

/* Why a batch was stopped before its end. Strings live as long as the callback runs. */
struct ingot_sim_stop {
    /* One of enum ingot_sim_stop_kind. */
    uint32_t kind;
    /* Number of the submission, from 0. */
    uint64_t submission;
    /* GPU address of the command or instruction; 0 if the batch as a whole failed. */
    uint64_t address;
    /* INGOT_SIM_STOP_RULE: the rule's name, as `ingot sim --rules` lists them; NULL for other kinds. */
    const char *rule;
    /* The PRM volume and section with the rule; NULL without a rule. */
    const char *source;
    /* What happened, in one line. */
    const char *text;
};

/* Callbacks of a device. Any function may be NULL. They are called by threads of the device, one at a time, and must not call
 * functions of this header for the same device. */
struct ingot_sim_callbacks {
    /* Passed to the functions. */
    void *user;
    /* A log line, such as of a trace or a failed submission, without the line end. */
    void (*line)(void *user, const char *line);
    /* Called when a batch is stopped; its context is reset, and its fences are signalled. */
    void (*stopped)(void *user, const struct ingot_sim_stop *stop);
};

/*
 * Creates a GPU.
 *
 * gpu: its short name, such as "skl"; `ingot sim --help` lists them.
 * options: a comma-separated list as in INGOT_SIM, such as "strict,hang=10"; NULL: none.
 * callbacks: copied; NULL: none.
 * Errors: -ENODEV: no such GPU is simulated; -EINVAL: unknown option. callbacks->line gets the
 * reason.
 */
int ingot_sim_create(const char *gpu, const char *options, const struct ingot_sim_callbacks *callbacks, ingot_sim **sim);

/* Destroys the GPU when its last node is closed, after running batches have ended. NULL is allowed. */
void ingot_sim_destroy(ingot_sim *sim);

/* Opens the render node. */
int ingot_sim_open(ingot_sim *sim, ingot_sim_node **node);

/* Closes a node and frees its objects; mappings stay valid. NULL is allowed. */
void ingot_sim_close(ingot_sim_node *node);

/* ioctl(2) on the node. Errors: those of the kernel; -EFAULT for bad addresses, in argument too. */
int ingot_sim_ioctl(ingot_sim_node *node, unsigned long request, void *argument);

/*
 * mmap(2) on the node: maps length bytes of the buffer whose DRM_IOCTL_I915_GEM_MMAP_OFFSET gave
 * this offset. munmap(2) unmaps it.
 * address, protection, flags: as mmap's. Errors: as mmap's, and -EINVAL if the buffer is shorter
 * than length.
 */
int ingot_sim_mmap(ingot_sim_node *node, void *address, size_t length, int protection, int flags, uint64_t offset, void **mapped);

#ifdef __cplusplus
}
#endif

#endif
