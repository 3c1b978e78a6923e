/* The platform for WAMR: memory from the board's heap, one thread, no output. */
#include "board/board.h"
#include "board/heap.h"
#include "platform_api_extension.h"
#include "platform_api_vmcore.h"

int bh_platform_init(void) { return 0; }
void bh_platform_destroy(void) {}

void *os_malloc(unsigned size) { return heap_take(size); }
void *os_realloc(void *block, unsigned size) { return heap_resize(block, size); }
void os_free(void *block) { heap_give(block); }

int os_printf(const char *format, ...) { return format != NULL; }
int os_vprintf(const char *format, va_list list) {
  (void)list;
  return format != NULL;
}

uint64 os_time_get_boot_microsecond(void) { return 0; }
korp_tid os_self_thread(void) { return 0; }
uint8 *os_thread_get_stack_boundary(void) { return (uint8 *)stack_begin; }
int os_mutex_init(korp_mutex *mutex) { return *mutex = 0; }
int os_mutex_destroy(korp_mutex *mutex) { return *mutex = 0; }
int os_mutex_lock(korp_mutex *mutex) { return *mutex = 0; }
int os_mutex_unlock(korp_mutex *mutex) { return *mutex = 0; }
void *os_mmap(void *hint, size_t size, int protection, int flags) {
  (void)hint, (void)protection, (void)flags;
  return heap_take(size);
}
void os_munmap(void *block, size_t size) {
  (void)size;
  heap_give(block);
}
int os_mprotect(void *block, size_t size, int protection) {
  (void)block, (void)size;
  return protection & 0;
}
void os_dcache_flush(void) {}

/* Messages show only their format string: the C library's printf would bring in malloc. */
static int copy_text(char *out, size_t size, const char *text) {
  size_t length = strlen(text), n = length < size ? length : size - 1;
  if (size > 0) {
    memcpy(out, text, n);
    out[n] = '\0';
  }
  return (int)length;
}

int snprintf(char *out, size_t size, const char *format, ...) { return copy_text(out, size, format); }
int vsnprintf(char *out, size_t size, const char *format, va_list list) {
  (void)list;
  return copy_text(out, size, format);
}

/* No imports are known. */
bool wasm_native_lookup_libc_builtin_global(const char *module, const char *name, void *global);
bool wasm_native_lookup_libc_builtin_global(const char *module, const char *name, void *global) {
  (void)module, (void)name, (void)global;
  return false;
}
