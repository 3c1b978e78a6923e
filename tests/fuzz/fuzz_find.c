/* Finding a field: [type 1][path's size 1][path][message]. What a path leads to is what its last tags lead to
 * in what the first ones lead to, and pieces make no difference. Elements one by one are those found by index. */
#include "cpb/find.h"

#include "host.h"

static const char *const types[] = {"tensorflow.GraphDef", "tensorflow.SavedModel", "tensorflow.FunctionDef",
                                    "tensorflow.StructuredValue"};

static const fuzz_bounds bounds = {.held = {16 << 10, 64}, .walked = {256, 64}, .entries = {64, 8}};

typedef struct result {
  cpb_code code;
  cpb_found found;
  fuzz_out bytes; /* of all ranges */
} result;

static result find(const cpb_message_type *type, const cpb_path *path, fuzz_in message, size_t piece) {
  cpb_work work = {0};
  const cpb_limits limits = fuzz_counted(&work);
  result r = {.bytes = {NULL, 0, 0}};
  fuzz_loan loan = {NULL};
  cpb_find *f = cpb_find_new(NULL, type, path, &limits);
  cpb_step step;
  while ((step = cpb_find_step(f)) == CPB_STEP_NEED) fuzz_lend(&loan, cpb_find_input(f), message, piece);
  fuzz_return(&loan);
  r.code = cpb_find_error(f)->code;
  fuzz_check((step == CPB_STEP_DONE) == (r.code == CPB_OK));
  if (r.code != CPB_OK) fuzz_check(r.code != CPB_E_MEMORY && cpb_find_error(f)->message[0] != '\0');
  if (r.code == CPB_OK) {
    r.found = *cpb_find_found(f);
    for (size_t i = 0; i < cpb_find_num_ranges(f); i++) {
      cpb_range range = cpb_find_get_range(f, i);
      fuzz_check(range.offset <= message.size && range.length <= message.size - range.offset);
      fuzz_put(&r.bytes, message.data + range.offset, (size_t)range.length);
    }
    fuzz_check(r.bytes.size <= message.size);
  }
  cpb_find_free(f);
  fuzz_bounded(&work, &bounds, message.size);
  return r;
}

static cpb_path *part_of(const cpb_path *path, size_t first, size_t count) {
  char text[2048];
  cpb_path_tag tags[32];
  for (size_t i = 0; i < count; i++) tags[i] = *cpb_path_get_tag(path, first + i);
  size_t length = cpb_path_format(tags, count, text, sizeof text);
  fuzz_check(length < sizeof text);
  cpb_error error;
  cpb_path *part = cpb_path_parse(NULL, text, length, &error);
  fuzz_check(part != NULL);
  return part;
}

/* Divides the path where a message was found on the way. */
static void compare_parts(const cpb_message_type *type, const cpb_path *path, fuzz_in message, const result *whole) {
  size_t count = cpb_path_num_tags(path);
  if (count > 32) return;
  for (size_t cut = 1; cut < count; cut++) {
    cpb_path_kind next = cpb_path_get_tag(path, cut)->kind;
    if (next != CPB_PATH_NAME && next != CPB_PATH_NUMBER) continue; /* an index belongs to its field */
    const int indexed = cpb_path_get_tag(path, cut - 1)->kind == CPB_PATH_INDEX;
    cpb_path *first = part_of(path, 0, cut), *last = part_of(path, cut, count - cut);
    result outer = find(type, first, message, SIZE_MAX);
    /* Of a field that is not known to be a message the last occurrence counts, but all on the way. */
    const int one = indexed || outer.found.message != NULL;
    if (outer.code == CPB_OK && one && !outer.found.fields && outer.found.wire_type == 2) {
      result inner = find(outer.found.message, last, fuzz_view(&outer.bytes), SIZE_MAX);
      fuzz_check(inner.code != CPB_E_NOT_FOUND || whole->code != CPB_OK || (type && !outer.found.message));
      if (inner.code == CPB_OK && whole->code == CPB_OK)
        fuzz_check(fuzz_same(fuzz_view(&inner.bytes), fuzz_view(&whole->bytes)));
      fuzz_free(&inner.bytes);
    }
    fuzz_free(&outer.bytes);
    cpb_path_free(first);
    cpb_path_free(last);
  }
}

/* The path to an element of the field. */
static cpb_path *element_of(const cpb_path *path, size_t i) {
  char text[2048];
  cpb_path_tag tags[33];
  size_t count = cpb_path_num_tags(path);
  if (count > 32) return NULL;
  for (size_t j = 0; j < count; j++) tags[j] = *cpb_path_get_tag(path, j);
  tags[count] = (cpb_path_tag){.kind = CPB_PATH_INDEX, .value = i};
  size_t length = cpb_path_format(tags, count + 1, text, sizeof text);
  fuzz_check(length < sizeof text);
  return cpb_path_parse(NULL, text, length, NULL);
}

/* Elements that are reported one by one are those with the first indices. */
static void compare_elements(const cpb_message_type *type, const cpb_path *path, fuzz_in message) {
  cpb_path *element = element_of(path, 0);
  if (element == NULL) return;
  fuzz_loan loan = {NULL};
  cpb_find *f = cpb_find_new(NULL, type, path, NULL);
  cpb_find_elements(f);
  cpb_step step = CPB_STEP_NEED;
  size_t count = 0;
  while (count < 16 && (step = cpb_find_step(f)) > CPB_STEP_DONE) {
    if (step == CPB_STEP_NEED) {
      fuzz_lend(&loan, cpb_find_input(f), message, 7);
      continue;
    }
    cpb_range range = cpb_find_element(f);
    result one = find(type, element, message, SIZE_MAX);
    fuzz_check(one.code == CPB_OK && one.found.wire_type == cpb_find_found(f)->wire_type);
    fuzz_check(fuzz_same(fuzz_view(&one.bytes), (fuzz_in){message.data + range.offset, (size_t)range.length}));
    fuzz_free(&one.bytes);
    cpb_path_free(element);
    element = element_of(path, ++count);
  }
  if (step == CPB_STEP_DONE) {
    result none = find(type, element, message, SIZE_MAX);
    fuzz_check(none.code == CPB_E_NOT_FOUND);
    fuzz_free(&none.bytes);
  }
  fuzz_return(&loan);
  cpb_path_free(element);
  cpb_find_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  static cpb_schema *schema; /* making it takes longer than all the rest */
  if (schema == NULL) schema = cpb_schema_new_builtin(NULL, NULL);
  uint32_t how = fuzz_number(&in, 1);
  const cpb_message_type *type = how & 4 ? NULL : cpb_schema_find_message(schema, types[how & 3]);
  fuzz_in text = fuzz_bytes(&in, fuzz_number(&in, 1));
  cpb_path *path = cpb_path_parse(NULL, (const char *)text.data, text.size, NULL);
  if (path == NULL) return 0;
  result whole = find(type, path, in, SIZE_MAX), pieces = find(type, path, in, 7);
  fuzz_check(whole.code == pieces.code && fuzz_same(fuzz_view(&whole.bytes), fuzz_view(&pieces.bytes)));
  compare_parts(type, path, in, &whole);
  const cpb_field *field = whole.found.field;
  if (whole.code == CPB_OK && whole.found.fields && !field->map) compare_elements(type, path, in);
  fuzz_free(&whole.bytes);
  fuzz_free(&pieces.bytes);
  cpb_path_free(path);
  return 0;
}
