/* inspect FILE.cpb: the chunks of a .cpb file, and the tree that says where in
 * the message each belongs. Only the file's end is read for it. */
#include <inttypes.h>
#include <stdio.h>

#include "cpb/chunked.h"
#include "cpb/file.h"

static void print_chunks(const cpb_index *index) {
  for (uint64_t i = 0; i < cpb_index_num_chunks(index); i++) {
    cpb_chunk_info chunk;
    if (cpb_index_get_chunk(index, i, &chunk) != CPB_OK) continue;
    printf("chunk %" PRIu64 ": %" PRIu64 " bytes, %s, position %" PRIu64 "\n", i, chunk.size,
           chunk.type == CPB_CHUNK_BYTES ? "bytes" : "message", chunk.position);
  }
}

/* The steps from a node's parent to the node, such as [2][0]["value"]; a slice
 * of the parent itself has none. */
static void print_tags(const cpb_index *index, uint32_t node, uint32_t count) {
  if (count == 0) printf("[]");
  for (uint32_t i = 0; i < count; i++) {
    cpb_field_tag tag;
    if (cpb_index_get_tag(index, node, i, &tag) != CPB_OK) continue;
    switch (tag.kind) {
      case CPB_TAG_KEY_STRING: printf("[\"%.*s\"]", (int)tag.length, tag.text); break;
      case CPB_TAG_KEY_INT32:
      case CPB_TAG_KEY_INT64: printf("[%" PRId64 "]", (int64_t)tag.value); break;
      default: printf("[%" PRIu64 "]", tag.value); break;
    }
  }
}

static void print_node(const cpb_index *index, uint32_t node, const cpb_index_node *data, int depth) {
  printf("%*s", 2 * depth, "");
  if (node == 0) printf("message");
  else print_tags(index, node, data->num_tags);
  if (data->chunk != CPB_NO_CHUNK) printf(" = chunk %" PRIu64, data->chunk);
  printf("\n");
}

/* Goes down, else on, else up until it can go on. A file may nest its tree as
 * deep as the limits allow: a loop costs no stack. */
static void print_tree(const cpb_index *index) {
  cpb_index_node data;
  int depth = 0;
  uint32_t node = 0;
  while (node != CPB_NO_NODE && cpb_index_get_node(index, node, &data) == CPB_OK) {
    print_node(index, node, &data, depth);
    if (data.first_child != CPB_NO_NODE) {
      node = data.first_child;
      depth++;
      continue;
    }
    while (data.next == CPB_NO_NODE && data.parent != CPB_NO_NODE &&
           cpb_index_get_node(index, data.parent, &data) == CPB_OK) {
      depth--;
    }
    node = data.next;
  }
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: inspect FILE.cpb\n");
    return 1;
  }
  cpb_error error;
  cpb_file *file = cpb_file_open(NULL, argv[1], &error);
  cpb_index *index = cpb_index_new(NULL, NULL);
  int status = 1;
  if (!file) {
    fprintf(stderr, "%s: %s\n", argv[1], error.message);
  } else if (!index) {
    fprintf(stderr, "out of memory\n");
  } else {
    cpb_step step;
    while ((step = cpb_index_step(index)) == CPB_STEP_NEED) {
      cpb_file_supply(file, cpb_index_input(index));
    }
    if (step == CPB_STEP_DONE) {
      print_chunks(index);
      print_tree(index);
      status = 0;
    } else {
      fprintf(stderr, "%s: %s\n", argv[1], cpb_index_error(index)->message);
    }
  }
  cpb_index_free(index);
  cpb_file_close(file);
  return status;
}
