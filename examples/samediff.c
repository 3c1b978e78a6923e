/* samediff GRAPH.fb OUT.zip NAME=2,4 ...: writes a SameDiff zip with one tag, whose
 * parameters are floats 0, 1, 2, ... in the given shapes. The writer asks for values
 * as it needs them, so no parameter is in memory as a whole. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpb/file.h"
#include "cpb/samediff.h"

#define RANK_MAX 8
#define PIECE 1024
#define GRAPH_MAX ((size_t)16 << 20)

/* Lends values from the offset that the writer needs, which is a multiple of 4 here. */
static void supply(cpb_input *input) {
  static float values[PIECE];
  cpb_need need;
  cpb_input_need(input, &need);
  for (int i = 0; i < PIECE; i++) values[i] = (float)(need.offset / sizeof *values + (uint64_t)i);
  cpb_input_supply(input, need.offset, values, need.length < sizeof values ? need.length : sizeof values);
}

/* Returns NULL, or the error of the writer or of the output. */
static const cpb_error *write_zip(cpb_samediff_writer *writer, cpb_output *out) {
  for (;;) {
    uint64_t offset;
    size_t length;
    const uint8_t *data;
    switch (cpb_samediff_writer_step(writer)) {
      case CPB_STEP_NEED: supply(cpb_samediff_writer_input(writer)); break;
      case CPB_STEP_OUTPUT:
        data = cpb_samediff_writer_output(writer, &offset, &length);
        if (cpb_output_write(out, offset, data, length) == CPB_OK) break;
        return cpb_output_error(out);
      case CPB_STEP_DONE: return cpb_output_commit(out) == CPB_OK ? NULL : cpb_output_error(out);
      default: return cpb_samediff_writer_error(writer);
    }
  }
}

/* Adds the parameter of an argument NAME=2,4. If it is wrong, the writer's first step fails. */
static void add(cpb_samediff_writer *writer, const char *text) {
  uint64_t shape[RANK_MAX];
  cpb_samediff_part part = {
      .struct_size = sizeof part, .name = text, .name_size = strcspn(text, "="), .dtype = "FLOAT", .shape = shape};
  const char *at = text + part.name_size;
  while (*at && part.rank < RANK_MAX) {
    char *end;
    shape[part.rank++] = strtoull(at + 1, &end, 10);
    at = *end == ',' ? end : end + strlen(end);
  }
  cpb_samediff_writer_add(writer, &part);
}

static uint8_t graph[GRAPH_MAX]; /* must stay valid until the zip is written */

/* Returns zero when the whole graph was read. */
static int read_graph(const char *path, size_t *size, cpb_error *error) {
  cpb_file *file = cpb_file_open(NULL, path, error);
  const uint8_t *data = NULL;
  size_t length = 1;
  for (*size = 0; file && length > 0; *size += length) {
    length = sizeof graph - *size;
    data = cpb_file_read(file, *size, &length, error);
    if (!data) break;
    memcpy(graph + *size, data, length);
  }
  cpb_file_close(file);
  return data ? 0 : -1;
}

static int make_zip(const char *path, size_t graph_size, char **parameters) {
  const cpb_samediff_tag tag = {
      .struct_size = sizeof tag, .name = "first", .name_size = 5, .graph = graph, .graph_size = graph_size};
  const cpb_output_options replace = {.struct_size = sizeof replace, .replace = 1};
  const cpb_error *failure = NULL;
  cpb_error error;
  cpb_samediff_writer *writer = cpb_samediff_writer_new(NULL, NULL);
  cpb_output *out = cpb_output_create(NULL, path, &replace, &error);
  if (!out) {
    failure = &error;
  } else if (writer) {
    cpb_samediff_writer_tag(writer, &tag);
    for (; *parameters; parameters++) add(writer, *parameters);
    failure = write_zip(writer, out);
  }
  int made = writer && !failure;
  if (!made) fprintf(stderr, "%s: %s\n", path, failure ? failure->message : "out of memory");
  cpb_output_free(out); /* removes OUT.zip unless it was committed */
  cpb_samediff_writer_free(writer);
  return made ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: samediff GRAPH.fb OUT.zip NAME=2,4 ...\n");
    return 1;
  }
  cpb_error error;
  size_t graph_size;
  if (read_graph(argv[1], &graph_size, &error) == 0) return make_zip(argv[2], graph_size, argv + 3);
  fprintf(stderr, "%s: %s\n", argv[1], error.message);
  return 1;
}
