/* Outlines, and messages made along with the outline that they should have. */
#ifndef OUTLINE_CASES_H
#define OUTLINE_CASES_H

#include "split_help.h"

#include "base/checked.h"
#include "cpb/outline.h"
#include "failing_allocator.h"
#include "map_schema.h"

#define MAX_VALUE 20
#define MAX_OMITTED 4096

/* --- Running ---------------------------------------------------------------- */

typedef struct {
  bytes whole, outline;
  cpb_omitted omitted[MAX_OMITTED];
  size_t num_omitted;
} both;

typedef struct {
  const cpb_allocator *allocator;
  const char *type; /* "" for none, NULL for t.M */
  const cpb_range *ranges;
  size_t num_ranges;
  size_t piece;
  cpb_outline_options options;
} how;

typedef struct {
  cpb_error error;
  bytes message;
  cpb_omitted *omitted;
  size_t num_omitted;
} result;

static inline cpb_outline *new_outline(how h) {
  const cpb_message_type *type = cpb_schema_find_message(types, h.type != NULL ? h.type : "t.M");
  h.options.struct_size = sizeof h.options;
  if (h.options.max_value == 0) h.options.max_value = MAX_VALUE;
  return cpb_outline_new(h.allocator, type, h.ranges, h.num_ranges, &h.options);
}

static inline void take(result *r, const cpb_outline *outline) {
  size_t size;
  const uint8_t *data = cpb_outline_message(outline, &size);
  const cpb_omitted *omitted = cpb_outline_omitted(outline, &r->num_omitted);
  put(&r->message, data, size);
  r->omitted = malloc(r->num_omitted * sizeof *omitted + 1);
  if (r->num_omitted > 0) memcpy(r->omitted, omitted, r->num_omitted * sizeof *omitted);
}

static inline result outline_with(how h, bytes message) {
  result r = {.error = {.code = CPB_OK}};
  cpb_outline *outline = new_outline(h);
  if (outline == NULL) {
    r.error.code = CPB_E_MEMORY;
    return r;
  }
  uint8_t *lent = NULL;
  cpb_step step;
  while ((step = cpb_outline_step(outline)) == CPB_STEP_NEED)
    lent = lend(cpb_outline_input(outline), message, h.piece, lent);
  free(lent);
  assert_int_equal(cpb_outline_step(outline), step);
  r.error = *cpb_outline_error(outline);
  if (step == CPB_STEP_DONE) take(&r, outline);
  else assert_int_equal(step, CPB_STEP_ERROR);
  cpb_outline_free(outline);
  return r;
}

static inline void free_result(result *r) {
  free(r->message.data);
  free(r->omitted);
}

static inline bool same(const result *r, const uint8_t *message, size_t size, const cpb_omitted *omitted,
                        size_t count) {
  if (r->error.code != CPB_OK || r->message.size != size || r->num_omitted != count) return false;
  for (size_t i = 0; i < count; i++) {
    const cpb_omitted *a = &r->omitted[i], *b = &omitted[i];
    if (a->at != b->at || a->offset != b->offset || a->size != b->size || a->number != b->number) return false;
  }
  return size == 0 || memcmp(r->message.data, message, size) == 0;
}

static inline void outlines_to(how h, const both *b) {
  result r = outline_with(h, b->whole);
  if (!same(&r, b->outline.data, b->outline.size, b->omitted, b->num_omitted))
    fail_msg("pieces of %zu: %s", h.piece, r.error.code != CPB_OK ? r.error.message : "another outline");
  free_result(&r);
}

static inline void fails(how h, bytes message, cpb_code code, const char *text) {
  result r = outline_with(h, message);
  if (r.error.code != code || strstr(r.error.message, text) == NULL)
    fail_msg("%s instead of %s: %s", cpb_code_name(r.error.code), text, r.error.message);
  free_result(&r);
}

#define MESSAGE_OF(literal) ((bytes){(uint8_t *)(literal), sizeof(literal) - 1})

/* --- Messages with their outlines ---------------------------------------------- */

static inline void note_omitted(both *b, uint64_t offset, uint64_t size, size_t at, uint32_t number) {
  assert_true(b->num_omitted < MAX_OMITTED);
  b->omitted[b->num_omitted++] = (cpb_omitted){.offset = offset, .size = size, .at = at, .number = number};
}

static inline void add_kept(both *b, uint32_t number, bytes value) {
  put_bytes(&b->whole, number, value.data, value.size);
  put_bytes(&b->outline, number, value.data, value.size);
}

static inline void add_value(both *b, uint32_t number, bytes value) {
  if (value.size <= MAX_VALUE) {
    add_kept(b, number, value);
    return;
  }
  put_bytes(&b->whole, number, value.data, value.size);
  put_bytes(&b->outline, number, NULL, 0);
  note_omitted(b, b->whole.size - value.size, value.size, b->outline.size, number);
}

static inline void add_number(both *b, uint32_t number, uint64_t value) {
  put_int(&b->whole, number, value);
  put_int(&b->outline, number, value);
}

static inline void append(both *b, const both *inner) {
  for (size_t i = 0; i < inner->num_omitted; i++) {
    const cpb_omitted *o = &inner->omitted[i];
    note_omitted(b, b->whole.size + o->offset, o->size, b->outline.size + o->at, o->number);
  }
  put(&b->whole, inner->whole.data, inner->whole.size);
  put(&b->outline, inner->outline.data, inner->outline.size);
}

static inline void free_both(both *b) {
  free(b->whole.data);
  free(b->outline.data);
  free(b);
}

/* These take `inner`. */
static inline void add_message(both *b, uint32_t number, both *inner, bool known) {
  uint8_t head[CPB_WIRE_HEADER_MAX];
  if (!known || inner->whole.size <= MAX_VALUE) {
    add_value(b, number, inner->whole);
  } else {
    put(&b->whole, head, (size_t)(cpb_wire_put_len(head, number, inner->whole.size) - head));
    put(&b->outline, head, (size_t)(cpb_wire_put_len(head, number, inner->outline.size) - head));
    append(b, inner);
  }
  free_both(inner);
}

static inline void add_group(both *b, uint32_t number, both *inner) {
  put_head(&b->whole, number, CPB_WIRE_START_GROUP);
  put_head(&b->outline, number, CPB_WIRE_START_GROUP);
  append(b, inner);
  put_head(&b->whole, number, CPB_WIRE_END_GROUP);
  put_head(&b->outline, number, CPB_WIRE_END_GROUP);
  free_both(inner);
}

/* --- Random ones ------------------------------------------------------------------ */

static uint64_t seed;

static inline uint32_t below(uint32_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % n;
}

static inline bytes random_value(void) {
  static const size_t sizes[] = {0, 1, 3, MAX_VALUE - 1, MAX_VALUE, MAX_VALUE + 1, 40, 300};
  return noise(sizes[below(sizeof sizes / sizeof *sizes)], below(1000));
}

static inline void add_random_value(both *b, uint32_t number) {
  bytes value = random_value();
  add_value(b, number, value);
  free(value.data);
}

static inline both *random_message(unsigned depth, bool known);

/* Its key is kept, however long. */
static inline both *random_entry(unsigned depth, bool text, bool known) {
  both *entry = calloc(1, sizeof *entry);
  bytes key = random_value();
  if (!text) add_number(entry, 1, below(1000));
  else if (known) add_kept(entry, 1, key);
  else add_value(entry, 1, key);
  free(key.data);
  if (text) add_message(entry, 2, random_message(depth, known), known);
  else add_random_value(entry, 2);
  return entry;
}

static inline void add_fixed(both *b) {
  for (int i = 0; i < 2; i++) {
    bytes *out = i == 0 ? &b->whole : &b->outline;
    put(put_head(out, 5, CPB_WIRE_FIXED32), "abcd", 4);
    put(put_head(out, 6, CPB_WIRE_FIXED64), "abcdefgh", 8);
  }
}

static inline void add_random_field(both *b, unsigned depth, bool known) {
  switch (below(depth > 0 ? 14 : 7)) {
    case 0: add_number(b, 1, (uint64_t)below(1000) << below(40)); break;
    case 1: add_fixed(b); break;
    case 2: add_random_value(b, 2); break;
    case 3: add_random_value(b, 10); break;
    case 4: add_random_value(b, 7); break; /* packed */
    case 5: add_random_value(b, 8); break; /* a group's number */
    case 6: add_random_value(b, 536870911); break;
    case 7: add_message(b, 3, random_message(depth - 1, known), known); break;
    case 8: add_message(b, 4, random_message(depth - 1, known), known); break;
    case 9: add_group(b, 8, random_message(depth - 1, known)); break;
    case 10: add_group(b, 99, random_message(depth - 1, false)); break;
    case 11: add_group(b, 4, random_message(depth - 1, false)); break; /* a message's number */
    case 12: add_message(b, 20, random_entry(depth - 1, true, known), known); break;
    default: add_message(b, 26, random_entry(depth - 1, false, known), known); break;
  }
}

static inline both *random_message(unsigned depth, bool known) {
  both *b = calloc(1, sizeof *b);
  for (uint32_t i = below(6); i > 0; i--) add_random_field(b, depth, known);
  return b;
}

static inline both *message_of_seed(uint64_t n, bool known) {
  seed = n;
  return random_message(4, known);
}

#endif
