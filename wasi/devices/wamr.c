/* The reactor's calls in WAMR. Its classic interpreter rewrites the code while it loads the module, so
 * the module must be in RAM; the fast one leaves it in flash, and translates all of it to other code.
 * The data, which only instantiation reads, is not in the module here (split.py): this program copies
 * it from flash. */
#include <stdarg.h>
#include <string.h>

#include "board/board.h"
#include "board/heap.h"
#include "board/semihosting.h"
#include "reactor.h"
#include "wasm_export.h"
#include "wasm_runtime.h"

static wasm_module_inst_t instance;
static wasm_exec_env_t environment;

/* Segments: address, size, bytes; each aligned to 4. */
static void copy_data(void) {
  for (const uint8_t *at = data_begin_in_flash; at < data_end_in_flash;) {
    uint32_t head[2];
    memcpy(head, at, sizeof head);
    memcpy(reactor_memory() + head[0], at + sizeof head, head[1]);
    at += sizeof head + (head[1] + 3) / 4 * 4;
  }
}

const char *reactor_load(uint32_t memory) {
  static char problem[128];
  uint32_t size = (uint32_t)(module_end - module_begin);
  RuntimeInitArgs init;
  board_allow_unaligned(); /* WAMR reads the code that it interprets unaligned */
  memset(&init, 0, sizeof init);
  init.mem_alloc_type = Alloc_With_System_Allocator;
  if (!wasm_runtime_full_init(&init)) return "no memory for WAMR";
#if WASM_ENABLE_FAST_INTERP
  uint8_t *code = (uint8_t *)module_begin;
#else
  uint8_t *code = heap_take(size);
  if (!code) return "no memory for the module's code";
  memcpy(code, module_begin, size);
#endif
  WASMModule *module = (WASMModule *)wasm_runtime_load(code, size, problem, sizeof problem);
  if (!module) return problem;
  module->memories[0].num_bytes_per_page = memory;
  module->memories[0].init_page_count = module->memories[0].max_page_count = 1;
  instance = wasm_runtime_instantiate((wasm_module_t)module, WAMR_STACK, 0, problem, sizeof problem);
  if (!instance) return problem;
  environment = wasm_runtime_create_exec_env(instance, WAMR_STACK);
  if (!environment) return "no memory for WAMR's stack";
  copy_data();
  return NULL;
}

uint64_t reactor_call(const char *name, const char *types, ...) {
  uint32_t words[8], count = 0;
  va_list list;
  va_start(list, types);
  for (; *types; types++) {
    uint64_t value = *types == 'I' ? va_arg(list, uint64_t) : va_arg(list, uint32_t);
    words[count++] = (uint32_t)value;
    if (*types == 'I') words[count++] = (uint32_t)(value >> 32);
  }
  va_end(list);
  wasm_function_inst_t function = wasm_runtime_lookup_function(instance, name, NULL);
  if (!function || !wasm_runtime_call_wasm(environment, function, count, words)) {
    semihosting_print("error WAMR: ");
    semihosting_print(function ? wasm_runtime_get_exception(instance) : name);
    semihosting_print("\n");
    semihosting_exit(1);
  }
  return words[0];
}

uint8_t *reactor_memory(void) { return wasm_runtime_addr_app_to_native(instance, 0); }
