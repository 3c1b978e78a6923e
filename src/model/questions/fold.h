/* A graph folded by name scope: the scopes and nodes that are in one of them, and what leads to
 * each. Names in the scope "a/b" begin with "a/b/". */
#ifndef CPB_MODEL_QUESTIONS_FOLD_H
#define CPB_MODEL_QUESTIONS_FOLD_H

#include "model/common/page.h"

#define CPB_NO_TENSOR UINT64_MAX

typedef struct cpb_scope_node {
  cpb_span name, op;
  uint64_t number;           /* the graph's */
  uint64_t size, parameters; /* of what it holds: bytes, and elements that count */
} cpb_scope_node;

/* What a node takes. */
typedef struct cpb_scope_input {
  cpb_span from; /* a node */
  bool control;
  bool is_given;   /* `from` is no node, but goes into the graph */
  cpb_span value;  /* that it takes; of a control edge NULL data */
  bool is_tensor;  /* what it takes is no edge, but held by it: */
  uint64_t tensor; /* its number, or CPB_NO_TENSOR: of that value nothing else is known */
  bool is_weight;
  uint64_t size; /* in bytes */
  cpb_span name; /* of a result */
} cpb_scope_input;

/* A graph, as its nodes are gone through: twice, in the same order. */
typedef struct cpb_scoped {
  const cpb_allocator *allocator;
  void *user;
  bool lacks_sizes; /* what nodes hold is not known */
  void (*begin)(void *user);
  bool (*next)(void *user, cpb_scope_node *node);
  /* What the node takes that came last: one after the other. */
  bool (*next_input)(void *user, cpb_scope_input *input);
  /* What comes out of the graph. */
  bool (*next_result)(void *user, cpb_scope_input *result);
  /* Members of objects for them. */
  void (*write_value)(void *user, cpb_json_writer *answer, cpb_span value, cpb_span name);
  void (*write_tensor)(void *user, cpb_json_writer *answer, uint64_t tensor, cpb_span name);
  void (*write_node)(void *user, cpb_json_writer *answer, uint64_t number);
} cpb_scoped;

/* The question's scope, without the slash that it may end in: its first line. */
cpb_span cpb_scope_of(const cpb_question *question);

/* The members of an answer: "scope", "nodes", "size", a page, "children", and of all of a graph, "results". Further
 * lines of the question's scope name others that are open: what leads to a child comes from what is in these. False,
 * without a member, when there is no such scope, or with the error set when memory is short. */
bool cpb_scopes_write(const cpb_scoped *of, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);

#endif
