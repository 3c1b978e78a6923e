/* State and functions that the files for a model's file share. */
#ifndef CPB_HOST_MODEL_STATE_H
#define CPB_HOST_MODEL_STATE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "cpb/open.h"

struct cpb_model_file {
  cpb_allocator allocator;
  cpb_limits limits;
  char *path;                  /* of the model's own file */
  const cpb_url_options *urls; /* NULL: not a URL */
  cpb_message_file *message;
  uint8_t *made;  /* the message that was made from a text; NULL for other files */
  cpb_error torn; /* where that text is damaged */
  cpb_model_kind kind;
  cpb_model *model;
  unsigned settled; /* CPB_BESIDE_ bits: loaded, missing, or left out */
  cpb_checkpoint *checkpoint;
  cpb_file *shard;                /* the last one that cpb_model_file_supply() opened; NULL if it is missing */
  uint64_t shard_number;          /* its number, from 1; 0: none */
  cpb_buffer answer;              /* about statistics */
  bool reading;                   /* a cpb_values_file is open */
  bool is_alone;                  /* no files are searched next to it */
  unsigned culprit;               /* subject of the last failure: 0, or a CPB_BESIDE_ bit */
  char *culprit_path;             /* NULL: the model's own */
  uint64_t sizes[CPB_BESIDE_ALL]; /* of files, by their CPB_BESIDE_ bits; the first is the model's own */
};

/* Makes the file `path` the subject of the next failure, and takes the string over; NULL: the model's own file. */
void cpb_model_file_blame(cpb_model_file *f, unsigned beside, char *path);

/* Runs the model until it answers. False with the reason in `error`. */
bool cpb_model_file_run(cpb_model_file *f, const cpb_question *question, cpb_error *error);

#endif
