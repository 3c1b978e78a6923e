/* The field reader: [how 1][path's size 1][path 40][file]. It reads what find finds in the merged message, in pieces
 * and in parts, and within its memory. */
#include "cpb/field_reader.h"

#include "cpb/find.h"
#include "cpb/message.h"
#include "cpb_file.h"
#include "mutate.h"

enum { PATH_SIZE = 40, PREFIX = 2 + PATH_SIZE };

FUZZ_MUTATE_FILE(PREFIX)

static const size_t memories[] = {24 << 10, 64 << 10, 1 << 20, 4 << 20};

/* For each time that the file was gone through. */
static const fuzz_bounds bounds = {.decoded = {2 << 20, 128},
                                   .held = {64 << 10, 256},
                                   .walked = {2 << 20, 128},
                                   .entries = {64, 16},
                                   .index = {0, 64}};

/* --- A type for every message ------------------------------------------------ */

enum { OPTIONAL = 1, REPEATED = 3, INT64 = 3, STRING = 9, MESSAGE = 11, BYTES = 12 };

typedef struct member {
  const char *name;
  char number, label, type;
  const char *type_name;
} member;

static const member members[] = {
    {"a", 1, REPEATED, MESSAGE, ".T"},
    {"b", 2, OPTIONAL, MESSAGE, ".T"},
    {"c", 3, REPEATED, MESSAGE, ".T.C"},
    {"d", 4, OPTIONAL, STRING, NULL},
    {"e", 5, REPEATED, MESSAGE, ".T"},
    {"f", 6, REPEATED, MESSAGE, ".T.F"},
    {"g", 7, OPTIONAL, MESSAGE, ".T"},
    {"h", 8, OPTIONAL, BYTES, NULL},
    {"i", 9, REPEATED, INT64, NULL},
    /* of the entries of both maps */
    {"key", 1, OPTIONAL, STRING, NULL},
    {"value", 2, OPTIONAL, MESSAGE, ".T"},
    {"key", 1, OPTIONAL, INT64, NULL},
    {"value", 2, OPTIONAL, MESSAGE, ".T"},
};
enum { MEMBERS_OF_T = 9, MEMBERS_OF_ENTRY = 2 };

/* Field `number` of a message, which is shorter than 2^14 bytes. */
static void put_field(fuzz_out *out, int number, const void *data, size_t size) {
  const uint8_t head[] = {(uint8_t)(number << 3 | 2), (uint8_t)(size & 127) | 128, (uint8_t)(size >> 7)};
  fuzz_put(out, head, sizeof head);
  fuzz_put(out, data, size);
}

static void put_members(fuzz_out *out, const member *m, size_t count) {
  for (size_t i = 0; i < count; i++, m++) {
    fuzz_out field = {NULL, 0, 0};
    const char facts[] = {3 << 3, m->number, 4 << 3, m->label, 5 << 3, m->type};
    put_field(&field, 1, m->name, strlen(m->name));
    fuzz_put(&field, facts, sizeof facts);
    if (m->type_name) put_field(&field, 6, m->type_name, strlen(m->type_name));
    put_field(out, 2, field.data, field.size);
    fuzz_free(&field);
  }
}

static void put_entry(fuzz_out *out, const char *name, const member *m) {
  static const char is_map[] = {7 << 3, 1};
  fuzz_out entry = {NULL, 0, 0};
  put_field(&entry, 1, name, 1);
  put_members(&entry, m, MEMBERS_OF_ENTRY);
  put_field(&entry, 7, is_map, sizeof is_map);
  put_field(out, 3, entry.data, entry.size);
  fuzz_free(&entry);
}

/* A FileDescriptorSet with the message T, whose fields are of it, or of maps to it. */
static fuzz_in descriptors(void) {
  static fuzz_out set;
  if (set.size == 0) {
    fuzz_out message = {NULL, 0, 0}, file = {NULL, 0, 0};
    put_field(&message, 1, "T", 1);
    put_members(&message, members, MEMBERS_OF_T);
    put_entry(&message, "C", members + MEMBERS_OF_T);
    put_entry(&message, "F", members + MEMBERS_OF_T + MEMBERS_OF_ENTRY);
    put_field(&file, 1, "t", 1);
    put_field(&file, 4, message.data, message.size);
    put_field(&set, 1, file.data, file.size);
    fuzz_free(&message);
    fuzz_free(&file);
  }
  return fuzz_view(&set);
}

static const cpb_message_type *type_of_all(void) {
  static cpb_schema *schema;
  fuzz_in set = descriptors();
  if (!schema) schema = cpb_schema_new(NULL, set.data, set.size, NULL, NULL);
  fuzz_check(schema != NULL);
  return cpb_schema_find_message(schema, "T");
}

/* --- Reading ------------------------------------------------------------------ */

typedef struct job {
  fuzz_in file, path;
  size_t memory;
  cpb_verify verify;
  int typed;
  const cpb_limits *limits;
} job;

static cpb_field_reader *reader_of(const job *j) {
  fuzz_in set = j->typed ? descriptors() : (fuzz_in){NULL, 0};
  const cpb_field_reader_options how = {.struct_size = sizeof how,
                                        .verify = j->verify,
                                        .memory = j->memory,
                                        .limits = j->limits,
                                        .descriptors = set.data,
                                        .descriptors_size = set.size,
                                        .message = j->typed ? "T" : NULL};
  cpb_field_reader *reader = cpb_field_reader_new(NULL, &how);
  fuzz_check(reader != NULL);
  return reader;
}

/* Appends what is there of `range` to `out`. */
static cpb_code read_range(const job *j, cpb_field_reader *reader, size_t piece, cpb_range range, fuzz_out *out) {
  fuzz_loan loan = {NULL};
  cpb_step step;
  cpb_field_reader_read(reader, (const char *)j->path.data, j->path.size, range.offset, range.length);
  while ((step = cpb_field_reader_step(reader)) > CPB_STEP_DONE) {
    size_t length;
    if (step == CPB_STEP_NEED) {
      fuzz_lend(&loan, cpb_field_reader_input(reader), j->file, piece);
    } else {
      const uint8_t *data = cpb_field_reader_data(reader, &length);
      fuzz_check(step == CPB_STEP_DATA && length > 0);
      fuzz_put(out, data, length);
    }
  }
  fuzz_return(&loan);
  cpb_code code = cpb_field_reader_error(reader)->code;
  fuzz_check((step == CPB_STEP_DONE) == (code == CPB_OK));
  fuzz_check(code != CPB_E_MEMORY && code != CPB_E_READ &&
             (code == CPB_OK || cpb_field_reader_error(reader)->message[0]));
  if (code != CPB_E_LIMIT) fuzz_check(cpb_field_reader_memory(reader) <= j->memory);
  return code;
}

/* --- What it reads ------------------------------------------------------------ */

/* Whether `part` is what the piece says. */
static int is_piece(const job *j, const cpb_index *index, const cpb_segment *piece, fuzz_in part) {
  fuzz_out chunk = {NULL, 0, 0};
  if (piece->literal) return fuzz_same(part, (fuzz_in){piece->literal, part.size});
  cpb_code code = fuzz_whole_chunk(index, j->file, CPB_VERIFY_LATE, piece->chunk, &fuzz_limits, &chunk);
  int same = code != CPB_OK || (piece->chunk_offset <= chunk.size && part.size <= chunk.size - piece->chunk_offset &&
                                fuzz_same(part, (fuzz_in){chunk.data + piece->chunk_offset, part.size}));
  fuzz_free(&chunk);
  return same;
}

/* The pieces follow each other, and are the field. True if all are ranges of chunks. */
static int compare_pieces(const job *j, const cpb_field_reader *reader, const cpb_index *index, fuzz_in whole) {
  const cpb_field_place *place = cpb_field_reader_place(reader);
  cpb_segment piece;
  uint64_t at = 0;
  int stored = 1;
  fuzz_check(place->size == whole.size);
  for (size_t i = 0; i < place->num_pieces; i++) {
    fuzz_check(cpb_field_reader_piece(reader, i, &piece) == CPB_OK && piece.offset == at);
    fuzz_check(piece.length <= whole.size - at);
    fuzz_check(is_piece(j, index, &piece, (fuzz_in){whole.data + at, (size_t)piece.length}));
    if (piece.literal) stored = 0;
    at += piece.length;
  }
  fuzz_check(at == whole.size && cpb_field_reader_piece(reader, place->num_pieces, &piece) == CPB_E_NOT_FOUND);
  return stored;
}

/* Where a path has an index and a field tag has none, the reader takes the field for a repeated one, and a merge for
 * a singular one. */
static int has_index(const cpb_path *path) {
  for (size_t i = 0; i < cpb_path_num_tags(path); i++)
    if (cpb_path_get_tag(path, i)->kind == CPB_PATH_INDEX) return 1;
  return 0;
}

static void compare_ranges(const job *j, const cpb_limits *limits, const cpb_path *path, fuzz_in message,
                           fuzz_in whole) {
  fuzz_loan loan = {NULL};
  fuzz_out found = {NULL, 0, 0};
  cpb_find *find = cpb_find_new(NULL, j->typed ? type_of_all() : NULL, path, limits);
  cpb_step step;
  while ((step = cpb_find_step(find)) == CPB_STEP_NEED) fuzz_lend(&loan, cpb_find_input(find), message, SIZE_MAX);
  fuzz_return(&loan);
  fuzz_check(step == CPB_STEP_DONE);
  for (size_t i = 0; i < cpb_find_num_ranges(find); i++) {
    cpb_range range = cpb_find_get_range(find, i);
    fuzz_put(&found, message.data + range.offset, (size_t)range.length);
  }
  fuzz_check(fuzz_same(fuzz_view(&found), whole));
  fuzz_free(&found);
  cpb_find_free(find);
}

/* What find finds in the merged message, if that can be made. */
static void compare_found(const job *j, const cpb_limits *limits, fuzz_in whole) {
  fuzz_out message = {NULL, 0, 0};
  cpb_path *path = cpb_path_parse(NULL, (const char *)j->path.data, j->path.size, NULL);
  fuzz_check(path != NULL);
  if (!has_index(path) && fuzz_merged(j->file, limits, &message) == CPB_OK)
    compare_ranges(j, limits, path, fuzz_view(&message), whole);
  cpb_path_free(path);
  fuzz_free(&message);
}

/* In pieces of the input, and a part of the field. */
static void compare_parts(const job *j, cpb_field_reader *reader, fuzz_in whole) {
  fuzz_out part = {NULL, 0, 0};
  const cpb_range middle = {whole.size / 3, whole.size / 2};
  fuzz_check(read_range(j, reader, 61, middle, &part) == CPB_OK && part.size == middle.length);
  fuzz_check(part.size == 0 || memcmp(whole.data + middle.offset, part.data, part.size) == 0);
  fuzz_free(&part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_in in = {data, size};
  cpb_work work = {0};
  const cpb_limits limits = fuzz_counted(NULL), counted = fuzz_counted(&work);
  uint32_t how = fuzz_number(&in, 1), length = fuzz_number(&in, 1);
  fuzz_in path = fuzz_bytes(&in, PATH_SIZE);
  if (length < path.size) path.size = length;
  job j = {in, path, memories[how & 3], (cpb_verify)(how >> 2 & 1), (how >> 3 & 1) != 0, &counted};
  fuzz_out whole = {NULL, 0, 0};
  cpb_field_reader *reader = reader_of(&j);
  cpb_code code = read_range(&j, reader, how & 16 ? 61 : SIZE_MAX, (cpb_range){0, UINT64_MAX}, &whole);
  cpb_index *index = fuzz_open_index(in, SIZE_MAX, &limits);
  if (code == CPB_OK && index != NULL) { /* what is damaged beside the way is not looked at */
    int stored = compare_pieces(&j, reader, index, fuzz_view(&whole));
    if (stored) compare_found(&j, &limits, fuzz_view(&whole));
    compare_parts(&j, reader, fuzz_view(&whole));
  }
  cpb_field_reader_free(reader);
  cpb_index_free(index);
  fuzz_free(&whole);
  fuzz_bounded(&work, &bounds, in.size * 8);
  return 0;
}
