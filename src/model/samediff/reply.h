/* An answer while it is written: which parts a question needs, and the members that it has. */
#ifndef CPB_MODEL_SAMEDIFF_REPLY_H
#define CPB_MODEL_SAMEDIFF_REPLY_H

#include "model/common/page.h"
#include "model/common/problems.h"
#include "model/samediff/model.h"

typedef struct cpb_sd_plan cpb_sd_plan;

/* One member after another is written; a list in pages, one element after another. */
typedef struct cpb_sd_reply {
  cpb_sd_model *model;
  cpb_question question;
  const cpb_sd_plan *plan;     /* NULL: there is no answer to that */
  bool begun, prepared, noted; /* noted: what is damaged of the file */
  cpb_json_writer *answer;
  cpb_problems problems;
  bool without_graph; /* it is damaged, and the question goes without */
  size_t member;      /* of the plan */
  bool open;          /* its list is begun */
  cpb_page page;      /* of it */
  uint64_t element;
  uint32_t *order; /* of what a list has, where it is not the file's */
  size_t num_ordered;
  uint32_t num_states; /* of the updater, in a graph file */
  struct {
    const cpb_sd_variable *variable;
    const cpb_sd_node *maker; /* NULL: no operation makes it. Without a variable all that it makes is taken */
    unsigned pass;            /* over the operations */
  } consumed;                 /* CONSUMERS: what is taken */
  cpb_buffer head;            /* the first bytes of the one array that is asked for */
  cpb_sd_array array;
  bool has_array, without_head; /* without: the file ends in it */
  cpb_buffer scratch;
} cpb_sd_reply;

/* A member of the answer: `count` NULL, or a list of which a page is written.
 * `write` returns false when bytes are missing or the error is set; what it has
 * written is then taken back. */
typedef struct cpb_sd_member {
  const char *key;
  uint64_t (*count)(const cpb_sd_reply *reply);
  bool (*write)(cpb_sd_reply *reply, uint64_t i);
} cpb_sd_member;

#define CPB_SD_MEMBERS 10

struct cpb_sd_plan {
  cpb_question_kind kind;
  unsigned parts;                        /* CPB_SD_...: that are read before */
  bool without_graph;                    /* the rest is told also when the graph is damaged */
  bool (*prepare)(cpb_sd_reply *reply);  /* what `order` holds; may be NULL. It is called again after a wait */
  cpb_sd_member members[CPB_SD_MEMBERS]; /* the last is followed by one that is empty */
};

void cpb_sd_reply_init(cpb_sd_reply *reply, cpb_sd_model *model);
void cpb_sd_reply_free(cpb_sd_reply *reply);
/* `plan` is NULL for a question that has no answer. */
void cpb_sd_reply_begin(cpb_sd_reply *reply, const cpb_question *question, const cpb_sd_plan *plan);

/* Room for `most` numbers in `order`; false with the error set. */
bool cpb_sd_make_order(cpb_sd_reply *reply, size_t most);

/* CPB_HAVE: the answer is whole. */
cpb_have cpb_sd_reply_go_on(cpb_sd_reply *reply, cpb_json_writer *answer);

#endif
