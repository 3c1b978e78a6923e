/* An answer in progress. Everything from the index is written first, without waiting; the details of variables and
 * operations, which require reads, are inserted afterwards. */
#ifndef CPB_MODEL_SAMEDIFF_REPLY_H
#define CPB_MODEL_SAMEDIFF_REPLY_H

#include "base/json_writer.h"
#include "model/questions/questions.h"
#include "model/samediff/graph.h"
#include "model/samediff/model.h"
#include "model/view/view.h"

/* --- items ------------------------------------------------------------------------------------ */

/* Writes a graph's variables, operations and own properties as JSON.
 *
 * Each function returns false if bytes are missing (flat->wait) or the error is set; the caller then discards what was
 * written. */

typedef struct cpb_sd_writer {
  cpb_sd_graph *graph;
  cpb_json_writer *answer;
  cpb_buffer *scratch; /* for one text at a time */
} cpb_sd_writer;

bool cpb_sd_write_variable(const cpb_sd_writer *w, const cpb_sd_variable *variable);
/* "attributes", and the members of a node that only SameDiff has. */
bool cpb_sd_write_node(const cpb_sd_writer *w, const cpb_sd_node *node);
/* Writes the member "array" from the table at `at`; null for 0. */
bool cpb_sd_write_array(const cpb_sd_writer *w, const char *key, uint64_t at);

bool cpb_sd_write_configuration(const cpb_sd_writer *w);
/* Writes a list of texts from a vector of the table. */
bool cpb_sd_write_texts(const cpb_sd_writer *w, const char *key, const cpb_flat_table *table, unsigned field);
/* Writes element `i` of the updater's state in the graph file. */
bool cpb_sd_write_updater(const cpb_sd_writer *w, uint32_t i);

/* --- reply ------------------------------------------------------------------------------------ */

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

/* --- questions -------------------------------------------------------------------------------- */

/* The questions about a SameDiff model: those of every kind (model/questions), its overview, and all contents of a
 * tag. */

bool cpb_sd_answers(cpb_question_kind kind);
/* CPB_SD_...: the parts to read first. */
unsigned cpb_sd_parts_of(cpb_question_kind kind);

/* All of the answer; the error may be set. */
void cpb_sd_write_answer(cpb_sd_reply *reply);

/* --- view ------------------------------------------------------------------------------------- */

/* The view (model/view) of a tag or a graph file: operations are nodes, placeholders are inputs, values without
 * consumers are outputs, and all other variables that no operation makes are tensors. */

extern const cpb_view_kind cpb_sd_view; /* its `own` is a cpb_sd_own */

/* Writes members of an object: the tensor of a line of params.txt or params_maps.txt, and its place. */
void cpb_sd_write_line(cpb_sd_reply *reply, const cpb_sd_lines *lines, size_t line);
/* Writes the size and place of a file in the zip. */
void cpb_sd_write_entry(cpb_json_writer *answer, const cpb_sd_reference *reference);

#endif
