#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "component.h"

enum { CHUNKS_AT_ONCE = 4096 };

struct exports_chunked_merged_t {
  engine engine; /* engine_for_merge() returns it as the first member of a larger struct */
};

/* --- Errors ------------------------------------------------------------------------ */

static exports_chunked_error_code_t code_of(cpb_code code) {
  switch (code) {
    case CPB_E_MEMORY: return EXPORTS_CHUNKED_ERROR_CODE_MEMORY;
    case CPB_E_DAMAGED: return EXPORTS_CHUNKED_ERROR_CODE_DAMAGED;
    case CPB_E_TRUNCATED: return EXPORTS_CHUNKED_ERROR_CODE_TRUNCATED;
    case CPB_E_FORMAT: return EXPORTS_CHUNKED_ERROR_CODE_FORMAT;
    case CPB_E_UNSUPPORTED: return EXPORTS_CHUNKED_ERROR_CODE_UNSUPPORTED;
    case CPB_E_LIMIT: return EXPORTS_CHUNKED_ERROR_CODE_LIMIT;
    case CPB_E_NOT_FOUND: return EXPORTS_CHUNKED_ERROR_CODE_NOT_FOUND;
    case CPB_E_DENIED:
    case CPB_E_UNAVAILABLE:
    case CPB_E_READ: return EXPORTS_CHUNKED_ERROR_CODE_READ;
    case CPB_E_CANCELLED: return EXPORTS_CHUNKED_ERROR_CODE_CANCELLED;
    default: return EXPORTS_CHUNKED_ERROR_CODE_USAGE;
  }
}

bool component_give(const char *text, size_t length, wit_string_t *ret) {
  uint8_t *copy = length > 0 ? malloc(length) : NULL;
  *ret = (wit_string_t){copy, copy ? length : 0};
  if (copy) memcpy(copy, text, length);
  return copy != NULL;
}

/* Without memory the text is empty. */
bool component_fail(exports_chunked_error_t *out, const cpb_error *error) {
  out->code = code_of(error->code);
  out->offset = (wit_option_u64_t){error->offset != CPB_NO_OFFSET, error->offset};
  component_give(error->message, strlen(error->message), &out->message);
  return false;
}

bool component_fail_memory(exports_chunked_error_t *out) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_fail_memory(&error);
  return component_fail(out, &error);
}

/* --- file --------------------------------------------------------------------------- */

bool exports_chunked_static_file_open(exports_chunked_own_source_t source, exports_chunked_options_t *options,
                                      exports_chunked_own_file_t *ret, exports_chunked_error_t *err) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  opened *file = opened_new(source, options, &error);
  if (!file) return component_fail(err, &error);
  *ret = exports_chunked_file_new(file);
  return true;
}

void exports_chunked_file_destructor(opened *f) {
  engine_free(f->chunks);
  opened_free(f);
}

uint64_t exports_chunked_method_file_num_chunks(opened *f) { return cpb_index_num_chunks(f->index); }

static exports_chunked_chunk_t describe(const cpb_chunk_info *info) {
  exports_chunked_chunk_t chunk = {.size = info->size, .position = info->position};
  switch (info->type) {
    case CPB_CHUNK_UNSET: chunk.kind.tag = EXPORTS_CHUNKED_CHUNK_KIND_UNSPECIFIED; break;
    case CPB_CHUNK_MESSAGE: chunk.kind.tag = EXPORTS_CHUNKED_CHUNK_KIND_MESSAGE; break;
    case CPB_CHUNK_BYTES: chunk.kind.tag = EXPORTS_CHUNKED_CHUNK_KIND_BYTES; break;
    default: chunk.kind.tag = EXPORTS_CHUNKED_CHUNK_KIND_UNKNOWN; chunk.kind.val.unknown = info->type;
  }
  return chunk;
}

bool exports_chunked_method_file_chunks(opened *f, uint64_t first, uint32_t count, exports_chunked_list_chunk_t *ret,
                                        exports_chunked_error_t *err) {
  const cpb_index *index = f->index;
  uint64_t all = cpb_index_num_chunks(index);
  size_t length = first < all ? (size_t)cpb_min_u64(all - first, cpb_min_u64(count, CHUNKS_AT_ONCE)) : 0;
  *ret = (exports_chunked_list_chunk_t){NULL, 0};
  if (length == 0) return true;
  ret->ptr = malloc(length * sizeof *ret->ptr);
  if (!ret->ptr) return component_fail_memory(err);
  ret->len = length;
  for (size_t i = 0; i < length; i++) {
    cpb_chunk_info info;
    cpb_index_get_chunk(index, first + i, &info);
    ret->ptr[i] = describe(&info);
  }
  return true;
}

/* After an error, which stays with its content, the next read begins with a reader of
 * its own. */
static engine *reader_of(opened *f, cpb_error *error) {
  if (f->chunks && cpb_chunk_reader_error(engine_chunks(f->chunks))->code == CPB_OK) return f->chunks;
  engine_free(f->chunks);
  f->chunks = engine_for_chunks(f, error);
  return f->chunks;
}

bool exports_chunked_method_file_read(opened *f, uint64_t chunk, uint64_t offset, uint64_t *length,
                                      exports_chunked_own_content_t *ret, exports_chunked_error_t *err) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  uint64_t all = cpb_index_num_chunks(f->index);
  if (chunk >= all) {
    cpb_fail(&error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "there is no chunk %llu; there are %llu, counted from 0",
             (unsigned long long)chunk, (unsigned long long)all);
    return component_fail(err, &error);
  }
  engine *e = reader_of(f, &error);
  if (!e) return component_fail(err, &error);
  if (!content_new(e, offset, length, ret, err)) return false;
  cpb_chunk_reader_read(engine_chunks(e), chunk, offset, length ? *length : UINT64_MAX);
  return true;
}

/* --- merged -------------------------------------------------------------------------- */

bool exports_chunked_method_file_merge(opened *f, exports_chunked_merge_options_t *options,
                                       exports_chunked_own_merged_t *ret, exports_chunked_error_t *err) {
  cpb_error error = {.offset = CPB_NO_OFFSET};
  engine *merge = engine_for_merge(f, options, &error);
  if (!merge) return component_fail(err, &error);
  *ret = exports_chunked_merged_new((exports_chunked_merged_t *)merge);
  return true;
}

void exports_chunked_merged_destructor(exports_chunked_merged_t *m) { engine_free(&m->engine); }

uint64_t exports_chunked_method_merged_size(exports_chunked_merged_t *m) {
  return cpb_merge_size(engine_merge(&m->engine));
}

bool exports_chunked_method_merged_read(exports_chunked_merged_t *m, uint64_t offset, uint64_t *length,
                                        exports_chunked_own_content_t *ret, exports_chunked_error_t *err) {
  if (!content_new(&m->engine, offset, length, ret, err)) return false;
  cpb_merge_read(engine_merge(&m->engine), offset, length ? *length : UINT64_MAX);
  return true;
}
