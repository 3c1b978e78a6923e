#include "model/tensorflow/ops.h"

#include <string.h>

/* Each name between two newlines. */
static const char names[] = "\n"
#include "model/tensorflow/ops.inc"
    ;

#define NAME_MAX 96

bool cpb_is_tensorflow_op(cpb_span name) {
  char text[NAME_MAX + 3];
  if (name.size == 0 || name.size > NAME_MAX || memchr(name.data, '\n', name.size) || memchr(name.data, 0, name.size))
    return false;
  text[0] = '\n';
  memcpy(text + 1, name.data, name.size);
  memcpy(text + 1 + name.size, "\n", 2);
  return strstr(names, text) != NULL;
}
