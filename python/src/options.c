/* Options as Python gives them. Those that come by name do so in a dict, and a table says of each what it may be and
 * where it goes. */
#include <cpb/records.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#include "core.h"

/* Raises CpbError USAGE with this text, and releases it. */
static bool raise_usage(PyObject *text) {
  PyObject *bytes = text ? PyUnicode_AsUTF8String(text) : NULL;
  if (bytes) py_raise_text(CPB_E_USAGE, NULL, "%s", PyBytes_AsString(bytes));
  Py_XDECREF(bytes);
  Py_XDECREF(text);
  return false;
}

static bool refuse(const char *name, PyObject *value, const char *expected) {
  return raise_usage(PyUnicode_FromFormat("%s is %R; expected %s", name, value, expected));
}

static bool refuse_type(const char *name, PyObject *value, const char *expected) {
  return py_raise_type(name, value, expected) != NULL;
}

static bool is_within(PyObject *number, uint64_t least, uint64_t most, uint64_t *out) {
  *out = PyLong_AsUnsignedLongLong(number);
  const bool overflows = PyErr_Occurred() != NULL;
  PyErr_Clear();
  return !overflows && *out >= least && *out <= most;
}

static bool read_count(const py_option *option, PyObject *value, uint64_t *out) {
  char expected[64];
  PyObject *number = PyNumber_Index(value);
  if (!number) return refuse_type(option->name, value, "an int");
  const bool read = is_within(number, 0, option->most ? option->most : UINT64_MAX, out);
  snprintf(expected, sizeof expected, "0 to %llu", option->most ? (unsigned long long)option->most : ULLONG_MAX);
  if (!read) refuse(option->name, number, expected);
  Py_DECREF(number);
  return read;
}

static bool is_text(PyObject *value, const char *text) {
  return PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, text) == 0;
}

/* The number of a name: its place among `names`, which end with NULL. */
static bool read_name(const char *option, PyObject *value, const char *const *names, int *out) {
  char expected[160] = "one of ";
  for (int i = 0; names[i]; i++) {
    *out = i;
    if (is_text(value, names[i])) return true;
    const size_t length = strlen(expected);
    snprintf(expected + length, sizeof expected - length, "%s%s", i ? ", " : "", names[i]);
  }
  return refuse(option, value, expected);
}

static bool read_codec(const char *option, PyObject *value, cpb_codec *out) {
  const char *names[8] = {"default"};
  int codec;
  for (int i = 1; i < 7; i++) names[i] = cpb_codec_name((cpb_codec)i);
  if (!read_name(option, value, names, &codec)) return false;
  *out = (cpb_codec)codec;
  return true;
}

/* Of a codec that was read before. None is the default, which is 0 in C; Brotli's level 0 is -1 there. */
static bool read_level(const char *option, PyObject *value, cpb_codec_options *out) {
  char expected[64];
  int least, most;
  if (value == Py_None) return true;
  if (!PyLong_Check(value)) return refuse_type(option, value, "an int or None");
  const char *name = out->codec == CPB_CODEC_DEFAULT ? "default" : cpb_codec_name(out->codec);
  if (!cpb_codec_levels(out->codec == CPB_CODEC_DEFAULT ? CPB_CODEC_ZSTD : out->codec, &least, &most)) {
    snprintf(expected, sizeof expected, "None for %s", name);
    return refuse(option, value, expected);
  }
  const long level = PyLong_AsLong(value);
  const bool read = !PyErr_Occurred() && level >= least && level <= most;
  PyErr_Clear();
  snprintf(expected, sizeof expected, "%d to %d for %s", least, most, name);
  if (!read) return refuse(option, value, expected);
  out->level = least == 0 && level == 0 ? -1 : (int)level;
  return true;
}

static bool read_text(const char *option, PyObject *value, const char **out) {
  if (value != Py_None && !PyUnicode_Check(value)) return refuse_type(option, value, "a str or None");
  return PyArg_Parse(value, "z", out);
}

/* One value, into the member that the option is about. */
static bool read_option(const py_option *option, PyObject *value, void *member) {
  static const char *const layouts[] = {"remote", "compat", NULL}; /* by their numbers */
  uint64_t number;
  int flag;
  switch (option->kind) {
    case PY_COUNT: return read_count(option, value, member);
    case PY_INT:
      if (!read_count(option, value, &number)) return false;
      *(int *)member = (int)number;
      return true;
    case PY_FLAG:
      flag = PyObject_IsTrue(value);
      *(int *)member = flag;
      return flag >= 0;
    case PY_LAYOUT: return read_name(option->name, value, layouts, member);
    case PY_CODEC: return read_codec(option->name, value, member);
    case PY_LEVEL: return read_level(option->name, value, member);
    case PY_TEXT: return read_text(option->name, value, member);
    case PY_LIMITS: return py_limits(member, value);
    case PY_OBJECT: *(PyObject **)member = value; return true;
  }
  return false;
}

bool py_options_read(void *to, const py_option *table, PyObject *given) {
  Py_ssize_t known = 0;
  if (!PyDict_Check(given)) return refuse_type("the options", given, "a dict");
  for (const py_option *option = table; option->name; option++) {
    PyObject *value = PyDict_GetItemString(given, option->name); /* borrowed */
    if (!value) continue;
    known++;
    if (!read_option(option, value, (char *)to + option->at)) return false;
  }
  if (known < PyDict_Size(given))
    PyErr_SetString(PyExc_TypeError, "there are options that the extension does not have");
  return known == PyDict_Size(given);
}

#define LIMIT(name) {#name, offsetof(cpb_limits, name)}
#define PAIR(NAME, name, unit) LIMIT(name), LIMIT(name##_per_byte),

static const struct {
  const char *name;
  size_t at;
} limit_names[] = {LIMIT(riegeli_chunk),     LIMIT(window), LIMIT(chunks),
                   LIMIT(records_per_chunk), LIMIT(depth),  CPB_WORKS(PAIR)};

#define NUM_LIMITS (sizeof limit_names / sizeof *limit_names)

static bool refuse_limit(PyObject *name) {
  char names[320] = "";
  for (size_t i = 0; i < NUM_LIMITS; i++) {
    const size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s%s", i ? ", " : "", limit_names[i].name);
  }
  return raise_usage(PyUnicode_FromFormat("limits has %R; expected any of %s", name, names));
}

static bool read_limit(cpb_limits *limits, PyObject *name, PyObject *value) {
  size_t i = 0;
  while (i < NUM_LIMITS && !is_text(name, limit_names[i].name)) i++;
  if (i == NUM_LIMITS) return refuse_limit(name);
  const size_t at = limit_names[i].at;
  const unsigned long long most = at == offsetof(cpb_limits, depth) ? UINT32_MAX : ULLONG_MAX;
  char subject[40], expected[64];
  snprintf(subject, sizeof subject, "limits['%s']", limit_names[i].name);
  snprintf(expected, sizeof expected, "an int from 1 to %llu", most);
  PyObject *number = PyBool_Check(value) ? NULL : PyNumber_Index(value);
  PyErr_Clear();
  if (!number) return refuse(subject, value, expected);
  uint64_t read;
  const bool fits = is_within(number, 1, most, &read);
  if (!fits) refuse(subject, number, expected);
  Py_DECREF(number);
  if (most == UINT32_MAX) limits->depth = (uint32_t)read;
  else *(uint64_t *)((char *)limits + at) = read;
  return fits;
}

bool py_limits(cpb_limits *limits, PyObject *given) {
  *limits = (cpb_limits){.struct_size = sizeof *limits};
  if (given == Py_None) return true;
  PyObject *items = PyMapping_Items(given);
  PyErr_Clear();
  if (!items) return refuse_type("limits", given, "a mapping of names to ints");
  bool read = true;
  for (Py_ssize_t i = 0; read && i < PyList_Size(items); i++) {
    PyObject *item = PyList_GetItem(items, i), *name, *value; /* borrowed */
    read = PyArg_ParseTuple(item, "OO", &name, &value) && read_limit(limits, name, value);
  }
  Py_DECREF(items);
  return read;
}

bool py_riegeli_options(cpb_record_writer_options *options, const char *text) {
  cpb_error error;
  if (cpb_record_writer_options_parse(options, text, &error) == CPB_OK) return true;
  return py_raise_text(error.code, NULL, "riegeli_options, character %llu: %s", (unsigned long long)error.offset + 1,
                       error.message) != NULL;
}
