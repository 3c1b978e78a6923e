/* A host for the record reader's tests: it answers needs in several manners and
 * keeps what the reader handed out. */
#ifndef READER_HOST_H
#define READER_HOST_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "cpb/records.h"

typedef enum manner {
  ALL_AT_ONCE, /* the whole file */
  AS_ASKED,    /* need.length bytes */
  AHEAD,       /* need.ahead bytes */
  BYTE_BY_BYTE,
  IN_PIECES, /* of pseudo-random sizes, some beginning early */
  MANNERS
} manner;

typedef struct host {
  const uint8_t *bytes;
  uint64_t size;
  manner manner;
  bool says_end; /* else what is missing has not arrived yet */
  size_t batch;  /* records that it takes at once, where they are at hand; at most 8 */
  uint32_t random;
  unsigned requests;
  uint64_t asked; /* bytes lent */
  uint8_t *lent;  /* a copy of exactly the bytes lent, for the address sanitizer */
} host;

static inline uint32_t host_random(host *h) {
  h->random = h->random * 1664525 + 1013904223;
  return h->random >> 8;
}

static inline void lend(host *h, cpb_input *input, uint64_t begin, uint64_t end) {
  free(h->lent);
  h->lent = malloc((size_t)(end - begin) + 1);
  memcpy(h->lent, h->bytes + begin, (size_t)(end - begin));
  h->asked += end - begin;
  cpb_input_supply(input, begin, h->lent, (size_t)(end - begin));
}

/* False when there is nothing to answer with. */
static inline bool answer(host *h, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  h->requests++;
  if (need.kind == CPB_NEED_SIZE || need.offset >= h->size) {
    if (h->says_end) cpb_input_end(input, h->size);
    return h->says_end;
  }
  uint64_t begin = need.offset, length = 0;
  switch (h->manner) {
    case ALL_AT_ONCE:
      length = h->size - begin;
      begin = 0;
      length += need.offset;
      break;
    case AS_ASKED: length = need.length; break;
    case AHEAD: length = need.ahead; break;
    case BYTE_BY_BYTE: length = 1; break;
    default:
      length = 1 + host_random(h) % (host_random(h) % 3 == 0 ? 30 : 9000);
      if (begin > 9 && host_random(h) % 3 == 0) begin -= 9, length += 9;
      if (host_random(h) % 2 == 0) cpb_input_end(input, h->size);
  }
  lend(h, input, begin, begin + cpb_min_u64(length, h->size - begin));
  return true;
}

/* What was handed out, as bytes that can be compared. */
typedef struct outcome {
  cpb_step last;
  cpb_error error;
  cpb_record records[4096];
  size_t num_records;
  uint8_t *contents;
  size_t size, capacity;
  cpb_skipped skipped[16];
  size_t num_skipped;
  bool cut; /* a record ended before all its bytes came */
} outcome;

static inline void outcome_free(outcome *o) {
  free(o->contents);
  memset(o, 0, sizeof *o);
}

static inline void keep_data(outcome *o, const uint8_t *data, size_t size) {
  if (o->size + size > o->capacity) {
    o->capacity = 2 * (o->size + size);
    o->contents = realloc(o->contents, o->capacity);
  }
  memcpy(o->contents + o->size, data, size);
  o->size += size;
}

static inline void keep_batch(host *h, cpb_record_reader *r, outcome *o) {
  size_t sizes[8], bytes, count = cpb_record_reader_batch(r, sizes, h->batch);
  for (size_t i = 0; i < count; i++) {
    cpb_record record = *cpb_record_reader_record(r);
    record.index -= count - 1 - i;
    record.position -= count - 1 - i;
    record.size = sizes[i];
    o->records[o->num_records++] = record;
  }
  if (count == 0) return;
  const uint8_t *data = cpb_record_reader_data(r, &bytes);
  if (bytes > 0) keep_data(o, data, bytes);
  for (size_t i = 0; i < count; i++) bytes -= sizes[i];
  o->cut |= bytes != 0;
}

/* Steps until `stop_after` records are complete, DONE, ERROR, or a need that the
 * host cannot answer. */
static inline void run(host *h, cpb_record_reader *r, size_t stop_after, outcome *o) {
  uint64_t left = 0;
  do {
    if (left == 0 && o->num_records >= stop_after) break;
    if (left == 0 && h->batch > 0) keep_batch(h, r, o);
    o->last = cpb_record_reader_step(r);
    if (o->last == CPB_STEP_NEED) {
      if (!answer(h, cpb_record_reader_input(r))) break;
    } else if (o->last == CPB_STEP_RECORD) {
      o->cut |= left > 0;
      o->records[o->num_records++] = *cpb_record_reader_record(r);
      left = o->records[o->num_records - 1].size;
    } else if (o->last == CPB_STEP_DATA) {
      size_t size;
      const uint8_t *data = cpb_record_reader_data(r, &size);
      keep_data(o, data, size);
      left -= size;
    } else if (o->last == CPB_STEP_SKIPPED) {
      o->cut |= left > 0;
      left = 0;
      o->skipped[o->num_skipped++] = *cpb_record_reader_skipped(r);
    }
  } while (o->last > CPB_STEP_DONE);
  o->cut |= left > 0;
  o->error = *cpb_record_reader_error(r);
}

#endif
