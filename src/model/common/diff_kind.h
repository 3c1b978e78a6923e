/* The lists of answers that a kind's models are compared by (model/diff). */
#ifndef CPB_MODEL_COMMON_DIFF_KIND_H
#define CPB_MODEL_COMMON_DIFF_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "cpb/model.h"

/* A list of an answer, and the members that identify its items. */
typedef struct cpb_diff_list {
  const char *section; /* as the result calls it */
  cpb_question_kind question;
  const char *member;         /* of the answer: a page, or a list. NULL: the answer's members
                                 are the items, but for `ignored` */
  const char *keys[4];        /* members of an item, up to a NULL; "?name" only if the
                                 item has no member before it */
  const char *const *ignored; /* members of an item with its place, and not its content */
  bool deep;                  /* members within it of these names, too */
} cpb_diff_list;

#define CPB_DIFF_IGNORED(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Members without meaning for a layer, a problem or a part of a SameDiff tag, which are ignored. */
extern const char *const cpb_diff_of_layer[6];
extern const char *const cpb_diff_of_problem[2];
extern const char *const cpb_diff_of_entry[13];

/* Lists that several kinds have: members of the overview but for some, a list of it, and others. */
#define CPB_DIFF_OVERVIEW(ignored, deep) {"overview", CPB_ASK_OVERVIEW, NULL, {NULL}, ignored, deep}
#define CPB_DIFF_LISTED(member, ...) {member, CPB_ASK_OVERVIEW, member, {__VA_ARGS__}, NULL, false}
#define CPB_DIFF_OPS {"ops", CPB_ASK_OPS, "ops", {"op"}, NULL, false}
#define CPB_DIFF_LAYERS {"layers", CPB_ASK_LAYERS, "layers", {"path", "?name"}, cpb_diff_of_layer, false}
#define CPB_DIFF_PROBLEMS(question) {"problems", question, "problems", {"text"}, cpb_diff_of_problem, false}

typedef enum cpb_diff_program {
  CPB_DIFF_LISTS,       /* `lists` alone */
  CPB_DIFF_VARIABLES,   /* `lists`, and variables */
  CPB_DIFF_GRAPH,       /* functions, `of_part`, nodes, constants */
  CPB_DIFF_META_GRAPHS, /* `lists`; of each meta graph the same, objects and variables */
  CPB_DIFF_TAG,         /* `lists`, `of_part`, parameters, states */
  CPB_DIFF_TAGS         /* `lists`; of each tag the same */
} cpb_diff_program;

typedef struct cpb_diff_kind {
  cpb_diff_program program;
  bool told_roles;                      /* the roles of inputs follow from the operation, and are not compared */
  bool told_outputs;                    /* the outputs of nodes follow from their attributes, and are not compared */
  const cpb_diff_list *lists, *of_part; /* up to one without a section; NULL: none */
} cpb_diff_kind;

#endif
