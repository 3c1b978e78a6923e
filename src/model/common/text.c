#include "model/common/text.h"

#define SHOWN 64 /* bytes of a string */

/* As much of it as ends with a whole character. */
static cpb_span first_of(cpb_span text) {
  size_t size = SHOWN;
  while (size > SHOWN - 4 && (text.data[size] & 0xc0) == 0x80) size--;
  return (cpb_span){text.data, size};
}

void cpb_write_short_text(cpb_json_writer *a, const cpb_part *part, cpb_span text) {
  cpb_range where = cpb_part_where(part, text);
  bool omitted = cpb_part_omits(part, text);
  if (text.size <= SHOWN && !omitted) {
    cpb_json_writer_span(a, NULL, text);
    return;
  }
  cpb_json_writer_open(a, NULL, '{');
  if (omitted) cpb_json_writer_null(a, "text");
  else cpb_json_writer_span(a, "text", first_of(text));
  cpb_json_writer_unsigned(a, "size", omitted ? where.length : text.size);
  cpb_json_writer_close(a, '}');
}
