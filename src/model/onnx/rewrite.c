/* The rewriting walks the model message by message, along its outline. An unchanged message is copied as a range of the
 * input; a changed one, and all messages around it, are assembled from their fields. */
#include "cpb/onnx.h"

#include "base/checked.h"
#include "base/limits.h"
#include "base/meter.h"
#include "base/ordered.h"
#include "base/status.h"
#include "model/common/cursor.h"
#include "model/common/part.h"
#include "model/common/spans.h"
#include "model/onnx/fields.h"
#include "model/onnx/model.h"

#define MOST_KEPT 1024
#define DEEPEST 128
/* Values are aligned so that they can be mapped into memory and used directly. */
#define ALIGNED ((uint64_t)64)
#define PAGE ((uint64_t)4096)
#define PAGED ((uint64_t)1 << 20) /* values of at least this size begin at a page */
#define SHOWN 80

/* A message that is being walked. */
typedef struct frame {
  const cpb_message_type *type;
  cpb_span message;
  cpb_cursor fields;
  uint32_t number; /* of its field in the outer message */
  cpb_pieces_mark mark;
  size_t opened;
  bool changed;
} frame;

/* Values that go to the other file. Tensors that name the same range of one file share it there as well. Ranges that
 * only overlap are each copied. */
typedef struct place {
  cpb_ordered_links links;
  uint32_t file;
  cpb_range from;
  uint64_t at;
} place;

struct cpb_onnx_rewrite {
  cpb_allocator allocator, held;
  cpb_meter meter;
  cpb_onnx_rewrite_options options;
  cpb_limits limits;
  cpb_part part;
  cpb_pieces model, values;
  cpb_span *files; /* by the numbers of pieces, from 1; names in the outline */
  size_t num_files, files_capacity;
  place *places;
  size_t num_places, places_capacity;
  uint32_t root;
  frame frames[DEEPEST];
  size_t depth;
  cpb_input no_input;
  cpb_error error;
  bool done;
};

/* --- Creation --------------------------------------------------------------------------- */

cpb_onnx_rewrite *cpb_onnx_rewrite_new(const cpb_allocator *given, const cpb_onnx_rewrite_options *options) {
  cpb_allocator a = cpb_allocator_or_default(given);
  cpb_onnx_rewrite *r = cpb_alloc_zeroed(&a, sizeof *r);
  if (!r) return NULL;
  r->allocator = a;
  cpb_options_copy(&r->options, sizeof r->options, options);
  r->limits = cpb_limits_or_default(r->options.limits);
  r->options.limits = &r->limits;
  r->options.max_memory = cpb_max_memory_or_default(r->options.max_memory);
  if (r->options.threshold == 0) r->options.threshold = CPB_ONNX_THRESHOLD;
  r->root = CPB_ORDERED_NONE;
  r->error.offset = CPB_NO_OFFSET;
  cpb_input_init(&r->no_input);
  cpb_meter_init(&r->meter, &a, &r->limits, NULL);
  r->held = cpb_meter_allocator(&r->meter);
  cpb_pieces_init(&r->model, &r->held);
  cpb_pieces_init(&r->values, &r->held);
  return r;
}

void cpb_onnx_rewrite_free(cpb_onnx_rewrite *r) {
  if (!r) return;
  cpb_allocator a = r->allocator;
  cpb_part_free(&r->part);
  cpb_pieces_free(&r->model);
  cpb_pieces_free(&r->values);
  cpb_release(&r->held, r->files);
  cpb_release(&r->held, r->places);
  cpb_meter_free(&r->meter);
  cpb_release(&a, r);
}

/* --- Tensors ------------------------------------------------------------------------------ */

/* A length that contradicts shape and type is an error: the new model would repeat it, and the damage would seem to
 * come from the rewriting. */

static bool fails(cpb_onnx_rewrite *r, const cpb_onnx_tensor *t, const char *what) {
  char name[SHOWN];
  cpb_span text = cpb_get_bytes(t->message, TENSOR_NAME);
  cpb_quote(name, sizeof name, text.data ? text.data : (const uint8_t *)"", text.size);
  return CPB_FAILS(&r->error, CPB_E_DAMAGED, t->tensor.offset, "tensor \"%s\": external_data%s", name, what);
}

/* The number of the file with the values; most tensors use the same file as the tensor before. */
static bool number_file(cpb_onnx_rewrite *r, cpb_span name, uint32_t *number) {
  *number = (uint32_t)r->num_files;
  if (r->num_files > 0 && cpb_span_equal(r->files[r->num_files - 1], name)) return true;
  if (!CPB_RESERVE(&r->held, &r->files, &r->files_capacity, r->num_files + 1))
    return cpb_fail_memory(&r->error) == CPB_OK;
  r->files[r->num_files++] = name;
  *number = (uint32_t)r->num_files;
  return true;
}

/* The present place of the values: `file` 0 is the input. */
static bool find_values(cpb_onnx_rewrite *r, const cpb_onnx_tensor *t, uint32_t *file, cpb_range *where) {
  char problem[CPB_EXTERNAL_PROBLEM];
  const bool sized = t->has_elements && t->type.format && t->type.format->size > 0;
  *file = 0;
  *where = t->values;
  if (!t->is_external) return true;
  if (!cpb_external_range(&t->external, sized ? &t->bytes : NULL, where, problem, sizeof problem))
    return fails(r, t, problem);
  return number_file(r, t->external.location, file);
}

/* --- Values that tensors share --------------------------------------------------------------- */

/* Places are the nodes of a balanced tree in one array (base/ordered): looking one up takes logarithmic time, also
 * if a hostile model orders its tensors badly. */

typedef struct place_key {
  const cpb_onnx_rewrite *rewrite;
  uint32_t file;
  cpb_range from;
} place_key;

static cpb_span file_name(const cpb_onnx_rewrite *r, uint32_t file) {
  return file > 0 ? r->files[file - 1] : (cpb_span){NULL, 0};
}

static int compare_numbers(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int compare_places(const void *key, uint32_t i) {
  const place_key *sought = key;
  const place *p = &sought->rewrite->places[i];
  int order = compare_numbers(sought->from.offset, p->from.offset);
  if (order == 0) order = compare_numbers(sought->from.length, p->from.length);
  if (order != 0 || sought->file == p->file) return order;
  return cpb_span_compare(file_name(sought->rewrite, sought->file), file_name(sought->rewrite, p->file));
}

static void put_padding(cpb_onnx_rewrite *r, uint64_t size) {
  static const uint8_t zeros[PAGE];
  const uint64_t unit = size >= PAGED ? PAGE : ALIGNED, over = r->values.size % unit;
  if (over > 0) cpb_pieces_put(&r->values, zeros, (size_t)(unit - over));
}

/* The values' place in the other file. They are copied there, unless that was done before. NULL if memory is short. */
static const place *take_place(cpb_onnx_rewrite *r, uint32_t file, cpb_range from) {
  const place_key key = {r, file, from};
  const cpb_ordered nodes = {r->places, sizeof *r->places};
  const uint32_t found = cpb_ordered_find(nodes, r->root, compare_places, &key), added = (uint32_t)r->num_places;
  if (found != CPB_ORDERED_NONE) return &r->places[found];
  if (added == CPB_ORDERED_NONE || !CPB_RESERVE(&r->held, &r->places, &r->places_capacity, r->num_places + 1))
    return NULL;
  put_padding(r, from.length);
  r->places[r->num_places++] = (place){.file = file, .from = from, .at = r->values.size};
  cpb_pieces_range(&r->values, file, from);
  r->root = cpb_ordered_add((cpb_ordered){r->places, sizeof *r->places}, r->root, added, compare_places, &key);
  return &r->places[added];
}

/* --- A tensor as it is written ------------------------------------------------------------------ */

static void put_entry(cpb_pieces *p, const char *key, cpb_span value) {
  size_t entry = cpb_pieces_open(p);
  cpb_pieces_bytes(p, ENTRY_KEY, cpb_span_of(key));
  cpb_pieces_bytes(p, ENTRY_VALUE, value);
  cpb_pieces_close(p, TENSOR_EXTERNAL, entry);
}

static void put_number(cpb_pieces *p, const char *key, uint64_t value) {
  char text[24];
  cpb_format(text, sizeof text, "%llu", (unsigned long long)value);
  put_entry(p, key, cpb_span_of(text));
}

/* Writes the reference to the values in the other file. */
static void put_reference(cpb_onnx_rewrite *r, uint32_t file, cpb_range where) {
  cpb_pieces *p = &r->model;
  const place *found = take_place(r, file, where);
  if (!found) {
    cpb_fail_memory(&r->error);
    return;
  }
  put_entry(p, "location", cpb_span_of(r->options.location));
  put_number(p, "offset", found->at);
  put_number(p, "length", where.length);
  cpb_pieces_number(p, TENSOR_LOCATION, LOCATION_EXTERNAL);
}

/* Writes a field unchanged. */
static bool is_place(uint32_t number) {
  return number == TENSOR_RAW_DATA || number == TENSOR_EXTERNAL || number == TENSOR_LOCATION;
}

/* Writes the fields ordered by number, as writers do: values go where the fields of their new place belong. */
static void put_tensor(cpb_onnx_rewrite *r, cpb_span message, bool moves_out, uint32_t file, cpb_range where) {
  const uint32_t after = moves_out ? TENSOR_EXTERNAL : TENSOR_RAW_DATA;
  cpb_cursor c = cpb_cursor_of(message);
  bool placed = false;
  for (bool more = true; more;) {
    more = cpb_cursor_next(&c);
    if (!placed && (!more || c.number > after)) {
      placed = true;
      if (moves_out) put_reference(r, file, where);
      else cpb_pieces_copy_other(&r->model, TENSOR_RAW_DATA, file, where);
    }
    if (more && !is_place(c.number)) cpb_pieces_field(&r->model, &r->part, &c);
  }
}

/* Whether the values change their place. If so, the tensor is written without its tag and length. False on failure. */
static bool take_tensor(cpb_onnx_rewrite *r, cpb_span message, bool *changed) {
  const cpb_onnx_tensor t = cpb_onnx_tensor_of(&r->part, message);
  uint32_t file;
  cpb_range where;
  const bool is_raw = t.field == TENSOR_RAW_DATA && t.parts == 1;
  *changed = false;
  if (!t.is_external && !(is_raw && r->options.location)) return true;
  if (!find_values(r, &t, &file, &where)) return false;
  const bool moves_out = r->options.location && where.length >= r->options.threshold;
  if (!moves_out && !t.is_external) return true;
  *changed = true;
  put_tensor(r, message, moves_out, file, where);
  return r->error.code == CPB_OK;
}

/* --- Messages ------------------------------------------------------------------------------ */

/* Frames take the place of recursion. A message's changes are known only at its end, so its fields are written at
 * once and taken back if nothing in it has changed; the whole message is then one range of the input. */

/* Only the views of tensors have dims. */
static bool is_tensor(const cpb_message_type *type) {
  const cpb_field *name = cpb_message_find_number(type, TENSOR_NAME),
                  *dims = cpb_message_find_number(type, TENSOR_DIMS);
  return name && dims && cpb_message_find_number(type, TENSOR_EXTERNAL) && !name->message && !dims->message;
}

static bool enter(cpb_onnx_rewrite *r, const cpb_message_type *type, uint32_t number, cpb_span message) {
  if (r->depth == DEEPEST)
    return CPB_FAILS(&r->error, CPB_E_LIMIT, CPB_NO_OFFSET, "messages are nested deeper than %u", (unsigned)DEEPEST);
  frame *f = &r->frames[r->depth++];
  *f = (frame){.type = type, .message = message, .number = number, .fields = cpb_cursor_of(message)};
  f->mark = cpb_pieces_here(&r->model);
  if (r->depth > 1) f->opened = cpb_pieces_open(&r->model);
  return true;
}

static void leave(cpb_onnx_rewrite *r) {
  frame *f = &r->frames[--r->depth];
  if (r->depth == 0) return;
  if (f->changed) {
    cpb_pieces_close(&r->model, f->number, f->opened);
    r->frames[r->depth - 1].changed = true;
    return;
  }
  cpb_pieces_back_to(&r->model, f->mark);
  cpb_cursor whole = {.number = f->number, .type = CPB_WIRE_LEN, .bytes = f->message};
  cpb_pieces_field(&r->model, &r->part, &whole);
}

static bool take_field(cpb_onnx_rewrite *r, frame *f) {
  const cpb_cursor c = f->fields;
  const cpb_field *field = c.type == CPB_WIRE_LEN ? cpb_message_find_number(f->type, c.number) : NULL;
  if (field && field->message && !cpb_part_omits(&r->part, c.bytes)) return enter(r, field->message, c.number, c.bytes);
  cpb_pieces_field(&r->model, &r->part, &c);
  return true;
}

static bool go_on(cpb_onnx_rewrite *r) {
  frame *f = &r->frames[r->depth - 1];
  if (is_tensor(f->type)) {
    if (!take_tensor(r, f->message, &f->changed)) return false;
    leave(r);
  } else if (cpb_cursor_next(&f->fields)) {
    return take_field(r, f);
  } else {
    leave(r);
  }
  return true;
}

static bool plan(cpb_onnx_rewrite *r) {
  if (!cpb_meter_charge(&r->meter, CPB_WORK_WALKED, 2 * (uint64_t)r->part.message.size, CPB_NO_OFFSET, &r->error))
    return false;
  if (!enter(r, &cpb_view_onnx, 0, r->part.message)) return false;
  while (r->depth > 0)
    if (!go_on(r)) return false;
  if (r->model.failed || r->values.failed) return cpb_fail_memory(&r->error) == CPB_OK;
  return true;
}

/* --- Steps ------------------------------------------------------------------------------------ */

cpb_input *cpb_onnx_rewrite_input(cpb_onnx_rewrite *r) {
  return r->part.outline && !r->part.read ? cpb_outline_input(r->part.outline) : &r->no_input;
}

const cpb_error *cpb_onnx_rewrite_error(const cpb_onnx_rewrite *r) { return &r->error; }

static cpb_step fail(cpb_onnx_rewrite *r) {
  cpb_fail_memory(&r->error);
  cpb_meter_explain(&r->meter, &r->error);
  return CPB_STEP_ERROR;
}

cpb_step cpb_onnx_rewrite_step(cpb_onnx_rewrite *r) {
  const cpb_outline_options how = {.max_value = MOST_KEPT, .max_size = r->options.max_memory, .limits = &r->limits};
  if (r->error.code != CPB_OK) return CPB_STEP_ERROR;
  if (r->done) return CPB_STEP_DONE;
  if (!r->part.outline && !cpb_part_begin(&r->part, &r->held, &cpb_view_onnx, NULL, 0, &how)) return fail(r);
  r->meter.input = cpb_onnx_rewrite_input(r);
  cpb_meter_update(&r->meter);
  cpb_step step = cpb_part_step(&r->part, &r->error);
  if (step == CPB_STEP_NEED) return step;
  if (step == CPB_STEP_DONE && r->part.damage.code != CPB_OK) r->error = r->part.damage;
  if (r->error.code != CPB_OK || !plan(r)) return fail(r);
  r->done = true;
  return CPB_STEP_DONE;
}

/* --- The plan ---------------------------------------------------------------------------------- */

static const cpb_pieces *pieces_of(const cpb_onnx_rewrite *r, cpb_onnx_file file) {
  return file == CPB_ONNX_VALUES ? &r->values : &r->model;
}

uint64_t cpb_onnx_rewrite_size(const cpb_onnx_rewrite *r, cpb_onnx_file file) { return pieces_of(r, file)->size; }

size_t cpb_onnx_rewrite_num_pieces(const cpb_onnx_rewrite *r, cpb_onnx_file file) { return pieces_of(r, file)->count; }

cpb_onnx_piece cpb_onnx_rewrite_piece(const cpb_onnx_rewrite *r, cpb_onnx_file file, size_t i) {
  const cpb_pieces *p = pieces_of(r, file);
  if (i >= p->count) return (cpb_onnx_piece){.length = 0};
  const cpb_model_piece piece = cpb_pieces_get(p, i);
  const uint32_t number = cpb_pieces_file(p, i);
  cpb_onnx_piece out = {.bytes = piece.bytes, .offset = piece.offset, .length = piece.length};
  if (number > 0)
    out.other = (cpb_other_file){(const char *)r->files[number - 1].data, r->files[number - 1].size, CPB_NO_OFFSET};
  return out;
}
