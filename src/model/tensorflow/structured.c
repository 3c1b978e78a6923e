/* Writes StructuredValues, which may be nested, without recursion. */
#include "model/tensorflow/describe.h"

#include "base/floats.h"
#include "model/common/answer.h"
#include "model/common/lists.h"
#include "model/common/tensor/tensor.h"
#include "model/tensorflow/fields.h"

/* A stack of frames replaces the recursion, and its depth is fixed: the nesting is the file's choice. An open frame
 * is an open object or list of the answer; whatever happens, end() closes each of them once, so the answer stays
 * valid JSON. Only frames of dicts own memory. cpb_write_structured_with() leaves its loop only when all frames have
 * ended. */
#define DEPTH 64 /* deeper ones are not shown */

typedef enum fields_are { ELEMENTS, PAIRS, ENTRIES, STATE } fields_are;

/* An open value. Next are the fields `number`; for a dict, which is a map, the entries. */
typedef struct frame {
  cpb_cursor fields;
  uint32_t number;
  fields_are are;
  const char *ends; /* the brackets that close it */
  cpb_entries entries;
  size_t next; /* number of the next field */
} frame;

typedef struct writer {
  cpb_json_writer *answer;
  const cpb_part *part;
  cpb_structured_leaf leaf; /* or NULL */
  void *user;
  frame frames[DEPTH];
  size_t depth;
} writer;

static void push(writer *w, cpb_span message, uint32_t number, fields_are are, const char *ends) {
  w->frames[w->depth++] = (frame){.fields = cpb_cursor_of(message), .number = number, .are = are, .ends = ends};
}

/* --- Kinds ------------------------------------------------------------------- */

static void write_tensor(writer *w, const char *key, cpb_span message) {
  cpb_tensor tensor = cpb_tensor_of(w->part, message);
  cpb_json_writer_open(w->answer, key, '{');
  cpb_write_tensor(w->answer, &tensor);
  cpb_json_writer_close(w->answer, '}');
}

static void write_tensor_spec(writer *w, cpb_span spec) {
  cpb_json_writer *a = w->answer;
  cpb_span minimum = cpb_get_bytes(spec, BOUNDED_MINIMUM), maximum = cpb_get_bytes(spec, BOUNDED_MAXIMUM);
  cpb_json_writer_open(a, "tensor_spec", '{');
  cpb_write_some_text(a, "name", spec, TENSOR_SPEC_NAME);
  cpb_write_dtype(a, "dtype", cpb_get_number(spec, TENSOR_SPEC_DTYPE));
  cpb_write_shape(a, "shape", cpb_get_shape(spec, TENSOR_SPEC_SHAPE));
  if (minimum.data) write_tensor(w, "minimum", minimum);
  if (maximum.data) write_tensor(w, "maximum", maximum);
  cpb_json_writer_close(a, '}');
}

static int64_t zigzag(uint64_t value) { return (int64_t)(value >> 1 ^ (0 - (value & 1))); }

/* The state of a RaggedTensorSpec is a tuple (shape, dtype, ragged rank, dtype of the splits). */
static uint64_t count_ragged(cpb_span state) {
  cpb_cursor c = cpb_cursor_of(cpb_get_bytes(state, VALUE_TUPLE));
  for (int i = 0; i < 3; i++)
    if (!cpb_cursor_find(&c, LIST_VALUE, CPB_WIRE_LEN)) return 0;
  int64_t rank = zigzag(cpb_get_number(c.bytes, VALUE_INT));
  return rank >= 0 && rank < 254 ? (uint64_t)rank + 1 : 0;
}

static uint64_t count_tensors(cpb_span spec, cpb_span name) {
  if (cpb_span_is(name, "SparseTensorSpec")) return 3;
  return cpb_span_is(name, "RaggedTensorSpec") ? count_ragged(cpb_get_bytes(spec, TYPE_SPEC_STATE)) : 0;
}

static void open_type_spec(writer *w, cpb_span spec) {
  cpb_span name = cpb_get_bytes(spec, TYPE_SPEC_NAME);
  cpb_json_writer_span(w->answer, "type_spec", name);
  if (name.size == 0) cpb_json_writer_unsigned(w->answer, "class", cpb_get_number(spec, TYPE_SPEC_CLASS));
  if (w->leaf) w->leaf(w->user, w->answer, false, count_tensors(spec, name));
  push(w, spec, TYPE_SPEC_STATE, STATE, "}");
}

static void open_list(writer *w, const char *key, cpb_span list, const char *ends) {
  cpb_json_writer_open(w->answer, key, '[');
  push(w, list, LIST_VALUE, ELEMENTS, ends);
}

static void open_dict(writer *w, cpb_span dict) {
  cpb_json_writer_open(w->answer, "dict", '{');
  push(w, dict, DICT_FIELDS, ENTRIES, "}}");
  if (!cpb_entries_read(&w->frames[w->depth - 1].entries, &w->answer->out.allocator, dict, DICT_FIELDS))
    w->answer->failed = true;
}

static void open_named_tuple(writer *w, cpb_span tuple) {
  cpb_json_writer_span(w->answer, "named_tuple", cpb_get_bytes(tuple, NAMED_TUPLE_NAME));
  cpb_json_writer_open(w->answer, "fields", '{');
  push(w, tuple, NAMED_TUPLE_VALUES, PAIRS, "}}");
}

/* The last of the fields that give the value's kind. */
static cpb_cursor kind_of(cpb_span value) {
  cpb_cursor c = cpb_cursor_of(value), last = {.number = 0};
  while (cpb_cursor_next(&c)) last = c;
  return last;
}

/* Writes a value that is plain JSON; false for others. */
static bool write_plain(cpb_json_writer *a, const char *key, const cpb_cursor *kind) {
  switch (kind->number) {
    case 0:
    case VALUE_NONE: cpb_json_writer_null(a, key); return true;
    case VALUE_FLOAT: cpb_json_writer_double(a, key, cpb_double_of(kind->value)); return true;
    case VALUE_INT: cpb_json_writer_signed(a, key, zigzag(kind->value)); return true;
    case VALUE_STRING: cpb_json_writer_span(a, key, kind->bytes); return true;
    case VALUE_BOOL: cpb_json_writer_bool(a, key, kind->value != 0); return true;
    default: return false;
  }
}

/* Writes the members of an object. This function or the frame that it pushes closes the object. */
static void write_kind(writer *w, const cpb_cursor *kind) {
  cpb_json_writer *a = w->answer;
  cpb_span bytes = kind->bytes;
  switch (kind->number) {
    case VALUE_TUPLE: open_list(w, "tuple", bytes, "]}"); return;
    case VALUE_DICT: open_dict(w, bytes); return;
    case VALUE_NAMED_TUPLE: open_named_tuple(w, bytes); return;
    case VALUE_TYPE_SPEC: open_type_spec(w, bytes); return;
    case VALUE_SHAPE: cpb_write_shape(a, "shape", bytes); break;
    case VALUE_DTYPE: cpb_write_dtype(a, "dtype", kind->value); break;
    case VALUE_TENSOR_SPEC:
    case VALUE_BOUNDED_SPEC:
      write_tensor_spec(w, bytes);
      if (w->leaf) w->leaf(w->user, a, true, 1);
      break;
    case VALUE_TENSOR:
    case VALUE_NUMPY: write_tensor(w, "tensor", bytes); break;
    default: cpb_json_writer_unsigned(a, "unknown", kind->number); break;
  }
  cpb_json_writer_close(a, '}');
}

/* Writes the value, or the part before its nested values. */
static void begin(writer *w, const char *key, cpb_span value) {
  cpb_cursor kind = kind_of(value);
  if (write_plain(w->answer, key, &kind)) return;
  if (w->depth == DEPTH) {
    cpb_json_writer_open(w->answer, key, '{');
    cpb_json_writer_bool(w->answer, "too_deep", true);
    cpb_json_writer_close(w->answer, '}');
  } else if (kind.number == VALUE_LIST) {
    open_list(w, key, kind.bytes, "]");
  } else {
    cpb_json_writer_open(w->answer, key, '{');
    write_kind(w, &kind);
  }
}

/* The next value within the frame, with its name if it has one. */
static bool next(frame *f, cpb_span *key, cpb_span *value) {
  *key = (cpb_span){NULL, 0};
  if (f->are == ENTRIES) {
    if (f->next == f->entries.count) return false;
    *key = f->entries.items[f->next].key;
    *value = f->entries.items[f->next++].value;
    return true;
  }
  if (!cpb_cursor_find(&f->fields, f->number, CPB_WIRE_LEN)) return false;
  *value = f->fields.bytes;
  if (f->are == PAIRS) {
    *key = cpb_get_bytes(*value, MAP_KEY);
    *value = cpb_get_bytes(*value, MAP_VALUE);
  }
  return true;
}

static void end(writer *w) {
  frame *top = &w->frames[--w->depth];
  for (const char *bracket = top->ends; *bracket; bracket++) cpb_json_writer_close(w->answer, *bracket);
  if (top->are == ENTRIES) cpb_entries_free(&top->entries);
}

void cpb_write_structured(cpb_json_writer *a, const char *key, const cpb_part *part, cpb_span value) {
  cpb_write_structured_with(a, key, part, value, NULL, NULL);
}

void cpb_write_structured_with(cpb_json_writer *a, const char *key, const cpb_part *part, cpb_span value,
                               cpb_structured_leaf leaf, void *user) {
  writer w;
  w.answer = a;
  w.part = part;
  w.leaf = leaf;
  w.user = user;
  w.depth = 0;
  begin(&w, key, value);
  while (w.depth > 0) {
    frame *top = &w.frames[w.depth - 1];
    cpb_span name;
    if (!next(top, &name, &value)) {
      end(&w);
      continue;
    }
    if (top->are == ENTRIES || top->are == PAIRS) cpb_json_writer_key(a, name);
    begin(&w, top->are == STATE ? "state" : NULL, value);
  }
}
