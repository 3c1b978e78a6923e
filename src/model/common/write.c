#include "model/common/write.h"

#include "model/common/cursor.h"

void cpb_write_strings(cpb_json_writer *a, const char *key, cpb_span message, uint32_t number) {
  cpb_cursor c = cpb_cursor_of(message);
  cpb_json_writer_open(a, key, '[');
  while (cpb_cursor_find(&c, number, CPB_WIRE_LEN)) cpb_json_writer_span(a, NULL, c.bytes);
  cpb_json_writer_close(a, ']');
}

void cpb_write_range(cpb_json_writer *a, const char *key, cpb_range range) {
  cpb_json_writer_open(a, key, '{');
  cpb_json_writer_unsigned(a, "offset", range.offset);
  cpb_json_writer_unsigned(a, "size", range.length);
  cpb_json_writer_close(a, '}');
}
