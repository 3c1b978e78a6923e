#ifdef CPB_YYJSON_WITHIN /* as static functions; unused ones are left out */
#  define yyjson_api static
#  if defined __OPTIMIZE_SIZE__ && defined __wasi__ /* or else all of it comes twice, within one function of 27 KB */
#    define yyjson_inline inline
#  endif
#  include <yyjson.c>
#endif

#include "base/json_read.h"

#include "base/alloc.h"
#include "base/status.h"

static void *allocate(void *a, size_t size) { return cpb_alloc(a, size); }

static void *resize(void *a, void *block, size_t old_size, size_t size) {
  return cpb_realloc(a, block, old_size, size);
}

static void release(void *a, void *block) { cpb_release(a, block); }

/* Whether no more than `depth` brackets outside of strings are open at once; `*at` is
 * where one too many opens. Text that is not JSON may pass: yyjson refuses it. */
static bool is_shallow(cpb_span text, uint32_t depth, size_t *at) {
  uint32_t open = 0;
  bool in_text = false;
  for (size_t i = 0; i < text.size; i++) {
    uint8_t c = text.data[i];
    if (in_text && c == '\\') i++;
    else if (c == '"') in_text = !in_text;
    else if (in_text) continue;
    else if ((c == '{' || c == '[') && open++ == depth) return *at = i, false;
    else if ((c == '}' || c == ']') && open > 0) open--;
  }
  return true;
}

yyjson_doc *cpb_json_read(const cpb_allocator *a, cpb_span text, uint32_t depth, cpb_error *error) {
  size_t at;
  if (!is_shallow(text, depth, &at)) {
    cpb_fail(error, CPB_E_LIMIT, at, "JSON is nested deeper than the limit of %u", (unsigned)depth);
    return NULL;
  }
  yyjson_alc alc = {allocate, resize, release, (void *)a};
  yyjson_read_err why;
  yyjson_doc *doc = yyjson_read_opts((char *)text.data, text.size,
                                     YYJSON_READ_NUMBER_AS_RAW | YYJSON_READ_ALLOW_INF_AND_NAN, &alc, &why);
  if (doc) return doc;
  if (why.code == YYJSON_READ_ERROR_MEMORY_ALLOCATION) cpb_fail_memory(error);
  else cpb_fail(error, CPB_E_DAMAGED, why.pos, "not JSON: %s", why.msg);
  return NULL;
}

bool cpb_json_number(yyjson_val *value, cpb_span *text) {
  if (!yyjson_is_raw(value)) return false;
  *text = (cpb_span){(const uint8_t *)yyjson_get_raw(value), yyjson_get_len(value)};
  return true;
}

bool cpb_json_signed(yyjson_val *value, int64_t *number) {
  cpb_span text;
  if (!cpb_json_number(value, &text)) return false;
  size_t i = text.data[0] == '-';
  uint64_t most = (uint64_t)INT64_MAX + i, magnitude = 0;
  for (; i < text.size; i++) {
    unsigned digit = (unsigned)text.data[i] - '0';
    if (digit > 9 || magnitude > (most - digit) / 10) return false;
    magnitude = 10 * magnitude + digit;
  }
  *number = (int64_t)(text.data[0] == '-' ? 0 - magnitude : magnitude);
  return true;
}

bool cpb_json_unsigned(yyjson_val *value, uint64_t *number) {
  int64_t n;
  if (!cpb_json_signed(value, &n) || n < 0) return false;
  *number = (uint64_t)n;
  return true;
}

bool cpb_json_text(yyjson_val *value, cpb_span *text) {
  if (!yyjson_is_str(value)) return false;
  *text = (cpb_span){(const uint8_t *)yyjson_get_str(value), yyjson_get_len(value)};
  return true;
}

yyjson_val *cpb_json_member(yyjson_val *object, const char *key) { return yyjson_obj_get(object, key); }
