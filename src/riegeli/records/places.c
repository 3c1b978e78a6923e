/* A simple chunk has only the sizes of its records, one varint after the other. Who takes the records in
 * another order than theirs would add up all sizes before each: so with the first jump the places of some
 * records are noted, and the nearest of them is where the next search begins. */
#include "riegeli/records/places.h"

#include "base/checked.h"

/* Notes the place of every so many records: a quarter of a byte per record, or half a byte. */
enum { STRIDE = 64 };

uint64_t cpb_reader_consumed(const cpb_record_reader *r) {
  if (!r->is_transposed) return r->chunk.decoded_data_size - r->simple.out_left - r->ready.size;
  uint64_t next = r->next > 0 ? r->transposed.ends[r->next - 1] : 0;
  return next - r->left - r->skip;
}

static cpb_record_place walk(const cpb_record_reader *r, cpb_record_place place, uint64_t index) {
  const cpb_span *all = &r->simple.size_varints;
  for (uint64_t size = 0; place.index < index; place.index++) {
    place.size_at = cpb_varint_read(place.size_at, all->data + all->size, &size);
    place.begin += size;
  }
  return place;
}

/* Without the memory, or where that is bounded, each search takes longer. */
static void note_places(cpb_record_reader *r) {
  void *places = r->places;
  size_t count = (size_t)(r->chunk.num_records / STRIDE);
  if (r->num_places > 0 || r->options.memory > 0) return;
  if (!cpb_reserve(&r->allocator, &places, &r->places_capacity, count, sizeof *r->places)) return;
  r->places = places;
  cpb_record_place place = {0, 0, r->simple.size_varints.data};
  while (r->num_places < count) r->places[r->num_places++] = place = walk(r, place, place.index + STRIDE);
}

cpb_record_place cpb_reader_find(cpb_record_reader *r, uint64_t index) {
  if (r->is_transposed) return (cpb_record_place){index, index > 0 ? r->transposed.ends[index - 1] : 0, NULL};
  cpb_record_place place = {r->next, cpb_reader_consumed(r) + r->skip + r->left, r->size_at};
  if (index - place.index < STRIDE) return walk(r, place, index);
  note_places(r);
  if (index >= STRIDE && r->num_places > 0) place = r->places[index / STRIDE - 1];
  else place = (cpb_record_place){0, 0, r->simple.size_varints.data};
  return walk(r, place, index);
}
