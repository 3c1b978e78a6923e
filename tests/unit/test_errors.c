/* The error contract of cpb/base.h, for every public function that takes a cpb_error *: the
 * headers are read to find them all, and each needs an entry in `calls`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <ctype.h>
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpb/chunked.h"
#include "cpb/file.h"
#include "cpb/message.h"
#include "cpb/open.h"
#include "model_folder.h"

#define MODEL CPB_TEST_DATA "/cpb/real_tf_module/"
#define PB MODEL "orig.pb"
#define CPB MODEL "max3000_zstd.cpb"
#define NO_FILE "/nonexistent/file"

static char folder[] = "/tmp/cpb-errors-XXXXXX";
static char out[64];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(out, sizeof out, "%s/out", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  return rmdir(folder); /* fails if anything was left behind */
}

/* --- One call of each, which is to succeed or to fail --------------------------- */

/* Returns whether the function says that it succeeded. */
typedef bool call(bool succeed, cpb_error *error);

static const cpb_output_options replace_it = {.struct_size = sizeof replace_it, .replace = 1};
static const cpb_file_options replace = {.struct_size = sizeof replace, .replace = 1};

static bool writer_options_parse(bool succeed, cpb_error *error) {
  cpb_record_writer_options options = {.struct_size = sizeof options};
  return cpb_record_writer_options_parse(&options, succeed ? "zstd:3" : "zstd:99", error) == CPB_OK;
}

/* ChunkMetadata { chunks {} message {} }, or a length that goes past the end. */
static bool index_from_metadata(bool succeed, cpb_error *error) {
  cpb_index *index = cpb_index_from_metadata(NULL, NULL, succeed ? "\x12\0\x1a" : "\x12\0\x1a\5", 4, error);
  cpb_index_free(index);
  return index != NULL;
}

static bool index_from_message(bool succeed, cpb_error *error) {
  cpb_index *index = cpb_index_from_message(NULL, NULL, succeed ? "\10" : "\10\xff", 2, error);
  cpb_index_free(index);
  return index != NULL;
}

static bool schema_new(bool succeed, cpb_error *error) {
  cpb_schema *schema = cpb_schema_new(NULL, "\12\5", succeed ? 0 : 2, NULL, error);
  cpb_schema_free(schema);
  return schema != NULL;
}

static void *no_memory(void *user, size_t size) {
  (void)user;
  (void)size;
  return NULL;
}

static bool schema_new_builtin(bool succeed, cpb_error *error) {
  const cpb_allocator none = {.allocate = no_memory};
  cpb_schema *schema = cpb_schema_new_builtin(succeed ? NULL : &none, error);
  cpb_schema_free(schema);
  return schema != NULL;
}

static bool message_from_text(bool succeed, cpb_error *error) {
  size_t size;
  cpb_schema *schema = cpb_schema_new_builtin(NULL, NULL);
  const cpb_message_type *type = cpb_schema_find_message(schema, "tensorflow.VersionDef");
  uint8_t *message = cpb_message_from_text(type, "producer: x", succeed ? 0 : 11, NULL, &size, error);
  cpb_schema_free(schema);
  free(message);
  return message != NULL;
}

static bool model_guess_text(bool succeed, cpb_error *error) {
  static const char text[] = "node { name: \"x\" }";
  const cpb_allocator none = {.allocate = no_memory};
  return cpb_model_guess_text(succeed ? NULL : &none, text, sizeof text - 1, error) == CPB_MODEL_GRAPH_DEF;
}

static bool model_from_text(bool succeed, cpb_error *error) {
  size_t size;
  const cpb_model_kind kind = succeed ? CPB_MODEL_GRAPH_DEF : CPB_MODEL_SAMEDIFF_ZIP;
  uint8_t *message = cpb_model_from_text(kind, "", 0, NULL, &size, error);
  free(message);
  return message != NULL;
}

static bool path_parse(bool succeed, cpb_error *error) {
  cpb_path *path = cpb_path_parse(NULL, "node[1]", succeed ? 7 : 5, error);
  cpb_path_free(path);
  return path != NULL;
}

static bool field_numbers(bool succeed, cpb_error *error) {
  char numbers[64];
  return cpb_message_field_numbers(NULL, NULL, succeed ? "1,4.2" : "1,id", numbers, sizeof numbers, error) == CPB_OK;
}

static bool file_open(bool succeed, cpb_error *error) {
  cpb_file *file = cpb_file_open(NULL, succeed ? PB : NO_FILE, error);
  cpb_file_close(file);
  return file != NULL;
}

static bool file_open_fd(bool succeed, cpb_error *error) {
  const cpb_allocator none = {.allocate = no_memory};
  cpb_file *file = cpb_file_open_fd(succeed ? NULL : &none, -1, -1, error);
  cpb_file_close(file);
  return file != NULL;
}

static bool file_open_memory(bool succeed, cpb_error *error) {
  const cpb_allocator none = {.allocate = no_memory};
  cpb_file *file = cpb_file_open_memory(succeed ? NULL : &none, "", 0, error);
  cpb_file_close(file);
  return file != NULL;
}

static bool file_open_source(bool succeed, cpb_error *error) {
  const cpb_allocator none = {.allocate = no_memory};
  const cpb_source source = {.struct_size = sizeof source};
  cpb_file *file = cpb_file_open_source(succeed ? NULL : &none, &source, error);
  cpb_file_close(file);
  return file != NULL;
}

/* A directory opens as a descriptor, but cannot be read. */
static cpb_file *open_input(const char *path, int *fd) {
  *fd = open(path, O_RDONLY);
  return cpb_file_open_fd(NULL, *fd, -1, NULL);
}

static void close_input(cpb_file *file, int fd) {
  cpb_file_close(file);
  close(fd);
}

static bool file_read(bool succeed, cpb_error *error) {
  int fd;
  size_t length = 1;
  cpb_file *file = open_input(succeed ? CPB : folder, &fd);
  bool read = cpb_file_read(file, 0, &length, error) != NULL;
  close_input(file, fd);
  return read;
}

static bool file_size(bool succeed, cpb_error *error) {
  uint64_t size;
  int fd;
  cpb_file *file = open_input(CPB, &fd);
  if (!succeed) close(fd);
  bool found = cpb_file_size(file, &size, error) == CPB_OK;
  close_input(file, succeed ? fd : -1);
  return found;
}

static bool file_read_all(bool succeed, cpb_error *error) {
  size_t size;
  cpb_file *file = cpb_file_open(NULL, PB, NULL);
  uint8_t *all = cpb_file_read_all(file, succeed ? 100000 : 999, &size, error);
  free(all);
  cpb_file_close(file);
  return all != NULL;
}

static bool output_create(bool succeed, cpb_error *error) {
  cpb_output *output = cpb_output_create(NULL, succeed ? out : NO_FILE, NULL, error);
  cpb_output_free(output);
  return output != NULL;
}

static bool output_create_fd(bool succeed, cpb_error *error) {
  const cpb_allocator none = {.allocate = no_memory};
  cpb_output *output = cpb_output_create_fd(succeed ? NULL : &none, -1, -1, error);
  cpb_output_free(output);
  return output != NULL;
}

static bool output_create_sink(bool succeed, cpb_error *error) {
  const cpb_allocator none = {.allocate = no_memory};
  const cpb_sink sink = {.struct_size = sizeof sink};
  cpb_output *output = cpb_output_create_sink(succeed ? NULL : &none, &sink, error);
  cpb_output_free(output);
  return output != NULL;
}

static bool output_extend(bool succeed, cpb_error *error) {
  if (succeed) close(open(out, O_CREAT | O_WRONLY, 0600));
  cpb_output *output = cpb_output_extend(NULL, succeed ? out : NO_FILE, NULL, error);
  cpb_output_free(output);
  unlink(out);
  return output != NULL;
}

/* What was written is on its way to a descriptor that is closed. */
static bool output_read_back(bool succeed, cpb_error *error) {
  cpb_output *output = succeed ? cpb_output_create(NULL, out, NULL, NULL) : cpb_output_create_fd(NULL, -1, -1, NULL);
  cpb_output_write(output, 0, "x", 1);
  cpb_file *file = cpb_output_read_back(output, error);
  cpb_file_close(file);
  cpb_output_free(output);
  return file != NULL;
}

static bool unlinked(cpb_code code) {
  unlink(out);
  return code == CPB_OK;
}

static bool file_merge(bool succeed, cpb_error *error) {
  return unlinked(cpb_file_merge(succeed ? CPB : PB, out, &replace, error));
}

static bool file_split(bool succeed, cpb_error *error) {
  const cpb_split_options how = {.struct_size = sizeof how, .type_name = succeed ? NULL : "no.such.Type"};
  return unlinked(cpb_file_split(PB, out, &how, &replace, error));
}

static bool file_read_base(bool succeed, cpb_error *error) {
  cpb_file *file = cpb_file_open(NULL, PB, NULL);
  cpb_split *split = cpb_split_new(NULL, NULL);
  while (cpb_split_plan(split) == CPB_STEP_NEED) cpb_file_supply(file, cpb_split_input(split));
  const cpb_file_options allowed = {.struct_size = sizeof allowed, .allow_references = 1};
  cpb_split_base *base = cpb_file_read_base(succeed ? CPB : PB, out, split, &allowed, error);
  const bool done = base != NULL;
  cpb_split_free(split);
  cpb_split_base_free(base);
  cpb_file_close(file);
  return done;
}

static bool file_repack(bool succeed, cpb_error *error) {
  return unlinked(cpb_file_repack(succeed ? CPB : PB, out, NULL, &replace, error));
}

static cpb_index *index_of(cpb_file *in) {
  cpb_index *index = cpb_index_new(NULL, NULL);
  while (cpb_index_step(index) == CPB_STEP_NEED) cpb_file_supply(in, cpb_index_input(index));
  return index;
}

/* The message is read from a folder. */
static bool transfer_compare(bool succeed, cpb_error *error) {
  int fd;
  cpb_comparison result;
  cpb_file *whole = cpb_file_open(NULL, CPB, NULL), *in = open_input(succeed ? CPB : folder, &fd);
  cpb_index *index = index_of(whole);
  bool done = cpb_transfer_compare(in, index, NULL, NULL, &result, error) == CPB_OK;
  cpb_index_free(index);
  cpb_file_close(whole);
  close_input(in, fd);
  return done;
}

static bool transfer_check(bool succeed, cpb_error *error) {
  int fd;
  cpb_file *in = open_input(succeed ? CPB : folder, &fd);
  bool done = cpb_transfer_check(in, NULL, NULL, NULL, error) == CPB_OK;
  close_input(in, fd);
  return done;
}

static bool transfer_split(bool succeed, cpb_error *error) {
  int fd;
  cpb_file *in = open_input(succeed ? PB : folder, &fd);
  cpb_output *output = cpb_output_create(NULL, out, &replace_it, NULL);
  cpb_split *split = cpb_split_new(NULL, &(cpb_split_options){.struct_size = sizeof(cpb_split_options), .seekable = 1});
  bool done = cpb_transfer_split(in, output, split, NULL, error) == CPB_OK;
  cpb_split_free(split);
  cpb_output_free(output);
  close_input(in, fd);
  return done;
}

static bool transfer_repack(bool succeed, cpb_error *error) {
  int fd;
  cpb_file *in = open_input(succeed ? CPB : PB, &fd);
  cpb_output *output = cpb_output_create(NULL, out, &replace_it, NULL);
  cpb_repack *repack =
      cpb_repack_new(NULL, &(cpb_repack_options){.struct_size = sizeof(cpb_repack_options), .seekable = 1});
  bool done = cpb_transfer_repack(in, output, repack, NULL, error) == CPB_OK;
  cpb_repack_free(repack);
  cpb_output_free(output);
  close_input(in, fd);
  return done;
}

/* The index is that of a file; the directory in its place cannot be read. */
static bool transfer_merge(bool succeed, cpb_error *error) {
  int fd, other;
  cpb_file *in = open_input(CPB, &fd), *unreadable = open_input(folder, &other);
  cpb_output *output = cpb_output_create(NULL, out, &replace_it, NULL);
  cpb_index *index = cpb_index_new(NULL, NULL);
  while (cpb_index_step(index) == CPB_STEP_NEED) cpb_file_supply(in, cpb_index_input(index));
  bool done = cpb_transfer_merge(succeed ? in : unreadable, index, output, NULL, error) == CPB_OK;
  cpb_index_free(index);
  cpb_output_free(output);
  close_input(in, fd);
  close_input(unreadable, other);
  return done;
}

static bool transfer_copy(bool succeed, cpb_error *error) {
  int fd;
  cpb_file *in = open_input(succeed ? CPB : folder, &fd);
  cpb_output *output = cpb_output_create(NULL, out, &replace_it, NULL);
  bool done = cpb_transfer_copy(in, output, NULL, error) == CPB_OK;
  cpb_output_free(output);
  close_input(in, fd);
  return done;
}

static bool url_open(bool succeed, cpb_error *error) {
  cpb_file *file = cpb_url_open(NULL, succeed ? "https://127.0.0.1:1/" : "https:///path", NULL, error);
  if (succeed && !file) file = cpb_file_open(NULL, CPB, error); /* this build has no URLs */
  cpb_file_close(file);
  return file != NULL;
}

static bool find_and_open(bool succeed, cpb_error *error) {
  char path[4096];
  cpb_file *file = cpb_find_and_open(NULL, succeed ? CPB : NO_FILE, NULL, path, sizeof path, error);
  cpb_file_close(file);
  return file != NULL;
}

/* --- Messages and models ---------------------------------------------------------- */

static bool message_file_open(bool succeed, cpb_error *error) {
  cpb_message_file *message = cpb_message_file_open(NULL, succeed ? CPB : NO_FILE, NULL, error);
  cpb_message_file_close(message);
  return message != NULL;
}

static bool message_file_on(bool succeed, cpb_error *error) {
  const cpb_allocator none = {.allocate = no_memory};
  cpb_file *file = cpb_file_open(NULL, PB, NULL);
  cpb_message_file *message = cpb_message_file_on(succeed ? NULL : &none, file, PB, NULL, error);
  cpb_message_file_close(message);
  return message != NULL;
}

static bool onnx_rewrite_open(bool succeed, cpb_error *error) {
  const cpb_allocator none = {.allocate = no_memory};
  cpb_onnx_rewrite *rewrite = cpb_onnx_rewrite_new(NULL, NULL);
  cpb_file *file = cpb_onnx_rewrite_open(succeed ? NULL : &none, NULL, rewrite, CPB_ONNX_MODEL, error);
  const bool done = file != NULL;
  cpb_file_close(file);
  cpb_onnx_rewrite_free(rewrite);
  return done;
}

static bool message_file_size(bool succeed, cpb_error *error) {
  int fd;
  uint64_t size;
  cpb_message_file *message = cpb_message_file_on(NULL, open_input(PB, &fd), PB, NULL, NULL);
  if (!succeed) close(fd);
  bool found = cpb_message_file_size(message, &size, error) == CPB_OK;
  cpb_message_file_close(message);
  if (succeed) close(fd);
  return found;
}

static int cancel_if(void *user, uint64_t done, uint64_t total) {
  (void)done;
  (void)total;
  return *(bool *)user;
}

static bool message_file_read(bool succeed, cpb_error *error) {
  bool cancelled = false;
  size_t length = 1;
  cpb_message_file_options how = {.struct_size = sizeof how, .progress = cancel_if, .user = &cancelled};
  cpb_message_file *message = cpb_message_file_open(NULL, PB, &how, NULL);
  cancelled = !succeed;
  bool read = cpb_message_file_read(message, 0, &length, error) != NULL;
  cpb_message_file_close(message);
  return read;
}

static bool message_file_find(bool succeed, cpb_error *error) {
  const cpb_message_file_options how = {.struct_size = sizeof how, .plan_late = 1};
  cpb_message_file *message = cpb_message_file_open(NULL, CPB, &how, NULL);
  cpb_path *path = cpb_path_parse(NULL, succeed ? "2" : "99", succeed ? 1 : 2, NULL);
  cpb_find *find = cpb_message_file_find(message, NULL, path, error);
  bool found = find != NULL;
  cpb_find_free(find);
  cpb_path_free(path);
  cpb_message_file_close(message);
  return found;
}

static bool read_field(bool succeed, cpb_error *error) {
  size_t size;
  uint8_t *bytes = cpb_read_field(CPB, succeed ? "2" : "2[9]", NULL, &size, error);
  free(bytes);
  return bytes != NULL;
}

static bool read_field_json(bool succeed, cpb_error *error) {
  size_t size;
  char *json = cpb_read_field_json(succeed ? CPB : NO_FILE, "meta_graphs", NULL, &size, error);
  free(json);
  return json != NULL;
}

static bool message_file_json(bool succeed, cpb_error *error) {
  size_t size;
  const cpb_range range = {0, 1}; /* of the message itself, of which the first byte is a tag */
  cpb_schema *schema = cpb_schema_new_builtin(NULL, NULL);
  const cpb_message_type *type = cpb_schema_find_message(schema, "tensorflow.SavedModel");
  const cpb_found_field place = {.found.message = type, .ranges = &range, .num_ranges = succeed ? 0 : 1};
  cpb_message_file *message = cpb_message_file_open(NULL, CPB, NULL, NULL);
  char *json = cpb_message_file_json(message, &place, NULL, &size, error);
  free(json);
  cpb_message_file_close(message);
  cpb_schema_free(schema);
  return json != NULL;
}

static bool message_file_supply(bool succeed, cpb_error *error) {
  bool cancelled = false;
  const cpb_question question = {.struct_size = sizeof question, .kind = CPB_ASK_OVERVIEW};
  cpb_message_file_options how = {.struct_size = sizeof how, .progress = cancel_if, .user = &cancelled};
  cpb_message_file *message = cpb_message_file_open(NULL, CPB, &how, NULL);
  cpb_model *model = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
  cpb_model_ask(model, &question);
  cpb_model_step(model);
  cancelled = !succeed;
  bool supplied = cpb_message_file_supply(message, cpb_model_input(model), error) == CPB_OK;
  cpb_model_free(model);
  cpb_message_file_close(message);
  return supplied;
}

static bool model_file_open(bool succeed, cpb_error *error) {
  cpb_model_file *file = cpb_model_file_open(NULL, succeed ? CPB : CPB_TEST_DATA "/records/empty.riegeli", NULL, error);
  cpb_model_file_close(file);
  return file != NULL;
}

static bool model_file_on(bool succeed, cpb_error *error) {
  cpb_file *input = cpb_file_open(NULL, succeed ? PB : CPB_TEST_DATA "/records/empty.riegeli", NULL);
  cpb_model_file *file = cpb_model_file_on(NULL, input, PB, NULL, error);
  cpb_model_file_close(file);
  return file != NULL;
}

static bool model_file_ask(bool succeed, cpb_error *error) {
  size_t size;
  const cpb_question question = {.struct_size = sizeof question, .kind = succeed ? CPB_ASK_OVERVIEW : CPB_ASK_TAG};
  cpb_model_file *file = cpb_model_file_open(NULL, CPB, NULL, NULL);
  bool answered = cpb_model_file_ask(file, &question, &size, error) != NULL;
  cpb_model_file_close(file);
  return answered;
}

/* The model's folder, the index or the values of its checkpoint damaged. */
static cpb_model_file *open_folder(const char *damaged) {
  model_folder_make(NULL);
  if (damaged) {
    char from[256];
    snprintf(from, sizeof from, MODEL_DATA "model/%s", damaged);
    model_put(damaged, from, 3);
  }
  return cpb_model_file_open(NULL, model_folder, NULL, NULL);
}

static bool close_folder(cpb_model_file *file, bool result) {
  cpb_model_file_close(file);
  model_folder_remove(NULL);
  return result;
}

static bool model_file_load(bool succeed, cpb_error *error) {
  cpb_model_file *file = open_folder(succeed ? NULL : MODEL_INDEX);
  return close_folder(file, cpb_model_file_load(file, CPB_BESIDE_ALL, error) == CPB_OK);
}

static bool model_file_supply(bool succeed, cpb_error *error) {
  bool cancelled = false;
  const cpb_question question = {.struct_size = sizeof question, .kind = CPB_ASK_OVERVIEW};
  cpb_model_file_options how = {.struct_size = sizeof how, .progress = cancel_if, .user = &cancelled};
  cpb_model_file *file = cpb_model_file_open(NULL, CPB, &how, NULL);
  cpb_model *model = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
  cpb_model_ask(model, &question);
  cpb_model_step(model);
  cancelled = !succeed;
  bool supplied = cpb_model_file_supply(file, -1, cpb_model_input(model), error) == CPB_OK;
  cpb_model_free(model);
  cpb_model_file_close(file);
  return supplied;
}

static bool model_file_values(bool succeed, cpb_error *error) {
  cpb_model_file *file = cpb_model_file_open(NULL, CPB, NULL, NULL);
  cpb_values_file *values = cpb_model_file_values(file, succeed ? "Const_1" : "Const_9", 7, NULL, error);
  cpb_values_file_close(values);
  cpb_model_file_close(file);
  return values != NULL;
}

static bool model_file_variable(bool succeed, cpb_error *error) {
  cpb_model_file *file = open_folder(NULL);
  cpb_values_file *values = cpb_model_file_variable(file, succeed ? "v" : "w", 1, NULL, error);
  cpb_values_file_close(values);
  return close_folder(file, values != NULL);
}

static bool model_file_statistics(bool succeed, cpb_error *error) {
  size_t size;
  const cpb_model_statistics_options how = {.struct_size = sizeof how, .variable = 1};
  cpb_model_file *file = open_folder(NULL);
  return close_folder(file, cpb_model_file_statistics(file, succeed ? "v" : "w", 1, &how, &size, error) != NULL);
}

static bool values_file_read(bool succeed, cpb_error *error) {
  size_t size = 1;
  cpb_model_file *file = open_folder(succeed ? NULL : MODEL_VALUES);
  cpb_values_file *values = cpb_model_file_variable(file, "v", 1, NULL, NULL);
  const uint8_t *data = NULL;
  while (values && size > 0 && (data = cpb_values_file_read(values, &size, error))) continue;
  cpb_values_file_close(values);
  return close_folder(file, data != NULL);
}

/* Every function, and the error of its failing call: some words of its message. */
static const struct {
  const char *name;
  call *call;
  cpb_code code;
  uint64_t offset;
  const char *words;
} calls[] = {
    {"cpb_index_from_metadata", index_from_metadata, CPB_E_DAMAGED, CPB_NO_OFFSET, "byte 2"},
    {"cpb_index_from_message", index_from_message, CPB_E_DAMAGED, CPB_NO_OFFSET, "byte 0"},
    {"cpb_schema_new", schema_new, CPB_E_DAMAGED, CPB_NO_OFFSET, "byte 0"},
    {"cpb_schema_new_builtin", schema_new_builtin, CPB_E_MEMORY, CPB_NO_OFFSET, "out of memory"},
    {"cpb_message_from_text", message_from_text, CPB_E_DAMAGED, 10, "expected an integer"},
    {"cpb_model_guess_text", model_guess_text, CPB_E_MEMORY, CPB_NO_OFFSET, "out of memory"},
    {"cpb_model_from_text", model_from_text, CPB_E_USAGE, CPB_NO_OFFSET, "model kind 4"},
    {"cpb_record_writer_options_parse", writer_options_parse, CPB_E_USAGE, 5, "expected a level from"},
    {"cpb_path_parse", path_parse, CPB_E_USAGE, 5, "index"},
    {"cpb_message_field_numbers", field_numbers, CPB_E_USAGE, 2, "is a name"},
    {"cpb_file_open", file_open, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "No such file or directory"},
    {"cpb_file_open_fd", file_open_fd, CPB_E_MEMORY, CPB_NO_OFFSET, "out of memory"},
    {"cpb_file_open_memory", file_open_memory, CPB_E_MEMORY, CPB_NO_OFFSET, "out of memory"},
    {"cpb_file_open_source", file_open_source, CPB_E_MEMORY, CPB_NO_OFFSET, "out of memory"},
    {"cpb_file_read", file_read, CPB_E_READ, CPB_NO_OFFSET, "Is a directory"},
    {"cpb_file_size", file_size, CPB_E_READ, CPB_NO_OFFSET, "Bad file descriptor"},
    {"cpb_file_read_all", file_read_all, CPB_E_LIMIT, CPB_NO_OFFSET, "999 bytes"},
    {"cpb_output_create", output_create, CPB_E_WRITE, CPB_NO_OFFSET, "No such file or directory"},
    {"cpb_output_create_fd", output_create_fd, CPB_E_MEMORY, CPB_NO_OFFSET, "out of memory"},
    {"cpb_output_create_sink", output_create_sink, CPB_E_MEMORY, CPB_NO_OFFSET, "out of memory"},
    {"cpb_output_extend", output_extend, CPB_E_WRITE, CPB_NO_OFFSET, "No such file or directory"},
    {"cpb_output_read_back", output_read_back, CPB_E_WRITE, CPB_NO_OFFSET, "Bad file descriptor"},
    {"cpb_file_merge", file_merge, CPB_E_FORMAT, 0, "not a Riegeli/records file"},
    {"cpb_file_split", file_split, CPB_E_USAGE, CPB_NO_OFFSET, "no.such.Type"},
    {"cpb_file_read_base", file_read_base, CPB_E_FORMAT, 0, "not a Riegeli/records file"},
    {"cpb_file_repack", file_repack, CPB_E_FORMAT, 0, "not a Riegeli/records file"},
    {"cpb_transfer_merge", transfer_merge, CPB_E_READ, 64, "Is a directory"},
    {"cpb_transfer_compare", transfer_compare, CPB_E_READ, 64, "Is a directory"},
    {"cpb_transfer_check", transfer_check, CPB_E_READ, 0, "Is a directory"},
    {"cpb_transfer_split", transfer_split, CPB_E_READ, 0, "Is a directory"},
    {"cpb_transfer_repack", transfer_repack, CPB_E_FORMAT, 0, "not a Riegeli/records file"},
    {"cpb_transfer_copy", transfer_copy, CPB_E_READ, CPB_NO_OFFSET, "Is a directory"},
    {"cpb_url_open", url_open, CPB_E_USAGE, CPB_NO_OFFSET, "this is no URL"},
    {"cpb_find_and_open", find_and_open, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "No such file or directory"},
    {"cpb_message_file_open", message_file_open, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "No such file or directory"},
    {"cpb_message_file_on", message_file_on, CPB_E_MEMORY, CPB_NO_OFFSET, "out of memory"},
    {"cpb_message_file_size", message_file_size, CPB_E_READ, CPB_NO_OFFSET, "Bad file descriptor"},
    {"cpb_message_file_find", message_file_find, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "none"},
    {"cpb_message_file_json", message_file_json, CPB_E_DAMAGED, CPB_NO_OFFSET, "ends within a field"},
    {"cpb_read_field", read_field, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "[9]"},
    {"cpb_read_field_json", read_field_json, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "No such file or directory"},
    {"cpb_message_file_read", message_file_read, CPB_E_CANCELLED, CPB_NO_OFFSET, "cancelled"},
    {"cpb_message_file_supply", message_file_supply, CPB_E_CANCELLED, CPB_NO_OFFSET, "cancelled"},
    {"cpb_model_file_open", model_file_open, CPB_E_FORMAT, CPB_NO_OFFSET,
     "a Riegeli file without an index of chunks; list its records with \"cpb records\""},
    {"cpb_model_file_on", model_file_on, CPB_E_FORMAT, CPB_NO_OFFSET,
     "a Riegeli file whose name ends in .pb, so that no index is looked for; list its records with \"cpb records\""},
    {"cpb_model_file_ask", model_file_ask, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "question \"tag\" is not supported"},
    {"cpb_model_file_load", model_file_load, CPB_E_DAMAGED, 0, "CRC-32C"},
    {"cpb_model_file_supply", model_file_supply, CPB_E_CANCELLED, CPB_NO_OFFSET, "cancelled"},
    {"cpb_model_file_statistics", model_file_statistics, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "\"w\""},
    {"cpb_model_file_values", model_file_values, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "Const_9"},
    {"cpb_model_file_variable", model_file_variable, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "\"w\""},
    {"cpb_onnx_rewrite_open", onnx_rewrite_open, CPB_E_MEMORY, CPB_NO_OFFSET, "out of memory"},
    {"cpb_values_file_read", values_file_read, CPB_E_DAMAGED, 0, "CRC-32C"},
};
#define NUM_CALLS (sizeof calls / sizeof *calls)

/* --- The tests -------------------------------------------------------------------- */

static void check(const cpb_error *error, const char *name, cpb_code code, uint64_t offset, const char *words) {
  if (!memchr(error->message, 0, sizeof error->message)) fail_msg("%s: the message does not end", name);
  bool has_message = *words ? strstr(error->message, words) != NULL : !*error->message;
  if (error->code == code && error->offset == offset && has_message) return;
  fail_msg("%s: code %d, offset %lld, \"%s\"", name, error->code, (long long)error->offset, error->message);
}

static void each_resets_the_struct_it_is_given(void **state) {
  (void)state;
  for (size_t i = 0; i < NUM_CALLS; i++) {
    cpb_error error;
    memset(&error, 0xa5, sizeof error);
    if (!calls[i].call(true, &error)) fail_msg("%s failed: %s", calls[i].name, error.message);
    check(&error, calls[i].name, CPB_OK, CPB_NO_OFFSET, "");
    memset(&error, 0xa5, sizeof error);
    if (calls[i].call(false, &error)) fail_msg("%s succeeded", calls[i].name);
    check(&error, calls[i].name, calls[i].code, calls[i].offset, calls[i].words);
    if (!calls[i].call(true, &error)) fail_msg("%s failed after an error", calls[i].name);
    check(&error, calls[i].name, CPB_OK, CPB_NO_OFFSET, "");
  }
}

static void each_takes_no_struct(void **state) {
  (void)state;
  for (size_t i = 0; i < NUM_CALLS; i++) {
    if (!calls[i].call(true, NULL)) fail_msg("%s failed", calls[i].name);
    if (calls[i].call(false, NULL)) fail_msg("%s succeeded", calls[i].name);
  }
}

static void blank_comments(char *text) {
  for (char *at = text; (at = strstr(at, "/*"));) {
    char *end = strstr(at, "*/") + 2;
    memset(at, ' ', (size_t)(end - at));
  }
}

/* Whether a declaration has a parameter `cpb_error *`. */
static bool takes_error(const char *declaration) {
  for (const char *at = declaration; (at = strstr(at, "cpb_error *")); at++)
    if (at - declaration < 6 || memcmp(at - 6, "const ", 6) != 0) return true;
  return false;
}

static bool has_call(const char *name) {
  for (size_t i = 0; i < NUM_CALLS; i++)
    if (strcmp(calls[i].name, name) == 0) return true;
  return false;
}

/* Counts the functions of a header that take an error; each must be in `calls`. */
static size_t check_header(char *text) {
  size_t count = 0;
  blank_comments(text);
  for (char *at = text; (at = strstr(at, "CPB_API "));) {
    char *end = strchr(at, ';'), *name = strchr(at, '(');
    *end = '\0';
    if (takes_error(at)) {
      *name = '\0';
      while (isalnum((unsigned char)name[-1]) || name[-1] == '_') name--;
      if (!has_call(name)) fail_msg("%s takes a cpb_error *, but is not in `calls`", name);
      count++;
    }
    at = end + 1;
  }
  return count;
}

static void no_function_is_forgotten(void **state) {
  (void)state;
  static char text[200000];
  size_t count = 0;
  glob_t headers;
  assert_int_equal(glob(CPB_INCLUDE "/cpb/*.h", 0, NULL, &headers), 0);
  for (size_t i = 0; i < headers.gl_pathc; i++) {
    FILE *f = fopen(headers.gl_pathv[i], "rb");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    count += check_header(text);
  }
  globfree(&headers);
  assert_int_equal(count, NUM_CALLS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_resets_the_struct_it_is_given),
      cmocka_unit_test(each_takes_no_struct),
      cmocka_unit_test(no_function_is_forgotten),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
