/* cpb records: the records of any Riegeli file. */
#include "cpb/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/sha256.h"
#include "cli/cli.h"

/* --- The records that --at names -------------------------------------------------- */

/* The records [begin, end). */
typedef struct record_range {
  uint64_t begin, end;
} record_range;

typedef struct parser {
  const char *at;
  uint64_t total;
  bool needs_total, open; /* a bound is missing */
} parser;

/* A number or nothing. A negative one is counted from the end, and 0 if it is before the beginning. */
static bool take_bound(parser *p, uint64_t otherwise, uint64_t *number) {
  const bool negative = *p->at == '-';
  const char *begin = p->at += negative;
  uint64_t value = 0;
  for (; *p->at >= '0' && *p->at <= '9'; p->at++)
    if (!cpb_mul_u64(value, 10, &value) || !cpb_add_u64(value, (uint64_t)(*p->at - '0'), &value)) return false;
  p->open = p->at == begin;
  if (p->open && negative) return false;
  *number = p->open ? otherwise : value;
  if (!negative) return true;
  p->needs_total = true;
  *number = value < p->total ? p->total - value : 0;
  return value > 0;
}

static bool take_range(parser *p, record_range *range) {
  if (!take_bound(p, 0, &range->begin)) return false;
  const bool without = p->open;
  if (*p->at == ':') {
    p->at++;
    return take_bound(p, UINT64_MAX, &range->end);
  }
  range->end = range->begin + 1;
  return !without && range->end > 0;
}

static int by_begin(const void *a, const void *b) {
  const record_range *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Parses "3,10:20,-1": numbers, and ranges as Python's slices, where a negative number counts from the end. `*count`
 * ranges in ascending order, which the caller frees. NULL after the message. They need the number of records only if
 * *needs_total; before `total` is known, call it with 0. */
static record_range *record_ranges(cli *c, uint64_t total, size_t *count, bool *needs_total, int *status) {
  const char *text = c->settings.at;
  size_t most = 1;
  for (const char *at = text; *at; at++) most += *at == ',';
  record_range *ranges = cpb_alloc(&c->allocator, most * sizeof *ranges);
  if (!ranges) return cli_no_memory(c, status);
  parser p = {.at = text, .total = total};
  for (*count = 0; *count < most; p.at++) {
    if (!take_range(&p, &ranges[(*count)++]) || (*p.at && *p.at != ',')) {
      cpb_release(&c->allocator, ranges);
      *status = cli_usage(c->command, "--at: expected numbers of records and ranges of them, such as 3,10:20,-1");
      return NULL;
    }
  }
  *needs_total = p.needs_total;
  qsort(ranges, *count, sizeof *ranges, by_begin);
  return ranges;
}

/* --- The listing ---------------------------------------------------------------- */

typedef struct listing {
  cli *cli;
  cpb_file *file;
  cpb_record_reader *reader;
  uint64_t records, bytes, skipped; /* skipped: bytes left out */
  cpb_sha256 sha256;                /* of the record, with --sha256 */
  cpb_schema *schema;
  const cpb_message_type *type; /* --type, or NULL */
  char *fields;                 /* --fields, as numbers; or NULL */
  cpb_buffer record;            /* the complete record, if it is printed as JSON */
  record_range *ranges;         /* --at */
  size_t num_ranges;
  bool needs_total;     /* the numbers count from the end */
  uint64_t number, end; /* of the next record, and before which to stop, with --at */
  int status;           /* of errors outside the reader */
} listing;

static bool shows_messages(const listing *l) { return l->type && l->cli->settings.json; }

static bool wants_more(const listing *l) {
  const cli_settings *s = &l->cli->settings;
  if (l->status != CLI_OK || (l->ranges && l->number >= l->end)) return false;
  return cli_can_print(l->cli) && (!(s->given & CLI_BIT(COUNT)) || l->records < s->count);
}

/* --- A record ----------------------------------------------------------------- */

/* The member "record", a message of --type. */
static void print_message(listing *l) {
  cli *c = l->cli;
  const cpb_json_options how = {.struct_size = sizeof how, .limits = &c->settings.limits, .original_names = 1};
  cpb_json *json = cpb_json_new(&c->allocator, l->type, l->record.data, l->record.size, &how);
  cpb_buffer text;
  cpb_buffer_init(&text, &c->allocator);
  cpb_step step = CPB_STEP_OUTPUT;
  bool fits = json != NULL;
  while (fits && (step = cpb_json_step(json)) == CPB_STEP_OUTPUT) {
    size_t length;
    const char *piece = cpb_json_output(json, &length);
    fits = cpb_buffer_append(&text, piece, length);
  }
  if (!fits) l->status = cli_fail_memory(c);
  else if (step == CPB_STEP_ERROR) l->status = cli_fail(c, cli_input_name(c->settings.input), cpb_json_error(json));
  else cpb_json_writer_raw(&c->json, "record", (cpb_span){text.data, text.size});
  cpb_buffer_free(&text);
  cpb_json_free(json);
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
  l->number++;
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
  if (l->ranges) cpb_json_writer_unsigned(json, "number", l->number - 1);
  if (*digest) cpb_json_writer_text(json, "sha256", digest);
  if (shows_messages(l)) print_message(l);
  cpb_json_writer_close(json, '}');
  if (l->status == CLI_OK) cli_print_json_line(l->cli);
  else cpb_json_writer_begin(json);
}

static void print_skipped(listing *l) {
  const cpb_skipped *skipped = cpb_record_reader_skipped(l->reader);
  l->skipped += skipped->end - skipped->begin;
  if (!l->cli->settings.json) {
    cli_print(l->cli, "skipped bytes %llu to %llu: %s\n", (unsigned long long)skipped->begin,
              (unsigned long long)skipped->end, skipped->reason);
    return;
  }
  cli_print_skipped(l->cli, skipped);
}

static void print_status(listing *l, const cpb_error *error) {
  cpb_json_writer *json = &l->cli->json;
  if (!l->cli->settings.json) {
    if (l->cli->settings.quiet) return;
    cli_print(l->cli, "%llu record%s, %llu byte%s", (unsigned long long)l->records, cli_s(l->records),
              (unsigned long long)l->bytes, cli_s(l->bytes));
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

/* Lists the record that was begun: reads its bytes, then prints its line. */
static cpb_step list_record(listing *l) {
  uint64_t left = cpb_record_reader_record(l->reader)->size;
  cpb_sha256_begin(&l->sha256);
  l->record.size = 0;
  while (left > 0) {
    cpb_step step = cpb_record_reader_step(l->reader);
    if (step == CPB_STEP_NEED) {
      cpb_file_supply(l->file, cpb_record_reader_input(l->reader));
      cli_progress_read(l->cli, l->file);
    } else if (step == CPB_STEP_DATA) {
      size_t length;
      const uint8_t *data = cpb_record_reader_data(l->reader, &length);
      if (l->cli->settings.sha256) cpb_sha256_add(&l->sha256, data, length);
      if (shows_messages(l) && !cpb_buffer_append(&l->record, data, length)) {
        l->status = cli_fail_memory(l->cli);
        return CPB_STEP_RECORD;
      }
      left -= length;
    } else {
      return step;
    }
  }
  print_record(l);
  return CPB_STEP_RECORD;
}

static cpb_step list_on(listing *l) {
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

/* --- The file -------------------------------------------------------------------- */

static cpb_step count_records(listing *l, uint64_t *total) {
  cpb_step step;
  cpb_record_reader_seek_number(l->reader, UINT64_MAX);
  while ((step = cpb_record_reader_step(l->reader)) == CPB_STEP_NEED || step == CPB_STEP_SKIPPED)
    if (step == CPB_STEP_NEED) cpb_file_supply(l->file, cpb_record_reader_input(l->reader));
    else print_skipped(l);
  cpb_record_reader_count(l->reader, total);
  return step;
}

static bool parse_ranges(listing *l, uint64_t total) {
  cpb_release(&l->cli->allocator, l->ranges);
  l->ranges = record_ranges(l->cli, total, &l->num_ranges, &l->needs_total, &l->status);
  return l->ranges != NULL;
}

/* Record numbers beyond the file list nothing; a range ends with the file. */
static cpb_step list_ranges(listing *l) {
  uint64_t total = 0;
  cpb_step step = CPB_STEP_RECORD;
  if (l->needs_total) {
    step = count_records(l, &total);
    if (step != CPB_STEP_DONE || !parse_ranges(l, total)) return step;
  }
  for (size_t i = 0; i < l->num_ranges && step != CPB_STEP_ERROR && l->status == CLI_OK; i++) {
    l->number = l->ranges[i].begin;
    l->end = l->ranges[i].end;
    if (!wants_more(l)) continue;
    cpb_record_reader_seek_number(l->reader, l->number);
    step = list_on(l);
  }
  return step;
}

static int list_file(listing *l) {
  cli *c = l->cli;
  if (!c->settings.json)
    cli_print(c, "%14s %14s %8s %14s%s\n", "POSITION", "CHUNK BEGIN", "INDEX", "SIZE",
              c->settings.sha256 ? "  SHA-256" : "");
  cli_progress_start(c, "reading");
  bool failed = (c->settings.at ? list_ranges(l) : list_on(l)) == CPB_STEP_ERROR;
  cli_progress_end(c);
  const cpb_error *error = failed ? cpb_record_reader_error(l->reader) : NULL;
  if (l->status != CLI_OK) return l->status;
  print_status(l, error);
  return failed ? cli_fail(c, cli_input_name(c->settings.input), error) : CLI_OK;
}

/* --metadata: writes the serialized RecordsMetadata unchanged. */
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

/* --fields as numbers. */
static int read_fields(listing *l) {
  cli *c = l->cli;
  const char *names = c->settings.fields;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  if (!names) return CLI_OK;
  const size_t room = strlen(names) < SIZE_MAX / 16 ? 10 * strlen(names) + 1 : 0;
  l->fields = cpb_alloc(&c->allocator, room);
  if (!l->fields) return cli_fail_memory(c);
  const cpb_code code = cpb_message_field_numbers(&c->allocator, l->type, names, l->fields, room, &error);
  if (code == CPB_E_MEMORY) return cli_fail_memory(c);
  return code == CPB_OK ? CLI_OK : cli_usage(c->command, error.message);
}

static int run(listing *l) {
  cli *c = l->cli;
  int status = CLI_OK;
  if (!cli_load_type(c, &l->schema, &l->type, &status)) return status;
  status = read_fields(l);
  if (status != CLI_OK) return status;
  if (c->settings.at && !parse_ranges(l, 0)) return l->status;
  l->file = cli_open_input(c, c->settings.input, &status);
  if (!l->file) return status;
  const cpb_record_reader_options options = {.struct_size = sizeof options,
                                             .recover = c->settings.recover,
                                             .position = c->settings.position,
                                             .fields = l->fields};
  l->reader = cli_open_reader(c, &options, &status);
  if (!l->reader) return status;
  return c->settings.metadata ? write_metadata(l) : list_file(l);
}

int cli_records(cli *c) {
  listing l = {.cli = c};
  if (c->settings.at && (c->settings.given & CLI_BIT(POSITION)))
    return cli_usage(c->command, "expected --at or --position, not both");
  cpb_buffer_init(&l.record, &c->allocator);
  const int status = run(&l);
  cpb_record_reader_free(l.reader);
  cpb_file_close(l.file);
  cpb_buffer_free(&l.record);
  cpb_release(&c->allocator, l.ranges);
  cpb_release(&c->allocator, l.fields);
  cpb_schema_free(l.schema);
  return status;
}
