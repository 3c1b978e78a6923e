/* Riegeli's options as text: what parses is what a writer takes; an error leaves the options as they were, and its
 * offset is in the text. */
#include <stdlib.h>
#include <string.h>

#include "cpb/records.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (size > 0) memcpy(text, data, size);
  text[size] = 0;
  cpb_error error = {.code = CPB_OK};
  cpb_record_writer_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  const cpb_record_writer_options before = options;
  if (cpb_record_writer_options_parse(&options, text, &error) == CPB_OK) {
    cpb_record_writer *writer = cpb_record_writer_new(NULL, &options);
    fuzz_check(writer != NULL);
    fuzz_check(cpb_record_writer_error(writer)->code == CPB_OK);
    cpb_record_writer_free(writer);
  } else {
    fuzz_check(error.code == CPB_E_USAGE && error.offset <= strlen(text));
    fuzz_check(memcmp(&options, &before, sizeof options) == 0);
  }
  free(text);
  return 0;
}
