/* The state of a model's file, and the functions that the files for it share. */
#ifndef CPB_HOST_MODEL_FILE_H
#define CPB_HOST_MODEL_FILE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "cpb/open.h"
#include "host/url/response.h"

struct cpb_model_file {
  cpb_allocator allocator;
  cpb_limits limits;
  char *path;                  /* of the model's own file */
  const cpb_url_options *urls; /* NULL: not a URL */
  cpb_message_file *message;
  uint8_t *made;  /* the message that was made from a text; NULL for other files */
  cpb_error torn; /* where that text is damaged */
  cpb_error zip;  /* why a zip archive cannot be read; it may be of another kind than one with models */
  bool is_within; /* the model was found in an archive, and `path` leads to it there */
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

/* --- The message (message_file.c) ---------------------------------------------------------- */

/* The server's validators for the state of a message's file; NULL if that is not a URL. */
const cpb_validators *cpb_message_file_validators(const cpb_message_file *message);
/* cpb_file_check() of its file. */
bool cpb_message_file_check(cpb_message_file *message, cpb_error *error);

/* --- The files next to a SavedModel (beside.c) ----------------------------------------------- */

/* Loads the files that `beside` (CPB_BESIDE_ bits) selects, unless done already. False with the error set, and blames
 * the file that cannot be read. */
bool cpb_beside_load(cpb_model_file *f, unsigned beside, cpb_error *error);

/* Opens a data file of the checkpoint as f->shard, unless it is open, and closes the previous one. From then on it is
 * blamed for errors. False with the error set; `*absent` tells whether the file does not exist. */
bool cpb_beside_use_shard(cpb_model_file *f, uint32_t shard, bool *absent, cpb_error *error);

/* Its path, whether it exists or not; from then on the file is blamed for errors. NULL with the error set. */
const char *cpb_beside_shard_path(cpb_model_file *f, uint32_t shard, cpb_error *error);

/* Whether the checkpoint's values are in the model's own file: the model is a checkpoint of version 1. */
bool cpb_beside_is_within(const cpb_model_file *f);

/* --- The scales of quantized arrays (quantized.c) -------------------------------------------- */

/* Whether arrays like this one may be quantized. */
bool cpb_may_be_quantized(const cpb_model_file *file, const cpb_values_info *info);

/* Gives `reals` the scales and zero points of the array `name`, if a node takes it as quantized numbers. No array may
 * be open. False with the reason in `error`. */
bool cpb_quantized_set(cpb_model_file *file, cpb_span name, const cpb_values_options *options, cpb_reals *reals,
                       cpb_error *error);

#endif
