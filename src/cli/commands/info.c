/* cpb info: shows the contents of a .cpb file, and their places. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/column.h"
#include "base/status.h"
#include "cli/cli.h"
#include "cpb/pager.h"
#include "cpb/url.h"

#define PATH_MAX_SHOWN 4096
#define READ_LITTLE ((uint64_t)1024) /* has a header, and the bytes that give the window */
#define GAP_MAX ((uint64_t)32 << 10) /* requesting this much in vain costs no more than another request */
#define REQUEST_MAX ((uint64_t)1 << 20)
#define DEPTH_MAX 128 /* beyond the limit on the index's own depth */

/* By chunk: the shown facts about where it is stored. */
typedef struct stored_columns {
  cpb_column index; /* of the record in its Riegeli chunk, which begins so much before the record's position */
  cpb_column size;  /* of the Riegeli chunk, stored */
  cpb_column kind;  /* its type, with its codec in the higher bits; 0: unreadable */
} stored_columns;

typedef struct inspection {
  cli *cli;
  const char *name;
  cpb_file *file;
  cpb_index *index;
  cpb_chunk_reader *reader;
  cpb_record_reader *windows; /* asked for each Riegeli chunk's window */
  cpb_schema *schema;
  const cpb_message_type *type; /* of the message; NULL if unknown */
  uint32_t last_file;
  cpb_chunk_stored last; /* of the last chunk read; without records: unreadable */
  stored_columns stored;
  bool is_url;
  uint64_t near_begin, near_end; /* of a URL: headers that are close together and requested at once */
  uint64_t near_next;            /* first chunk after these */
  bool remote;                   /* each chunk is alone in its Riegeli chunk */
  uint64_t num_chunks, file_size;
  uint64_t memory, core_memory; /* that a device needs to stream any chunk, with WebAssembly and without; 0: unknown */
  bool hides_memory;            /* because of damage */
  int status;
} inspection;

/* --- Gathering --------------------------------------------------------------- */

/* Supplies the need, or `most` bytes if that is more, but no further ones: only headers are read. */
static void supply_little(inspection *i, cpb_input *input, uint64_t most) {
  cpb_need need;
  cpb_input_need(input, &need);
  if (need.kind != CPB_NEED_RANGE || need.file > 0) {
    cpb_file_supply(i->file, input);
    return;
  }
  cpb_error error;
  size_t length = (size_t)cpb_max_u64(need.length, most);
  const uint8_t *data = cpb_file_read(i->file, need.offset, &length, &error);
  if (!data) cpb_input_fail_with(input, &error);
  else if (length == 0) cpb_file_supply(i->file, input);
  else cpb_input_supply(input, need.offset, data, length);
}

static uint64_t position_of(const inspection *i, uint64_t chunk) {
  cpb_chunk_info info = {.position = 0};
  cpb_index_get_chunk(i->index, chunk, &info);
  return info.position;
}

/* Finds the headers of chunks that closely follow the chunk's own. */
static void find_near(inspection *i, uint64_t chunk) {
  uint64_t begin = position_of(i, chunk), end = begin;
  for (; chunk < i->num_chunks; chunk++) {
    uint64_t at = position_of(i, chunk);
    bool is_near = at >= begin && at - begin <= REQUEST_MAX && (at <= end || at - end <= GAP_MAX);
    if (!is_near) break;
    end = cpb_max_u64(end, at + READ_LITTLE);
  }
  i->near_begin = begin;
  i->near_end = end;
  i->near_next = chunk;
}

static void supply_header(inspection *i, uint64_t chunk, cpb_input *input) {
  cpb_need need;
  cpb_input_need(input, &need);
  if (!i->is_url) {
    cpb_file_supply(i->file, input);
    return;
  }
  if (chunk >= i->near_next) find_near(i, chunk);
  bool is_near = need.offset >= i->near_begin && need.offset < i->near_end;
  supply_little(i, input, is_near ? i->near_end - need.offset : need.ahead);
}

static const cpb_error *find_stored(inspection *i, uint64_t chunk) {
  cpb_step step = CPB_STEP_ERROR;
  if (cpb_chunk_reader_read(i->reader, chunk, 0, 0) == CPB_OK)
    while ((step = cpb_chunk_reader_step(i->reader)) == CPB_STEP_NEED)
      supply_header(i, chunk, cpb_chunk_reader_input(i->reader));
  if (step == CPB_STEP_ERROR) return cpb_chunk_reader_error(i->reader);
  i->last = *cpb_chunk_reader_stored(i->reader);
  return NULL;
}

/* Uses the facts of the previous chunk, if both are in one Riegeli chunk. */
static bool is_with_last(inspection *i, uint64_t chunk) {
  const cpb_riegeli_chunk *last = &i->last.riegeli;
  cpb_chunk_info info;
  if (cpb_index_get_chunk(i->index, chunk, &info) != CPB_OK) return false;
  bool same = info.file == i->last_file;
  i->last_file = info.file;
  if (!same || info.position < last->begin) return false;
  if (info.position - last->begin >= last->num_records) return false;
  i->last.index = info.position - last->begin;
  return true;
}

static bool renew_reader(inspection *i) {
  cpb_chunk_reader_options how = {
      .struct_size = sizeof how, .verify = CPB_VERIFY_NEVER, .limits = &i->cli->settings.limits};
  cpb_chunk_reader_free(i->reader);
  i->reader = cpb_chunk_reader_new(&i->cli->allocator, i->index, &how);
  if (!i->reader) i->status = cli_fail_memory(i->cli);
  return i->reader != NULL;
}

/* Facts lost to damage are unknown, and `verify` reports the damage; any other problem is an error here as well. */
static void on_no_window(inspection *i, const cpb_error *error) {
  bool is_ours = error->code == CPB_E_MEMORY || cpb_is_of_reading(error);
  if (is_ours && i->status == CLI_OK) i->status = cli_fail(i->cli, i->name, error);
}

static bool make_windows(inspection *i) {
  const cpb_record_reader_options how = {.struct_size = sizeof how,
                                         .verify = CPB_VERIFY_NEVER,
                                         .buffer = 1,
                                         .read_size = READ_LITTLE,
                                         .limits = &i->cli->settings.limits};
  if (!i->windows) i->windows = cpb_record_reader_new(&i->cli->allocator, &how);
  if (!i->windows) i->status = cli_fail_memory(i->cli);
  return i->windows != NULL;
}

/* Zstd gives its window before decoding. */
static bool knows_window(const inspection *i, const cpb_riegeli_chunk *riegeli, bool in_record, uint64_t *window) {
  *window = in_record && riegeli->codec == 'z' ? cpb_record_reader_window(i->windows) : 0;
  return *window > 0;
}

/* The window of a Riegeli chunk's codec, from the beginning of the compressed data. A transposed chunk is decoded as a
 * whole. */
static bool find_window(inspection *i, const cpb_riegeli_chunk *riegeli, uint64_t *window) {
  *window = 0;
  if (riegeli->codec == 0 || riegeli->decoded_data_size == 0 || riegeli->type == 't') return true;
  if (!make_windows(i)) return false;
  cpb_step step;
  bool in_record = false;
  cpb_record_reader_seek_chunk(i->windows, riegeli->begin);
  while ((step = cpb_record_reader_step(i->windows)) == CPB_STEP_NEED || step == CPB_STEP_RECORD)
    if (step == CPB_STEP_RECORD) in_record = true;
    else if (knows_window(i, riegeli, in_record, window)) return true;
    else supply_little(i, cpb_record_reader_input(i->windows), 0);
  *window = cpb_record_reader_window(i->windows);
  if (step != CPB_STEP_ERROR) return step == CPB_STEP_DATA;
  on_no_window(i, cpb_record_reader_error(i->windows));
  cpb_record_reader_free(i->windows);
  i->windows = NULL;
  return false;
}

static void note_memory(inspection *i, const cpb_riegeli_chunk *riegeli) {
  uint64_t window;
  if (!find_window(i, riegeli, &window)) i->hides_memory = true;
  i->memory = cpb_max_u64(i->memory, cpb_device_memory(riegeli, window));
  i->core_memory = cpb_max_u64(i->core_memory, cpb_core_memory(riegeli, window));
}

static void note_index(inspection *i) {
  cpb_record record;
  cpb_riegeli_chunk riegeli;
  cpb_index_get_record(i->index, &record, &riegeli);
  note_memory(i, &riegeli);
  if (cpb_index_num_pages(i->index) > 0) i->hides_memory = true; /* a device's reader rejects it */
  i->remote = riegeli.num_records == 1;
}

/* Reports a chunk that cannot be read, and shows the rest. */
static bool find_stored_of(inspection *i, uint64_t chunk) {
  if (is_with_last(i, chunk)) return true;
  const cpb_error *error = find_stored(i, chunk);
  if (!error) {
    if (i->last_file > 0) i->hides_memory = true; /* a device reads one file */
    else note_memory(i, &i->last.riegeli);
    return true;
  }
  i->status = cli_fail(i->cli, i->name, error);
  i->last = (cpb_chunk_stored){.size = 0};
  i->hides_memory = true;
  return renew_reader(i);
}

static bool keep_stored(inspection *i, uint64_t chunk) {
  stored_columns *to = &i->stored;
  const cpb_allocator *a = &i->cli->allocator;
  const cpb_riegeli_chunk *riegeli = &i->last.riegeli;
  uint64_t kind = (uint64_t)(uint8_t)riegeli->codec << 8 | (uint8_t)riegeli->type;
  i->remote = i->remote && riegeli->num_records == 1;
  bool kept = cpb_column_set(&to->index, a, (size_t)chunk, i->last.index) &&
              cpb_column_set(&to->size, a, (size_t)chunk, riegeli->end - riegeli->begin) &&
              cpb_column_set(&to->kind, a, (size_t)chunk, kind);
  if (!kept) i->status = cli_fail_memory(i->cli);
  return kept;
}

static void free_stored(inspection *i) {
  cpb_column_free(&i->stored.index, &i->cli->allocator);
  cpb_column_free(&i->stored.size, &i->cli->allocator);
  cpb_column_free(&i->stored.kind, &i->cli->allocator);
}

static bool find_all_stored(inspection *i) {
  cli *c = i->cli;
  if (!renew_reader(i)) return false;
  cpb_file_request_least(i->file, READ_LITTLE);
  cli_progress_start(c, "reading");
  note_index(i);
  for (uint64_t chunk = 0; chunk < i->num_chunks; chunk++) {
    if (!find_stored_of(i, chunk) || !keep_stored(i, chunk)) return false;
    cli_progress_step(c, chunk, i->num_chunks);
  }
  cli_progress_end(c);
  if (i->hides_memory) i->memory = i->core_memory = 0;
  return true;
}

static const char *codec_name(char byte) {
  const char *name = cpb_codec_name(cpb_codec_of_byte(byte));
  return name ? name : "unknown";
}

/* As it is shown. */
typedef struct shown_place {
  uint64_t index, size;
  const char *codec;
  bool readable, transposed;
} shown_place;

static shown_place place_of(const inspection *i, uint64_t chunk) {
  const stored_columns *from = &i->stored;
  uint64_t kind = cpb_column_get(&from->kind, (size_t)chunk);
  return (shown_place){
      .index = cpb_column_get(&from->index, (size_t)chunk),
      .size = cpb_column_get(&from->size, (size_t)chunk),
      .codec = codec_name((char)(kind >> 8)),
      .readable = kind != 0,
      .transposed = (char)(uint8_t)kind == 't',
  };
}

static const char *type_name(uint32_t type) {
  static const char *const names[] = {"UNSPECIFIED", "MESSAGE", "BYTES"};
  return type < sizeof names / sizeof *names ? names[type] : "UNKNOWN";
}

/* --- The tree ------------------------------------------------------------------ */

typedef struct walk {
  uint32_t node;
  size_t depth;
  cpb_index_node at;
  const cpb_message_type *types[DEPTH_MAX]; /* of the nodes above, by depth */
  char path[PATH_MAX_SHOWN];                /* from the parent */
  bool closed;                              /* all children of the node were shown */
} walk;

static void show_node(inspection *i, walk *w) {
  cpb_json_writer *json = &i->cli->json;
  size_t depth = w->depth < DEPTH_MAX ? w->depth : DEPTH_MAX - 1;
  const cpb_message_type *above = depth > 0 ? w->types[depth - 1] : i->type;
  const cpb_message_type *type = cli_node_path(i->index, w->node, above, w->path, sizeof w->path);
  w->types[depth] = type;
  if (!i->cli->settings.json) {
    cli_print(i->cli, "%*s%s", (int)(2 * depth) + 2, "", w->node == 0 ? "(root)" : *w->path ? w->path : "(slice)");
    if (w->at.chunk != CPB_NO_CHUNK) cli_print(i->cli, "  chunk %llu", (unsigned long long)w->at.chunk);
    if (type) cli_print(i->cli, "  %s", type->name);
    cli_print(i->cli, "\n");
    return;
  }
  cpb_json_writer_open(json, w->node == 0 ? "message" : NULL, '{');
  cpb_json_writer_text(json, "path", w->path);
  if (type) cpb_json_writer_text(json, "type", type->name);
  if (w->at.chunk != CPB_NO_CHUNK) cpb_json_writer_unsigned(json, "chunk", w->at.chunk);
  if (w->at.first_child != CPB_NO_NODE) cpb_json_writer_open(json, "fields", '[');
}

static void leave_node(inspection *i, const walk *w) {
  cpb_json_writer *json = &i->cli->json;
  if (!i->cli->settings.json) return;
  if (w->at.first_child != CPB_NO_NODE) cpb_json_writer_close(json, ']');
  cpb_json_writer_close(json, '}');
  cli_print_json(i->cli);
}

/* Depth first, along the nodes' own links. */
static void show_tree(inspection *i) {
  walk w = {.node = cpb_index_num_nodes(i->index) > 0 ? 0 : CPB_NO_NODE};
  bool entering = true;
  while (w.node != CPB_NO_NODE && cli_can_print(i->cli)) {
    cpb_index_get_node(i->index, w.node, &w.at);
    if (entering) show_node(i, &w);
    if (entering && w.at.first_child != CPB_NO_NODE) {
      w.node = w.at.first_child;
      w.depth++;
      continue;
    }
    leave_node(i, &w);
    entering = w.at.next != CPB_NO_NODE;
    w.node = entering ? w.at.next : w.at.parent;
    if (!entering) w.depth--;
  }
}

/* --- As JSON --------------------------------------------------------------------- */

static void json_chunk(inspection *i, uint64_t chunk) {
  cpb_json_writer *json = &i->cli->json;
  const shown_place stored = place_of(i, chunk);
  cpb_chunk_info info;
  cpb_index_get_chunk(i->index, chunk, &info);
  cpb_json_writer_open(json, NULL, '{');
  cpb_json_writer_unsigned(json, "index", chunk);
  cpb_json_writer_text(json, "type", type_name(info.type));
  cpb_json_writer_unsigned(json, "size", info.size);
  if (info.file > 0) cpb_json_writer_unsigned(json, "file", info.file);
  cpb_json_writer_unsigned(json, "position", info.position);
  if (stored.readable) {
    cpb_json_writer_unsigned(json, "chunk_begin", info.position - stored.index);
    cpb_json_writer_unsigned(json, "record_index", stored.index);
    cpb_json_writer_unsigned(json, "stored_size", stored.size);
    cpb_json_writer_text(json, "encoding", stored.transposed ? "transposed" : "simple");
    cpb_json_writer_text(json, "codec", stored.codec);
  }
  cpb_json_writer_close(json, '}');
  cli_print_json(i->cli);
}

static void json_version(inspection *i) {
  cpb_json_writer *json = &i->cli->json;
  cpb_index_version version;
  cpb_index_get_version(i->index, &version);
  cpb_json_writer_open(json, "version", '{');
  cpb_json_writer_signed(json, "splitter", version.splitter);
  cpb_json_writer_signed(json, "join", version.join);
  cpb_json_writer_open(json, "bad_consumers", '[');
  for (size_t k = 0; k < version.num_bad_consumers; k++) cpb_json_writer_signed(json, NULL, version.bad_consumers[k]);
  cpb_json_writer_close(json, ']');
  cpb_json_writer_close(json, '}');
}

typedef struct chunks_of_file {
  uint64_t chunks, bytes;
} chunks_of_file;

/* The number and total size of the chunks in each other file. NULL without other files, or if memory is short. */
static chunks_of_file *count_elsewhere(inspection *i) {
  const size_t count = cpb_index_num_files(i->index);
  cpb_chunk_info chunk;
  if (count == 0) return NULL;
  chunks_of_file *files = cpb_alloc_zeroed(&i->cli->allocator, (count + 1) * sizeof *files);
  if (!files) i->status = cli_fail_memory(i->cli);
  for (uint64_t k = 0; files && cpb_index_get_chunk(i->index, k, &chunk) == CPB_OK; k++) {
    files[chunk.file].chunks++;
    files[chunk.file].bytes += chunk.size;
  }
  return files;
}

static void json_files(inspection *i) {
  cpb_json_writer *json = &i->cli->json;
  cpb_other_file other;
  chunks_of_file *chunks = count_elsewhere(i);
  if (!chunks) return;
  cpb_json_writer_open(json, "files", '[');
  for (uint32_t file = 1; cpb_index_get_file(i->index, file, &other) == CPB_OK && cli_can_print(i->cli); file++) {
    cpb_json_writer_open(json, NULL, '{');
    cpb_json_writer_span(json, "name", (cpb_span){(const uint8_t *)other.name, other.length});
    cpb_json_writer_unsigned(json, "size", other.size);
    cpb_json_writer_unsigned(json, "chunks", chunks[file].chunks);
    cpb_json_writer_unsigned(json, "chunks_size", chunks[file].bytes);
    cpb_json_writer_close(json, '}');
    cli_print_json(i->cli);
  }
  cpb_json_writer_close(json, ']');
  cpb_release(&i->cli->allocator, chunks);
}

static void json_index(inspection *i) {
  cpb_json_writer *json = &i->cli->json;
  cpb_record record;
  cpb_riegeli_chunk riegeli;
  cpb_index_get_record(i->index, &record, &riegeli);
  cpb_json_writer_open(json, "metadata", '{');
  cpb_json_writer_unsigned(json, "position", record.position);
  cpb_json_writer_unsigned(json, "chunk_begin", record.chunk_begin);
  cpb_json_writer_unsigned(json, "record_index", record.index);
  cpb_json_writer_unsigned(json, "size", record.size);
  cpb_json_writer_unsigned(json, "stored_size", riegeli.end - riegeli.begin);
  cpb_json_writer_text(json, "codec", codec_name(riegeli.codec));
  if (cpb_index_num_pages(i->index) > 0) cpb_json_writer_unsigned(json, "pages", cpb_index_num_pages(i->index));
  cpb_json_writer_close(json, '}');
}

static void show_json(inspection *i) {
  cpb_json_writer *json = &i->cli->json;
  cpb_json_writer_open(json, NULL, '{');
  cpb_json_writer_text(json, "file", i->name);
  cpb_json_writer_text(json, "format", "cpb");
  cpb_json_writer_unsigned(json, "size", i->file_size);
  json_version(i);
  cpb_json_writer_text(json, "layout", i->remote ? "remote" : "shared");
  if (i->memory > 0) cpb_json_writer_unsigned(json, "memory", i->memory);
  if (i->memory > 0) cpb_json_writer_unsigned(json, "core_memory", i->core_memory);
  json_files(i);
  cpb_json_writer_open(json, "chunks", '[');
  for (uint64_t chunk = 0; chunk < i->num_chunks && cli_can_print(i->cli); chunk++) json_chunk(i, chunk);
  cpb_json_writer_close(json, ']');
  show_tree(i);
  json_index(i);
  cpb_json_writer_close(json, '}');
  cli_print_json_line(i->cli);
}

/* --- For people -------------------------------------------------------------------- */

static void print_chunk(inspection *i, uint64_t chunk) {
  const shown_place stored = place_of(i, chunk);
  cpb_chunk_info info;
  cpb_index_get_chunk(i->index, chunk, &info);
  cli_print(i->cli, "%7llu  %-11s %14llu %14llu ", (unsigned long long)chunk, type_name(info.type),
            (unsigned long long)info.size, (unsigned long long)info.position);
  if (!stored.readable) {
    cli_print(i->cli, "%14s  -", "unreadable");
  } else {
    cli_print(i->cli, "%14llu  %s%s", (unsigned long long)stored.size, stored.codec,
              stored.transposed ? ", transposed" : "");
  }
  cli_print(i->cli, info.file > 0 ? "  in file %u\n" : "\n", (unsigned)info.file);
}

static void print_version(inspection *i) {
  cpb_index_version version;
  cpb_index_get_version(i->index, &version);
  cli_print(i->cli, "  version  splitter %d, join %d", (int)version.splitter, (int)version.join);
  for (size_t k = 0; k < version.num_bad_consumers; k++)
    cli_print(i->cli, k ? " %d" : ", not for %d", (int)version.bad_consumers[k]);
  cli_print(i->cli, "\n");
}

static void print_files(inspection *i) {
  cpb_other_file other;
  chunks_of_file *chunks = count_elsewhere(i);
  if (!chunks) return;
  for (uint32_t file = 1; cpb_index_get_file(i->index, file, &other) == CPB_OK && cli_can_print(i->cli); file++)
    cli_print(i->cli, "  file %-4u%.*s, %llu bytes: %llu chunk%s of %llu bytes %s there\n", (unsigned)file,
              (int)other.length, other.name, (unsigned long long)other.size, (unsigned long long)chunks[file].chunks,
              cli_s(chunks[file].chunks), (unsigned long long)chunks[file].bytes,
              chunks[file].chunks == 1 ? "is" : "are");
  cpb_release(&i->cli->allocator, chunks);
}

static void show_table(inspection *i) {
  cli *c = i->cli;
  cpb_record record;
  cpb_riegeli_chunk riegeli;
  cpb_index_get_record(i->index, &record, &riegeli);
  cli_print(c, "%s: %llu bytes, %llu chunk%s\n", i->name, (unsigned long long)i->file_size,
            (unsigned long long)i->num_chunks, cli_s(i->num_chunks));
  print_version(i);
  cli_print(c, "  layout   %s\n",
            i->remote ? "remote: each chunk is one range of the file" : "shared: several chunks in one Riegeli chunk");
  if (i->memory > 0)
    cli_print(c, "  memory   %lluK at most, for a device that streams any chunk; in C %lluK\n",
              (unsigned long long)(i->memory >> 10), (unsigned long long)(i->core_memory >> 10));
  cli_print(c, "  index    %llu bytes at position %llu", (unsigned long long)record.size,
            (unsigned long long)record.position);
  const uint64_t pages = cpb_index_num_pages(i->index);
  if (pages > 0) cli_print(c, ", in %llu page%s", (unsigned long long)pages, cli_s(pages));
  cli_print(c, "\n");
  print_files(i);
  cli_print(c, "\n");
  cli_print(c, "%7s  %-11s %14s %14s %14s  %s\n", "CHUNK", "TYPE", "SIZE", "POSITION", "STORED", "CODEC");
  for (uint64_t chunk = 0; chunk < i->num_chunks && cli_can_print(c); chunk++) print_chunk(i, chunk);
  cli_print(c, "\nFields:\n");
  show_tree(i);
}

static void inspect(inspection *i) {
  cli *c = i->cli;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  i->num_chunks = cpb_index_num_chunks(i->index);
  if (cpb_file_size(i->file, &i->file_size, &error) != CPB_OK) {
    i->status = cli_fail(c, i->name, &error);
    return;
  }
  if (!cli_load_any_schema(c, &i->schema, &i->status)) return;
  if (!cli_find_type(c, i->schema, i->index, &i->type, &i->status)) return;
  if (!find_all_stored(i)) return;
  if (c->settings.json) show_json(i);
  else show_table(i);
}

int cli_info(cli *c) {
  inspection i = {.cli = c, .name = cli_shown_name(c, c->settings.input)};
  i.file = cli_open_input(c, c->settings.input, &i.status);
  if (i.file) i.index = cli_open_index(c, c->settings.input, i.file, &i.status);
  i.is_url = cpb_is_url(c->settings.input);
  if (i.index) inspect(&i);
  free_stored(&i);
  cpb_schema_free(i.schema);
  cpb_chunk_reader_free(i.reader);
  cpb_record_reader_free(i.windows);
  cpb_index_free(i.index);
  cpb_file_close(i.file);
  return i.status;
}
