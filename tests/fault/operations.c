#include "operations.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "cpb/chunked.h"
#include "cpb/field_json.h"
#include "cpb/field_reader.h"
#include "cpb/find.h"
#include "cpb/message.h"
#include "cpb/outline.h"
#include "cpb/pager.h"
#include "cpb/records.h"
#include "cpb/repack.h"
#include "cpb/values.h"
#include "model_operations.h"
#include "opened_operation.h"
#include "operation_host.h"
#include "riegeli/highwayhash.h"
#include "split_operations.h"

/* --- The log ---------------------------------------------------------------- */

void outcome_init(outcome *out) {
  memset(out, 0, sizeof *out);
  cpb_allocator system = cpb_allocator_or_default(NULL);
  cpb_buffer_init(&out->log, &system);
}

void outcome_free(outcome *out) { cpb_buffer_free(&out->log); }

int outcome_equal(const outcome *a, const outcome *b) {
  return a->error.code == b->error.code && a->log.size == b->log.size && outcome_begins(a, b);
}

int outcome_begins(const outcome *part, const outcome *whole) {
  size_t size = part->log.size;
  return size <= whole->log.size && (size == 0 || memcmp(part->log.data, whole->log.data, size) == 0);
}

/* --- Operations --------------------------------------------------------------- */

static void read_records(const host *h, outcome *out, int recover, cpb_verify verify, const char *fields) {
  cpb_record_reader_options options = {.struct_size = sizeof options,
                                       .recover = recover,
                                       .verify = verify,
                                       .buffer = verify == CPB_VERIFY_FIRST ? 2048 : 0,
                                       .limits = h->limits,
                                       .fields = fields};
  cpb_record_reader *reader = cpb_record_reader_new(h->allocator, &options);
  if (reader == NULL) {
    no_memory(out);
    return;
  }
  unsigned state = h->seed;
  for (;;) {
    switch (cpb_record_reader_step(reader)) {
      case CPB_STEP_NEED: answer(h, &state, cpb_record_reader_input(reader)); continue;
      case CPB_STEP_RECORD: {
        const cpb_record *record = cpb_record_reader_record(reader);
        note(out, "record", record->position, record->size);
        continue;
      }
      case CPB_STEP_DATA: {
        size_t length;
        const uint8_t *data = cpb_record_reader_data(reader, &length);
        keep_bytes(out, data, length);
        continue;
      }
      case CPB_STEP_SKIPPED: {
        const cpb_skipped *skipped = cpb_record_reader_skipped(reader);
        note(out, "skipped", skipped->begin, skipped->end);
        continue;
      }
      case CPB_STEP_ERROR: keep_error(out, cpb_record_reader_error(reader)); break;
      default: break;
    }
    break;
  }
  cpb_record_reader_free(reader);
}

static void records(const host *h, outcome *out) { read_records(h, out, 0, CPB_VERIFY_FIRST, NULL); }
static void records_late(const host *h, outcome *out) { read_records(h, out, 0, CPB_VERIFY_LATE, NULL); }
static void records_fields(const host *h, outcome *out) { read_records(h, out, 0, CPB_VERIFY_FIRST, "1,2.1"); }
static void recover(const host *h, outcome *out) { read_records(h, out, 1, CPB_VERIFY_FIRST, NULL); }

static cpb_step take_output(cpb_record_writer *writer, outcome *out) {
  cpb_step step;
  while ((step = cpb_record_writer_step(writer)) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(writer, &offset, &length);
    note(out, "output", offset, length);
    keep_bytes(out, data, length);
  }
  return step;
}

/* Cuts the input into records of many sizes and writes them. */
static void rewrite(const host *h, outcome *out, cpb_codec codec, int seekable, cpb_transpose transpose) {
  cpb_record_writer_options options = {.struct_size = sizeof options,
                                       .codec = {.codec = codec},
                                       .seekable = seekable,
                                       .buffer = seekable ? 1000 : 0,
                                       .chunk_size = 3000,
                                       .transpose = transpose};
  cpb_record_writer *writer = cpb_record_writer_new(h->allocator, &options);
  if (writer == NULL) {
    no_memory(out);
    return;
  }
  cpb_step step = take_output(writer, out);
  for (size_t at = 0; at < h->size && step == CPB_STEP_NEED;) {
    size_t size = (at * 7 + 13) % 5000;
    if (size > h->size - at) size = h->size - at;
    cpb_record_writer_begin_record(writer, size);
    step = take_output(writer, out);
    if (step == CPB_STEP_NEED) cpb_record_writer_write(writer, h->data + at, size);
    step = take_output(writer, out);
    at += size > 0 ? size : 1;
  }
  if (step == CPB_STEP_NEED) cpb_record_writer_finish(writer);
  take_output(writer, out);
  keep_error(out, cpb_record_writer_error(writer));
  cpb_record_writer_free(writer);
}

static void write_zstd(const host *h, outcome *out) { rewrite(h, out, CPB_CODEC_ZSTD, 0, 0); }
static void write_brotli(const host *h, outcome *out) { rewrite(h, out, CPB_CODEC_BROTLI, 0, 0); }
static void write_streaming(const host *h, outcome *out) { rewrite(h, out, CPB_CODEC_NONE, 1, 0); }
static void write_transposed(const host *h, outcome *out) {
  rewrite(h, out, CPB_CODEC_SNAPPY, 0, CPB_TRANSPOSE_IF_SMALLER);
}

static int open_index(const host *h, outcome *out, cpb_index *index, unsigned *state) {
  cpb_step step;
  while ((step = cpb_index_step(index)) == CPB_STEP_NEED) answer(h, state, cpb_index_input(index));
  if (step == CPB_STEP_DONE) return 1;
  keep_error(out, cpb_index_error(index));
  return 0;
}

typedef enum { MERGE_ALL, MERGE_DAMAGED, MERGE_FIELD } merge_what;

static int set_up_merge(const host *h, cpb_merge *merge, merge_what what, cpb_path **path) {
  if (merge == NULL || what == MERGE_ALL) return merge != NULL;
  if (what == MERGE_DAMAGED) return cpb_merge_keep_damaged(merge) == CPB_OK;
  cpb_error error;
  *path = cpb_path_parse(h->allocator, "2[0].2.1[3].1", 13, &error);
  return *path != NULL && cpb_merge_plan_for(merge, NULL, *path) == CPB_OK;
}

static void merge_index(const host *h, outcome *out, const cpb_index *index, merge_what what, unsigned *state) {
  cpb_merge_options options = {.struct_size = sizeof options, .trust_sizes = what != MERGE_ALL, .limits = h->limits};
  cpb_merge *merge = cpb_merge_new(h->allocator, index, &options);
  cpb_path *path = NULL;
  if (!set_up_merge(h, merge, what, &path)) {
    cpb_merge_free(merge);
    cpb_path_free(path);
    no_memory(out);
    return;
  }
  cpb_step step;
  for (int planned = 0;;) {
    step = cpb_merge_step(merge);
    if (step == CPB_STEP_NEED) {
      answer(h, state, cpb_merge_input(merge));
    } else if (step == CPB_STEP_DATA) {
      size_t length;
      const uint8_t *data = cpb_merge_data(merge, &length);
      keep_bytes(out, data, length);
    } else if (step == CPB_STEP_DONE && !planned) {
      planned = 1;
      note(out, "merged", cpb_merge_size(merge), 0);
      cpb_merge_read(merge, 0, UINT64_MAX);
    } else {
      break;
    }
  }
  if (step == CPB_STEP_ERROR) keep_error(out, cpb_merge_error(merge));
  cpb_merge_free(merge);
  cpb_path_free(path);
}

static void merge_file(const host *h, outcome *out, merge_what what) {
  cpb_index *index = cpb_index_new(h->allocator, h->limits);
  if (index == NULL) {
    no_memory(out);
    return;
  }
  unsigned state = h->seed;
  if (open_index(h, out, index, &state)) merge_index(h, out, index, what, &state);
  cpb_index_free(index);
}

static void merge(const host *h, outcome *out) { merge_file(h, out, MERGE_ALL); }
static void merge_damaged(const host *h, outcome *out) { merge_file(h, out, MERGE_DAMAGED); }
static void merge_field(const host *h, outcome *out) { merge_file(h, out, MERGE_FIELD); }

static void repack_as(const host *h, outcome *out, cpb_layout layout, uint64_t index_pages) {
  cpb_repack_options options = {.struct_size = sizeof options,
                                .layout = layout,
                                .codec.level = 1,
                                .limits = h->limits,
                                .index_pages = index_pages};
  cpb_repack *repack = cpb_repack_new(h->allocator, &options);
  if (repack == NULL) {
    no_memory(out);
    return;
  }
  unsigned state = h->seed;
  cpb_step step;
  while ((step = cpb_repack_step(repack)) == CPB_STEP_NEED || step == CPB_STEP_OUTPUT) {
    if (step == CPB_STEP_NEED) {
      answer(h, &state, cpb_repack_input(repack));
      continue;
    }
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_repack_output(repack, &offset, &length);
    keep_bytes(out, data, length);
  }
  if (step == CPB_STEP_ERROR) keep_error(out, cpb_repack_error(repack));
  cpb_repack_free(repack);
}

static void repack_remote(const host *h, outcome *out) { repack_as(h, out, CPB_LAYOUT_REMOTE, 0); }
static void repack_compat(const host *h, outcome *out) { repack_as(h, out, CPB_LAYOUT_COMPAT, 0); }
static void repack_pages(const host *h, outcome *out) { repack_as(h, out, CPB_LAYOUT_REMOTE, 150); }

/* Some bytes of every chunk: forward, then back to the beginning. */
static cpb_step read_ranges(const host *h, outcome *out, cpb_chunk_reader *reader, uint64_t chunk, unsigned *state) {
  static const uint64_t ranges[][2] = {{0, 10}, {100, 50}, {20, 30}, {5, UINT64_MAX}, {UINT64_MAX, 1}};
  cpb_step step = CPB_STEP_DONE;
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges && step == CPB_STEP_DONE; i++) {
    cpb_chunk_reader_read(reader, chunk, ranges[i][0], ranges[i][1]);
    while ((step = cpb_chunk_reader_step(reader)) == CPB_STEP_NEED || step == CPB_STEP_DATA) {
      if (step == CPB_STEP_NEED) {
        answer(h, state, cpb_chunk_reader_input(reader));
        continue;
      }
      size_t length;
      const uint8_t *data = cpb_chunk_reader_data(reader, &length);
      keep_bytes(out, data, length);
    }
  }
  return step;
}

static void ranges_of_index(const host *h, outcome *out, const cpb_index *index, unsigned *state) {
  cpb_chunk_reader_options options = {.struct_size = sizeof options, .limits = h->limits};
  cpb_chunk_reader *reader = cpb_chunk_reader_new(h->allocator, index, &options);
  if (reader == NULL) {
    no_memory(out);
    return;
  }
  cpb_step step = CPB_STEP_DONE;
  for (uint64_t i = 0; i < cpb_index_num_chunks(index) && step == CPB_STEP_DONE; i++) {
    step = read_ranges(h, out, reader, i, state);
    if (step == CPB_STEP_DONE) note(out, "chunk", i, cpb_chunk_reader_stored(reader)->size);
  }
  if (step == CPB_STEP_ERROR) keep_error(out, cpb_chunk_reader_error(reader));
  cpb_chunk_reader_free(reader);
}

/* The same of a pager. */
static cpb_step page_ranges(const host *h, outcome *out, cpb_pager *pager, unsigned *state) {
  static const uint64_t ranges[][2] = {{0, 0}, {0, 10}, {10, 50}, {20, 30}, {5, UINT64_MAX}, {UINT64_MAX, 1}};
  for (uint64_t i = 0;; i++) { /* first the file is opened */
    cpb_step step;
    while ((step = cpb_pager_step(pager)) == CPB_STEP_NEED || step == CPB_STEP_DATA) {
      if (step == CPB_STEP_NEED) {
        answer(h, state, cpb_pager_input(pager));
        continue;
      }
      size_t length;
      const uint8_t *data = cpb_pager_data(pager, &length);
      keep_bytes(out, data, length);
    }
    if (step == CPB_STEP_ERROR) return step;
    if (i > 0) note(out, "range", cpb_pager_info(pager)->position, cpb_pager_stored(pager)->size);
    if (i == cpb_pager_num_chunks(pager) * (sizeof ranges / sizeof *ranges)) return step;
    cpb_pager_read(pager, i / (sizeof ranges / sizeof *ranges), ranges[i % (sizeof ranges / sizeof *ranges)][0],
                   ranges[i % (sizeof ranges / sizeof *ranges)][1]);
  }
}

static void pages(const host *h, outcome *out) {
  const cpb_pager_options options = {.struct_size = sizeof options, .memory = 8 << 20, .limits = h->limits};
  cpb_pager *pager = cpb_pager_new(h->allocator, &options);
  if (pager == NULL) {
    no_memory(out);
    return;
  }
  unsigned state = h->seed;
  if (page_ranges(h, out, pager, &state) == CPB_STEP_ERROR) keep_error(out, cpb_pager_error(pager));
  cpb_pager_free(pager);
}

/* Fields by numbers, of which a file may have none. */
static cpb_step field_ranges(const host *h, outcome *out, cpb_field_reader *reader, unsigned *state) {
  static const char *const paths[] = {"",      "1", "2", "1[0]", "1[1].5[\"value\"].8", "2[0].2.1[3].5[\"value\"]",
                                      "3.1[2]"};
  cpb_step step = CPB_STEP_DONE;
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    cpb_field_reader_read(reader, paths[i], strlen(paths[i]), 0, UINT64_MAX);
    while ((step = cpb_field_reader_step(reader)) > CPB_STEP_DONE) {
      size_t length;
      const uint8_t *data = cpb_field_reader_data(reader, &length);
      if (step == CPB_STEP_NEED) answer(h, state, cpb_field_reader_input(reader));
      else keep_bytes(out, data, length);
    }
    cpb_code code = cpb_field_reader_error(reader)->code;
    bool is_of_path = code == CPB_E_NOT_FOUND || code == CPB_E_UNSUPPORTED || code == CPB_E_USAGE;
    if (code == CPB_E_DAMAGED) is_of_path = cpb_field_reader_read(reader, "", 0, 0, 0) == CPB_OK; /* no message there */
    if (step == CPB_STEP_ERROR && !is_of_path) return step;
    note(out, "field", (uint64_t)code, step == CPB_STEP_DONE ? cpb_field_reader_place(reader)->size : 0);
  }
  return CPB_STEP_DONE;
}

static void fields(const host *h, outcome *out) {
  const cpb_field_reader_options options = {.struct_size = sizeof options, .memory = 8 << 20, .limits = h->limits};
  cpb_field_reader *reader = cpb_field_reader_new(h->allocator, &options);
  if (reader == NULL) {
    no_memory(out);
    return;
  }
  unsigned state = h->seed;
  if (field_ranges(h, out, reader, &state) == CPB_STEP_ERROR) keep_error(out, cpb_field_reader_error(reader));
  cpb_field_reader_free(reader);
}

static void chunk_ranges(const host *h, outcome *out) {
  cpb_index *index = cpb_index_new(h->allocator, h->limits);
  if (index == NULL) {
    no_memory(out);
    return;
  }
  unsigned state = h->seed;
  if (open_index(h, out, index, &state)) ranges_of_index(h, out, index, &state);
  cpb_index_free(index);
}

/* What was found, as JSON. */
static void json_of_field(const host *h, outcome *out, const cpb_find *find, unsigned *state) {
  const cpb_json_options names = {.struct_size = sizeof names, .original_names = 1};
  const cpb_field_json_options options = {
      .struct_size = sizeof options, .max_value = 30, .json = &names, .limits = h->limits};
  cpb_range range = cpb_find_get_range(find, 0);
  cpb_field_json *json = cpb_field_json_new(h->allocator, cpb_find_found(find), &range, 1, &options);
  if (json == NULL) {
    no_memory(out);
    return;
  }
  cpb_step step;
  while ((step = cpb_field_json_step(json)) > CPB_STEP_DONE) {
    size_t length;
    const char *text = cpb_field_json_output(json, &length);
    if (step == CPB_STEP_NEED) answer(h, state, cpb_field_json_input(json));
    else keep_bytes(out, text, length);
  }
  if (step == CPB_STEP_ERROR) keep_error(out, cpb_field_json_error(json));
  cpb_field_json_free(json);
}

static void find_in(const host *h, outcome *out, const cpb_schema *schema, const cpb_path *path) {
  cpb_find *find = cpb_find_new(h->allocator, cpb_schema_find_message(schema, "tensorflow.GraphDef"), path, h->limits);
  if (find == NULL) {
    no_memory(out);
    return;
  }
  unsigned state = h->seed;
  cpb_step step;
  while ((step = cpb_find_step(find)) == CPB_STEP_NEED) answer(h, &state, cpb_find_input(find));
  if (step == CPB_STEP_ERROR) keep_error(out, cpb_find_error(find));
  for (size_t i = 0; step == CPB_STEP_DONE && i < cpb_find_num_ranges(find); i++) {
    cpb_range range = cpb_find_get_range(find, i);
    note(out, "range", range.offset, range.length);
  }
  if (step == CPB_STEP_DONE) json_of_field(h, out, find, &state);
  cpb_find_free(find);
}

static void find_field(const host *h, outcome *out) {
  static const char text[] = "node[1].attr[\"value\"].tensor";
  cpb_path *path = cpb_path_parse(h->allocator, text, sizeof text - 1, &out->error);
  cpb_schema *schema = path != NULL ? cpb_schema_new_builtin(h->allocator, &out->error) : NULL;
  if (schema != NULL) find_in(h, out, schema, path);
  cpb_schema_free(schema);
  cpb_path_free(path);
}

static void json_of(const host *h, outcome *out, const cpb_schema *schema) {
  cpb_json_options options = {.struct_size = sizeof options, .unknown_fields = 1, .indent = 1, .limits = h->limits};
  cpb_json *json =
      cpb_json_new(h->allocator, cpb_schema_find_message(schema, "tensorflow.GraphDef"), h->data, h->size, &options);
  if (json == NULL) {
    no_memory(out);
    return;
  }
  cpb_step step;
  while ((step = cpb_json_step(json)) == CPB_STEP_OUTPUT) {
    size_t length;
    const char *text = cpb_json_output(json, &length);
    keep_bytes(out, text, length);
  }
  if (step == CPB_STEP_ERROR) keep_error(out, cpb_json_error(json));
  cpb_json_free(json);
}

static void write_json(const host *h, outcome *out) {
  cpb_schema *schema = cpb_schema_new_builtin(h->allocator, &out->error);
  if (schema != NULL) json_of(h, out, schema);
  cpb_schema_free(schema);
}

static void keep_outline(outcome *out, const cpb_outline *outline) {
  size_t size, count;
  const uint8_t *data = cpb_outline_message(outline, &size);
  const cpb_omitted *omitted = cpb_outline_omitted(outline, &count);
  keep_bytes(out, data, size);
  for (size_t i = 0; i < count; i++) {
    note(out, "omitted", omitted[i].offset, omitted[i].size);
    note(out, "at", omitted[i].at, omitted[i].number);
  }
}

static void outline_of(const host *h, outcome *out, const cpb_schema *schema) {
  cpb_outline_options options = {.struct_size = sizeof options, .max_value = 30, .limits = h->limits};
  const cpb_message_type *type = cpb_schema_find_message(schema, "tensorflow.GraphDef");
  cpb_outline *outline = cpb_outline_new(h->allocator, type, NULL, 0, &options);
  if (outline == NULL) {
    no_memory(out);
    return;
  }
  unsigned state = h->seed;
  cpb_step step;
  while ((step = cpb_outline_step(outline)) == CPB_STEP_NEED) answer(h, &state, cpb_outline_input(outline));
  if (step == CPB_STEP_ERROR) keep_error(out, cpb_outline_error(outline));
  else keep_outline(out, outline);
  cpb_outline_free(outline);
}

static void outline(const host *h, outcome *out) {
  cpb_schema *schema = cpb_schema_new_builtin(h->allocator, &out->error);
  if (schema != NULL) outline_of(h, out, schema);
  cpb_schema_free(schema);
}

/* A parameter that is there in the samples. */
static void read_array(const host *h, outcome *out, const char *name, const cpb_checkpoint *checkpoint) {
  cpb_values_options options = {.struct_size = sizeof options, .limits = h->limits, .checkpoint = checkpoint};
  cpb_values *values = cpb_values_new(h->allocator, samediff_kind_of(h), name, strlen(name), &options);
  if (values == NULL) {
    no_memory(out);
    return;
  }
  unsigned state = h->seed;
  cpb_step step;
  while ((step = cpb_values_step(values)) == CPB_STEP_NEED || step == CPB_STEP_DATA) {
    size_t size;
    const uint8_t *data = cpb_values_data(values, &size);
    if (step == CPB_STEP_NEED) answer(h, &state, cpb_values_input(values));
    else keep_bytes(out, data, size);
  }
  if (step == CPB_STEP_ERROR) {
    keep_error(out, cpb_values_error(values));
    out->log.size = 0; /* the checksum comes last: nothing is good without it */
  }
  cpb_values_free(values);
}

static void read_values(const host *h, outcome *out) {
  read_array(h, out, samediff_kind_of(h) == CPB_MODEL_SAMEDIFF_ZIP ? "weights" : "w", NULL);
}

/* Two slices of a checkpoint of version 1, joined. */
static void join_slices(const host *h, outcome *out) {
  const cpb_checkpoint_options options = {.struct_size = sizeof options, .limits = h->limits};
  cpb_checkpoint *checkpoint = cpb_checkpoint_new(h->allocator, &options);
  if (checkpoint == NULL) {
    no_memory(out);
    return;
  }
  unsigned state = h->seed;
  cpb_step step;
  while ((step = cpb_checkpoint_step(checkpoint)) == CPB_STEP_NEED) answer(h, &state, cpb_checkpoint_input(checkpoint));
  if (step == CPB_STEP_ERROR) keep_error(out, cpb_checkpoint_error(checkpoint));
  else read_array(h, out, "w2", checkpoint);
  cpb_checkpoint_free(checkpoint);
}

/* --- The table ---------------------------------------------------------------- */

SAMPLES(record_files, "records/three_small.riegeli", "records/append_twice.riegeli", "records/flush_each.riegeli",
        "records/metadata_full.riegeli", "records/metadata_snappy.riegeli", "corrupt/base_zstd.riegeli",
        "corrupt/base_snappy.riegeli", "corrupt/base_tr_none.riegeli", "corrupt/base_tr_brotli.riegeli",
        "corrupt/base_tr_snappy.riegeli", "corrupt/base_tr_zstd.riegeli", "corrupt/base_meta.riegeli");
SAMPLES(block_files, "corrupt/base_blocks.riegeli", "corrupt/base_longchunk.riegeli");
SAMPLES(cpb_files, "cpb/test_many_fields/brotli.cpb", "cpb/test_tree_df_4/brotli.cpb",
        "cpb/graph_split-lots-nodes/max500_none.cpb", "cpb/graph_split-lots-nodes/max500_tr.cpb",
        "cpb/graph_split-large-constant/max500_zstd.cpb", "cpb/graph_function-lots-of-nodes/max300_brotli.cpb");
SAMPLES(graph_files, "cpb/graph_split-lots-nodes/max500_zstd.cpb", "cpb/graph_split-large-constant/max500_tr.cpb");
SAMPLES(bases, "cpb/graph_const_dtypes/max700_zstd.cpb");
SAMPLES(paged_files, "pages/graph.cpb");
SAMPLES(graphs, "cpb/graph_mixed-large/orig.pb", "cpb/graph_const_dtypes/orig.pb");
SAMPLES(constants, "cpb/graph_const_dtypes/orig.pb");
SAMPLES(saved_models, "cpb/saved_model_split-standard/orig.pb");
SAMPLES(samediff_files, "samediff_small/minimal.zip", "samediff_small/linear.fb", "samediff_small/permuted.fb");
SAMPLES(checkpoints, "cases/tf2/ck-1.index", "cases/v1/m.ckpt");
SAMPLES(old_checkpoints, "cases/v1/m.ckpt");
SAMPLES(samediff_zip, "samediff_small/minimal.zip");
SAMPLES(samediff_graphs, "samediff_small/linear.fb", "samediff_small/permuted.fb");

const operation operations[] = {
    {"records", records, record_files, OP_CHECKED | OP_SHORTER_IS_WHOLE},
    {"records-of-blocks", records, block_files, OP_LARGE | OP_SHORTER_IS_WHOLE},
    {"records-late", records_late, record_files, OP_SHORTER_IS_WHOLE},
    {"records-fields", records_fields, record_files, OP_CHECKED | OP_SHORTER_IS_WHOLE},
    {"records-late-of-blocks", records_late, block_files, OP_LARGE | OP_SHORTER_IS_WHOLE},
    {"recover", recover, record_files, OP_RECOVERS},
    {"write-zstd", write_zstd, graphs, OP_GIVEN_ALL},
    {"write-brotli", write_brotli, graphs, OP_GIVEN_ALL},
    {"write-transposed", write_transposed, graphs, OP_GIVEN_ALL},
    {"write-streaming", write_streaming, graphs, OP_GIVEN_ALL},
    {"merge", merge, cpb_files, OP_CHECKED},
    {"merge-of-pages", merge, paged_files, OP_CHECKED},
    {"merge-damaged", merge_damaged, cpb_files, OP_RECOVERS},
    {"merge-field", merge_field, cpb_files, OP_CHECKED},
    {"open-message", open_message, graph_files, OP_CHECKED},
    {"chunk-ranges", chunk_ranges, cpb_files, OP_CHECKED},
    {"pages", pages, cpb_files, OP_CHECKED},
    {"fields", fields, cpb_files, 0},
    {"repack-remote", repack_remote, cpb_files, OP_CHECKED},
    {"repack-compat", repack_compat, cpb_files, 0},
    {"repack-pages", repack_pages, cpb_files, OP_CHECKED},
    {"repack-of-pages", repack_compat, paged_files, 0},
    {"split-graph", split_graph, graphs, 0},
    {"split-saved-model", split_saved_model, saved_models, 0},
    {"split-shared", split_shared, graphs, 0},
    {"ask-checkpoint", ask_checkpoint, checkpoints, OP_CHECKED},
    {"join-slices", join_slices, old_checkpoints, OP_CHECKED},
    {"read-base", read_base, bases, OP_CHECKED},
    {"find", find_field, constants, 0},
    {"outline", outline, graphs, 0},
    {"json", write_json, graphs, OP_GIVEN_ALL},
    {"samediff", ask_samediff, samediff_files, 0},
    {"values-of-zip", read_values, samediff_zip, OP_CHECKED},
    {"values-of-graph", read_values, samediff_graphs, 0},
};
const size_t num_operations = sizeof operations / sizeof *operations;
