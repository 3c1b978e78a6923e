#include <stdlib.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/status.h"
#include "component.h"

struct exports_chunked_content_t {
  engine *from;
  uint64_t read;       /* the engine's read that has this content */
  uint64_t at, length; /* the rest to return */
  cpb_error error;     /* of all later calls */
};

static uint64_t size_of(const engine *e) { return e->kind->size ? e->kind->size(e) : UINT64_MAX; }

bool content_new(engine *e, uint64_t offset, const uint64_t *length, exports_chunked_own_content_t *content,
                 exports_chunked_error_t *err) {
  exports_chunked_content_t *c = calloc(1, sizeof *c);
  if (!c) return component_fail_memory(err);
  c->from = engine_use(e);
  c->read = ++e->reads;
  c->at = offset;
  c->length = length ? *length : UINT64_MAX;
  e->data.size = 0;
  *content = exports_chunked_content_new(c);
  return true;
}

bool content_of(engine *e, exports_chunked_own_content_t *content, exports_chunked_error_t *err) {
  bool made = content_new(e, 0, NULL, content, err);
  engine_free(e);
  return made;
}

void exports_chunked_content_destructor(exports_chunked_content_t *c) {
  engine_free(c->from);
  free(c);
}

static uint64_t left(const exports_chunked_content_t *c) {
  uint64_t size = size_of(c->from);
  return c->at < size ? cpb_min_u64(c->length, size - c->at) : 0;
}

/* Moves bytes from the engine's data to `out`, up to `max` bytes in all. */
static bool take(exports_chunked_content_t *c, cpb_buffer *out, size_t max) {
  cpb_span *data = &c->from->data;
  uint64_t most = c->from->kind->size ? left(c) : data->size;
  if (out->size == 0 && !cpb_buffer_reserve(out, (size_t)cpb_min_u64(max, most))) return false;
  size_t size = (size_t)cpb_min_u64(data->size, max - out->size);
  if (!cpb_buffer_append(out, data->data, size)) return false;
  data->data += size;
  data->size -= size;
  c->at += size;
  c->length -= size;
  return true;
}

/* An error after some bytes is returned by the next call, when the engine reports it again. */
static void fill(exports_chunked_content_t *c, cpb_buffer *out, size_t max) {
  while (out->size < max) {
    cpb_step step = c->from->data.size > 0 ? CPB_STEP_DATA : c->from->kind->advance(c->from);
    if (step == CPB_STEP_ERROR && out->size == 0) c->error = *c->from->kind->error(c->from);
    if (step != CPB_STEP_DATA) return;
    if (!take(c, out, max)) {
      cpb_fail_memory(&c->error);
      return;
    }
  }
}

static bool may_read(exports_chunked_content_t *c, uint32_t max, cpb_error *error) {
  if (c->error.code != CPB_OK) *error = c->error;
  else if (c->read != c->from->reads) cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "another read has begun since");
  else if (max == 0) cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "max is 0, where it must be 1 at least");
  return error->code == CPB_OK;
}

bool exports_chunked_method_content_next(exports_chunked_content_t *c, uint32_t max, wit_option_list_u8_t *ret,
                                         exports_chunked_error_t *err) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_allocator allocator = cpb_allocator_or_default(NULL);
  cpb_buffer out;
  cpb_buffer_init(&out, &allocator);
  if (!may_read(c, max, &error)) return component_fail(err, &error);
  if (c->from->kind->take_back) c->from->kind->take_back(c->from);
  fill(c, &out, max);
  if (c->error.code == CPB_OK && out.size > 0) {
    *ret = (wit_option_list_u8_t){true, {out.data, out.size}};
    return true;
  }
  cpb_buffer_free(&out);
  ret->is_some = false;
  return c->error.code == CPB_OK || component_fail(err, &c->error);
}
