/* cpb_field cpb-core-field.wasm URL PATH > field: one field of a .cpb file on a server, read by ranges.
 * cc -I WASM3 cpb_field.c WASM3/m3_*.c -lm -lcurl -o cpb_field */
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "wasm3.h"

static IM3Runtime runtime;
static uint8_t *memory(uint32_t at) { return m3_GetMemory(runtime, NULL, 0) + at; }

static uint32_t call(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e) {
  const void *words[] = {&a, &b, &c, &d, &e}; /* little-endian: of words of 32 bits only the beginning counts */
  IM3Function function;
  if (m3_FindFunction(&function, runtime, name) || m3_Call(function, m3_GetArgCount(function), words)) return 0;
  return m3_GetResultsV(function, &a) ? 0 : (uint32_t)a;
}

int main(int count, char **words) {
  static uint8_t wasm[1 << 20];
  const uint32_t options[9] = {sizeof options, 2, 1 << 20}; /* 2: not verified; 1 MiB of memory */
  unsigned long long need[4], size = 0;                     /* need: kind, offset, length, ahead */
  struct curl_header *range;
  char asked[64];
  IM3Module module;
  IM3Environment engine = m3_NewEnvironment();
  runtime = m3_NewRuntime(engine, 65536, NULL);
  size_t length = count == 4 ? fread(wasm, 1, sizeof wasm, fopen(words[1], "rb")) : 0;
  if (m3_ParseModule(engine, &module, wasm, (uint32_t)length) || m3_LoadModule(runtime, module)) return 2;
  uint32_t at = call("malloc", 36 + 65536, 0, 0, 0, 0), step; /* for the options, then a need, then bytes */
  memcpy(mempcpy(memory(at), options, 36), words[3], strlen(words[3]));
  uint32_t reader = call("cpb_field_reader_new", 0, at, 0, 0, 0);
  call("cpb_field_reader_read", reader, at + 36, strlen(words[3]), 0, INT64_MAX);
  CURL *http = curl_easy_init();
  while ((step = call("cpb_field_reader_step", reader, 0, 0, 0, 0)) == 1 || step == 3) {
    uint32_t it = call(step == 1 ? "cpb_field_reader_input" : "cpb_field_reader_data", reader, at, 0, 0, 0);
    if (step == 3 && fwrite(memory(it), *(uint32_t *)memory(at), 1, stdout) == 1) continue;
    call("cpb_input_need", it, at, 0, 0, 0);
    memcpy(need, memory(at), sizeof need);
    snprintf(asked, sizeof asked, "%llu-%llu", need[1], need[1] + (need[2] ? need[2] - 1 : 0));
    FILE *window = fmemopen(memory(at + 36), 65536, "w");
    curl_easy_setopt(http, CURLOPT_URL, words[2]), curl_easy_setopt(http, CURLOPT_RANGE, asked);
    if (curl_easy_setopt(http, CURLOPT_WRITEDATA, window) || curl_easy_perform(http) ||
        curl_easy_header(http, "Content-Range", 0, CURLH_HEADER, -1, &range))
      return 3;
    sscanf(range->value, "bytes %*u-%*u/%llu", &size);
    call("cpb_input_end", it, size, 0, 0, 0);
    call("cpb_input_supply", it, need[1], at + 36, (uint64_t)ftell(window), 0);
    fclose(window);
  }
  return step && fprintf(stderr, "%s\n", memory(call("cpb_field_reader_error", reader, 0, 0, 0, 0) + 16));
}
