/* Folds a graph by name scope: lists the scopes and nodes in one scope, and the edges to each. Names in the scope "a/b"
 * begin with "a/b/". */
#ifndef CPB_MODEL_QUESTIONS_FOLD_H
#define CPB_MODEL_QUESTIONS_FOLD_H

#include "model/common/answer.h"

#define CPB_NO_TENSOR UINT64_MAX

typedef struct cpb_scope_node {
  cpb_span name, op;
  uint64_t number;           /* in the graph */
  uint64_t size, parameters; /* of the tensors that it holds: bytes, and elements of parameters */
} cpb_scope_node;

/* An input of a node. */
typedef struct cpb_scope_input {
  cpb_span from; /* a node */
  bool control;
  bool is_given;   /* `from` is an input of the graph and not a node */
  cpb_span value;  /* the value; NULL data for a control edge */
  bool is_tensor;  /* the node holds the tensor itself, so this is not an edge */
  uint64_t tensor; /* its number, or CPB_NO_TENSOR if nothing else is known about the value */
  bool is_weight;
  uint64_t size; /* in bytes */
  cpb_span name; /* of a result */
} cpb_scope_input;

/* A graph whose nodes are iterated twice, in the same order. */
typedef struct cpb_scoped {
  const cpb_allocator *allocator;
  void *user;
  bool lacks_sizes; /* the sizes of held tensors are unknown */
  void (*begin)(void *user);
  bool (*next)(void *user, cpb_scope_node *node);
  /* The next input of the current node. */
  bool (*next_input)(void *user, cpb_scope_input *input);
  /* The next output of the graph. */
  bool (*next_result)(void *user, cpb_scope_input *result);
  /* Write their members into the open object. */
  void (*write_value)(void *user, cpb_json_writer *answer, cpb_span value, cpb_span name);
  void (*write_tensor)(void *user, cpb_json_writer *answer, uint64_t tensor, cpb_span name);
  void (*write_node)(void *user, cpb_json_writer *answer, uint64_t number);
} cpb_scoped;

/* The question's scope: its first line, without a slash at its end. */
cpb_span cpb_scope_of(const cpb_question *question);

/* Writes the members of an answer: "scope", "nodes", "size", a page of "children", and "results" if the scope is the
 * entire graph. Further lines of the question's scope name other open scopes: edges to a child then start inside these.
 * False, without a member, if the scope does not exist, or with the error set if memory is short. */
bool cpb_scopes_write(const cpb_scoped *of, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);

#endif
