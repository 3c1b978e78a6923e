/* What the functions on a model's file have in common. */
#ifndef CPB_HOST_MODEL_STATE_H
#define CPB_HOST_MODEL_STATE_H

#include <stdbool.h>

#include "base/alloc.h"
#include "cpb/open.h"

struct cpb_model_file {
  cpb_allocator allocator;
  cpb_limits limits;
  char *path;                  /* of the model's own file */
  const cpb_url_options *urls; /* NULL: it is no URL */
  cpb_message_file *message;
  uint8_t *made;  /* the message that was made of a text; NULL for any other file */
  cpb_error torn; /* where that text is damaged */
  cpb_model_kind kind;
  cpb_model *model;
  unsigned settled; /* CPB_BESIDE_ bits: loaded, not there, or left out */
  cpb_checkpoint *checkpoint;
  cpb_file *shard;                /* that cpb_model_file_supply() has opened last; NULL if it is not there */
  uint64_t shard_number;          /* its number, from 1; 0 for none */
  cpb_buffer fingerprint;         /* as JSON; empty for none */
  cpb_buffer answer;              /* the model's, with the fingerprint */
  bool reading;                   /* a cpb_values_file is open */
  bool is_alone;                  /* no files are looked for beside it */
  unsigned culprit;               /* what the last failure was about: 0, or a CPB_BESIDE_ bit */
  char *culprit_path;             /* NULL: the model's own */
  uint64_t sizes[CPB_BESIDE_ALL]; /* of files, by their CPB_BESIDE_ bits; the first is the model's own */
};

/* The next failure is about the file `path`, which becomes f's; NULL for the model's own. */
void cpb_model_file_blame(cpb_model_file *f, unsigned beside, char *path);

/* Lets the model answer. False with `error` saying why it does not. */
bool cpb_model_file_run(cpb_model_file *f, const cpb_question *question, cpb_error *error);

#endif
