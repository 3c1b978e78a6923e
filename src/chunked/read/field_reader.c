/* The field reader (cpb/field_reader.h): a pager, and a path that is followed through the pager's bytes (field.h). All
 * memory comes from one budget: data about the path reduces the memory of the pager. */
#include "cpb/field_reader.h"

#include <string.h>

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "chunked/read/field.h"
#include "chunked/read/pager.h"

/* Sizes of requests: after a jump, and at most. */
enum { DEFAULT_MEMORY = 64 * 1024, LEAST = 256, MOST = 64 * 1024 };

/* --- Creation ---------------------------------------------------------------------- */

/* The memory that is left. */
static size_t left_beside(const cpb_field_reader *r, size_t held) {
  return r->options.memory > sizeof *r + held ? r->options.memory - sizeof *r - held : 1;
}

cpb_field_reader *cpb_field_reader_new(const cpb_allocator *allocator, const cpb_field_reader_options *given) {
  cpb_allocator a = cpb_allocator_or_default(allocator);
  cpb_field_reader_options options;
  cpb_options_copy(&options, sizeof options, given);
  if (options.memory == 0) options.memory = DEFAULT_MEMORY;
  cpb_field_reader *r = cpb_alloc_zeroed(&a, sizeof *r);
  if (!r) return NULL;
  r->outer = a;
  r->options = options;
  r->error.offset = CPB_NO_OFFSET;
  cpb_budget_init(&r->budget, &a, 0);
  r->allocator = cpb_budget_allocator(&r->budget);
  cpb_meter_init(&r->meter, &a, options.limits, NULL);
  cpb_buffer_init(&r->tag, &r->allocator);
  cpb_buffer_init(&r->prefix, &r->allocator);
  cpb_buffer_init(&r->below, &r->allocator);
  cpb_buffer_init(&r->literal, &r->allocator);
  const cpb_pager_options how = {.struct_size = sizeof how,
                                 .verify = options.verify,
                                 .memory = left_beside(r, 0),
                                 .read_size = options.read_size > 0 ? options.read_size : options.memory / 16,
                                 .limits = options.limits};
  r->pager = cpb_pager_new(&a, &how);
  if (r->pager) {
    r->budget.limit = left_beside(r, cpb_pager_held(r->pager));
    return r;
  }
  cpb_field_reader_free(r);
  return NULL;
}

/* Drops the data of one path. */
static void forget(cpb_field_reader *r) {
  const cpb_allocator *a = &r->allocator;
  if (r->scanning) cpb_wire_free(&r->scanner);
  if (r->text) r->text->free(r);
  cpb_path_free(r->path);
  cpb_release(a, r->steps);
  cpb_release(a, r->families);
  cpb_release(a, r->parts);
  cpb_release(a, r->pieces);
  cpb_buffer_free(&r->tag);
  cpb_buffer_free(&r->prefix);
  cpb_buffer_free(&r->below);
  cpb_buffer_free(&r->literal);
  r->text = NULL;
  r->path = NULL;
  r->steps = NULL;
  r->families = NULL;
  r->parts = NULL;
  r->pieces = NULL;
  r->families_capacity = r->parts_capacity = r->pieces_capacity = r->num_parts = r->num_pieces = 0;
  r->scanning = r->found = r->wanted = false;
}

void cpb_field_reader_free(cpb_field_reader *r) {
  if (!r) return;
  cpb_allocator a = r->outer;
  forget(r);
  cpb_meter_free(&r->meter);
  cpb_pager_free(r->pager);
  cpb_release(&a, r);
}

cpb_input *cpb_field_reader_input(cpb_field_reader *r) { return cpb_pager_input(r->pager); }

/* --- Failing ------------------------------------------------------------------------ */

bool cpb_field_refuse(cpb_field_reader *r, cpb_code code, uint32_t step, const char *what) {
  char text[96], quoted[128];
  size_t tags = step < r->num_steps || r->steps[step].tags > 0 ? r->steps[step].tags : 1;
  cpb_path_format(cpb_path_get_tag(r->path, 0), tags, text, sizeof text);
  return CPB_FAILS(&r->error, code, CPB_NO_OFFSET, "%s: %s", cpb_quote(quoted, sizeof quoted, text, strlen(text)),
                   what);
}

bool cpb_field_no_memory(cpb_field_reader *r) {
  if (r->budget.needed > 0) {
    cpb_fail(&r->error, CPB_E_LIMIT, CPB_NO_OFFSET, "the %s the field takes %llu bytes of memory; the limit is %zu",
             r->text ? "way to and the JSON of" : "way to", (unsigned long long)(r->budget.needed + sizeof *r),
             r->options.memory);
  } else {
    cpb_fail_memory(&r->error);
  }
  return false;
}

cpb_step cpb_field_fail(cpb_field_reader *r) {
  if (r->error.code == CPB_OK) r->error = *cpb_pager_error(r->pager);
  if (r->error.code == CPB_E_MEMORY && r->budget.needed > 0) {
    r->error.code = CPB_OK;
    cpb_field_no_memory(r);
  }
  r->phase = CPB_FIELD_FAILED;
  return CPB_STEP_ERROR;
}

bool cpb_field_charge(cpb_field_reader *r, cpb_work_kind kind, uint64_t amount) {
  return cpb_meter_charge(&r->meter, kind, amount, CPB_NO_OFFSET, &r->error);
}

/* --- Bytes of the index or of a chunk -------------------------------------------------- */

void cpb_field_turn(cpb_field_reader *r, uint64_t source) {
  r->source = source;
  r->asked = false;
  r->next = CPB_NO_OFFSET;
  r->in = (cpb_span){NULL, 0};
}

static void ask(cpb_field_reader *r, uint64_t pos, uint64_t length) {
  if (r->source == CPB_NO_CHUNK) cpb_pager_read_index(r->pager, pos, length);
  else cpb_pager_read(r->pager, r->source, pos, length);
  r->asked = true;
  r->next = pos;
}

/* The pager and the path's data share the memory. */
static cpb_step step_pager(cpb_field_reader *r) {
  cpb_pager_set_memory(r->pager, left_beside(r, r->budget.used));
  cpb_step step = cpb_pager_step(r->pager);
  r->memory = cpb_max_u64(r->memory, sizeof *r + r->budget.peak + cpb_pager_memory(r->pager));
  r->budget.limit = cpb_max_size(left_beside(r, cpb_pager_held(r->pager)), r->budget.used);
  return step;
}

/* CPB_HAVE: bytes. CPB_AT_END: all requested bytes were returned. */
static cpb_have next_bytes(cpb_field_reader *r, cpb_span *out) {
  switch (step_pager(r)) {
    case CPB_STEP_NEED: return CPB_WAIT;
    case CPB_STEP_DATA: out->data = cpb_pager_data(r->pager, &out->size); return CPB_HAVE;
    case CPB_STEP_DONE: r->asked = false; return CPB_AT_END;
    default: return CPB_FAILED;
  }
}

cpb_have cpb_field_feed(cpb_field_reader *r, uint64_t pos, uint64_t left) {
  for (;;) {
    if (!r->asked || r->next != pos) {
      r->window = r->next == pos ? cpb_min_u64(2 * r->window, MOST) : LEAST;
      ask(r, pos, cpb_min_u64(left, r->window));
    }
    cpb_have have = next_bytes(r, &r->in);
    if (have == CPB_HAVE) r->next += r->in.size;
    if (have != CPB_AT_END) return have;
    if (pos < cpb_pager_stored(r->pager)->size) continue;
    return cpb_fail(&r->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "a chunk ends within a field"), CPB_FAILED;
  }
}

cpb_have cpb_field_open(cpb_field_reader *r) {
  cpb_span none;
  if (!r->asked) ask(r, 0, 0);
  cpb_have have = next_bytes(r, &none);
  return have == CPB_AT_END ? CPB_HAVE : have;
}

/* --- Reading ------------------------------------------------------------------------- */

void cpb_field_ask(cpb_field_reader *r, uint64_t offset, uint64_t size) {
  r->at = offset;
  r->left = size;
  r->phase = CPB_FIELD_READ;
  cpb_field_turn(r, CPB_NO_CHUNK);
}

/* Reads the previous path again. */
static cpb_code read_again(cpb_field_reader *r, uint64_t offset, uint64_t size) {
  if (!r->path) return CPB_E_USAGE;
  if (r->text) r->text->free(r);
  r->text = NULL;
  if (r->phase == CPB_FIELD_FAILED) return r->error.code;
  if (r->found && r->phase != CPB_FIELD_OPEN) cpb_field_ask(r, offset, size);
  r->at = offset;
  r->left = size;
  r->asked = false;
  return CPB_OK;
}

cpb_code cpb_field_reader_read(cpb_field_reader *r, const char *path, size_t length, uint64_t offset, uint64_t size) {
  if (cpb_pager_error(r->pager)->code != CPB_OK) return cpb_pager_error(r->pager)->code;
  if (!path) return read_again(r, offset, size);
  r->at = offset;
  r->left = size;
  r->asked = false;
  forget(r);
  memset(&r->error, 0, sizeof r->error);
  r->error.offset = CPB_NO_OFFSET;
  r->budget.needed = 0;
  cpb_meter_renew(&r->meter);
  r->phase = r->opened ? CPB_FIELD_IDLE : CPB_FIELD_OPEN;
  r->path = cpb_path_parse(&r->allocator, path, length, &r->error);
  if (!r->path || !cpb_field_way(r)) cpb_field_fail(r);
  r->wanted = true;
  return r->error.code;
}

/* The piece that has the byte at `*at`, which becomes the offset in it; NULL if that is past the end. */
static const cpb_field_piece *piece_at(const cpb_field_reader *r, uint64_t *at) {
  for (size_t i = 0; i < r->num_pieces; i++) {
    if (*at < r->pieces[i].length) return &r->pieces[i];
    *at -= r->pieces[i].length;
  }
  return NULL;
}

static cpb_step give(cpb_field_reader *r) {
  r->at += r->data.size;
  r->left -= r->data.size;
  return CPB_STEP_DATA;
}

/* The next bytes of the requested piece; CPB_AT_END: it was returned and verified. */
static cpb_have read_piece(cpb_field_reader *r) {
  cpb_have have = next_bytes(r, &r->data);
  if (have == CPB_HAVE) r->next += r->data.size;
  if (have != CPB_AT_END || r->next > r->window) return have;
  cpb_fail(&r->error, CPB_E_DAMAGED, CPB_NO_OFFSET, "chunk %llu has become smaller", (unsigned long long)r->source);
  return CPB_FAILED;
}

static cpb_step read_on(cpb_field_reader *r) {
  for (;;) {
    cpb_have have = r->asked ? read_piece(r) : CPB_AT_END;
    if (have == CPB_WAIT) return CPB_STEP_NEED;
    if (have == CPB_FAILED) return cpb_field_fail(r);
    if (have == CPB_HAVE) return give(r);
    uint64_t at = r->at;
    const cpb_field_piece *piece = piece_at(r, &at);
    if (r->left == 0 || !piece) break;
    uint64_t length = cpb_min_u64(r->left, piece->length - at);
    if (piece->chunk == CPB_NO_PART_CHUNK) {
      r->data = (cpb_span){r->literal.data + piece->at + at, (size_t)length};
      return give(r);
    }
    cpb_field_turn(r, piece->chunk);
    ask(r, piece->at + at, length);
    r->window = r->next;
  }
  r->phase = CPB_FIELD_IDLE;
  return CPB_STEP_DONE;
}

static cpb_step open_file(cpb_field_reader *r) {
  cpb_step step = step_pager(r);
  if (step == CPB_STEP_ERROR) return cpb_field_fail(r);
  if (step != CPB_STEP_DONE) return step;
  r->opened = true;
  cpb_meter_grow(&r->meter, cpb_pager_file_size(r->pager));
  r->phase = CPB_FIELD_IDLE;
  return CPB_STEP_DONE;
}

static cpb_step of_have(cpb_field_reader *r, cpb_have have) {
  return have == CPB_WAIT ? CPB_STEP_NEED : cpb_field_fail(r);
}

/* Finds the place of the requested field. */
static cpb_step find(cpb_field_reader *r) {
  if (r->phase == CPB_FIELD_IDLE) {
    r->wanted = false;
    cpb_field_plan_begin(r);
    r->phase = CPB_FIELD_PLAN;
  }
  if (r->phase == CPB_FIELD_PLAN) {
    cpb_have have = cpb_field_plan_run(r);
    if (have != CPB_HAVE) return of_have(r, have);
    cpb_field_walk_begin(r);
    r->phase = CPB_FIELD_WALK;
  }
  cpb_have have = cpb_field_walk_run(r);
  if (have != CPB_HAVE) return of_have(r, have);
  r->found = true;
  cpb_field_turn(r, CPB_NO_CHUNK);
  r->phase = CPB_FIELD_READ;
  return CPB_STEP_DONE;
}

cpb_step cpb_field_reader_step(cpb_field_reader *r) { return r->text ? r->text->step(r) : cpb_field_step_bytes(r); }

cpb_step cpb_field_step_bytes(cpb_field_reader *r) {
  cpb_step step = CPB_STEP_DONE;
  r->data.size = 0;
  if (r->phase == CPB_FIELD_FAILED) return CPB_STEP_ERROR;
  if (r->phase == CPB_FIELD_OPEN) step = open_file(r);
  if (step != CPB_STEP_DONE || (r->phase == CPB_FIELD_IDLE && !r->wanted)) return step;
  if (r->phase != CPB_FIELD_READ) step = find(r);
  return step == CPB_STEP_DONE ? read_on(r) : step;
}

const uint8_t *cpb_field_reader_data(const cpb_field_reader *r, size_t *length) {
  *length = r->data.size;
  return r->data.data;
}

const cpb_field_place *cpb_field_reader_place(const cpb_field_reader *r) { return &r->place; }
const cpb_found *cpb_field_reader_found(const cpb_field_reader *r) { return &r->what; }

cpb_code cpb_field_reader_piece(const cpb_field_reader *r, size_t i, cpb_segment *out) {
  memset(out, 0, sizeof *out);
  if (!r->found || i >= r->num_pieces) return CPB_E_NOT_FOUND;
  const cpb_field_piece *piece = &r->pieces[i];
  for (size_t k = 0; k < i; k++) out->offset += r->pieces[k].length;
  out->length = piece->length;
  bool is_new = piece->chunk == CPB_NO_PART_CHUNK;
  out->chunk = is_new ? CPB_NO_CHUNK : piece->chunk;
  out->chunk_offset = is_new ? 0 : piece->at;
  out->literal = is_new ? r->literal.data + piece->at : NULL;
  return CPB_OK;
}

uint64_t cpb_field_reader_memory(const cpb_field_reader *r) {
  bool lacks = r->error.code == CPB_E_LIMIT;
  return lacks ? r->memory : cpb_min_u64(r->memory, r->options.memory); /* the peaks need not be simultaneous */
}

const cpb_error *cpb_field_reader_error(const cpb_field_reader *r) { return &r->error; }
