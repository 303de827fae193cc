/*
 * A program whose thread waits for a fence that nobody signals, and ends there by pthread_exit in
 * a signal handler, as Wine's do.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <drm.h>

static int node = -1;
static uint32_t fence;

static void end_thread(int number)
{
    (void)number;
    pthread_exit(&fence);
}

static void *wait_forever(void *unused)
{
    struct drm_syncobj_wait wait = {
        .handles = (uintptr_t)&fence,
        .count_handles = 1,
        .timeout_nsec = INT64_MAX,
        .flags = DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT,
    };
    for (;;)
        ioctl(node, DRM_IOCTL_SYNCOBJ_WAIT, &wait);
    return unused;
}

int main(void)
{
    struct drm_syncobj_create create = {0};
    pthread_t thread;
    void *result = NULL;

    signal(SIGUSR1, end_thread);
    node = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    if (node < 0 || ioctl(node, DRM_IOCTL_SYNCOBJ_CREATE, &create) < 0) {
        perror("renderD128");
        return 1;
    }
    fence = create.handle;
    if (pthread_create(&thread, NULL, wait_forever, NULL) != 0)
        return 2;
    usleep(100000);
    pthread_kill(thread, SIGUSR1);
    if (pthread_join(thread, &result) != 0)
        return 3;
    return result == &fence ? 7 : 4;
}
