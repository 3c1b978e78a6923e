#include "model/tensorflow/state.h"

#include "base/checked.h"
#include "base/status.h"
#include "model/tensorflow/fields.h"

#define LEAST_MEMORY ((uint64_t)1 << 20)

const cpb_error *cpb_saved_damage(const cpb_saved_model *m) {
  if (m->skeleton.damage.code != CPB_OK) return &m->skeleton.damage;
  if (m->graph_part.damage.code != CPB_OK) return &m->graph_part.damage;
  return m->damage.code != CPB_OK ? &m->damage : NULL;
}

/* --- Parts ------------------------------------------------------------------------------ */

uint64_t cpb_saved_memory_left(const cpb_saved_model *m) {
  uint64_t used = m->skeleton.message.size + m->graph_part.message.size;
  return cpb_max_u64(m->options.max_memory - cpb_min_u64(used, m->options.max_memory), LEAST_MEMORY);
}

bool cpb_saved_begin_part(cpb_saved_model *m, cpb_part *part, uint32_t field, const cpb_message_type *view,
                          uint64_t read_ahead) {
  const cpb_outline_options how = {.max_value = m->options.max_value,
                                   .max_size = cpb_saved_memory_left(m),
                                   .limits = &m->limits,
                                   .read_ahead = read_ahead};
  static const cpb_range nothing = {0, 0};
  cpb_range *ranges = NULL;
  size_t count = 0;
  bool begun = m->is_graph || cpb_part_ranges(&m->skeleton, &m->viewed.allocator, m->meta, field, &ranges, &count);
  bool empty = !m->is_graph && count == 0;
  begun = begun && cpb_part_begin(part, &m->viewed.allocator, view, empty ? &nothing : ranges, empty ? 1 : count, &how);
  cpb_release(&m->viewed.allocator, ranges);
  if (!begun) return cpb_viewed_fail_memory(&m->viewed);
  /* A part may claim to extend beyond the end, which is known by now. */
  if (!m->is_graph) cpb_input_end(cpb_outline_input(part->outline), cpb_outline_input(m->skeleton.outline)->size);
  return true;
}

/* --- What is in them -------------------------------------------------------------------- */

bool cpb_saved_entries(cpb_saved_model *m, cpb_span message, uint32_t number, cpb_entries *entries) {
  return cpb_entries_read(entries, &m->viewed.allocator, message, number) || cpb_viewed_fail_memory(&m->viewed);
}

cpb_span cpb_saved_collection(const cpb_saved_model *m, const char *name) {
  return cpb_get_bytes(cpb_get_entry(m->meta, META_GRAPH_COLLECTION, cpb_span_of(name)), MAP_VALUE);
}
