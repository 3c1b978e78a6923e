/* cpb tag: the list of parts, a JSON file; and the bytes of parts, from files and models. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/npy.h"
#include "cli/tag/tag.h"

#define LIST_MAX ((uint64_t)256 << 20)
#define PIECE ((size_t)256 << 10)
#define DEPTH 32
#define NO_TEXT ((cpb_span){NULL, 0})

/* The item of the list that a message refers to. */
typedef struct place {
  tag_parts *parts;
  cpb_samediff_writer *writer;
  cpb_span tag, name;
} place;

/* --- Messages ---------------------------------------------------------------------- */

static int refuse(const place *p, const char *what, const char *detail) {
  cpb_error error = {.code = CPB_E_USAGE, .offset = CPB_NO_OFFSET};
  snprintf(error.message, sizeof error.message, "%.*s%s%.*s%s%s%s%s", (int)(p->tag.size < 60 ? p->tag.size : 60),
           p->tag.data ? (const char *)p->tag.data : "", p->name.data ? ", " : "",
           (int)(p->name.size < 60 ? p->name.size : 60), p->name.data ? (const char *)p->name.data : "",
           p->tag.data ? ": " : "", what, detail ? ": " : "", detail ? detail : "");
  return cli_fail(p->parts->cli, p->parts->cli->settings.input, &error);
}

static int refuse_file(const place *p, const char *path, const char *what) {
  cli_note(p->parts->cli, path, "%s", what);
  return CLI_DAMAGED;
}

/* --- Reading whole files -------------------------------------------------------------- */

/* The caller releases it. NULL after the message. */
static uint8_t *read_whole(cli *c, const char *path, size_t *size, int *status) {
  cpb_error error;
  cpb_file *file = cpb_file_open(&c->allocator, path, &error);
  uint8_t *data = file ? cpb_file_read_all(file, LIST_MAX, size, &error) : NULL;
  cpb_file_close(file);
  if (!data) *status = cli_fail(c, path, &error);
  return data;
}

/* --- Members ------------------------------------------------------------------------------ */

/* A member that an object may have: a text, for which there is a place, or of another type. */
typedef struct member {
  const char *key;
  cpb_span *text;
} member;

/* Takes the texts; without text is what the object lacks. The list of members ends with no key. */
static int get_members(const place *p, yyjson_val *object, const member *known) {
  size_t i, count;
  yyjson_val *key, *value;
  if (!yyjson_is_obj(object)) return refuse(p, "an object is expected", NULL);
  for (const member *m = known; m->key; m++)
    if (m->text) *m->text = NO_TEXT;
  yyjson_obj_foreach(object, i, count, key, value) {
    const member *m = known;
    while (m->key && !yyjson_equals_str(key, m->key)) m++;
    if (!m->key) return refuse(p, "unknown member", yyjson_get_str(key));
    if (m->text && !cpb_json_text(value, m->text)) return refuse(p, "a text is expected", m->key);
  }
  return CLI_OK;
}

static int get_number(const place *p, yyjson_val *value, const char *what, uint64_t *number) {
  *number = 0;
  return !value || cpb_json_unsigned(value, number) ? CLI_OK : refuse(p, "a number is expected", what);
}

/* --- Sources ------------------------------------------------------------------------------- */

/* Paths in the list are relative to the list's folder. */
static char *find_path(const place *p, cpb_span path, int *status) {
  cli *c = p->parts->cli;
  bool named = path.size > 0 && !memchr(path.data, 0, path.size); /* yyjson's texts end with NUL */
  if (named) return cli_beside(c, c->settings.input, (const char *)path.data, status);
  *status = refuse(p, "a file's name is expected", NULL);
  return NULL;
}

/* One more source, which is a file. */
static tag_source *add_source(const place *p, cpb_span path, int *status) {
  tag_parts *parts = p->parts;
  cli *c = parts->cli;
  if (!CPB_RESERVE(&c->allocator, &parts->sources, &parts->capacity, parts->count + 1)) return cli_no_memory(c, status);
  char *found = find_path(p, path, status);
  if (!found) return NULL;
  parts->sources[parts->count] = (tag_source){.path = found};
  return &parts->sources[parts->count++];
}

static int add(const place *p, cpb_samediff_part *part) {
  part->struct_size = sizeof *part;
  part->name = (const char *)p->name.data;
  part->name_size = p->name.size;
  part->source = p->parts->count - 1;
  cpb_samediff_writer_add(p->writer, part);
  return CLI_OK; /* problems are reported by the first step */
}

static int file_size(const place *p, const tag_source *s, uint64_t *size) {
  cli *c = p->parts->cli;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  cpb_file *file = cpb_file_open(&c->allocator, s->path, &error);
  if (file) cpb_file_size(file, size, &error);
  cpb_file_close(file);
  return error.code == CPB_OK ? CLI_OK : cli_fail(c, s->path, &error);
}

/* --- Kinds of sources ------------------------------------------------------------------------ */

static int add_npy(const place *p, cpb_span path, cpb_samediff_part *part) {
  int status = CLI_OK;
  cli *c = p->parts->cli;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  npy_info info;
  tag_source *s = add_source(p, path, &status);
  if (!s) return status;
  size_t length = NPY_HEAD_READ;
  cpb_file *file = cpb_file_open(&c->allocator, s->path, &error);
  const uint8_t *data = file ? cpb_file_read(file, 0, &length, &error) : NULL;
  const char *problem = data ? npy_read(data, length, &info) : NULL;
  if (data && !problem) cpb_file_size(file, &part->size, &error);
  cpb_file_close(file);
  if (error.code != CPB_OK) return cli_fail(c, s->path, &error);
  if (problem) return refuse_file(p, s->path, problem);
  s->begin = info.begin;
  part->size -= info.begin;
  part->dtype = info.dtype;
  part->rank = info.rank;
  part->shape = info.shape;
  part->fortran_order = info.fortran_order;
  return add(p, part);
}

static int get_shape(const place *p, yyjson_val *object, uint64_t *shape, uint32_t *rank) {
  yyjson_val *list = cpb_json_member(object, "shape"), *n;
  size_t i, count;
  int status = CLI_OK;
  if (!yyjson_is_arr(list) || yyjson_arr_size(list) > NPY_RANK_MAX)
    return refuse(p, "a list of at most 32 numbers is expected", "shape");
  *rank = (uint32_t)yyjson_arr_size(list);
  yyjson_arr_foreach(list, i, count, n) {
    if (status == CLI_OK) status = get_number(p, n, "shape", &shape[i]);
  }
  return status;
}

static int add_raw(const place *p, yyjson_val *object, cpb_samediff_part *part) {
  cpb_span path, dtype, order;
  const member known[] = {{"raw", &path},       {"dtype", &dtype}, {"order", &order}, {"shape", NULL},
                          {"big_endian", NULL}, {"empty", NULL},   {NULL, NULL}};
  uint64_t shape[NPY_RANK_MAX];
  int status = get_members(p, object, known);
  if (status == CLI_OK) status = get_shape(p, object, shape, &part->rank);
  if (status != CLI_OK) return status;
  bool fortran = order.size == 1 && order.data[0] == 'f';
  if (!dtype.data) return refuse(p, "dtype is missing; a raw array needs one", NULL);
  if (order.data && !fortran && !(order.size == 1 && order.data[0] == 'c'))
    return refuse(p, "expected order c or f", NULL);
  const tag_source *s = add_source(p, path, &status);
  if (s) status = file_size(p, s, &part->size);
  part->dtype = (const char *)dtype.data; /* ends with NUL, as all of yyjson's texts */
  part->shape = shape;
  part->fortran_order = fortran;
  part->big_endian = yyjson_is_true(cpb_json_member(object, "big_endian"));
  part->empty = yyjson_is_true(cpb_json_member(object, "empty"));
  return status == CLI_OK ? add(p, part) : status;
}

static int get_state(const place *p, yyjson_val *object, uint32_t *state) {
  uint64_t number = 0;
  int status = get_number(p, cpb_json_member(object, "state"), "state", &number);
  *state = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
  return status;
}

static int add_values(const place *p, const cpb_values_info *info, cpb_samediff_part *part) {
  part->dtype = info->numpy ? info->numpy : info->dtype; /* the names differ for each kind of model */
  part->rank = info->rank;
  part->shape = info->shape;
  part->fortran_order = info->fortran_order;
  part->size = info->size;
  part->empty = info->count == 0;
  return add(p, part);
}

static int add_from_model(const place *p, yyjson_val *object, cpb_samediff_part *part) {
  cpb_span path, tag, name;
  const member known[] = {{"from", &path}, {"tag", &tag}, {"name", &name}, {"state", NULL}, {NULL, NULL}};
  uint32_t state;
  int status = get_members(p, object, known);
  if (status == CLI_OK) status = get_state(p, object, &state);
  tag_source *s = status == CLI_OK ? add_source(p, path, &status) : NULL;
  if (!s) return status;
  s->of_model = true;
  s->tag = tag;
  s->name = name.data ? name : p->name;
  s->state = state;
  tag_reader reader = {.cli = p->parts->cli};
  status = tag_reader_open(&reader, s);
  if (status == CLI_OK) status = add_values(p, cpb_values_file_info(reader.values), part);
  tag_reader_close(&reader);
  return status;
}

static int add_shared(const place *p, yyjson_val *object, cpb_samediff_part *part) {
  cpb_span tag, name;
  const member known[] = {{"tag", &tag}, {"name", &name}, {"state", NULL}, {NULL, NULL}};
  int status = get_members(p, object, known);
  if (status == CLI_OK) status = get_state(p, object, &part->state);
  part->tag = (const char *)tag.data;
  part->tag_size = tag.size;
  part->of = (const char *)name.data;
  part->of_size = name.size;
  return status == CLI_OK ? add(p, part) : status;
}

static int add_content(const place *p, yyjson_val *object, cpb_samediff_part *part) {
  cpb_span path, kind;
  const member known[] = {{"file", &path}, {"kind", &kind}, {NULL, NULL}};
  int status = get_members(p, object, known);
  const tag_source *s = status == CLI_OK ? add_source(p, path, &status) : NULL;
  if (s) status = file_size(p, s, &part->size);
  part->kind = (const char *)kind.data;
  return status == CLI_OK ? add(p, part) : status;
}

/* The member that gives the kind of source. */
static int add_part(const place *p, yyjson_val *source, cpb_samediff_what what) {
  static const struct {
    const char *key;
    int (*add)(const place *p, yyjson_val *object, cpb_samediff_part *part);
  } kinds[] = {{"raw", add_raw}, {"from", add_from_model}, {"file", add_content}, {"tag", add_shared}};
  cpb_samediff_part part = {.what = what};
  cpb_span path;
  if (cpb_json_text(source, &path)) return add_npy(p, path, &part);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (cpb_json_member(source, kinds[i].key)) return kinds[i].add(p, source, &part);
  return refuse(p, "the name of a .npy file is expected, or an object with raw, from, file or tag", NULL);
}

/* --- Lists -------------------------------------------------------------------------------------- */

static int add_one(const place *p, yyjson_val *source, cpb_samediff_what what) {
  size_t i, count;
  yyjson_val *state;
  int status = CLI_OK;
  if (what != CPB_SAMEDIFF_STATE) return add_part(p, source, what);
  if (!yyjson_is_arr(source)) return refuse(p, "a list of states is expected", NULL);
  yyjson_arr_foreach(source, i, count, state) {
    if (status == CLI_OK) status = add_part(p, state, what);
  }
  return status;
}

static int add_list(place p, yyjson_val *tag, const char *list, cpb_samediff_what what) {
  yyjson_val *object = cpb_json_member(tag, list), *key, *source;
  size_t i, count;
  int status = CLI_OK;
  if (!object) return CLI_OK;
  if (!yyjson_is_obj(object)) return refuse(&p, "an object is expected", list);
  yyjson_obj_foreach(object, i, count, key, source) {
    cpb_json_text(key, &p.name);
    if (status == CLI_OK) status = add_one(&p, source, what);
  }
  return status;
}

/* --- Tags ---------------------------------------------------------------------------------------- */

/* The file's content, which is kept. */
static int load_file(const place *p, cpb_span path, cpb_span *content) {
  tag_parts *parts = p->parts;
  const cpb_allocator *a = &parts->cli->allocator;
  int status = CLI_OK;
  if (!CPB_RESERVE(a, &parts->contents, &parts->contents_capacity, parts->num_contents + 1))
    return cli_fail_memory(parts->cli);
  char *found = find_path(p, path, &status);
  uint8_t *data = found ? read_whole(parts->cli, found, &content->size, &status) : NULL;
  if (data) parts->contents[parts->num_contents++] = data;
  content->data = data;
  cpb_release(a, found);
  return status;
}

static int add_tag(place p, yyjson_val *tag) {
  cpb_samediff_tag given = {.struct_size = sizeof given};
  cpb_span graph, training, content;
  const member known[] = {{"tag", &p.tag},      {"graph", &graph},       {"training_config", &training},
                          {"parameters", NULL}, {"updater_state", NULL}, {"maps", NULL},
                          {NULL, NULL}};
  int status = get_members(&p, tag, known);
  if (status == CLI_OK && !p.tag.data) status = refuse(&p, "tag, the name of a tag, is missing", NULL);
  if (status == CLI_OK) status = load_file(&p, graph, &content);
  if (status != CLI_OK) return status;
  given.name = (const char *)p.tag.data;
  given.name_size = p.tag.size;
  given.graph = content.data;
  given.graph_size = content.size;
  if (training.data) {
    status = load_file(&p, training, &content);
    if (status != CLI_OK) return status;
    given.training = (const char *)content.data;
    given.training_size = content.size;
  }
  cpb_samediff_writer_tag(p.writer, &given);
  status = add_list(p, tag, "parameters", CPB_SAMEDIFF_PARAMETER);
  if (status == CLI_OK) status = add_list(p, tag, "updater_state", CPB_SAMEDIFF_STATE);
  return status == CLI_OK ? add_list(p, tag, "maps", CPB_SAMEDIFF_MAP) : status;
}

/* --- The list -------------------------------------------------------------------------------------- */

int tag_parts_load(tag_parts *parts, cli *c) {
  static const member known[] = {{"tags", NULL}, {"deflate", NULL}, {NULL, NULL}};
  const char *path = c->settings.input;
  cpb_error error = {.offset = CPB_NO_OFFSET};
  size_t size;
  int status = CLI_OK;
  *parts = (tag_parts){.cli = c};
  parts->text = read_whole(c, path, &size, &status);
  if (!parts->text) return status;
  parts->json = cpb_json_read(&c->allocator, (cpb_span){parts->text, size}, DEPTH, &error);
  if (!parts->json) return cli_fail(c, path, &error);
  const place p = {.parts = parts};
  yyjson_val *root = yyjson_doc_get_root(parts->json);
  status = get_members(&p, root, known);
  if (status != CLI_OK) return status;
  return yyjson_is_arr(cpb_json_member(root, "tags")) ? CLI_OK
                                                      : refuse(&p, "tags is missing; expected a list of tags", NULL);
}

void tag_parts_free(tag_parts *parts) {
  const cpb_allocator *a = &parts->cli->allocator;
  for (size_t i = 0; i < parts->count; i++) cpb_release(a, parts->sources[i].path);
  for (size_t i = 0; i < parts->num_contents; i++) cpb_release(a, parts->contents[i]);
  cpb_release(a, parts->sources);
  cpb_release(a, parts->contents);
  yyjson_doc_free(parts->json);
  cpb_release(a, parts->text);
}

bool tag_parts_deflate(const tag_parts *parts) {
  return yyjson_is_true(cpb_json_member(yyjson_doc_get_root(parts->json), "deflate"));
}

int tag_parts_add(tag_parts *parts, cpb_samediff_writer *writer) {
  yyjson_val *tags = cpb_json_member(yyjson_doc_get_root(parts->json), "tags"), *tag;
  size_t i, count;
  int status = CLI_OK;
  yyjson_arr_foreach(tags, i, count, tag) {
    if (status == CLI_OK) status = add_tag((place){.parts = parts, .writer = writer}, tag);
  }
  return status;
}

/* --- Their bytes ----------------------------------------------------------------------------------- */

void tag_reader_close(tag_reader *r) {
  cpb_file_close(r->file);
  cpb_values_file_close(r->values);
  cpb_model_file_close(r->model);
  *r = (tag_reader){.cli = r->cli};
}

static int open_model(tag_reader *r, const tag_source *s) {
  int status = CLI_OK;
  cpb_error error;
  r->model = cli_open_model(r->cli, s->path, NULL, false, &status);
  if (!r->model) return status;
  const cpb_values_options how = {
      .struct_size = sizeof how, .scope = (const char *)s->tag.data, .scope_size = s->tag.size, .state = s->state};
  r->values = cpb_model_file_values(r->model, (const char *)s->name.data, s->name.size, &how, &error);
  return r->values ? CLI_OK : cli_fail(r->cli, s->path, &error);
}

int tag_reader_open(tag_reader *r, const tag_source *s) {
  cpb_error error;
  tag_reader_close(r);
  r->source = s;
  if (s->of_model) return open_model(r, s);
  r->file = cpb_file_open(&r->cli->allocator, s->path, &error);
  return r->file ? CLI_OK : cli_fail(r->cli, s->path, &error);
}

static void supply_values(tag_reader *r, cpb_input *input, cpb_error *error) {
  size_t size;
  const uint8_t *data = cpb_values_file_read(r->values, &size, error);
  if (!data) return;
  if (size == 0) cpb_input_end(input, r->given);
  else cpb_input_supply(input, r->given, data, size);
  r->given += size;
}

static void supply_file(tag_reader *r, cpb_input *input, cpb_error *error) {
  cpb_need need;
  cpb_input_need(input, &need);
  size_t length = need.length < PIECE ? need.length : PIECE;
  const uint8_t *data = cpb_file_read(r->file, r->source->begin + need.offset, &length, error);
  if (data && length == 0) cpb_input_end(input, need.offset);
  if (data) cpb_input_supply(input, need.offset, data, length);
}

int tag_reader_supply(tag_reader *r, cpb_input *input) {
  cpb_error error;
  if (r->values) supply_values(r, input, &error);
  else supply_file(r, input, &error);
  return error.code == CPB_OK ? CLI_OK : cli_fail(r->cli, r->source->path, &error);
}
