/* What Emscripten's library would otherwise import. */
#include <stddef.h>
#include <stdint.h>

/* Views of the memory are made anew on each use, so nobody need be told. */
void emscripten_notify_memory_growth(size_t index) { (void)index; }

/* abort() ends here. */
_Noreturn void __wasi_proc_exit(uint32_t code) {
  (void)code;
  __builtin_trap();
}
