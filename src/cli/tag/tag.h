/* cpb tag: its list of parts, and the sources of their bytes. */
#ifndef CPB_CLI_TAG_TAG_H
#define CPB_CLI_TAG_TAG_H

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/json_read.h"
#include "cli/cli.h"
#include "cpb/samediff.h"

/* Bytes of a file, or an array of a model. */
typedef struct tag_source {
  char *path;
  uint64_t begin; /* of a file */
  bool of_model;
  cpb_span name, tag; /* of a model; tag NULL: the newest */
  uint32_t state;
} tag_source;

/* The source that is being read. */
typedef struct tag_reader {
  cli *cli;
  const tag_source *source;
  cpb_file *file;
  cpb_model_file *model;
  cpb_values_file *values;
  uint64_t given; /* bytes of the values */
} tag_reader;

void tag_reader_close(tag_reader *reader);

/* Reads from the beginning. CLI_OK, or an exit code after the message, as below. */
int tag_reader_open(tag_reader *reader, const tag_source *source);

/* Lends the writer the bytes that it needs. */
int tag_reader_supply(tag_reader *reader, cpb_input *input);

typedef struct tag_parts {
  cli *cli;
  uint8_t *text; /* the list itself */
  yyjson_doc *json;
  tag_source *sources;
  size_t count, capacity;
  uint8_t **contents; /* of the graphs and training configurations */
  size_t num_contents, contents_capacity;
} tag_parts;

/* Reads the list. CLI_OK, or an exit code after the message. */
int tag_parts_load(tag_parts *parts, cli *c);
void tag_parts_free(tag_parts *parts);

/* Whether parameters are to be compressed. */
bool tag_parts_deflate(const tag_parts *parts);

/* Gives all tags to the writer. Returns like tag_parts_load(). */
int tag_parts_add(tag_parts *parts, cpb_samediff_writer *writer);

#endif
