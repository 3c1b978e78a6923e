/* cpb verify: every hash, every entry of the index, and the merge. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "cli/cli.h"

/* A record that was read completely; the list is in the order of the file. */
typedef struct found_record {
  uint64_t position, size;
} found_record;

typedef struct verification {
  cli *cli;
  const char *name;
  cpb_file *file;
  cpb_schema *schema;
  const cpb_message_type *type; /* of --type, or NULL */
  found_record *records;
  size_t num_records, capacity;
  uint64_t num_chunks, problems, merged_size;
  cpb_chunk_reader *elsewhere; /* of chunks in other files */
  uint32_t lost_file;          /* a file that could not be read and was reported; 0: none */
  bool ended;                  /* for lack of memory, which was reported */
  int status;                  /* exit code of the first problem, or of the failure that ended the command */
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
  problem(v, cli_exit_code(error), error->offset, "%s", error->message);
}

/* --- Records ---------------------------------------------------------------- */

static cpb_code keep_record(void *user, const cpb_record *record) {
  verification *v = user;
  if (!CPB_RESERVE(&v->cli->allocator, &v->records, &v->capacity, v->num_records + 1)) {
    v->status = cli_fail_memory(v->cli);
    v->ended = true;
    return CPB_E_MEMORY;
  }
  v->records[v->num_records++] = (found_record){record->position, record->size};
  return CPB_OK;
}

static void report_skipped(void *user, const cpb_skipped *skipped) {
  problem(user, CLI_DAMAGED, skipped->begin, "up to byte %llu unreadable: %s", (unsigned long long)skipped->end,
          skipped->reason);
}

/* Reads the entire file past any damage; false if it cannot continue. `index` may be NULL. */
static bool check_records(verification *v, const cpb_index *index, unsigned threads) {
  const cpb_check check = {.struct_size = sizeof check, .user = v, .record = keep_record, .skipped = report_skipped};
  cpb_file_options options = cli_transfer_options(v->cli, "reading");
  cpb_error error;
  options.threads = threads;
  bool whole = cpb_transfer_check(v->file, index, &check, &options, &error) == CPB_OK;
  cli_progress_end(v->cli);
  if (!whole && !v->ended) problem_of(v, &error);
  return whole;
}

/* --- The index --------------------------------------------------------------- */

static const found_record *find_record(const verification *v, uint64_t position) {
  size_t low = 0, high = v->num_records;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (v->records[middle].position < position) low = middle + 1;
    else high = middle;
  }
  bool found = low < v->num_records && v->records[low].position == position;
  return found ? &v->records[low] : NULL;
}

/* Other files are not read completely: the header shows whether the file is the original one. The merge then reads the
 * chunks that it needs, with their hashes. */
static void check_elsewhere(verification *v, const cpb_index *index, uint64_t chunk, const cpb_chunk_info *info) {
  const cpb_chunk_reader_options how = {
      .struct_size = sizeof how, .verify = CPB_VERIFY_NEVER, .limits = &v->cli->settings.limits};
  cpb_step step;
  if (info->file == v->lost_file) return;
  if (!v->elsewhere) v->elsewhere = cpb_chunk_reader_new(&v->cli->allocator, index, &how);
  if (!v->elsewhere) {
    v->status = cli_fail_memory(v->cli);
    v->ended = true;
    return;
  }
  cpb_chunk_reader_read(v->elsewhere, chunk, 0, 0);
  while ((step = cpb_chunk_reader_step(v->elsewhere)) == CPB_STEP_NEED)
    cpb_file_supply(v->file, cpb_chunk_reader_input(v->elsewhere));
  uint64_t size = step == CPB_STEP_ERROR ? 0 : cpb_chunk_reader_stored(v->elsewhere)->size;
  if (step == CPB_STEP_ERROR) {
    problem_of(v, cpb_chunk_reader_error(v->elsewhere));
    if (cpb_is_of_reading(cpb_chunk_reader_error(v->elsewhere))) v->lost_file = info->file;
    cpb_chunk_reader_free(v->elsewhere);
    v->elsewhere = NULL;
  } else if (size != info->size) {
    problem(v, CLI_DAMAGED, CPB_NO_OFFSET, "chunk %llu has %llu bytes; expected %llu, its size in the index",
            (unsigned long long)chunk, (unsigned long long)size, (unsigned long long)info->size);
  }
}

static void check_here(verification *v, uint64_t number, const cpb_chunk_info *info) {
  const found_record *record = find_record(v, info->position);
  if (!record) {
    problem(v, CLI_DAMAGED, info->position, "chunk %llu: no readable record begins at its position",
            (unsigned long long)number);
  } else if (record->size != info->size) {
    problem(v, CLI_DAMAGED, info->position, "chunk %llu has %llu bytes; expected %llu, its size in the index",
            (unsigned long long)number, (unsigned long long)record->size, (unsigned long long)info->size);
  }
}

static void check_entry(verification *v, const cpb_index *index, uint64_t chunk) {
  unsigned long long number = chunk;
  cpb_chunk_info info;
  cpb_index_get_chunk(index, chunk, &info);
  if (info.file > 0) check_elsewhere(v, index, chunk, &info);
  else check_here(v, chunk, &info);
  if (info.type != CPB_CHUNK_MESSAGE && info.type != CPB_CHUNK_BYTES)
    problem(v, CLI_DAMAGED, info.position, "chunk %llu has type %u; expected 1 (MESSAGE) or 2 (BYTES)", number,
            (unsigned)info.type);
}

static void check_merge(verification *v, const cpb_index *index, cpb_file *against) {
  cli_comparison result = cli_compare(v->cli, index, v->type, v->file, against);
  v->merged_size = result.of.size;
  if (result.error.code != CPB_OK) {
    problem_of(v, &result.error);
  } else if (result.of.error.code != CPB_OK) {
    v->problems++;
    v->status = cli_fail(v->cli, v->cli->settings.against, &result.of.error);
  } else if (!result.of.same) {
    problem(v, CLI_DAMAGED, CPB_NO_OFFSET, "the merged message differs from %s, from byte %llu on",
            v->cli->settings.against, (unsigned long long)result.of.differs_at);
  }
}

static void check_index(verification *v, const cpb_index *index, cpb_file *against) {
  if (cpb_index_error(index)->code != CPB_OK) {
    problem_of(v, cpb_index_error(index));
    return;
  }
  v->num_chunks = cpb_index_num_chunks(index);
  for (uint64_t chunk = 0; chunk < v->num_chunks; chunk++) check_entry(v, index, chunk);
  check_merge(v, index, against);
}

/* Several threads read the index first, because they begin at positions from it; its problems are still reported in
 * their place. */
static void check_all(verification *v, cpb_index *index, cpb_file *against) {
  cli *c = v->cli;
  bool early = c->settings.threads != 1 && cli_read_index(v->file, index);
  unsigned threads = early ? cli_threads(c, c->settings.input, cli_size_of_chunks(index)) : 1;
  if (!check_records(v, early ? index : NULL, threads)) return;
  if (!early) cli_read_index(v->file, index);
  check_index(v, index, against);
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
    cli_print(v->cli, "%s: OK, %llu chunk%s, %llu bytes merged\n", v->name, (unsigned long long)v->num_chunks,
              cli_s(v->num_chunks), (unsigned long long)v->merged_size);
  }
}

static void verify(verification *v, cpb_file *against) {
  cpb_json_writer *json = &v->cli->json;
  if (v->cli->settings.json) {
    cpb_json_writer_open(json, NULL, '{');
    cpb_json_writer_text(json, "file", v->name);
    cpb_json_writer_open(json, "problems", '[');
  }
  cpb_index *index = cpb_index_new(&v->cli->allocator, &v->cli->settings.limits);
  if (index) check_all(v, index, against);
  else v->status = cli_fail_memory(v->cli);
  cpb_chunk_reader_free(v->elsewhere);
  cpb_index_free(index);
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
