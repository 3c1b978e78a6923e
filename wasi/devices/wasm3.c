/* The reactor's calls in wasm3, which leaves the module in flash and compiles a function when it is
 * first called. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "board/heap.h"
#include "board/semihosting.h"
#include "m3_env.h"
#include "reactor.h"

enum { WASM_PAGE = 65536 };

static IM3Runtime runtime;

/* wasm3's allocation functions (it is compiled with these names). */
void *wasm3_calloc(size_t count, size_t size) {
  void *block = heap_take(count * size);
  if (block) memset(block, 0, count * size);
  return block;
}

void *wasm3_realloc(void *block, size_t size) { return heap_resize(block, size); }

void wasm3_free(void *block) { heap_give(block); }

static void check(M3Result result) {
  if (!result) return;
  semihosting_print("error wasm3: ");
  semihosting_print(result);
  semihosting_print("\n");
  semihosting_exit(1);
}

const char *reactor_load(uint32_t memory) {
  IM3Environment environment = m3_NewEnvironment();
  IM3Module module;
  if (environment) runtime = m3_NewRuntime(environment, WASM3_STACK, NULL);
  if (!runtime) return "no memory for wasm3";
  runtime->memoryLimit = memory;
  M3Result result = m3_ParseModule(environment, &module, module_begin, (uint32_t)(module_end - module_begin));
  if (result) return result;
  module->memoryInfo.initPages = (memory + WASM_PAGE - 1) / WASM_PAGE;
  return m3_LoadModule(runtime, module);
}

uint64_t reactor_call(const char *name, const char *types, ...) {
  uint32_t small[4];
  uint64_t large[4], result = 0;
  const void *arguments[4];
  IM3Function function;
  check(m3_FindFunction(&function, runtime, name));
  va_list list;
  va_start(list, types);
  uint32_t count = 0;
  for (; types[count]; count++) {
    if (types[count] == 'I') large[count] = va_arg(list, uint64_t);
    else small[count] = va_arg(list, uint32_t);
    arguments[count] = types[count] == 'I' ? (const void *)&large[count] : (const void *)&small[count];
  }
  va_end(list);
  check(m3_Call(function, count, arguments));
  if (m3_GetRetCount(function) > 0) {
    const void *to[] = {&result};
    check(m3_GetResults(function, 1, to));
  }
  return result;
}

uint8_t *reactor_memory(void) { return m3_GetMemory(runtime, NULL, 0); }
