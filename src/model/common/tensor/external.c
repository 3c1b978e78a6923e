#include "model/common/tensor/values.h"

#include "base/checked.h"
#include "base/status.h"
#include "base/utf8.h"

/* A streaming reader gathers one entry at a time into the same memory. An entry's content is therefore copied to `v`
 * before the next one is gathered, and so_far() takes it up again.
 *
 * Nothing here opens the file. The location is only checked to be printable text; the host decides which paths it
 * may open (cpb_other_file). */

#define LONGEST_PATH 4096
#define SHOWN 80

enum { ENTRY_KEY = 1, ENTRY_VALUE = 2 }; /* StringStringEntryProto */

/* --- Entries ----------------------------------------------------------------------------- */

/* Only digits, as ONNX's own programs write them. */
static bool parse(cpb_span text, uint64_t *number) {
  *number = 0;
  for (size_t i = 0; i < text.size; i++) {
    unsigned digit = text.data[i] - (unsigned)'0';
    if (digit > 9 || !cpb_mul_u64(*number, 10, number) || !cpb_add_u64(*number, digit, number)) return false;
  }
  return text.size > 0;
}

static void take_number(cpb_external *e, cpb_span value, uint64_t *number, const char *wrong) {
  if (parse(value, number)) return;
  e->wrong = wrong;
  e->value = value;
}

void cpb_external_add(cpb_external *e, cpb_span entry) {
  cpb_span key = cpb_get_bytes(entry, ENTRY_KEY), value = cpb_get_bytes(entry, ENTRY_VALUE);
  if (cpb_span_is(key, "location")) {
    e->location = value;
  } else if (cpb_span_is(key, "offset")) {
    take_number(e, value, &e->offset, "offset is no number of bytes");
  } else if (cpb_span_is(key, "length")) {
    e->has_length = true;
    take_number(e, value, &e->length, "length is no number of bytes");
  } else if (cpb_span_is(key, "checksum")) {
    e->checksum = value;
  }
}

static bool is_path(cpb_span path) {
  size_t length;
  if (path.size == 0 || path.size > LONGEST_PATH || !cpb_utf8_valid(path)) return false;
  for (; path.size > 0; path = cpb_span_from(path, length)) {
    length = cpb_utf8_length(path);
    if (cpb_is_control(cpb_utf8_code(path.data, length))) return false;
  }
  return true;
}

void cpb_external_check(cpb_external *e) {
  uint64_t end;
  if (e->wrong) return;
  if (e->location.size == 0) e->wrong = "location is missing; expected the name of a file";
  else if (!is_path(e->location)) e->wrong = "location is no name of a file", e->value = e->location;
  else if (!cpb_add_u64(e->offset, e->length, &end)) e->wrong = "offset and length are beyond 2^64 bytes";
}

/* A length that is not given follows from shape and type, so only here is the end of the values known. */
bool cpb_external_range(const cpb_external *e, const uint64_t *bytes, cpb_range *where, char *problem, size_t size) {
  char value[SHOWN];
  uint64_t end;
  *where = (cpb_range){e->offset, e->has_length || !bytes ? e->length : *bytes};
  if (e->wrong && e->value.data) {
    cpb_format(problem, size, ".%s: \"%s\"", e->wrong, cpb_quote(value, sizeof value, e->value.data, e->value.size));
  } else if (!cpb_add_u64(where->offset, where->length, &end)) {
    cpb_format(problem, size, ".offset is %llu; expected %llu bytes from there on before 2^64",
               (unsigned long long)where->offset, (unsigned long long)where->length);
  } else if (e->wrong) {
    cpb_format(problem, size, ".%s", e->wrong);
  } else if (!e->has_length && !bytes) {
    cpb_format(problem, size, " has no length, and shape and type do not tell it");
  } else if (bytes && where->length != *bytes) {
    cpb_format(problem, size, ".length is %llu; expected %llu by shape and type", (unsigned long long)where->length,
               (unsigned long long)*bytes);
  } else {
    return true;
  }
  return false;
}

/* --- Values ------------------------------------------------------------------------------- */

/* Copies the location, because the next entry reuses its memory. */
static cpb_have take_entry(cpb_tensor_values *v, cpb_external *e, cpb_span entry) {
  cpb_external_add(e, entry);
  if (e->location.size == 0) return CPB_HAVE;
  v->path.size = 0;
  if (e->location.size <= LONGEST_PATH && !cpb_buffer_append(&v->path, e->location.data, e->location.size))
    return cpb_fail_memory(v->error), CPB_FAILED;
  e->location = (cpb_span){NULL, 0};
  return CPB_HAVE;
}

/* The entries found so far, from `content`, `path` and `has_length`. */
static cpb_external so_far(const cpb_tensor_values *v) {
  return (cpb_external){.offset = v->content.offset, .length = v->content.length, .has_length = v->has_length};
}

/* `bytes` as in cpb_external_range(); while entries are missing, only what is wrong counts. */
static cpb_have note(cpb_tensor_values *v, const cpb_external *e, const uint64_t *bytes) {
  char problem[CPB_EXTERNAL_PROBLEM];
  cpb_range where;
  v->content = (cpb_range){e->offset, e->length};
  v->has_length = e->has_length;
  if (cpb_external_range(e, bytes, &where, problem, sizeof problem)) v->content = where;
  else if (e->wrong || bytes)
    return cpb_fail(v->error, CPB_E_DAMAGED, v->tensor.offset, "external_data%s", problem), CPB_FAILED;
  return CPB_HAVE;
}

static cpb_have gather_entry(cpb_tensor_values *v) {
  cpb_span entry;
  cpb_external e = so_far(v);
  cpb_have have = cpb_tensor_gather(v, v->gathered, "an entry of external_data", &entry);
  if (have == CPB_HAVE) have = take_entry(v, &e, entry);
  if (have == CPB_HAVE) have = note(v, &e, NULL);
  if (have == CPB_HAVE) v->gathered.length = 0;
  return have;
}

cpb_have cpb_tensor_find_external(cpb_tensor_values *v) {
  cpb_have have = CPB_HAVE;
  while (have == CPB_HAVE) {
    const cpb_wire_field *f = &v->scan.scanner.field;
    if (v->gathered.length > 0) have = gather_entry(v);
    else if ((have = cpb_tensor_list_next(v, v->layout->external)) == CPB_HAVE) {
      if (!v->listing) break;
      if (f->type == CPB_WIRE_LEN) v->gathered = (cpb_range){v->scan.base + f->value, f->size};
    }
  }
  if (have != CPB_HAVE) return have;
  cpb_external e = so_far(v);
  e.location = (cpb_span){v->path.data, v->path.size};
  cpb_external_check(&e);
  return note(v, &e, NULL);
}

cpb_have cpb_tensor_measure_external(cpb_tensor_values *v) {
  const cpb_external e = so_far(v);
  return note(v, &e, &v->stored);
}

void cpb_tensor_turn_to_external(cpb_tensor_values *v) {
  const cpb_other_file file = {(const char *)v->path.data, v->path.size, CPB_NO_OFFSET};
  cpb_input_turn(v->input, 1, &file, CPB_NO_OFFSET);
}
