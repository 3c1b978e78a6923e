/* source FILE PATH: writes one field of a message to standard output. The program does its own I/O, but leaves the rest
 * to the library: a cpb_source says how bytes are read, here from a FILE, and a cpb_file on it is like any other.
 * range.c shows a program that drives the engines itself. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cpb/open.h"

typedef struct storage {
  FILE *file;
  unsigned reads;
} storage;

static cpb_code fail(cpb_error *error) {
  snprintf(error->message, sizeof error->message, "%s", strerror(errno));
  return CPB_E_READ;
}

static cpb_code read_bytes(void *user, uint64_t offset, void *out, size_t *length, cpb_error *error) {
  storage *s = user;
  s->reads++;
  if (fseek(s->file, (long)offset, SEEK_SET) != 0) return fail(error);
  *length = fread(out, 1, *length, s->file);
  return ferror(s->file) ? fail(error) : CPB_OK;
}

static cpb_code tell_size(void *user, uint64_t *size, cpb_error *error) {
  storage *s = user;
  long end = fseek(s->file, 0, SEEK_END) == 0 ? ftell(s->file) : -1;
  if (end < 0) return fail(error);
  *size = (uint64_t)end;
  return CPB_OK;
}

static int write_ranges(cpb_message_file *message, const cpb_find *find, cpb_error *error) {
  for (size_t i = 0; i < cpb_find_num_ranges(find); i++) {
    cpb_range range = cpb_find_get_range(find, i);
    while (range.length > 0) {
      size_t length = range.length < 65536 ? (size_t)range.length : 65536;
      const uint8_t *data = cpb_message_file_read(message, range.offset, &length, error);
      if (!data || length == 0 || fwrite(data, 1, length, stdout) != length) return 1;
      range.offset += length;
      range.length -= length;
    }
  }
  return fflush(stdout) != 0;
}

/* `type` is what the path's names are fields of. */
static int write_field(cpb_message_file *message, const cpb_message_type *type, const cpb_path *path,
                       cpb_error *error) {
  cpb_find *find = cpb_message_file_find(message, type, path, error);
  int status = find ? write_ranges(message, find, error) : 1;
  cpb_find_free(find);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: source FILE PATH\n");
    return 2;
  }
  cpb_error error = {.code = CPB_OK};
  storage s = {.file = fopen(argv[1], "rb")};
  if (!s.file) {
    perror(argv[1]);
    return 1;
  }
  const cpb_source how = {.struct_size = sizeof how, .user = &s, .read = read_bytes, .size = tell_size};
  const cpb_message_file_options late = {.struct_size = sizeof late, .plan_late = 1};
  cpb_schema *schema = cpb_schema_new_builtin(NULL, &error);
  cpb_path *path = schema ? cpb_path_parse(NULL, argv[2], strlen(argv[2]), &error) : NULL;
  cpb_file *file = path ? cpb_file_open_source(NULL, &how, &error) : NULL;
  cpb_message_file *message = file ? cpb_message_file_on(NULL, file, argv[1], &late, &error) : NULL;
  int status = message ? write_field(message, cpb_guess_message_type(schema, path), path, &error) : 1;
  if (error.code != CPB_OK) fprintf(stderr, "%s: %s\n", argv[1], error.message);
  cpb_message_file_close(message);
  cpb_path_free(path);
  cpb_schema_free(schema);
  fclose(s.file);
  fprintf(stderr, "%u reads\n", s.reads);
  return status;
}
