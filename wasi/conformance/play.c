/* play TAPE MODULE.wasm: plays a tape in the interpreter wasm3. README.md in this folder
 * describes tapes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wasm3.h"

enum { INTERPRETER_STACK = 16 * 1024, MOST_FUNCTIONS = 255, MOST_ARGUMENTS = 8, PAGE = 65536 };

typedef struct bytes {
  const uint8_t *at, *end, *begin;
} bytes;

typedef struct function {
  char name[256], signature[256]; /* result, then parameters: v, i, I */
  IM3Function code;
} function;

static bytes tape, wasm;
static function functions[MOST_FUNCTIONS];
static unsigned num_functions;
static IM3Environment environment;
static IM3Runtime runtime;
static unsigned long long calls, compared;

static _Noreturn void fail(const char *what, const char *why) {
  fprintf(stderr, "before byte %lld of the tape: %s: %s\n", (long long)(tape.at - tape.begin), what, why);
  exit(1);
}

static void check(const char *what, M3Result why) {
  if (why) fail(what, why);
}

static bytes read_whole(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) fail(path, "cannot be opened");
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  uint8_t *data = malloc(size);
  if (!data || fread(data, 1, size, file) != size) fail(path, "cannot be read");
  fclose(file);
  return (bytes){data, data + size, data};
}

static const uint8_t *take(size_t size) {
  if ((size_t)(tape.end - tape.at) < size) fail("tape", "ends too early");
  tape.at += size;
  return tape.at - size;
}

static uint64_t take_number(size_t size) {
  uint64_t value = 0;
  memcpy(&value, take(size), size);
  return value;
}

static void take_text(char *out) {
  size_t size = take_number(1);
  memcpy(out, take(size), size);
  out[size] = 0;
}

static void instantiate(void) {
  IM3Module module;
  if (runtime) m3_FreeRuntime(runtime);
  runtime = m3_NewRuntime(environment, INTERPRETER_STACK, NULL);
  check("parsing", m3_ParseModule(environment, &module, wasm.begin, (uint32_t)(wasm.end - wasm.begin)));
  check("loading", m3_LoadModule(runtime, module));
  for (unsigned i = 0; i < num_functions; i++) functions[i].code = NULL;
}

static void call(void) {
  function *f = &functions[take_number(1)];
  uint64_t arguments[MOST_ARGUMENTS], got = 0;
  const void *pointers[MOST_ARGUMENTS], *result = &got;
  uint32_t count = (uint32_t)strlen(f->signature) - 1;
  for (uint32_t i = 0; i < count; i++) {
    arguments[i] = take_number(8);
    pointers[i] = &arguments[i];
  }
  if (!f->code) check(f->name, m3_FindFunction(&f->code, runtime, f->name));
  check(f->name, m3_Call(f->code, count, pointers));
  calls++;
  if (f->signature[0] == 'v') return;
  check(f->name, m3_GetResults(f->code, 1, &result));
  uint64_t wanted = take_number(8);
  if (got == wanted) return;
  char text[80];
  snprintf(text, sizeof text, "gave %llu, not %llu", (unsigned long long)got, (unsigned long long)wanted);
  fail(f->name, text);
}

static uint8_t *memory(uint64_t at, uint64_t size) {
  uint32_t have;
  uint8_t *data = m3_GetMemory(runtime, &have, 0);
  if (at + size > have) fail("memory", "is too small");
  return data + at;
}

static void write_memory(void) {
  uint64_t at = take_number(4), size = take_number(4);
  memcpy(memory(at, size), take(size), size);
}

static void compare_memory(void) {
  uint64_t at = take_number(4), size = take_number(4);
  if (memcmp(memory(at, size), take(size), size) != 0) fail("memory", "holds something else");
  compared += size;
}

static void play(void) {
  switch (take_number(1)) {
    case 'N': instantiate(); break;
    case 'C': call(); break;
    case 'W': write_memory(); break;
    case 'R': compare_memory(); break;
    case 'P':
      if (m3_GetMemorySize(runtime) != take_number(4) * PAGE) fail("memory", "is of another size");
      break;
    default: fail("tape", "unknown step");
  }
}

int main(int count, char **words) {
  if (count != 3) return 2;
  tape = read_whole(words[1]);
  wasm = read_whole(words[2]);
  environment = m3_NewEnvironment();
  if (memcmp(take(8), "cpbtape1", 8) != 0) fail(words[1], "is no tape");
  num_functions = (unsigned)take_number(1);
  for (unsigned i = 0; i < num_functions; i++) {
    take_text(functions[i].name);
    take_text(functions[i].signature);
  }
  while (tape.at < tape.end) play();
  printf("%llu calls, %llu bytes compared\n", calls, compared);
  return 0;
}
