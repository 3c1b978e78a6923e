/* An answer in progress. Everything from the index is written first, without waiting; the details of variables and
 * operations, which require reads, are inserted afterwards. */
#ifndef CPB_MODEL_SAMEDIFF_REPLY_H
#define CPB_MODEL_SAMEDIFF_REPLY_H

#include "model/questions/questions.h"
#include "model/samediff/items.h"
#include "model/samediff/model.h"

typedef struct cpb_sd_reply cpb_sd_reply;

/* Returns false if bytes are missing or the error is set; its output is then discarded. */
typedef bool cpb_sd_write(cpb_sd_reply *reply, uint64_t i);

/* Something that is missing in the draft. */
typedef struct cpb_sd_gap {
  size_t at;
  bool comma; /* it is not the first of its object or array */
  cpb_sd_write *write;
  uint64_t i;
} cpb_sd_gap;

typedef struct cpb_sd_own {
  cpb_sd_reply *reply;
} cpb_sd_own;

struct cpb_sd_reply {
  cpb_sd_model *model;
  cpb_question question;
  bool prepared, noted; /* noted: the file's damage was reported */
  cpb_json_writer *answer;
  cpb_problems problems;
  cpb_sd_own own;
  cpb_viewed viewed;
  bool by_lines;               /* the tensors come from params.txt, which has been read */
  bool without_graph;          /* it is damaged, and the question goes without */
  uint32_t num_states;         /* of the updater, in a graph file */
  const cpb_zip_entry *wanted; /* the file of the single array in question; and its first bytes, once they are read */
  cpb_buffer head;
  cpb_sd_array array;
  bool has_array, without_head; /* without: the file ends in it */
  bool drafted;
  cpb_buffer draft;
  size_t pasted; /* of it */
  cpb_sd_gap *gaps;
  size_t num_gaps, gaps_capacity, filled;
  cpb_buffer scratch;
};

void cpb_sd_reply_init(cpb_sd_reply *reply, cpb_sd_model *model, const cpb_view_kind *view);
void cpb_sd_reply_free(cpb_sd_reply *reply);
void cpb_sd_reply_begin(cpb_sd_reply *reply, const cpb_question *question);

/* Bytes that are missing, or the error. */
cpb_have cpb_sd_reply_cut_short(const cpb_sd_reply *reply);

/* All that was written is the draft. */
void cpb_sd_reply_draft(cpb_sd_reply *reply);
/* Fills in the gaps, and continues after a wait. CPB_HAVE: the answer is complete. */
cpb_have cpb_sd_reply_fill(cpb_sd_reply *reply);

/* --- While it is written ------------------------------------------------------------------------------ */

/* Marks the place where `write` will write item `i`: an element, or one or more members. */
void cpb_sd_later(cpb_sd_reply *reply, cpb_sd_write *write, uint64_t i);

cpb_sd_writer cpb_sd_reply_writer(cpb_sd_reply *reply);

#endif
