/* The values of one tensor of a checkpoint. A cpb_part_reader reads each slice. Most variables are partitioned along
 * the first dimension; their slices are returned one after the other. Other slices are joined in memory. */
#include "model/checkpoint/checkpoint.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/status.h"
#include "model/common/spans.h"
#include "model/common/tensor/tensor.h"

typedef struct slice {
  const cpb_stored *stored;
  size_t key, key_size; /* in `keys`; none in version 2 */
  uint64_t *bounds;     /* its position, and its shape */
  uint32_t rank;
} slice;

typedef struct reader {
  cpb_allocator allocator;
  cpb_meter *meter;
  const cpb_values_options *options;
  const cpb_stored *stored;
  const cpb_part_reader *kind;
  cpb_input input;
  cpb_error error;
  char dtype[CPB_DTYPE_NAME];
  const cpb_tensor_format *format;
  uint64_t count, size; /* of the whole tensor: elements, bytes */
  slice *slices;
  size_t num_slices;
  cpb_buffer keys;
  uint64_t *bounds; /* of all slices */
  bool is_prepared, is_begun, is_given;
  void *part;      /* reads slice `number`; NULL: not opened yet */
  size_t number;   /* always 0 for a tensor in one place */
  uint64_t at;     /* bytes of the slice joined so far */
  uint8_t *joined; /* NULL: slices are returned in their order */
  uint8_t *seen;   /* a bit for each of its elements */
} reader;

static cpb_have fails(reader *r, cpb_code code, const char *what) {
  char shown[80];
  cpb_quote(shown, sizeof shown, (const uint8_t *)r->stored->key, r->stored->key_size);
  return cpb_fail(&r->error, code, CPB_NO_OFFSET, "the slices of \"%s\" %s", shown, what), CPB_FAILED;
}

static cpb_have fails_memory(reader *r) { return cpb_fail_memory(&r->error), CPB_FAILED; }

/* --- Creation ---------------------------------------------------------------------------- */

static void find(reader *r, cpb_span name) {
  char shown[80];
  r->stored = cpb_checkpoint_find(r->options->checkpoint, (const char *)name.data, name.size);
  if (r->stored) return;
  cpb_quote(shown, sizeof shown, name.data ? name.data : (const uint8_t *)"", name.size);
  cpb_fail(&r->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "the checkpoint has no key \"%s\"", shown);
}

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, cpb_span name,
                    const cpb_values_options *options) {
  reader *r = cpb_alloc_zeroed(a, sizeof *r);
  (void)kind;
  if (!r) return NULL;
  r->allocator = *a;
  r->meter = meter;
  r->options = options;
  r->kind = cpb_checkpoint_version(options->checkpoint) == 1 ? &cpb_table_values : &cpb_bundle_values;
  r->error.offset = CPB_NO_OFFSET;
  cpb_input_init(&r->input);
  cpb_buffer_init(&r->keys, a);
  find(r, name);
  return r;
}

static void close_part(reader *r) {
  if (r->part) r->kind->destroy(r->part);
  r->part = NULL;
}

static void destroy(void *state) {
  reader *r = state;
  cpb_allocator a = r->allocator;
  close_part(r);
  cpb_buffer_free(&r->keys);
  cpb_release(&a, r->slices);
  cpb_release(&a, r->bounds);
  cpb_release(&a, r->joined);
  cpb_release(&a, r->seen);
  cpb_release(&a, r);
}

static cpb_input *input(void *state) { return &((reader *)state)->input; }

static cpb_error *error(void *state) { return &((reader *)state)->error; }

uint32_t cpb_stored_values_shard(const void *state) {
  const reader *r = state;
  if (!r->stored) return 0;
  const slice *one = r->number < r->num_slices ? &r->slices[r->number] : NULL;
  return one ? one->stored->shard : r->stored->slices > 0 ? 0 : r->stored->shard;
}

/* --- Where the slices are ------------------------------------------------------------------ */

/* The message of the tensor lists the slices, and each must have its own key. All bounds are checked here, before a
 * byte is read: no slice lies outside the tensor, so place_of() needs no checks. */

static bool is_of_slice(const reader *r, const slice *s) {
  const cpb_stored *one = s->stored;
  if (one == r->stored) return true;
  return one->slices == 0 && one->dtype == r->stored->dtype && one->rank == s->rank &&
         (s->rank == 0 || memcmp(one->shape, s->bounds + s->rank, s->rank * sizeof *one->shape) == 0);
}

static cpb_have add_slice(reader *r, const cpb_slices *all, slice *s) {
  const bool is_old = r->kind == &cpb_table_values;
  const uint32_t rank = r->stored->rank;
  *s = (slice){.stored = is_old ? r->stored : all->stored,
               .key = r->keys.size,
               .key_size = is_old ? all->key.size : 0,
               .bounds = r->bounds + 2 * (size_t)rank * r->num_slices,
               .rank = rank};
  if (!s->stored) return fails(r, CPB_E_DAMAGED, "are not all there; the checkpoint has no key of one");
  if (!cpb_slice_bounds(all->message, r->stored, s->bounds, s->bounds + rank))
    return fails(r, CPB_E_DAMAGED, "do not lie within its shape");
  if (!is_of_slice(r, s)) return fails(r, CPB_E_DAMAGED, "are of another type or shape than it says");
  if (is_old && !cpb_buffer_append(&r->keys, all->key.data, all->key.size)) return fails_memory(r);
  r->num_slices++;
  return CPB_HAVE;
}

/* An extent of a slice takes at least two bytes of its message. */
static cpb_have list_slices(reader *r) {
  const bool is_old = r->kind == &cpb_table_values;
  const size_t most = r->stored->slices > 0 ? (size_t)r->stored->slices : 1;
  const uint64_t size = cpb_checkpoint_message(r->stored).size;
  cpb_slices all;
  cpb_have have = CPB_HAVE;
  if (!cpb_meter_charge(r->meter, CPB_WORK_WALKED, 4 * size + 8 * r->stored->key_size, CPB_NO_OFFSET, &r->error))
    return CPB_FAILED;
  /* version 1 keeps even whole tensors as slices */
  if (is_old ? false : r->stored->slices == 0) return CPB_HAVE;
  if (most > size || most * (uint64_t)r->stored->rank > size)
    return fails(r, CPB_E_DAMAGED, "have other ranks than it");
  r->slices = cpb_alloc(&r->allocator, most * sizeof *r->slices);
  r->bounds = cpb_alloc(&r->allocator, 2 * most * (r->stored->rank + 1) * sizeof *r->bounds);
  if (!r->slices || !r->bounds) return fails_memory(r);
  cpb_slices_open(&all, &r->allocator, r->options->checkpoint, r->stored);
  while (have == CPB_HAVE && r->num_slices < most && cpb_slices_next(&all))
    have = add_slice(r, &all, &r->slices[r->num_slices]);
  if (all.failed) have = fails_memory(r);
  cpb_slices_close(&all);
  return have;
}

/* --- What they make ------------------------------------------------------------------------- */

/* The slices must have as many elements as the tensor. If they also follow each other without a gap, they cover it.
 * Other slices may overlap, which shows only while they are joined (`seen`). */

static int by_begin(const void *a, const void *b) {
  const slice *x = a, *y = b;
  for (uint32_t i = 0; i < x->rank; i++)
    if (x->bounds[i] != y->bounds[i]) return x->bounds[i] < y->bounds[i] ? -1 : 1;
  return 0;
}

/* Whether each slice begins where the one before it ends. */
static bool follow_each_other(const reader *r) {
  uint64_t end = 0;
  for (size_t i = 0; i < r->num_slices; i++) {
    const slice *s = &r->slices[i];
    const uint64_t *shape = s->bounds + s->rank;
    for (uint32_t k = 1; k < s->rank; k++)
      if (shape[k] != r->stored->shape[k]) return false;
    if (s->rank > 0 && s->bounds[0] != end) return false;
    end += s->rank > 0 ? shape[0] : 1;
  }
  return end == (r->stored->rank > 0 ? r->stored->shape[0] : 1);
}

static cpb_have begin_joining(reader *r) {
  if (r->size > r->options->max_memory || r->size > SIZE_MAX) {
    cpb_fail(&r->error, CPB_E_LIMIT, CPB_NO_OFFSET, "joining the slices takes more than max_memory, %llu bytes: %llu",
             (unsigned long long)r->options->max_memory, (unsigned long long)r->size);
    return CPB_FAILED;
  }
  r->joined = cpb_alloc_zeroed(&r->allocator, (size_t)r->size + 1);
  r->seen = cpb_alloc_zeroed(&r->allocator, (size_t)(r->count / 8) + 1);
  return r->joined && r->seen ? CPB_HAVE : fails_memory(r);
}

static cpb_have measure(reader *r) {
  const cpb_stored *s = r->stored;
  uint64_t sum = 0, one;
  cpb_dtype_name(s->dtype, r->dtype, sizeof r->dtype);
  r->format = cpb_tensor_format_of(s->dtype);
  if (!r->format || r->format->size == 0) {
    cpb_fail(&r->error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
             "joining slices of type %s is not supported; expected numbers", r->dtype);
    return CPB_FAILED;
  }
  if (!cpb_elements_of(s->shape, s->rank, &r->count) || !cpb_mul_u64(r->count, r->format->size, &r->size))
    return fails(r, CPB_E_DAMAGED, "make 2^64 bytes or more");
  for (size_t i = 0; i < r->num_slices; i++) {
    const slice *p = &r->slices[i];
    if (!cpb_elements_of(p->bounds + p->rank, p->rank, &one) || !cpb_add_u64(sum, one, &sum) || sum > r->count) break;
  }
  if (sum != r->count) return fails(r, CPB_E_DAMAGED, "do not have as many elements as its shape");
  if (r->num_slices > 1) qsort(r->slices, r->num_slices, sizeof *r->slices, by_begin);
  return follow_each_other(r) ? CPB_HAVE : begin_joining(r);
}

static cpb_have prepare(reader *r) {
  cpb_have have = list_slices(r);
  if (have == CPB_HAVE && r->stored->slices > 0) have = measure(r);
  r->is_prepared = have == CPB_HAVE;
  return have;
}

/* --- Slices, one after the other --------------------------------------------------------------- */

/* A new slice makes another file the input. */
static cpb_have open_part(reader *r) {
  const slice *s = r->num_slices > 0 ? &r->slices[r->number] : NULL;
  cpb_span key = s ? (cpb_span){NULL, 0} : cpb_stored_key(r->stored);
  if (s && s->key_size > 0) key = (cpb_span){r->keys.data + s->key, s->key_size};
  const cpb_stored_part part = {
      .stored = s ? s->stored : r->stored, .key = key, .shape = s ? s->bounds + s->rank : r->stored->shape};
  if (r->is_begun) cpb_input_init(&r->input);
  r->is_begun = true;
  r->at = 0;
  r->part = r->kind->create(&r->allocator, r->meter, r->options, part, &r->input, &r->error);
  return r->part ? CPB_HAVE : fails_memory(r);
}

/* The next bytes of the current slice; none after the last slice. */
static cpb_have next_bytes(reader *r, cpb_values_info *info, cpb_span *data) {
  while (r->number < r->num_slices) {
    cpb_have have = r->part ? CPB_HAVE : open_part(r);
    if (have == CPB_HAVE) have = r->kind->next(r->part, info, data);
    if (have != CPB_HAVE || data->size > 0) return have;
    close_part(r);
    r->number++;
  }
  return CPB_HAVE;
}

/* --- Joining -------------------------------------------------------------------------------------- */

/* Index in the whole tensor, in elements, of the first element of a slice's row `row`. */
static uint64_t place_of(const reader *r, const slice *s, uint64_t row) {
  const uint64_t *shape = s->bounds + s->rank;
  uint64_t stride = r->stored->shape[s->rank - 1], place = s->bounds[s->rank - 1];
  for (uint32_t i = s->rank - 1; i-- > 0;) {
    place += (s->bounds[i] + row % shape[i]) * stride;
    row /= shape[i];
    stride *= r->stored->shape[i];
  }
  return place;
}

/* Marks elements; false if one was there before. */
static bool mark(reader *r, uint64_t first, uint64_t count) {
  for (uint64_t i = first; i < first + count; i++) {
    const uint8_t bit = (uint8_t)(1 << i % 8);
    if (r->seen[i / 8] & bit) return false;
    r->seen[i / 8] |= bit;
  }
  return true;
}

/* A row is the contiguous run along the last dimension. */
static cpb_have join(reader *r, cpb_span data) {
  const slice *s = &r->slices[r->number];
  const uint64_t item = r->format->size, row_size = s->bounds[2 * s->rank - 1] * item;
  while (data.size > 0) {
    const uint64_t within = r->at % row_size, place = place_of(r, s, r->at / row_size);
    const size_t size = (size_t)cpb_min_u64(row_size - within, data.size);
    if (within == 0 && !mark(r, place, row_size / item)) return fails(r, CPB_E_DAMAGED, "overlap");
    memcpy(r->joined + place * item + within, data.data, size);
    data = cpb_span_from(data, size);
    r->at += size;
  }
  return CPB_HAVE;
}

static cpb_have join_all(reader *r, cpb_span *data) {
  cpb_values_info ignored;
  cpb_have have;
  cpb_span piece = {NULL, 0};
  while ((have = next_bytes(r, &ignored, &piece)) == CPB_HAVE && piece.size > 0) {
    if ((have = join(r, piece)) != CPB_HAVE) break;
    piece = (cpb_span){NULL, 0};
  }
  if (have == CPB_HAVE && !r->is_given) *data = (cpb_span){r->joined, (size_t)r->size};
  r->is_given = have == CPB_HAVE;
  return have;
}

/* --- Steps ---------------------------------------------------------------------------------------- */

static cpb_have next_of_one(reader *r, cpb_values_info *info, cpb_span *data) {
  cpb_have have = r->part ? CPB_HAVE : open_part(r);
  return have == CPB_HAVE ? r->kind->next(r->part, info, data) : have;
}

static cpb_have next(void *state, cpb_values_info *info, cpb_span *data) {
  reader *r = state;
  cpb_values_info ignored;
  cpb_have have = r->is_prepared ? CPB_HAVE : prepare(r);
  if (have != CPB_HAVE) return have;
  if (r->stored->slices == 0) return next_of_one(r, info, data);
  have = r->joined ? join_all(r, data) : next_bytes(r, &ignored, data);
  *info = (cpb_values_info){.dtype = r->dtype,
                            .numpy = r->format->numpy,
                            .item_size = r->format->size,
                            .rank = r->stored->rank,
                            .shape = r->stored->shape,
                            .count = r->count,
                            .size = r->size};
  return have;
}

const cpb_values_reader cpb_stored_values = {create, destroy, next, input, error};
