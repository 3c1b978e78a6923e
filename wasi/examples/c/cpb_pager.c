/* Reads a chunk of a .cpb file with cpb-core.wasm in wasm3, in a fixed memory.
 *
 *     cc -O2 -I WASM3 cpb_pager.c WASM3/m3_*.c -lm -o cpb_pager
 *     ./cpb_pager cpb-core.wasm MODEL.cpb CHUNK [PAGES] > chunk
 *
 * PAGES is how many pages of 64 KiB the module's whole memory may have; 4 by
 * default. On a device, replace file_size() and read_at(). */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wasm3.h"

enum { PAGE = 65536, INTERPRETER_STACK = 16 * 1024 };
enum { STEP_DONE = 0, STEP_NEED = 1, STEP_DATA = 3, NEED_SIZE = 2 };

static IM3Runtime runtime;
static FILE *file;
static uint32_t pager, need, window, read_size;

static void fail(const char *text) {
  fprintf(stderr, "%s\n", text);
  exit(1);
}

static void check(M3Result result) {
  if (result) fail(result);
}

/* --- The module ------------------------------------------------------------ */

/* Calls an export whose result, if it has one, has 32 bits (i) or 64 (I). */
static uint64_t call(char result, const char *name, ...) {
  IM3Function function;
  uint32_t small = 0;
  uint64_t large = 0;
  va_list list;
  check(m3_FindFunction(&function, runtime, name));
  va_start(list, name);
  check(m3_CallVL(function, list));
  va_end(list);
  if (result == 'i') check(m3_GetResultsV(function, &small));
  if (result == 'I') check(m3_GetResultsV(function, &large));
  return result == 'I' ? large : small;
}

/* Its memory may move when it grows, so no pointer into it is kept. */
static uint8_t *memory(uint32_t at) { return m3_GetMemory(runtime, NULL, 0) + at; }

/* WebAssembly is little-endian, as are the machines that this is for. */
static uint32_t load32(uint32_t at) {
  uint32_t value;
  memcpy(&value, memory(at), sizeof value);
  return value;
}

static uint64_t load64(uint32_t at) {
  uint64_t value;
  memcpy(&value, memory(at), sizeof value);
  return value;
}

static uint32_t allocate(uint32_t size) {
  uint32_t at = (uint32_t)call('i', "malloc", size);
  if (at == 0) fail("out of memory");
  return at;
}

static uint32_t load_module(uint8_t *bytes, uint32_t size) {
  IM3Environment environment = m3_NewEnvironment();
  IM3Module module;
  M3TaggedValue heap = {0};
  runtime = m3_NewRuntime(environment, INTERPRETER_STACK, NULL);
  check(m3_ParseModule(environment, &module, bytes, size));
  check(m3_LoadModule(runtime, module));
  check(m3_GetGlobal(m3_FindGlobal(module, "__heap_base"), &heap));
  return heap.value.i32;
}

/* --- The file ---------------------------------------------------------------- */

static uint64_t file_size(void) {
  fseeko(file, 0, SEEK_END);
  return (uint64_t)ftello(file);
}

static uint32_t read_at(uint64_t offset, uint8_t *into, uint32_t size) {
  fseeko(file, (off_t)offset, SEEK_SET);
  return (uint32_t)fread(into, 1, size, file);
}

/* --- The pager ----------------------------------------------------------------- */

/* Lends the requested bytes. */
static void answer(void) {
  uint32_t input = (uint32_t)call('i', "cpb_pager_input", pager);
  call(0, "cpb_input_need", input, need);
  uint64_t offset = load64(need + 8), size = file_size();
  uint32_t length = load32(need + 16);
  if (load32(need) == NEED_SIZE || offset >= size) {
    call(0, "cpb_input_end", input, size);
    return;
  }
  length = read_at(offset, memory(window), length < read_size ? length : read_size);
  call(0, "cpb_input_supply", input, offset, window, length);
}

/* Writes the pager's output until it is done. */
static void run(void) {
  for (;;) {
    int32_t step = (int32_t)call('i', "cpb_pager_step", pager);
    if (step == STEP_DONE) return;
    if (step == STEP_NEED) answer();
    if (step < 0) fail((const char *)memory((uint32_t)call('i', "cpb_pager_error", pager) + 16));
    if (step != STEP_DATA) continue;
    uint32_t data = (uint32_t)call('i', "cpb_pager_data", pager, need);
    fwrite(memory(data), 1, load32(need), stdout);
  }
}

static void open_file(uint32_t bytes) {
  uint32_t at = allocate(20);
  const uint32_t options[5] = {20, 0, bytes, 0, 0};
  memcpy(memory(at), options, sizeof options);
  pager = (uint32_t)call('i', "cpb_pager_new", 0, at);
  if (pager == 0) fail("out of memory");
  call(0, "free", at);
  read_size = bytes / 16;
  need = allocate(32);
  window = allocate(read_size);
  run();
}

int main(int count, char **words) {
  static uint8_t module[1 << 20];
  if (count < 4) fail("usage: cpb_pager cpb-core.wasm MODEL.cpb CHUNK [PAGES]");
  uint32_t pages = count > 4 ? (uint32_t)atoi(words[4]) : 4;
  FILE *wasm = fopen(words[1], "rb");
  file = fopen(words[2], "rb");
  if (wasm == NULL || file == NULL) fail("there is no such file");
  uint32_t heap = load_module(module, (uint32_t)fread(module, 1, sizeof module, wasm));
  call(0, "cpb_memory_limit", pages);
  open_file(pages * PAGE - heap - 4096);
  uint64_t chunk = strtoull(words[3], NULL, 10);
  if (call('i', "cpb_pager_read", pager, chunk, (uint64_t)0, UINT64_MAX) != 0) fail("there is no such chunk");
  run();
  return fflush(stdout) != 0;
}
