/* cpb verify: every hash, every entry of the index, and the merge. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/check_merge.h"
#include "cli/message_types.h"

/* A record that was read whole. They are found in the order of the file. */
typedef struct found_record {
  uint64_t position, size;
} found_record;

typedef struct verification {
  cli *cli;
  const char *name;
  cpb_file *file;
  cpb_schema *schema;
  const cpb_message_type *type; /* that --type names, or NULL */
  found_record *records;
  size_t num_records, capacity;
  uint64_t num_chunks, problems, merged_size;
  int status; /* the first problem's exit code, or what ended the command */
} verification;

static void problem(verification *v, int status, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void problem(verification *v, int status, uint64_t offset, const char *format, ...) {
  cpb_json_writer *json = &v->cli->json;
  char text[512];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (v->problems++ == 0) v->status = status;
  if (v->cli->settings.json) {
    cpb_json_writer_open(json, NULL, '{');
    if (offset != CPB_NO_OFFSET) cpb_json_writer_unsigned(json, "offset", offset);
    cpb_json_writer_text(json, "message", text);
    cpb_json_writer_close(json, '}');
    cli_print_json(v->cli);
  } else if (offset != CPB_NO_OFFSET) {
    cli_note(v->cli, v->name, "byte %llu: %s", (unsigned long long)offset, text);
  } else {
    cli_note(v->cli, v->name, "%s", text);
  }
}

static void problem_of(verification *v, const cpb_error *error) {
  problem(v, cli_exit_code(error->code), error->offset, "%s", error->message);
}

/* --- Records ---------------------------------------------------------------- */

static bool keep_record(verification *v, const cpb_record *record) {
  void *records = v->records;
  if (!cpb_reserve(&v->cli->allocator, &records, &v->capacity, v->num_records + 1, sizeof *v->records)) {
    v->status = cli_fail_memory(v->cli);
    return false;
  }
  v->records = records;
  v->records[v->num_records++] = (found_record){record->position, record->size};
  return true;
}

/* Reads the whole file past any damage; false when it cannot go on. */
static bool read_records(verification *v, cpb_record_reader *reader) {
  for (;;) {
    cpb_step step = cpb_record_reader_step(reader);
    if (step == CPB_STEP_NEED) cpb_file_supply(v->file, cpb_record_reader_input(reader));
    if (step == CPB_STEP_RECORD) {
      if (!keep_record(v, cpb_record_reader_record(reader))) return false;
      cpb_record_reader_skip(reader, UINT64_MAX);
    }
    if (step == CPB_STEP_SKIPPED) {
      const cpb_skipped *skipped = cpb_record_reader_skipped(reader);
      problem(v, CLI_DAMAGED, skipped->begin, "up to byte %llu unreadable: %s", (unsigned long long)skipped->end,
              skipped->reason);
    }
    if (step == CPB_STEP_ERROR) problem_of(v, cpb_record_reader_error(reader));
    if (step == CPB_STEP_ERROR || step == CPB_STEP_DONE) return step == CPB_STEP_DONE;
    cli_progress_read(v->cli, v->file);
  }
}

static bool check_records(verification *v) {
  cpb_record_reader_options options = {.struct_size = sizeof options, .recover = 1};
  cpb_record_reader *reader = cli_open_reader(v->cli, &options, &v->status);
  if (!reader) return false;
  cli_progress_start(v->cli, "reading");
  bool whole = read_records(v, reader);
  cli_progress_end(v->cli);
  cpb_record_reader_free(reader);
  return whole;
}

/* --- The index --------------------------------------------------------------- */

static const found_record *find_record(const verification *v, uint64_t position) {
  size_t low = 0, high = v->num_records;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (v->records[middle].position < position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  bool found = low < v->num_records && v->records[low].position == position;
  return found ? &v->records[low] : NULL;
}

static void check_entry(verification *v, const cpb_index *index, uint64_t chunk) {
  unsigned long long number = chunk;
  cpb_chunk_info info;
  cpb_index_get_chunk(index, chunk, &info);
  const found_record *record = find_record(v, info.position);
  if (!record) {
    problem(v, CLI_DAMAGED, info.position, "chunk %llu: no readable record begins at its position", number);
  } else if (record->size != info.size) {
    problem(v, CLI_DAMAGED, info.position, "chunk %llu has %llu bytes; expected %llu, its size in the index", number,
            (unsigned long long)record->size, (unsigned long long)info.size);
  }
  if (info.type != CPB_CHUNK_MESSAGE && info.type != CPB_CHUNK_BYTES)
    problem(v, CLI_DAMAGED, info.position, "chunk %llu has type %u; expected 1 (MESSAGE) or 2 (BYTES)", number,
            (unsigned)info.type);
}

static void check_merge(verification *v, const cpb_index *index, cpb_file *against) {
  cli_comparison result = cli_compare(v->cli, index, v->type, v->file, against);
  v->merged_size = result.size;
  if (result.error.code != CPB_OK) {
    problem_of(v, &result.error);
  } else if (result.against_error.code != CPB_OK) {
    v->problems++;
    v->status = cli_fail(v->cli, v->cli->settings.against, &result.against_error);
  } else if (!result.same) {
    problem(v, CLI_DAMAGED, CPB_NO_OFFSET, "the merged message differs from %s, from byte %llu on",
            v->cli->settings.against, (unsigned long long)result.differs_at);
  }
}

static void check_index(verification *v, cpb_file *against) {
  cpb_index *index = cpb_index_new(&v->cli->allocator, &v->cli->settings.limits);
  if (!index) {
    v->status = cli_fail_memory(v->cli);
    return;
  }
  cpb_step step;
  while ((step = cpb_index_step(index)) == CPB_STEP_NEED) cpb_file_supply(v->file, cpb_index_input(index));
  if (step == CPB_STEP_DONE) {
    v->num_chunks = cpb_index_num_chunks(index);
    for (uint64_t chunk = 0; chunk < v->num_chunks; chunk++) check_entry(v, index, chunk);
    check_merge(v, index, against);
  } else {
    problem_of(v, cpb_index_error(index));
  }
  cpb_index_free(index);
}

/* --- The command --------------------------------------------------------------- */

static void summarize(verification *v) {
  cpb_json_writer *json = &v->cli->json;
  if (v->cli->settings.json) {
    cpb_json_writer_close(json, ']');
    cpb_json_writer_bool(json, "ok", v->status == CLI_OK);
    cpb_json_writer_unsigned(json, "records", v->num_records);
    cpb_json_writer_unsigned(json, "chunks", v->num_chunks);
    cpb_json_writer_unsigned(json, "merged_size", v->merged_size);
    cpb_json_writer_close(json, '}');
    cli_print_json_line(v->cli);
  } else if (v->status == CLI_OK && !v->cli->settings.quiet) {
    cli_print(v->cli, "%s: OK, %llu chunks, %llu bytes merged\n", v->name, (unsigned long long)v->num_chunks,
              (unsigned long long)v->merged_size);
  }
}

static void verify(verification *v, cpb_file *against) {
  cpb_json_writer *json = &v->cli->json;
  if (v->cli->settings.json) {
    cpb_json_writer_open(json, NULL, '{');
    cpb_json_writer_text(json, "file", v->name);
    cpb_json_writer_open(json, "problems", '[');
  }
  if (check_records(v)) check_index(v, against);
  summarize(v);
}

int cli_verify(cli *c) {
  verification v = {.cli = c, .name = cli_shown_name(c, c->settings.input)};
  cpb_file *against = NULL;
  if (c->settings.against) {
    against = cli_open_input(c, c->settings.against, &v.status);
    if (!against) return v.status;
  }
  v.file = cli_open_input(c, c->settings.input, &v.status);
  if (v.file && cli_load_type(c, &v.schema, &v.type, &v.status)) verify(&v, against);
  cpb_release(&c->allocator, v.records);
  cpb_schema_free(v.schema);
  cpb_file_close(v.file);
  cpb_file_close(against);
  return v.status;
}
