// A malloc of the application's own, as browsers and programs with jemalloc have one: preloaded, it takes the place of the C library's.
// Whoever frees what it has not given ends the process; so does who gives what is its to the C library's `free`, looked up by hand.
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static _Alignas(64) char arena[1u << 30];
static size_t used;

// Blocks lie behind their length and a word that the C library refuses as a length of its own; they are never given again.
static void *take(size_t bytes, size_t alignment) {
    size_t room = bytes + alignment + 2 * sizeof(size_t);
    char *from = arena + __atomic_fetch_add(&used, (room + 15) & ~(size_t)15, __ATOMIC_RELAXED);
    if (from + room > arena + sizeof arena)
        return NULL;
    uintptr_t at = ((uintptr_t)from + 2 * sizeof(size_t) + alignment - 1) / alignment * alignment;
    ((size_t *)at)[-2] = bytes;
    ((size_t *)at)[-1] = 0;
    return (void *)at;
}

void *malloc(size_t bytes) { return take(bytes, 16); }
void *calloc(size_t count, size_t each) { return malloc(count * each); }
void *memalign(size_t alignment, size_t bytes) { return take(bytes, alignment < 16 ? 16 : alignment); }
void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void **to, size_t alignment, size_t bytes) { return (*to = memalign(alignment, bytes)) ? 0 : 12; }

void free(void *block) {
    static const char text[] = "own_malloc: freed what is not its own\n";
    if (block && ((char *)block < arena || (char *)block >= arena + sizeof arena)) {
        (void)!write(2, text, sizeof text - 1);
        _exit(9);
    }
}

void *realloc(void *block, size_t bytes) {
    void *next = malloc(bytes);
    if (block && next) {
        size_t had = ((size_t *)block)[-2];
        memcpy(next, block, had < bytes ? had : bytes);
    }
    return next;
}
