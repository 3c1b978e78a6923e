/* A SameDiff model that is being read, one tag at a time. */
#ifndef CPB_MODEL_SAMEDIFF_MODEL_H
#define CPB_MODEL_SAMEDIFF_MODEL_H

#include "base/input.h"
#include "cpb/model.h"
#include "model/samediff/graph.h"
#include "model/samediff/parts.h"

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
