/* cpb recover: saves everything that can be read of a damaged file. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/status.h"
#include "cli/cli.h"

typedef struct recovery {
  cli *cli;
  const char *name;
  cpb_file *in;
  cpb_output *out;
  cpb_record_writer_options how;
  uint64_t records, bytes, skipped, skipped_bytes, lost;
  bool index_lost;
  bool is_other; /* it does not begin as a Riegeli file */
} recovery;

/* --- Reports ----------------------------------------------------------------- */

static void report_skipped(recovery *r, const cpb_skipped *skipped) {
  r->skipped++;
  r->is_other = r->is_other || skipped->begin == 0;
  r->skipped_bytes += skipped->end - skipped->begin;
  if (!r->cli->settings.json) {
    cli_note(r->cli, r->name, "byte %llu: skipped up to byte %llu: %s", (unsigned long long)skipped->begin,
             (unsigned long long)skipped->end, skipped->reason);
    return;
  }
  cli_print_skipped(r->cli, skipped);
}

static void report_lost(recovery *r, uint64_t chunk, const char *path, const cpb_error *error) {
  cpb_json_writer *json = &r->cli->json;
  r->lost++;
  if (!r->cli->settings.json) {
    cli_note(r->cli, r->name, "byte %llu: chunk %llu is lost (%s): %s", (unsigned long long)error->offset,
             (unsigned long long)chunk, path, error->message);
    return;
  }
  cpb_json_writer_open(json, NULL, '{');
  cpb_json_writer_open(json, "lost", '{');
  cpb_json_writer_unsigned(json, "chunk", chunk);
  cpb_json_writer_text(json, "field", path);
  cpb_json_writer_text(json, "reason", error->message);
  cpb_json_writer_close(json, '}');
  cpb_json_writer_close(json, '}');
  cli_print_json_line(r->cli);
}

static void summarize(recovery *r) {
  cpb_json_writer *json = &r->cli->json;
  if (r->cli->settings.json) {
    cpb_json_writer_open(json, NULL, '{');
    cpb_json_writer_unsigned(json, "records", r->records);
    cpb_json_writer_unsigned(json, "bytes", r->bytes);
    cpb_json_writer_unsigned(json, "skipped_bytes", r->skipped_bytes);
    cpb_json_writer_unsigned(json, "lost_chunks", r->lost);
    cpb_json_writer_close(json, '}');
    cli_print_json_line(r->cli);
  } else if (!r->cli->settings.quiet) {
    cli_note(r->cli, r->name, "%llu record%s of %llu bytes recovered; %llu region%s of %llu bytes skipped",
             (unsigned long long)r->records, cli_s(r->records), (unsigned long long)r->bytes,
             (unsigned long long)r->skipped, cli_s(r->skipped), (unsigned long long)r->skipped_bytes);
  }
}

/* --- Any Riegeli file: record by record ----------------------------------------- */

static int write_failed(recovery *r, cpb_record_writer *writer) {
  return cli_fail(r->cli, cli_output_name(r->cli->settings.output), cpb_record_writer_error(writer));
}

/* Takes the writer's output. */
static int drain(recovery *r, cpb_record_writer *writer) {
  const char *out_name = cli_output_name(r->cli->settings.output);
  cpb_step step;
  while ((step = cpb_record_writer_step(writer)) == CPB_STEP_OUTPUT) {
    uint64_t offset;
    size_t length;
    const uint8_t *data = cpb_record_writer_output(writer, &offset, &length);
    if (cpb_output_write(r->out, offset, data, length) != CPB_OK)
      return cli_fail(r->cli, out_name, cpb_output_error(r->out));
  }
  return step == CPB_STEP_ERROR ? write_failed(r, writer) : CLI_OK;
}

/* A record's bytes are verified before the first of them is returned. So it is copied whole, or, if a second read of
 * the file differs, it is an error. */
static int copy_step(recovery *r, cpb_record_reader *reader, cpb_record_writer *writer, cpb_step step) {
  size_t length;
  const uint8_t *data;
  cpb_code code = CPB_OK;
  switch (step) {
    case CPB_STEP_NEED:
      cpb_file_supply(r->in, cpb_record_reader_input(reader));
      cli_progress_read(r->cli, r->in);
      return CLI_OK;
    case CPB_STEP_SKIPPED: report_skipped(r, cpb_record_reader_skipped(reader)); return CLI_OK;
    case CPB_STEP_RECORD:
      r->records++;
      r->bytes += cpb_record_reader_record(reader)->size;
      code = cpb_record_writer_begin_record(writer, cpb_record_reader_record(reader)->size);
      break;
    case CPB_STEP_DATA:
      data = cpb_record_reader_data(reader, &length);
      code = cpb_record_writer_write(writer, data, length);
      break;
    case CPB_STEP_DONE: code = cpb_record_writer_finish(writer); break;
    default: return cli_fail(r->cli, r->name, cpb_record_reader_error(reader));
  }
  return code == CPB_OK ? drain(r, writer) : write_failed(r, writer);
}

/* Also writes the file's own metadata if that can be read. */
static cpb_record_writer *new_writer(recovery *r, cpb_record_reader *reader) {
  cpb_record_writer_options how = r->how;
  how.metadata = cpb_record_reader_metadata(reader, &how.metadata_size);
  return cpb_record_writer_new(&r->cli->allocator, &how);
}

static int copy_records(recovery *r, cpb_record_reader *reader) {
  cli *c = r->cli;
  cpb_step step;
  cli_progress_start(c, "recovering");
  while ((step = cpb_record_reader_step(reader)) == CPB_STEP_NEED || step == CPB_STEP_SKIPPED)
    copy_step(r, reader, NULL, step);
  if (step == CPB_STEP_ERROR) return cli_fail(c, r->name, cpb_record_reader_error(reader));
  cpb_record_writer *writer = new_writer(r, reader);
  if (!writer) return cli_fail_memory(c);
  int status = drain(r, writer);
  while (status == CLI_OK) {
    status = copy_step(r, reader, writer, step);
    if (step == CPB_STEP_DONE) break;
    step = cpb_record_reader_step(reader);
  }
  cli_progress_end(c);
  cpb_record_writer_free(writer);
  return status;
}

static int recover_records(recovery *r) {
  int status = CLI_OK;
  cpb_record_reader_options how = {.struct_size = sizeof how, .recover = 1};
  cpb_record_reader *reader = cli_open_reader(r->cli, &how, &status);
  if (reader) status = copy_records(r, reader);
  cpb_record_reader_free(reader);
  return status;
}

/* --- A .cpb whose index is there: chunk by chunk -------------------------------- */

/* NULL if the entire chunk can be read. */
static const cpb_error *try_chunk(recovery *r, cpb_chunk_reader *reader, uint64_t chunk) {
  cpb_step step = CPB_STEP_ERROR;
  if (cpb_chunk_reader_read(reader, chunk, 0, UINT64_MAX) == CPB_OK) {
    while ((step = cpb_chunk_reader_step(reader)) != CPB_STEP_DONE && step != CPB_STEP_ERROR) {
      if (step == CPB_STEP_NEED) cpb_file_supply(r->in, cpb_chunk_reader_input(reader));
      cli_progress_read(r->cli, r->in);
    }
  }
  return step == CPB_STEP_ERROR ? cpb_chunk_reader_error(reader) : NULL;
}

/* By chunk: the first node that refers to it, or CPB_NO_NODE; NULL if memory is short. */
static uint32_t *nodes_by_chunk(const cpb_allocator *a, const cpb_index *index) {
  uint64_t count = cpb_index_num_chunks(index);
  uint32_t *nodes = cpb_alloc(a, (size_t)count * sizeof *nodes); /* the index holds more for each */
  if (!nodes) return NULL;
  for (uint64_t i = 0; i < count; i++) nodes[i] = CPB_NO_NODE;
  for (uint32_t node = cpb_index_num_nodes(index); node-- > 0;) {
    cpb_index_node n;
    cpb_index_get_node(index, node, &n);
    if (n.chunk < count) nodes[n.chunk] = node;
  }
  return nodes;
}

/* The place of the node's chunk in the message. */
static void name_field(const cpb_index *index, const cpb_message_type *type, uint32_t node, char *path, size_t size) {
  cpb_index_node n;
  if (cpb_index_get_node(index, node, &n) != CPB_OK) snprintf(path, size, "in no field");
  else if (node == 0) snprintf(path, size, "the root");
  else if (n.num_tags == 0) snprintf(path, size, "a slice of its parent");
  else cli_node_path(index, node, n.parent == 0 ? type : NULL, path, size);
}

/* Only damage loses a chunk; other failures may not occur again. */
static bool is_damage(const cpb_error *error) {
  int status = cli_exit_code(error);
  return status == CLI_DAMAGED || (error->code == CPB_E_NOT_FOUND && status == CLI_USAGE);
}

/* Reads the chunks with one reader until that fails, and then with a new one. */
typedef struct trial {
  recovery *recovery;
  const cpb_index *index;
  const cpb_message_type *type;
  cpb_chunk_reader *reader;
  uint32_t *nodes; /* made when the first chunk is lost */
} trial;

static int on_error(trial *t, uint64_t chunk, const cpb_error *error) {
  recovery *r = t->recovery;
  char path[1024];
  if (!is_damage(error)) return cli_fail(r->cli, r->name, error);
  if (!t->nodes) t->nodes = nodes_by_chunk(&r->cli->allocator, t->index);
  if (!t->nodes) return cli_fail_memory(r->cli);
  name_field(t->index, t->type, t->nodes[chunk], path, sizeof path);
  report_lost(r, chunk, path, error);
  cpb_chunk_reader_free(t->reader);
  t->reader = NULL;
  return CLI_OK;
}

static int try_chunks(trial *t) {
  cli *c = t->recovery->cli;
  const cpb_chunk_reader_options how = {.struct_size = sizeof how, .limits = &c->settings.limits};
  int status = CLI_OK;
  for (uint64_t chunk = 0; status == CLI_OK && chunk < cpb_index_num_chunks(t->index); chunk++) {
    if (!t->reader) t->reader = cpb_chunk_reader_new(&c->allocator, t->index, &how);
    if (!t->reader) return cli_fail_memory(c);
    const cpb_error *error = try_chunk(t->recovery, t->reader, chunk);
    if (error) status = on_error(t, chunk, error);
  }
  return status;
}

static int count_lost(recovery *r, const cpb_index *index, const cpb_message_type *type) {
  trial t = {.recovery = r, .index = index, .type = type};
  cli_progress_start(r->cli, "reading");
  int status = try_chunks(&t);
  cpb_chunk_reader_free(t.reader);
  cpb_release(&r->cli->allocator, t.nodes);
  if (status == CLI_OK) cli_progress_end(r->cli);
  return status;
}

static int recover_chunks(recovery *r, const cpb_index *index) {
  cli *c = r->cli;
  int status = CLI_OK;
  cpb_schema *schema = NULL;
  const cpb_message_type *type = NULL;
  if (!cli_load_any_schema(c, &schema, &status)) return status;
  if (cli_find_type(c, schema, index, &type, &status)) status = count_lost(r, index, type);
  cpb_schema_free(schema);
  if (status != CLI_OK) return status;
  if (r->lost == 0) return cli_repack_into(c, r->in, &r->how, r->out, "recovering", 1);
  cli_note(c, r->name,
           "%llu of %llu chunks are lost, so the message cannot be merged; cpb cat --chunk reads the others",
           (unsigned long long)r->lost, (unsigned long long)cpb_index_num_chunks(index));
  return CLI_DAMAGED;
}

/* --- The command ------------------------------------------------------------------ */

/* The index, or NULL. A file without an index is acceptable; an index that could not be read this time is an error. */
static cpb_index *find_index(recovery *r, int *status) {
  cpb_index *index = cpb_index_new(&r->cli->allocator, &r->cli->settings.limits);
  if (!index) return cli_no_memory(r->cli, status);
  if (cli_read_index(r->in, index)) return index;
  const cpb_error *error = cpb_index_error(index);
  bool is_ours = cpb_is_of_reading(error) || error->code == CPB_E_MEMORY || error->code == CPB_E_LIMIT;
  if (is_ours) *status = cli_fail(r->cli, r->name, error);
  cpb_index_free(index);
  return NULL;
}

static int fail_other(recovery *r) {
  cpb_error error = {.code = CPB_E_FORMAT, .offset = CPB_NO_OFFSET};
  snprintf(error.message, sizeof error.message, "there is no record in it; expected a Riegeli file");
  return cli_fail_input(r->cli, r->cli->settings.input, r->in, &error);
}

/* In a file that was cut off, the last record may be one that passes for an index without chunks: then records come
 * before it. */
static int recover(recovery *r) {
  int status = CLI_OK;
  cpb_index *index = find_index(r, &status);
  if (status != CLI_OK) return status;
  const bool is_index = index && cpb_index_num_chunks(index) > 0, may_be = index != NULL;
  if (is_index) status = recover_chunks(r, index);
  cpb_index_free(index);
  if (is_index) return status;
  status = recover_records(r);
  if (status == CLI_OK && r->records == 0 && r->is_other) status = fail_other(r);
  if (status != CLI_OK) return status;
  summarize(r);
  r->index_lost = cli_ends_with(r->name, ".cpb") && (!may_be || r->records > 1);
  if (r->index_lost)
    cli_note(r->cli, r->name,
             "the index is lost, so it is not known where chunks belong in the message; those that could be read "
             "are the records of %s",
             cli_output_name(r->cli->settings.output));
  return CLI_OK;
}

int cli_recover(cli *c) {
  int status = CLI_OK;
  recovery r = {.cli = c,
                .name = cli_input_name(c->settings.input),
                .how = {.struct_size = sizeof r.how, .codec = c->settings.codec, .seekable = 1}};
  if (c->settings.json && cli_is_dash(c->settings.output))
    return cli_usage(c->command, "--json and the file cannot both go to standard output");
  status = cli_riegeli_options(c, &r.how);
  if (status != CLI_OK) return status;
  r.in = cli_open_input(c, c->settings.input, &status);
  if (!r.in) return status;
  status = cli_keep_chunks(c, c->settings.output, c->settings.input);
  if (status == CLI_OK) r.out = cli_open_output(c, c->settings.output, false, &status);
  if (r.out) {
    status = recover(&r);
    status = cli_close_output(c, c->settings.output, r.out, status);
  }
  cpb_file_close(r.in);
  return status == CLI_OK && r.index_lost ? CLI_DAMAGED : status;
}
