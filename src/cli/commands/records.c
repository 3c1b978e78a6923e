/* cpb records: the records of any Riegeli file. */
#include "cpb/records.h"

#include "base/sha256.h"
#include "cli/cli.h"

typedef struct listing {
  cli *cli;
  cpb_file *file;
  cpb_record_reader *reader;
  uint64_t records, bytes, skipped; /* skipped: bytes left out */
  cpb_sha256 sha256;                /* of the record, with --sha256 */
} listing;

static bool wants_more(const listing *l) {
  const cli_settings *s = &l->cli->settings;
  return cli_can_print(l->cli) && (!(s->given & CLI_BIT(COUNT)) || l->records < s->count);
}

static void print_row(listing *l, const cpb_record *record, const char *digest) {
  cli_print(l->cli, "%14llu %14llu %8llu %14llu", (unsigned long long)record->position,
            (unsigned long long)record->chunk_begin, (unsigned long long)record->index,
            (unsigned long long)record->size);
  if (*digest) cli_print(l->cli, "  %s", digest);
  cli_print(l->cli, "\n");
}

static void print_record(listing *l) {
  cpb_json_writer *json = &l->cli->json;
  const cpb_record *record = cpb_record_reader_record(l->reader);
  char digest[CPB_SHA256_HEX] = "";
  if (l->cli->settings.sha256) cpb_sha256_end_hex(&l->sha256, digest);
  l->records++;
  l->bytes += record->size;
  if (!l->cli->settings.json) {
    print_row(l, record, digest);
    return;
  }
  cpb_json_writer_open(json, NULL, '{');
  cpb_json_writer_unsigned(json, "position", record->position);
  cpb_json_writer_unsigned(json, "chunk_begin", record->chunk_begin);
  cpb_json_writer_unsigned(json, "index", record->index);
  cpb_json_writer_unsigned(json, "size", record->size);
  if (*digest) cpb_json_writer_text(json, "sha256", digest);
  cpb_json_writer_close(json, '}');
  cli_print_json_line(l->cli);
}

static void print_skipped(listing *l) {
  cpb_json_writer *json = &l->cli->json;
  const cpb_skipped *skipped = cpb_record_reader_skipped(l->reader);
  l->skipped += skipped->end - skipped->begin;
  if (!l->cli->settings.json) {
    cli_print(l->cli, "skipped bytes %llu to %llu: %s\n", (unsigned long long)skipped->begin,
              (unsigned long long)skipped->end, skipped->reason);
    return;
  }
  cpb_json_writer_open(json, NULL, '{');
  cpb_json_writer_open(json, "skipped", '{');
  cpb_json_writer_unsigned(json, "begin", skipped->begin);
  cpb_json_writer_unsigned(json, "end", skipped->end);
  cpb_json_writer_text(json, "reason", skipped->reason);
  cpb_json_writer_close(json, '}');
  cpb_json_writer_close(json, '}');
  cli_print_json_line(l->cli);
}

static void print_status(listing *l, const cpb_error *error) {
  cpb_json_writer *json = &l->cli->json;
  if (!l->cli->settings.json) {
    if (l->cli->settings.quiet) return;
    cli_print(l->cli, "%llu records, %llu bytes", (unsigned long long)l->records, (unsigned long long)l->bytes);
    if (l->skipped) cli_print(l->cli, "; %llu bytes of the file skipped", (unsigned long long)l->skipped);
    cli_print(l->cli, "\n");
    return;
  }
  cpb_json_writer_open(json, NULL, '{');
  cpb_json_writer_text(json, "status", cpb_code_name(error ? error->code : CPB_OK));
  if (error && error->offset != CPB_NO_OFFSET) cpb_json_writer_unsigned(json, "offset", error->offset);
  if (error) cpb_json_writer_text(json, "message", error->message);
  cpb_json_writer_close(json, '}');
  cli_print_json_line(l->cli);
}

/* The record that was begun: its bytes, then its line. */
static cpb_step list_record(listing *l) {
  uint64_t left = cpb_record_reader_record(l->reader)->size;
  cpb_sha256_begin(&l->sha256);
  while (left > 0) {
    cpb_step step = cpb_record_reader_step(l->reader);
    if (step == CPB_STEP_NEED) {
      cpb_file_supply(l->file, cpb_record_reader_input(l->reader));
      cli_progress_read(l->cli, l->file);
    } else if (step == CPB_STEP_DATA) {
      size_t length;
      const uint8_t *data = cpb_record_reader_data(l->reader, &length);
      if (l->cli->settings.sha256) cpb_sha256_add(&l->sha256, data, length);
      left -= length;
    } else {
      return step;
    }
  }
  print_record(l);
  return CPB_STEP_RECORD;
}

static cpb_step list_all(listing *l) {
  cpb_step step = CPB_STEP_RECORD;
  while (step != CPB_STEP_DONE && step != CPB_STEP_ERROR && wants_more(l)) {
    step = cpb_record_reader_step(l->reader);
    if (step == CPB_STEP_RECORD) step = list_record(l);
    if (step == CPB_STEP_NEED) cpb_file_supply(l->file, cpb_record_reader_input(l->reader));
    if (step == CPB_STEP_SKIPPED) print_skipped(l);
    cli_progress_read(l->cli, l->file);
  }
  return step;
}

static int list_file(listing *l) {
  cli *c = l->cli;
  if (!c->settings.json)
    cli_print(c, "%14s %14s %8s %14s%s\n", "POSITION", "CHUNK BEGIN", "INDEX", "SIZE",
              c->settings.sha256 ? "  SHA-256" : "");
  cli_progress_start(c, "reading");
  bool failed = list_all(l) == CPB_STEP_ERROR;
  cli_progress_end(c);
  const cpb_error *error = failed ? cpb_record_reader_error(l->reader) : NULL;
  print_status(l, error);
  return failed ? cli_fail(c, cli_input_name(c->settings.input), error) : CLI_OK;
}

/* --metadata: the serialized RecordsMetadata, as it is. */
static int write_metadata(listing *l) {
  cli *c = l->cli;
  cpb_step step;
  while ((step = cpb_record_reader_step(l->reader)) == CPB_STEP_NEED)
    cpb_file_supply(l->file, cpb_record_reader_input(l->reader));
  const char *name = cli_input_name(c->settings.input);
  if (step == CPB_STEP_ERROR) return cli_fail(c, name, cpb_record_reader_error(l->reader));
  size_t size;
  const uint8_t *metadata = cpb_record_reader_metadata(l->reader, &size);
  if (!metadata) {
    cli_note(c, name, "the file has no metadata");
    return CLI_USAGE;
  }
  cli_print_bytes(c, metadata, size);
  return CLI_OK;
}

int cli_records(cli *c) {
  int status = CLI_OK;
  listing l = {.cli = c};
  l.file = cli_open_input(c, c->settings.input, &status);
  if (!l.file) return status;
  cpb_record_reader_options options = {
      .struct_size = sizeof options, .recover = c->settings.recover, .position = c->settings.position};
  l.reader = cli_open_reader(c, &options, &status);
  if (l.reader) status = c->settings.metadata ? write_metadata(&l) : list_file(&l);
  cpb_record_reader_free(l.reader);
  cpb_file_close(l.file);
  return status;
}
