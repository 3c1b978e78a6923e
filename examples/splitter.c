/* splitter SET.fds IN.pb OUT.cpb: splits a trainer.Checkpoint (checkpoint.proto)
 * with a splitter of our own. SET.fds describes the message type; it is made by
 *
 *     protoc --descriptor_set_out=SET.fds --include_imports checkpoint.proto
 *
 * docs/splitters.md says how splitters decide, and what is guaranteed whatever
 * they decide. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpb/file.h"
#include "cpb/message.h"
#include "cpb/split.h"

/* Called for the fields of a Checkpoint. Fields of messages inside of it, such as
 * Step, are left to the generic rule, which moves out what is too large for a chunk. */
static void decide(void *user, const cpb_split_field *field, cpb_split_decision *decision) {
  unsigned *asked = user;
  ++*asked;
  if (strcmp(field->name, "step") == 0) {
    decision->action = CPB_SPLIT_ENTER; /* it stays, except for large fields in it */
  } else if (strcmp(field->name, "log") == 0) {
    decision->action = CPB_SPLIT_MOVE; /* seldom read: a chunk of its own, */
    decision->order = 1;               /* after all others */
  } /* otherwise the generic rule decides */
}

/* A descriptor set is small, and cpb_schema_new() keeps no pointer into it. */
static cpb_schema *read_schema(const char *path, cpb_error *error) {
  cpb_schema *schema = NULL;
  cpb_file *file = cpb_file_open(NULL, path, error);
  if (!file) return NULL;
  size_t size = (size_t)256 << 10;
  const uint8_t *bytes = cpb_file_read(file, 0, &size, error);
  if (bytes) schema = cpb_schema_new(NULL, bytes, size, NULL, error);
  cpb_file_close(file);
  return schema;
}

static void print_chunks(const cpb_split *split) {
  cpb_split_chunk chunk;
  for (size_t i = 0; cpb_split_chunk_at(split, i, &chunk); i++)
    printf("chunk %zu: %" PRIu64 " bytes, %s\n", i, chunk.size, chunk.is_bytes ? "bytes" : "message");
}

/* The same steps as cpb_file_split(), one by one, so that the plan can be printed. */
static cpb_code run(const char *in_path, const char *out_path, cpb_split *split, cpb_error *error) {
  const cpb_output_options replace = {.struct_size = sizeof replace, .replace = 1};
  cpb_output *out = NULL;
  cpb_file *in = cpb_file_open(NULL, in_path, error);
  if (in) out = cpb_output_create(NULL, out_path, &replace, error);
  cpb_code code = out ? cpb_transfer_split(in, out, split, NULL, error) : error->code;
  if (code == CPB_OK && (code = cpb_output_commit(out)) != CPB_OK) *error = *cpb_output_error(out);
  cpb_output_free(out); /* removes OUT.cpb unless it was committed */
  cpb_file_close(in);
  return code;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: splitter SET.fds IN.pb OUT.cpb\n");
    return 1;
  }
  cpb_error error;
  cpb_schema *schema = read_schema(argv[1], &error);
  if (!schema) {
    fprintf(stderr, "%s: %s\n", argv[1], error.message);
    return 1;
  }
  unsigned asked = 0;
  const cpb_splitter splitter = {"trainer.Checkpoint", decide, &asked};
  const cpb_split_options options = {
      .struct_size = sizeof options,
      .type_name = "trainer.Checkpoint",
      .schema = schema,
      .max_chunk_size = 256, /* very small, so that there is something to see */
      .seekable = 1,         /* a cpb_output can write at any offset */
      .splitters = &splitter,
      .num_splitters = 1,
  };
  cpb_split *split = cpb_split_new(NULL, &options);
  int status = 1;
  if (!split) {
    fprintf(stderr, "out of memory\n");
  } else if (run(argv[2], argv[3], split, &error) != CPB_OK) {
    fprintf(stderr, "%s: %s\n", argv[error.code == CPB_E_WRITE ? 3 : 2], error.message);
  } else {
    print_chunks(split);
    printf("the splitter was asked %u times\n", asked);
    status = 0;
  }
  cpb_split_free(split);
  cpb_schema_free(schema);
  return status;
}
