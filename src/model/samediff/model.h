/* A SameDiff model that is being read, one tag at a time. */
#ifndef CPB_MODEL_SAMEDIFF_MODEL_H
#define CPB_MODEL_SAMEDIFF_MODEL_H

#include "base/input.h"
#include "cpb/model.h"
#include "model/formats/zip/stream.h"
#include "model/formats/zip/walk.h"
#include "model/samediff/array.h"
#include "model/samediff/graph.h"
#include "model/samediff/lines.h"

/* --- parts ------------------------------------------------------------------------------------ */

/* The parts of a SameDiff zip: its directory and tags, and files loaded one by one. */

typedef struct cpb_sd_parts {
  cpb_allocator allocator;
  cpb_error *error;
  uint64_t max_memory; /* for one file */
  cpb_zip zip;
  cpb_zip_stream stream;
  const cpb_zip_entry *loading; /* the entry of `stream` */
  bool keep_damaged;            /* for a zip without a directory, the entries found without it count */
  bool walking;                 /* the zip has no directory */
  cpb_zip_walk walk;
  cpb_sd_tags tags;
  bool told;       /* the tags come from tags.txt, and not from the folders */
  size_t standard; /* the default tag */
  bool ready;
} cpb_sd_parts;

/* The functions below continue after a wait, and return values like those of zip.h. */
void cpb_sd_parts_init(cpb_sd_parts *parts, const cpb_allocator *a, cpb_input *input, uint64_t max_memory,
                       cpb_meter *meter, cpb_error *error);
void cpb_sd_parts_free(cpb_sd_parts *parts);

/* The directory and tags.txt. */
cpb_have cpb_sd_parts_open(cpb_sd_parts *parts);

/* The tag with this name; NULL with the error set. Without a name it is the newest, in a damaged file the newest with a
 * graph. */
const cpb_sd_tag *cpb_sd_parts_tag(cpb_sd_parts *parts, const char *name, size_t size);

/* tag/file, or NULL. When memory is short the error is set. */
const cpb_zip_entry *cpb_sd_parts_find(cpb_sd_parts *parts, const cpb_sd_tag *tag, const char *file);

/* Loads a file into `out`, from where the last call left off. */
cpb_have cpb_sd_parts_load(cpb_sd_parts *parts, const cpb_zip_entry *entry, cpb_buffer *out);

/* Reads an entry with one array up to the end of its description, and its values if they are previewed; its first bytes
 * are then in `out`, and `parts->stream` has the rest. */
cpb_have cpb_sd_parts_head(cpb_sd_parts *parts, const cpb_zip_entry *entry, cpb_buffer *out, cpb_sd_array *array);

/* The place of that array's values in the file; CPB_NO_OFFSET if they are compressed. */
uint64_t cpb_sd_parts_offset(const cpb_sd_parts *parts, const cpb_sd_array *array);

/* Abandons an unfinished load. */
void cpb_sd_parts_stop(cpb_sd_parts *parts);

/* --- model ------------------------------------------------------------------------------------ */

typedef enum cpb_sd_part {
  CPB_SD_GRAPH = 1,
  CPB_SD_PARAMS = 2,   /* params.txt */
  CPB_SD_MAPS = 4,     /* params_maps.txt */
  CPB_SD_UPDATER = 8,  /* updater.txt */
  CPB_SD_TRAINING = 16 /* trainingConfig.fb */
} cpb_sd_part;

typedef struct cpb_sd_model {
  cpb_allocator allocator;
  cpb_model_options options;
  cpb_meter *meter; /* or NULL */
  uint32_t depth;
  bool is_zip;
  bool keep_damaged; /* a zip without a directory is read as far as possible */
  cpb_input input;
  cpb_error error;
  cpb_sd_parts parts;    /* of a zip */
  cpb_pages pages;       /* of a graph file */
  const cpb_sd_tag *tag; /* NULL: none yet, or a graph file */
  unsigned has;          /* CPB_SD_...: of the tag */
  cpb_buffer bytes;      /* of graph.fb in a zip */
  cpb_sd_graph graph;
  bool graph_begun;
  cpb_sd_lines params, maps, updater;
  cpb_buffer training; /* JSON; empty for none */
} cpb_sd_model;

/* `meter` may be NULL. */
void cpb_sd_model_init(cpb_sd_model *m, const cpb_allocator *a, cpb_meter *meter, bool is_zip,
                       const cpb_model_options *options);

/* For inspecting a file, and not for making others from it: `keep_damaged` is true. */
void cpb_sd_model_keep_damaged(cpb_sd_model *m);
void cpb_sd_model_free(cpb_sd_model *m);

/* Clears an error, and abandons unfinished reads. */
void cpb_sd_model_reset(cpb_sd_model *m);

/* Opens the file and chooses the tag (NULL: the newest). CPB_HAVE, CPB_WAIT or CPB_FAILED with the error set; continues
 * after a wait, as does the next function. */
cpb_have cpb_sd_model_open(cpb_sd_model *m, const char *tag, size_t tag_size);

/* Reads those of the parts that are not loaded yet. */
cpb_have cpb_sd_model_load(cpb_sd_model *m, unsigned parts);

#endif
