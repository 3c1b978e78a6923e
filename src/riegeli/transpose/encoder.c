#include "riegeli/transpose/encoder.h"

#include "riegeli/transpose/encoder_state.h"

cpb_transpose_encoder *cpb_transpose_encoder_new(const cpb_allocator *a) {
  const cpb_allocator allocator = cpb_allocator_or_default(a);
  cpb_transpose_encoder *e = cpb_alloc_zeroed(&allocator, sizeof *e);
  if (!e) return NULL;
  e->allocator = allocator;
  cpb_buffer_init(&e->head, &allocator);
  cpb_buffer_init(&e->body, &allocator);
  cpb_buffer_init(&e->scratch, &allocator);
  cpb_buffer_init(&e->header, &allocator);
  e->first = e->last = CPB_NO_ACTION;
  return e;
}

void cpb_transpose_encoder_free(cpb_transpose_encoder *e) {
  if (!e) return;
  cpb_transpose_encoder_reset(e, 0);
  cpb_release(&e->allocator, e);
}

/* An array of `*capacity` elements, or NULL if it has more than `keep` bytes and is freed. */
static void *kept(const cpb_transpose_encoder *e, void *items, size_t *capacity, size_t element, size_t keep) {
  if (*capacity * element <= keep) return items;
  cpb_release(&e->allocator, items);
  *capacity = 0;
  return NULL;
}

#define KEEP(items, capacity) ((items) = kept(e, (items), &(capacity), sizeof *(items), keep))

void cpb_transpose_encoder_reset(cpb_transpose_encoder *e, size_t keep) {
  KEEP(e->field_keys.entries, e->field_keys.capacity);
  KEEP(e->fields, e->fields_capacity);
  KEEP(e->actions, e->actions_capacity);
  KEEP(e->move_keys.entries, e->move_keys.capacity);
  KEEP(e->moves, e->moves_capacity);
  KEEP(e->sequence, e->sequence_capacity);
  KEEP(e->columns, e->columns_capacity);
  KEEP(e->nodes, e->nodes_capacity);
  KEEP(e->entries, e->entries_capacity);
  cpb_slabs_reset(&e->slabs, &e->allocator, keep);
  cpb_buffer_reset(&e->head, keep);
  cpb_buffer_reset(&e->body, keep);
  cpb_buffer_reset(&e->scratch, keep);
  cpb_buffer_reset(&e->header, keep);
  e->num_records = e->decoded_size = 0;
  e->field_keys.count = e->move_keys.count = 0;
  e->num_actions = e->num_sequence = e->num_columns = e->num_nodes = e->num_entries = 0;
  e->first = e->last = CPB_NO_ACTION;
}

#undef KEEP

size_t cpb_transpose_encoder_memory(const cpb_transpose_encoder *e) {
  return sizeof *e + e->slabs.total + e->head.capacity + e->body.capacity + e->scratch.capacity + e->header.capacity +
         (e->field_keys.capacity + e->move_keys.capacity) * sizeof(cpb_keys_entry) +
         e->fields_capacity * sizeof *e->fields + e->actions_capacity * sizeof *e->actions +
         e->moves_capacity * sizeof *e->moves + e->sequence_capacity * sizeof *e->sequence +
         e->columns_capacity * sizeof *e->columns + e->nodes_capacity * sizeof *e->nodes +
         e->entries_capacity * sizeof *e->entries;
}

bool cpb_transpose_encoder_add(cpb_transpose_encoder *e, cpb_span record, cpb_codec_error *error) {
  e->error = error;
  e->num_records++;
  e->decoded_size += record.size;
  return cpb_transpose_take_apart(e, record.size > 0 ? record : (cpb_span){(const uint8_t *)"", 0});
}

uint64_t cpb_transpose_encoder_num_records(const cpb_transpose_encoder *e) { return e->num_records; }

uint64_t cpb_transpose_encoder_decoded_size(const cpb_transpose_encoder *e) { return e->decoded_size; }

bool cpb_transpose_encoder_encode(cpb_transpose_encoder *e, cpb_compressor *compressor, uint64_t bucket_size,
                                  cpb_span *head, cpb_span *body, cpb_codec_error *error) {
  e->error = error;
  if (!cpb_transpose_make_states(e) || !cpb_transpose_write_chunk(e, compressor, bucket_size)) return false;
  *head = cpb_buffer_span(&e->head);
  *body = cpb_buffer_span(&e->body);
  return true;
}
