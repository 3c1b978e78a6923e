#include "cli/commands/record_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"

typedef struct parser {
  const char *at;
  uint64_t total;
  bool needs_total, open; /* a bound is missing */
} parser;

/* A number or nothing. A negative one is counted from the end, and 0 if it is before the beginning. */
static bool take_bound(parser *p, uint64_t otherwise, uint64_t *number) {
  const bool negative = *p->at == '-';
  const char *begin = p->at += negative;
  uint64_t value = 0;
  for (; *p->at >= '0' && *p->at <= '9'; p->at++) {
    if (!cpb_mul_u64(value, 10, &value) || !cpb_add_u64(value, (uint64_t)(*p->at - '0'), &value)) return false;
  }
  p->open = p->at == begin;
  if (p->open && negative) return false;
  *number = p->open ? otherwise : value;
  if (!negative) return true;
  p->needs_total = true;
  *number = value < p->total ? p->total - value : 0;
  return value > 0;
}

static bool take_range(parser *p, record_range *range) {
  if (!take_bound(p, 0, &range->begin)) return false;
  const bool without = p->open;
  if (*p->at == ':') {
    p->at++;
    return take_bound(p, UINT64_MAX, &range->end);
  }
  range->end = range->begin + 1;
  return !without && range->end > 0;
}

static int by_begin(const void *a, const void *b) {
  const record_range *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

record_range *cli_record_ranges(cli *c, uint64_t total, size_t *count, bool *needs_total, int *status) {
  const char *text = c->settings.at;
  size_t most = 1;
  for (const char *at = text; *at; at++) most += *at == ',';
  record_range *ranges = cpb_alloc(&c->allocator, most * sizeof *ranges);
  if (!ranges) {
    *status = cli_fail_memory(c);
    return NULL;
  }
  parser p = {.at = text, .total = total};
  for (*count = 0; *count < most; p.at++) {
    if (!take_range(&p, &ranges[(*count)++]) || (*p.at && *p.at != ',')) {
      cpb_release(&c->allocator, ranges);
      *status = cli_usage(c->command, "--at: expected numbers of records and ranges of them, such as 3,10:20,-1");
      return NULL;
    }
  }
  *needs_total = p.needs_total;
  qsort(ranges, *count, sizeof *ranges, by_begin);
  return ranges;
}
