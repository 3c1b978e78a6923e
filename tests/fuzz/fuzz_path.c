/* Paths to fields: what parses prints as text that parses to the same tags. */
#include <string.h>

#include "cpb/message.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  cpb_error error = {.code = CPB_OK};
  cpb_path *path = cpb_path_parse(NULL, (const char *)data, size, &error);
  if (path == NULL) {
    fuzz_check(error.code != CPB_OK);
    return 0;
  }
  size_t count = cpb_path_num_tags(path);
  if (count > 0) {
    static char text[1 << 17];
    size_t length = cpb_path_format(cpb_path_get_tag(path, 0), count, text, sizeof text);
    cpb_path *again = cpb_path_parse(NULL, text, length, &error);
    fuzz_check(again != NULL && cpb_path_num_tags(again) == count);
    for (size_t i = 0; i < count; i++) {
      const cpb_path_tag *a = cpb_path_get_tag(path, i), *b = cpb_path_get_tag(again, i);
      fuzz_check(a->kind == b->kind && a->value == b->value && a->length == b->length);
      fuzz_check(a->length == 0 || memcmp(a->text, b->text, a->length) == 0);
    }
    cpb_path_free(again);
  }
  cpb_path_free(path);
  return 0;
}
