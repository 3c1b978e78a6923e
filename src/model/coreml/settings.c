/* Whatever a layer, or a model without a graph, is set to, as attributes: all fields of its messages but tensors and
 * graphs, which the view shows. The tables are those of coremltools. */
#include "base/sha256.h"
#include "base/status.h"
#include "model/coreml/model.h"

#define DEPTH_MOST 10
#define LIST_MOST 64    /* elements that are written; of a longer list, their number and hash */
#define MESSAGES_MOST 8 /* the same for messages */

/* --- Messages ------------------------------------------------------------------------------ */

/* IS_SHOWN: a message that the view shows. */
enum { IS_BOOL, IS_INT, IS_UINT, IS_FLOAT, IS_DOUBLE, IS_STRING, IS_BYTES, IS_ENUM, IS_MESSAGE, IS_SHOWN };

enum { ONE, LIST, MAP };

typedef struct field {
  uint16_t number;
  uint8_t kind, how;
  uint16_t of; /* a message or an enum, by its position */
  const char *name;
  const char *oneof; /* of a message: the oneof that it is a choice of, or NULL */
} field;

typedef struct choice {
  int16_t number;
  const char *name;
} choice;

/* Message i has the fields from first_field[i] on, up to first_field[i + 1]; enum i has its choices in the same way. */
#include "model/coreml/messages.inc"

/* NULL for a number that the table lacks: the field is newer. */
static const field *find(unsigned message, uint32_t number) {
  for (size_t i = first_field[message]; i < first_field[message + 1]; i++)
    if (fields[i].number == number) return &fields[i];
  return NULL;
}

static const char *name_of_value(unsigned of, uint64_t number) {
  for (size_t i = first_choice[of]; i < first_choice[of + 1]; i++)
    if (choices[i].number == (int64_t)number) return choices[i].name;
  return NULL;
}

static cpb_span name_of(unsigned message, const char *what, uint32_t number, char *spare) {
  const field *f = find(message, number);
  if (f || number == 0) return f ? cpb_span_of(f->name) : (cpb_span){NULL, 0};
  return (cpb_span){(const uint8_t *)spare, cpb_format(spare, CPB_COREML_SPARE, "%s %u", what, (unsigned)number)};
}

cpb_span cpb_coreml_layer_name(uint32_t number, char *spare) { return name_of(MESSAGE_LAYER, "layer", number, spare); }

cpb_span cpb_coreml_type_name(uint32_t type, char *spare) { return name_of(MESSAGE_MODEL, "type", type, spare); }

/* --- Numbers --------------------------------------------------------------------------------- */

/* The numbers of a field, packed or not. */
typedef struct numbers {
  cpb_cursor c;
  const field *field;
  cpb_span packed;
} numbers;

static bool next_packed(numbers *n, uint64_t *value) {
  if (n->field->kind != IS_DOUBLE) return cpb_packed_next(&n->packed, n->field->kind == IS_FLOAT, value);
  if (n->packed.size < 8) return false;
  *value = cpb_load64(n->packed.data);
  n->packed = (cpb_span){n->packed.data + 8, n->packed.size - 8};
  return true;
}

static bool next_number(numbers *n, uint64_t *value) {
  while (!next_packed(n, value)) {
    do
      if (!cpb_cursor_next(&n->c)) return false;
    while (n->c.number != n->field->number);
    *value = n->c.value;
    if (n->c.type != CPB_WIRE_LEN) return true;
    n->packed = n->c.bytes;
  }
  return true;
}

static numbers numbers_of(cpb_span message, const field *f) {
  return (numbers){.c = cpb_cursor_of(message), .field = f};
}

static void write_number(cpb_json_writer *a, const char *key, const field *f, uint64_t value) {
  const char *name = f->kind == IS_ENUM ? name_of_value(f->of, value) : NULL;
  const uint32_t bits = (uint32_t)value;
  float real;
  double exact;
  memcpy(&real, &bits, sizeof real);
  memcpy(&exact, &value, sizeof exact);
  if (name) cpb_json_writer_text(a, key, name);
  else if (f->kind == IS_BOOL) cpb_json_writer_bool(a, key, value != 0);
  else if (f->kind == IS_FLOAT) cpb_json_writer_float(a, key, real);
  else if (f->kind == IS_DOUBLE) cpb_json_writer_double(a, key, exact);
  else if (f->kind == IS_UINT) cpb_json_writer_exact_unsigned(a, key, value);
  else cpb_json_writer_exact(a, key, (int64_t)value);
}

/* --- Attributes -------------------------------------------------------------------------------- */

typedef struct writing {
  cpb_json_writer *out;
  const cpb_part *part;
  cpb_page *page;  /* of the attributes; NULL where all are written */
  cpb_buffer name; /* of the field, after those of the messages around it: "same.asymmetryMode" */
} writing;

static const char *const kind_names[] = {"bool",   "int64", "uint64", "float32", "float64",
                                         "string", "bytes", "enum",   "message"};
static const char *const list_names[] = {"bools",   "ints",  "ints",    "floats",  "floats",
                                         "strings", "bytes", "strings", "messages"};

static void add(writing *w, cpb_span name) {
  if (!cpb_buffer_append(&w->name, name.data, name.size)) w->out->failed = true;
}

static void add_text(writing *w, const char *name) { add(w, cpb_span_of(name)); }

static bool begin(writing *w, const char *kind) {
  if (w->out->failed || (w->page && !cpb_page_has(w->page))) return false;
  cpb_json_writer_open(w->out, NULL, '{');
  cpb_json_writer_span(w->out, "name", (cpb_span){w->name.data, w->name.size});
  cpb_json_writer_text(w->out, "kind", kind);
  return true;
}

static void end(writing *w) { cpb_json_writer_close(w->out, '}'); }

static void write_left_out(writing *w, cpb_span value, const char *kind) {
  if (!begin(w, kind)) return;
  cpb_write_omitted(w->out, "value", w->part, value);
  end(w);
}

/* A list that is too long to be written, by the hash of its elements. */
static void write_hash(writing *w, size_t count, cpb_sha256 *sha) {
  char hex[CPB_SHA256_HEX];
  cpb_sha256_end_hex(sha, hex);
  if (!begin(w, "list")) return;
  cpb_json_writer_unsigned(w->out, "value", count);
  cpb_json_writer_text(w->out, "sha256", hex);
  end(w);
}

static void write_scalar(writing *w, const field *f, cpb_span message) {
  numbers n = numbers_of(message, f);
  uint64_t one, value = 0;
  bool found = false;
  while (next_number(&n, &one)) found = true, value = one;
  if (!found || !begin(w, kind_names[f->kind])) return;
  write_number(w->out, "value", f, value);
  end(w);
}

static void write_text(writing *w, const field *f, cpb_span text) {
  cpb_sha256 sha;
  if (!text.data) return;
  if (cpb_part_omits(w->part, text)) {
    write_left_out(w, text, kind_names[f->kind]);
  } else if (f->kind == IS_BYTES) {
    cpb_sha256_begin(&sha);
    cpb_sha256_add(&sha, text.data, text.size);
    write_hash(w, text.size, &sha);
  } else if (begin(w, kind_names[f->kind])) {
    cpb_json_writer_span(w->out, "value", text);
    end(w);
  }
}

/* The first part of a field that is not in memory; empty if all of it is. */
static cpb_span left_out(const writing *w, const field *f, cpb_span message) {
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_find(&c, f->number, CPB_WIRE_LEN))
    if (cpb_part_omits(w->part, c.bytes)) return c.bytes;
  return (cpb_span){NULL, 0};
}

static void write_numbers(writing *w, const field *f, cpb_span message) {
  numbers n = numbers_of(message, f);
  cpb_sha256 sha;
  uint64_t value;
  uint8_t bytes[8];
  size_t count = 0;
  cpb_sha256_begin(&sha);
  for (; next_number(&n, &value); count++) {
    cpb_store64(bytes, value);
    cpb_sha256_add(&sha, bytes, sizeof bytes);
  }
  if (count > LIST_MOST) write_hash(w, count, &sha);
  if (count == 0 || count > LIST_MOST || !begin(w, list_names[f->kind])) return;
  cpb_json_writer_open(w->out, "value", '[');
  for (n = numbers_of(message, f); next_number(&n, &value);) write_number(w->out, NULL, f, value);
  cpb_json_writer_close(w->out, ']');
  end(w);
}

/* The number of texts or messages; `sha` takes them all. */
static size_t count_all(const field *f, cpb_span message, cpb_sha256 *sha) {
  size_t count = 0;
  cpb_cursor c = cpb_cursor_of(message);
  cpb_sha256_begin(sha);
  for (; cpb_cursor_find(&c, f->number, CPB_WIRE_LEN); count++) {
    uint8_t size[8];
    cpb_store64(size, c.bytes.size);
    cpb_sha256_add(sha, size, sizeof size);
    cpb_sha256_add(sha, c.bytes.data, c.bytes.size);
  }
  return count;
}

static void write_texts(writing *w, const field *f, cpb_span message) {
  cpb_sha256 sha;
  cpb_cursor c = cpb_cursor_of(message);
  const size_t count = count_all(f, message, &sha);
  if (count > LIST_MOST) write_hash(w, count, &sha);
  if (count == 0 || count > LIST_MOST || !begin(w, list_names[f->kind])) return;
  cpb_json_writer_open(w->out, "value", '[');
  while (cpb_cursor_find(&c, f->number, CPB_WIRE_LEN)) cpb_json_writer_span(w->out, NULL, c.bytes);
  cpb_json_writer_close(w->out, ']');
  end(w);
}

static void write_fields(writing *w, unsigned message, cpb_span content, unsigned depth);

/* Which one of a oneof it is, under the oneof's name instead of the field's, which begins at `before`. */
static void write_choice(writing *w, const field *f, size_t before) {
  w->name.size = before;
  add_text(w, f->oneof);
  if (begin(w, "enum")) {
    cpb_json_writer_text(w->out, "value", f->name);
    end(w);
  }
  w->name.size = before;
  add_text(w, f->name);
}

/* Writes nothing for an empty message but the choice that it stands for. */
static void write_message(writing *w, const field *f, cpb_span message, size_t before, unsigned depth) {
  const cpb_span content = cpb_get_bytes(message, f->number);
  if (!content.data) return;
  if (f->oneof) write_choice(w, f, before);
  if (cpb_part_omits(w->part, content)) write_left_out(w, content, "message");
  else write_fields(w, f->of, content, depth + 1);
}

/* The message of a layer or a model, under its name if it is not in memory. */
static void write_whole(writing *w, const field *f, cpb_span content) {
  if (!f || f->kind != IS_MESSAGE) return;
  if (!cpb_part_omits(w->part, content)) {
    write_fields(w, f->of, content, 0);
    return;
  }
  add_text(w, f->name);
  write_left_out(w, content, "message");
  w->name.size = 0;
}

static void add_key(writing *w, const field *f, cpb_span entry) {
  char number[24];
  const field *key = find(f->of, MAP_KEY);
  const bool is_text = key && key->kind == IS_STRING;
  cpb_format(number, sizeof number, "%lld", (long long)cpb_get_number(entry, MAP_KEY));
  add_text(w, "[");
  add(w, is_text ? cpb_get_bytes(entry, MAP_KEY) : cpb_span_of(number));
  add_text(w, "]");
}

static void write_value(writing *w, const field *f, cpb_span message, size_t before, unsigned depth) {
  if (f->kind == IS_MESSAGE) write_message(w, f, message, before, depth);
  else if (f->kind == IS_STRING || f->kind == IS_BYTES) write_text(w, f, cpb_get_bytes(message, f->number));
  else write_scalar(w, f, message);
}

/* Messages of a list by their positions, those of a map by their keys. */
static void write_messages(writing *w, const field *f, cpb_span message, unsigned depth) {
  cpb_sha256 sha;
  cpb_cursor c = cpb_cursor_of(message);
  const size_t count = count_all(f, message, &sha), own = w->name.size;
  const field *value = f->how == MAP ? find(f->of, MAP_VALUE) : NULL;
  if (count > (f->how == MAP ? LIST_MOST : MESSAGES_MOST)) {
    write_hash(w, count, &sha);
    return;
  }
  for (size_t i = 0; cpb_cursor_find(&c, f->number, CPB_WIRE_LEN); i++, w->name.size = own) {
    char index[16];
    cpb_format(index, sizeof index, "[%zu]", i);
    if (f->how == MAP) add_key(w, f, c.bytes);
    else add_text(w, index);
    if (value) write_value(w, value, c.bytes, w->name.size, depth + 1);
    else write_fields(w, f->of, c.bytes, depth + 1);
  }
}

static void write_list(writing *w, const field *f, cpb_span message, unsigned depth) {
  const cpb_span lacking = left_out(w, f, message);
  if (lacking.data) write_left_out(w, lacking, "list");
  else if (f->kind == IS_MESSAGE) write_messages(w, f, message, depth);
  else if (f->kind == IS_STRING || f->kind == IS_BYTES) write_texts(w, f, message);
  else write_numbers(w, f, message);
}

static void write_fields(writing *w, unsigned message, cpb_span content, unsigned depth) {
  const size_t around = w->name.size;
  if (depth > DEPTH_MOST) return;
  if (around > 0) add_text(w, ".");
  const size_t before = w->name.size;
  for (size_t i = first_field[message]; i < first_field[message + 1]; i++, w->name.size = before) {
    add_text(w, fields[i].name);
    if (fields[i].how == ONE) write_value(w, &fields[i], content, before, depth);
    else write_list(w, &fields[i], content, depth);
  }
  w->name.size = around;
}

void cpb_coreml_write_layer_settings(cpb_json_writer *a, const cpb_part *part, cpb_span layer) {
  cpb_span parameters;
  writing w = {.out = a, .part = part};
  const field *f = find(MESSAGE_LAYER, cpb_coreml_layer_of(layer, &parameters));
  const field *updatable = find(MESSAGE_LAYER, LAYER_UPDATABLE);
  cpb_buffer_init(&w.name, &a->out.allocator);
  write_whole(&w, f, parameters);
  add_text(&w, updatable->name);
  write_scalar(&w, updatable, layer);
  cpb_buffer_free(&w.name);
}

void cpb_coreml_write_model_settings(cpb_json_writer *a, const cpb_part *part, cpb_span model, cpb_page *page) {
  cpb_span content;
  writing w = {.out = a, .part = part, .page = page};
  const field *f = find(MESSAGE_MODEL, cpb_coreml_type_of(model, &content));
  cpb_buffer_init(&w.name, &a->out.allocator);
  write_whole(&w, f, content);
  cpb_buffer_free(&w.name);
}
