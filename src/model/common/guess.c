#include "model/common/guess.h"

#include "base/checked.h"
#include "base/limits.h"

/* --- ends ------------------------------------------------------------------------------------- */

void cpb_ends_copy(cpb_file_ends *ends, const cpb_file_ends *given) {
  cpb_options_copy(ends, sizeof *ends, given);
  if (ends->size == 0) ends->size = ends->begin_size;
  if (ends->size == ends->begin_size && ends->end_size == 0) {
    ends->end = ends->begin;
    ends->end_size = ends->begin_size;
  }
  if (ends->end_size > CPB_END_BYTES) {
    ends->end = (const uint8_t *)ends->end + (ends->end_size - CPB_END_BYTES);
    ends->end_size = CPB_END_BYTES;
  }
  if (ends->begin_size > CPB_BEGIN_BYTES) ends->begin_size = CPB_BEGIN_BYTES;
}

cpb_span cpb_ends_begin(const cpb_file_ends *ends) { return (cpb_span){ends->begin, ends->begin_size}; }

cpb_span cpb_ends_end(const cpb_file_ends *ends) { return (cpb_span){ends->end, ends->end_size}; }

bool cpb_ends_named(const cpb_file_ends *ends, const char *ending) {
  const size_t size = strlen(ending);
  if (ends->name_size < size) return false;
  for (size_t i = 0; i < size; i++) {
    const char c = ends->name[ends->name_size - size + i];
    if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != ending[i]) return false;
  }
  return true;
}

/* --- evidence --------------------------------------------------------------------------------- */

/* Enough to tell any two types apart; a hostile message has as many fields as bytes. */
enum { FIELDS_MOST = 64, RULED_OUT = -1 };

/* The field with this number, preferably with this wire type. */
static const cpb_evidence_field *find(const cpb_evidence *type, uint32_t number, cpb_wire_type wire) {
  const cpb_evidence_field *found = NULL;
  for (size_t i = 0; i < type->num_fields; i++) {
    if (type->fields[i].number != number) continue;
    found = &type->fields[i];
    if (found->type == wire) break;
  }
  return found;
}

/* Finds the size of the field's value at `at`, and the start of a LEN value. False if the value is cut off or
 * invalid. */
static bool measure(cpb_wire_type type, const uint8_t **at, const uint8_t *end, uint64_t *size) {
  uint64_t value;
  const uint8_t *after = *at;
  *size = type == CPB_WIRE_FIXED64 ? 8 : 4;
  if (type == CPB_WIRE_FIXED32 || type == CPB_WIRE_FIXED64) return true;
  after = cpb_varint_read(*at, end, &value);
  if (!after) return false;
  if (type == CPB_WIRE_VARINT) *size = (uint64_t)(after - *at);
  else *size = value, *at = after;
  return true;
}

/* Control characters, which text does not have. */
static bool has_control(cpb_span in) {
  for (size_t i = 0; i < in.size; i++)
    if (in.data[i] < ' ' && !(in.data[i] >= '\t' && in.data[i] <= '\r')) return true;
  return false;
}

/* Damage rules a type out, unless it was proved before: then what was read so far counts. */
static int at_damage(int sum, bool is_settled) { return is_settled && sum > 0 ? sum : RULED_OUT; }

/* Recursion ends with the tables of types, which hold no type within itself. */
static int score(const cpb_evidence *type, cpb_span in, bool *is_settled) {
  const uint8_t *at = in.data, *end = in.data + in.size;
  int sum = 0;
  /* A field that is cut off by the end of `begin` ends the walk without a verdict. The same bytes far from the end
   * are malformed, and rule the type out. */
  for (int i = 0; i < FIELDS_MOST && at < end; i++) {
    uint64_t tag, size;
    const uint8_t *value = cpb_varint_read(at, end, &tag);
    if (!value) return end - at < CPB_VARINT_MAX ? sum : at_damage(sum, *is_settled);
    const cpb_wire_type wire = (cpb_wire_type)(tag & 7);
    const cpb_evidence_field *field = find(type, (uint32_t)cpb_min_u64(tag >> 3, UINT32_MAX), wire);
    bool is_field =
        wire == CPB_WIRE_VARINT || wire == CPB_WIRE_LEN || wire == CPB_WIRE_FIXED32 || wire == CPB_WIRE_FIXED64;
    if (!is_field || tag >> 3 == 0 || tag >> 3 >= 1u << 29 || (field && field->type != wire))
      return at_damage(sum, *is_settled);
    sum += field ? 1 : -1;
    if (!measure(wire, &value, end, &size)) return end - value < CPB_VARINT_MAX ? sum : at_damage(sum, *is_settled);
    cpb_span content = {value, (size_t)cpb_min_u64(size, (uint64_t)(end - value))};
    if (field && field->is_text && has_control(content)) return at_damage(sum, *is_settled);
    int inner = field && field->message ? score(field->message, content, is_settled) : 0;
    if (inner < 0) return at_damage(sum, *is_settled);
    if (field && field->proves > 0 && inner >= field->proves) *is_settled = true;
    if (field && field->is_proof && field->is_proof(content)) *is_settled = true;
    sum += inner;
    at = value + content.size;
  }
  return sum;
}

int cpb_evidence_score(const cpb_evidence *type, cpb_span begin, bool is_named) {
  bool is_settled = is_named;
  int sum = score(type, begin, &is_settled);
  return is_settled && sum > 0 ? sum : 0;
}
