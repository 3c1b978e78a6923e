/* range FILE.cpb TYPE PATH: writes one field of the message to standard output,
 * as `range model.cpb tensorflow.SavedModel meta_graphs[0].graph_def.versions`
 * does, without merging or fetching the rest.
 *
 * The program does its own I/O here, from an object store that serves ranges.
 * The store is simulated by a file in memory, which counts requests and bytes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpb/chunked.h"
#include "cpb/find.h"
#include "cpb/message.h"

#define BLOCK 4096

typedef struct object_store {
  uint8_t *object;
  uint8_t *cached; /* for each block of the object: 1 when it was fetched */
  uint64_t size;
  unsigned requests;
  uint64_t bytes;
} object_store;

/* Makes bytes [begin, end) available. Neighbouring missing blocks are fetched with
 * one request, and no block is fetched twice. */
static void fetch(object_store *store, uint64_t begin, uint64_t end) {
  int requested = 0;
  for (uint64_t i = begin / BLOCK; i * BLOCK < end; i++) {
    if (store->cached[i]) {
      requested = 0;
      continue;
    }
    store->requests += !requested;
    store->bytes += store->size - i * BLOCK < BLOCK ? store->size - i * BLOCK : BLOCK;
    store->cached[i] = 1;
    requested = 1;
  }
}

/* All I/O is here: fetches what an engine needs, and lends it. Lent bytes must not
 * move until the engine's next need, which a cache that drops blocks must respect. */
static void answer(object_store *store, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  uint64_t begin = need.offset;
  uint64_t length = need.length;
  if (need.kind == CPB_NEED_SIZE) { /* the response to a request for the tail also has the size */
    begin = length < store->size ? store->size - length : 0;
    cpb_input_end(input, store->size);
  }
  if (begin >= store->size) {
    cpb_input_end(input, store->size);
    return;
  }
  if (length > store->size - begin) length = store->size - begin;
  fetch(store, begin, begin + length);
  cpb_input_supply(input, begin, store->object + begin, (size_t)length);
}

static cpb_step step_merge(cpb_merge *merge, object_store *store) {
  cpb_step step;
  while ((step = cpb_merge_step(merge)) == CPB_STEP_NEED) answer(store, cpb_merge_input(merge));
  return step;
}

/* The merged message is an input like any other: the range that is needed is read
 * from the merge, which fetches the chunks that this takes. */
static void answer_merged(cpb_merge *merge, object_store *store, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  if (need.kind == CPB_NEED_SIZE || need.offset >= cpb_merge_size(merge)) {
    cpb_input_end(input, cpb_merge_size(merge));
  } else if (cpb_merge_read(merge, need.offset, need.length) == CPB_OK && step_merge(merge, store) == CPB_STEP_DATA) {
    size_t length;
    const uint8_t *data = cpb_merge_data(merge, &length);
    cpb_input_supply(input, need.offset, data, length);
  } else {
    cpb_input_fail(input, CPB_E_READ, cpb_merge_error(merge)->message);
  }
}

typedef struct engines {
  cpb_schema *schema;
  cpb_path *path;
  cpb_index *index;
  cpb_merge *merge;
  cpb_find *find;
} engines;

/* The next four functions return NULL, or the error. The index is at the end of the
 * file; to plan the merge, only the chunks that other chunks go into are read. */
static const char *open_message(engines *e, object_store *store, const cpb_message_type *type) {
  if (!(e->index = cpb_index_new(NULL, NULL))) return "out of memory";
  cpb_step step;
  while ((step = cpb_index_step(e->index)) == CPB_STEP_NEED) answer(store, cpb_index_input(e->index));
  if (step != CPB_STEP_DONE) return cpb_index_error(e->index)->message;

  cpb_merge_options options = {
      .struct_size = sizeof options, .verify = CPB_VERIFY_NEVER, .trust_sizes = 1, .type = type};
  if (!(e->merge = cpb_merge_new(NULL, e->index, &options))) return "out of memory";
  return step_merge(e->merge, store) == CPB_STEP_DONE ? NULL : cpb_merge_error(e->merge)->message;
}

static const char *find_field(engines *e, object_store *store, const cpb_message_type *type) {
  if (!(e->find = cpb_find_new(NULL, type, e->path, NULL))) return "out of memory";
  cpb_step step;
  while ((step = cpb_find_step(e->find)) == CPB_STEP_NEED) answer_merged(e->merge, store, cpb_find_input(e->find));
  return step == CPB_STEP_DONE ? NULL : cpb_find_error(e->find)->message;
}

static const char *write_field(engines *e, object_store *store) {
  for (size_t i = 0; i < cpb_find_num_ranges(e->find); i++) {
    cpb_range range = cpb_find_get_range(e->find, i);
    cpb_step step = CPB_STEP_ERROR;
    if (cpb_merge_read(e->merge, range.offset, range.length) == CPB_OK) {
      while ((step = step_merge(e->merge, store)) == CPB_STEP_DATA) {
        size_t length;
        const uint8_t *data = cpb_merge_data(e->merge, &length);
        if (fwrite(data, 1, length, stdout) != length) return "cannot write";
      }
    }
    if (step != CPB_STEP_DONE) return cpb_merge_error(e->merge)->message;
  }
  return fflush(stdout) == 0 ? NULL : "cannot write";
}

static const char *run(engines *e, object_store *store, const char *type_name, const char *path, cpb_error *error) {
  if (!(e->schema = cpb_schema_new_builtin(NULL, error))) return error->message;
  if (!(e->path = cpb_path_parse(NULL, path, strlen(path), error))) return error->message;
  const cpb_message_type *type = cpb_schema_find_message(e->schema, type_name);
  if (!type) return "there is no such message type";
  const char *problem = open_message(e, store, type);
  if (!problem) problem = find_field(e, store, type);
  return problem ? problem : write_field(e, store);
}

static int load(object_store *store, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return -1;
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (size >= 0 && fseek(file, 0, SEEK_SET) == 0 && (store->object = malloc((size_t)size + 1)) &&
      (store->cached = calloc((size_t)size / BLOCK + 1, 1))) {
    store->size = fread(store->object, 1, (size_t)size, file);
  }
  fclose(file);
  return store->cached && store->size == (uint64_t)size ? 0 : -1;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: range FILE.cpb TYPE PATH\n");
    return 1;
  }
  object_store store = {0};
  engines e = {0};
  cpb_error error;
  const char *problem = "cannot read the file";
  if (load(&store, argv[1]) == 0) problem = run(&e, &store, argv[2], argv[3], &error);
  if (problem) fprintf(stderr, "%s: %s\n", argv[1], problem);
  fprintf(stderr, "%u requests, %" PRIu64 " of %" PRIu64 " bytes\n", store.requests, store.bytes, store.size);
  cpb_find_free(e.find);
  cpb_merge_free(e.merge);
  cpb_index_free(e.index);
  cpb_path_free(e.path);
  cpb_schema_free(e.schema);
  free(store.cached);
  free(store.object);
  return problem ? 1 : 0;
}
