/* --limit NAME=VALUE: the members of cpb_limits by their names. */
#include "cli/limits.h"

#include <stddef.h>
#include <string.h>

typedef struct {
  const char *name;
  size_t at;
  bool is_32_bits;
} limit;

#define LIMIT(name) {#name, offsetof(cpb_limits, name), sizeof((cpb_limits *)0)->name == sizeof(uint32_t)}
#define PAIR(NAME, name, unit) LIMIT(name), LIMIT(name##_per_byte),

static const limit limits[] = {LIMIT(riegeli_chunk),     LIMIT(window), LIMIT(chunks),
                               LIMIT(records_per_chunk), LIMIT(depth),  CPB_WORKS(PAIR)};

enum { COUNT = sizeof limits / sizeof *limits };

static bool put(cpb_limits *out, const limit *l, uint64_t value) {
  uint32_t narrow = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
  if (value == 0) return false; /* which would be the default */
  if (l->is_32_bits) memcpy((char *)out + l->at, &narrow, sizeof narrow);
  else memcpy((char *)out + l->at, &value, sizeof value);
  return true;
}

bool cli_limit_set(cpb_limits *out, const char *text, cli_parse_size *parse) {
  size_t length = strcspn(text, "=");
  if (!text[length]) return false;
  for (size_t i = 0; i < COUNT; i++) {
    uint64_t value = UINT64_MAX;
    if (strlen(limits[i].name) != length || memcmp(limits[i].name, text, length) != 0) continue;
    const char *number = text + length + 1;
    return (strcmp(number, "none") == 0 || parse(number, &value)) && put(out, &limits[i], value);
  }
  return false;
}
