/* Fields of a message, by path, and messages as JSON. */
#include <cpb/find.h>
#include <cpb/outline.h>
#include <stdlib.h>

#include "message.h"

/* --- Finding ------------------------------------------------------------------------------------- */

/* ([(offset, length)], name of the message type that has the field, name of the field, its
 * cpb_field_type, the name of its own message type, number, wire type, whether the ranges are whole
 * fields); None where the schema does not tell. */
static PyObject *found_tuple(const cpb_find *find) {
  const cpb_found *found = cpb_find_found(find);
  size_t count = cpb_find_num_ranges(find);
  PyObject *ranges = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; ranges && i < count; i++) {
    cpb_range range = cpb_find_get_range(find, i);
    PyObject *pair = Py_BuildValue("KK", (unsigned long long)range.offset, (unsigned long long)range.length);
    if (!pair || PyList_SetItem(ranges, (Py_ssize_t)i, pair) < 0) Py_CLEAR(ranges);
  }
  if (!ranges) return NULL;
  const cpb_field *field = found->field;
  return Py_BuildValue("NzzizIIO", ranges, found->parent ? found->parent->name : NULL, field ? field->name : NULL,
                       field ? (int)field->type : 0, found->message ? found->message->name : NULL, found->number,
                       found->wire_type, found->fields ? Py_True : Py_False);
}

static bool run_find(py_message *m, cpb_find *find) {
  cpb_step step;
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  py_work_unlock(&m->work);
  while ((step = cpb_find_step(find)) == CPB_STEP_NEED) py_message_supply(m, cpb_find_input(find), &error);
  py_work_lock(&m->work);
  if (step == CPB_STEP_DONE) return true;
  return py_raise(error.code != CPB_OK ? &error : cpb_find_error(find), m->source.name) != NULL;
}

/* [(offset, length)], to be freed. */
static cpb_range *take_ranges(PyObject *list, size_t *count) {
  *count = (size_t)PyList_Size(list);
  cpb_range *ranges = calloc(*count + 1, sizeof *ranges);
  if (!ranges) PyErr_NoMemory();
  for (size_t i = 0; ranges && i < *count; i++) {
    unsigned long long offset, length;
    if (!PyArg_ParseTuple(PyList_GetItem(list, (Py_ssize_t)i), "KK", &offset, &length)) return free(ranges), NULL;
    ranges[i] = (cpb_range){offset, length};
  }
  return ranges;
}

typedef struct find_how {
  const char *type_name;
  py_text path;
  PyObject *within; /* ranges of the message, or None */
  int each;
} find_how;

static bool set_up_find(cpb_find *find, const find_how *how) {
  size_t count;
  if (how->each) cpb_find_each(find);
  if (how->within == Py_None) return true;
  cpb_range *ranges = take_ranges(how->within, &count);
  bool done = ranges && cpb_find_within(find, ranges, count) == CPB_OK;
  if (ranges && !done) PyErr_NoMemory();
  free(ranges);
  return done;
}

static PyObject *find_path(py_message *m, const find_how *how) {
  cpb_error error;
  PyObject *out = NULL;
  const cpb_message_type *type = how->type_name ? py_schema_find(m->schema, how->type_name) : NULL;
  if (how->type_name && !type) return NULL;
  cpb_path *path = cpb_path_parse(NULL, how->path.data, how->path.size, &error);
  if (!path) return py_raise(&error, NULL);
  cpb_find *find = cpb_find_new(NULL, type, path, &m->limits);
  if (!find) PyErr_NoMemory();
  else if (set_up_find(find, how) && run_find(m, find)) out = found_tuple(find);
  cpb_find_free(find);
  cpb_path_free(path);
  return out;
}

/* (type name or None, path, [(offset, length)] or None, whether elements are to be ranges of their own) */
PyObject *py_message_find(py_message *m, PyObject *args) {
  find_how how = {.within = Py_None};
  PyObject *out = NULL;
  if (PyArg_ParseTuple(args, "zO&|Op", &how.type_name, py_text_read, &how.path, &how.within, &how.each) &&
      py_message_begin(m)) {
    out = find_path(m, &how);
    py_work_end(&m->work);
  }
  py_text_free(&how.path);
  return out;
}

/* --- JSON -------------------------------------------------------------------------------------------- */

/* Text that is written piece by piece. */
typedef struct text {
  char *data;
  size_t size, room;
} text;

static bool append(text *t, const char *data, size_t length) {
  if (length > t->room - t->size) {
    size_t room = t->size + length > 2 * t->room ? t->size + length : 2 * t->room;
    char *grown = realloc(t->data, room);
    if (!grown) return false;
    t->data = grown;
    t->room = room;
  }
  memcpy(t->data + t->size, data, length);
  t->size += length;
  return true;
}

static bool write_json(py_message *m, cpb_json *json, text *out, cpb_error *error) {
  cpb_step step;
  while ((step = cpb_json_step(json)) == CPB_STEP_OUTPUT) {
    size_t length;
    const char *data = cpb_json_output(json, &length);
    if (!py_work_go_on(&m->work, 0, 1)) return false;
    if (!append(out, data, length)) return error->code = CPB_E_MEMORY, false;
  }
  if (step == CPB_STEP_ERROR) *error = *cpb_json_error(json);
  return step == CPB_STEP_DONE;
}

typedef struct json_how {
  const char *type_name;
  unsigned long long omit; /* longer values are left out */
  int original_names, unknown_fields;
} json_how;

/* Without the GIL. */
static bool outline_to_json(py_message *m, cpb_outline *outline, const cpb_message_type *type, const json_how *how,
                            text *out, cpb_error *error) {
  cpb_step step;
  while ((step = cpb_outline_step(outline)) == CPB_STEP_NEED) py_message_supply(m, cpb_outline_input(outline), error);
  if (step == CPB_STEP_ERROR && error->code == CPB_OK) *error = *cpb_outline_error(outline);
  if (step == CPB_STEP_ERROR) return false;
  cpb_json_options options = {.struct_size = sizeof options,
                              .original_names = how->original_names,
                              .unknown_fields = how->unknown_fields,
                              .limits = &m->limits};
  options.omitted = cpb_outline_omitted(outline, &options.num_omitted);
  size_t size;
  const uint8_t *message = cpb_outline_message(outline, &size);
  cpb_json *json = cpb_json_new(NULL, type, message, size, &options);
  bool done = json ? write_json(m, json, out, error) : (error->code = CPB_E_MEMORY, false);
  cpb_json_free(json);
  return done;
}

static PyObject *ranges_to_json(py_message *m, const cpb_range *ranges, size_t count, const json_how *how) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  text out = {0};
  const cpb_outline_options options = {.struct_size = sizeof options, .max_value = how->omit, .limits = &m->limits};
  const cpb_message_type *type = py_schema_find(m->schema, how->type_name);
  if (!type) return NULL;
  cpb_outline *outline = cpb_outline_new(NULL, type, ranges, count, &options);
  if (!outline) return PyErr_NoMemory();
  py_work_unlock(&m->work);
  bool done = outline_to_json(m, outline, type, how, &out, &error);
  py_work_lock(&m->work);
  cpb_outline_free(outline);
  PyObject *json = done ? PyUnicode_DecodeUTF8(out.data, (Py_ssize_t)out.size, "strict") : NULL;
  if (!done) py_raise(&error, m->source.name);
  free(out.data);
  return json;
}

/* (type name, [(offset, length)], omit, original names, unknown fields) */
PyObject *py_message_json(py_message *m, PyObject *args) {
  json_how how;
  PyObject *list, *out = NULL;
  if (!PyArg_ParseTuple(args, "sO!Kpp", &how.type_name, &PyList_Type, &list, &how.omit, &how.original_names,
                        &how.unknown_fields) ||
      !py_message_begin(m))
    return NULL;
  size_t count;
  cpb_range *ranges = take_ranges(list, &count);
  if (ranges) out = ranges_to_json(m, ranges, count, &how);
  free(ranges);
  py_work_end(&m->work);
  return out;
}
