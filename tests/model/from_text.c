/* from_text TYPE [KEEP]: the message of this built-in type that the text on standard input says, to standard output.
 * Code 2: the error is on standard error; with KEEP, what stood before is written all the same. */
#include <stdio.h>
#include <stdlib.h>

#include "cpb/message.h"

int main(int argc, char **argv) {
  cpb_error error;
  size_t size = 0, length, capacity = 1 << 20;
  char *text = malloc(capacity);
  while ((length = fread(text + size, 1, capacity - size, stdin)) > 0) {
    size += length;
    if (size == capacity) text = realloc(text, capacity *= 2);
  }
  cpb_schema *schema = cpb_schema_new_builtin(NULL, &error);
  const cpb_text_options how = {.struct_size = sizeof how, .schema = schema, .keep_damaged = argc > 2};
  const cpb_message_type *type = cpb_schema_find_message(schema, argv[1]);
  uint8_t *message = cpb_message_from_text(type, text, size, &how, &length, &error);
  if (message) fwrite(message, 1, length, stdout);
  if (error.code != CPB_OK)
    fprintf(stderr, "%d %llu %s", (int)error.code, (unsigned long long)error.offset, error.message);
  free(message);
  free(text);
  cpb_schema_free(schema);
  return error.code == CPB_OK ? 0 : 2;
}
