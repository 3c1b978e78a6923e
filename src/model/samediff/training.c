#include "model/samediff/training.h"

#include "base/json_read.h"
#include "base/status.h"
#include "base/utf8.h"

/* Whether `text`, which is JSON otherwise, contains NaN or Infinity. Python's JSON reader and
 * ours take them, but they are not JSON, and the text is copied into our answers. */
static bool has_odd_numbers(cpb_span text) {
  bool within = false;
  for (size_t i = 0; i < text.size; i++) {
    uint8_t c = text.data[i];
    if (within && c == '\\') i++;
    else if (c == '"') within = !within;
    else if (!within &&
             (c == 'N' || c == 'I' || c == 'i' || (c == 'n' && i + 1 < text.size && text.data[i + 1] != 'u')))
      return true;
  }
  return false;
}

bool cpb_sd_check_training(const cpb_allocator *a, cpb_span text, uint32_t depth, cpb_error *error) {
  cpb_error why = {.offset = CPB_NO_OFFSET};
  yyjson_doc *doc = cpb_json_read(a, text, depth, &why);
  bool good = doc && !has_odd_numbers(text) && cpb_utf8_valid(text);
  yyjson_doc_free(doc);
  if (good) return true;
  if (why.code == CPB_E_MEMORY) cpb_fail_memory(error);
  else
    cpb_fail(error, why.code == CPB_E_LIMIT ? CPB_E_LIMIT : CPB_E_DAMAGED, CPB_NO_OFFSET, "training configuration: %s",
             why.code != CPB_OK ? why.message : "not valid JSON");
  return false;
}
