/* samediff GRAPH.fb OUT.zip NAME=2,4 ...: a SameDiff zip of one tag, whose parameters
 * are floats 0, 1, 2, ... in the shapes that are given. The writer asks for what it
 * needs next, so a parameter is never in memory as a whole. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpb/file.h"
#include "cpb/samediff.h"

#define RANK_MAX 8
#define PIECE 1024

/* Values from the offset on at which the writer wants them, a multiple of four here. */
static void answer(cpb_input *input) {
  static float values[PIECE];
  cpb_need need;
  cpb_input_need(input, &need);
  for (int i = 0; i < PIECE; i++) values[i] = (float)(need.offset / sizeof *values + (uint64_t)i);
  cpb_input_supply(input, need.offset, values, need.length < sizeof values ? need.length : sizeof values);
}

static cpb_code write_zip(cpb_samediff_writer *writer, cpb_output *out, cpb_error *error) {
  for (;;) {
    uint64_t offset;
    size_t length;
    const uint8_t *data;
    switch (cpb_samediff_writer_step(writer)) {
      case CPB_STEP_NEED: answer(cpb_samediff_writer_input(writer)); break;
      case CPB_STEP_OUTPUT:
        data = cpb_samediff_writer_output(writer, &offset, &length);
        if (cpb_output_write(out, offset, data, length) == CPB_OK) break;
        *error = *cpb_output_error(out);
        return error->code;
      case CPB_STEP_DONE: return cpb_output_commit(out);
      default: *error = *cpb_samediff_writer_error(writer); return error->code;
    }
  }
}

/* What is wrong with a parameter, the writer's first step says. */
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

static cpb_code make_zip(char **names, cpb_file *graph, cpb_output *out, cpb_error *error) {
  size_t size = (size_t)1 << 24; /* at most; it must stay, so nothing else is read from `graph` */
  const uint8_t *data = cpb_file_read(graph, 0, &size, error);
  cpb_samediff_writer *writer = data ? cpb_samediff_writer_new(NULL, NULL) : NULL;
  if (!writer) return data ? CPB_E_MEMORY : error->code;
  cpb_samediff_tag tag = {
      .struct_size = sizeof tag, .name = "first", .name_size = 5, .graph = data, .graph_size = size};
  cpb_samediff_writer_tag(writer, &tag);
  for (; *names; names++) add(writer, *names);
  cpb_code code = write_zip(writer, out, error);
  cpb_samediff_writer_free(writer);
  return code;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: samediff GRAPH.fb OUT.zip NAME=2,4 ...\n");
    return 1;
  }
  const cpb_output_options options = {.struct_size = sizeof options, .replace = 1};
  cpb_error error = {.offset = CPB_NO_OFFSET, .message = "out of memory"};
  cpb_file *graph = cpb_file_open(NULL, argv[1], &error);
  cpb_output *out = graph ? cpb_output_create(NULL, argv[2], &options, &error) : NULL;
  cpb_code code = out ? make_zip(argv + 3, graph, out, &error) : error.code;
  cpb_output_free(out); /* which leaves no OUT.zip unless it is whole */
  cpb_file_close(graph);
  if (code == CPB_OK) return 0;
  fprintf(stderr, "%s: %s\n", argv[1], error.message);
  return 1;
}
