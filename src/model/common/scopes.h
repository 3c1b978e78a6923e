/* A graph folded by name scope: the scopes and nodes that are in one of them, and what leads to
 * each. Names in the scope "a/b" begin with "a/b/". */
#ifndef CPB_MODEL_COMMON_SCOPES_H
#define CPB_MODEL_COMMON_SCOPES_H

#include "model/common/page.h"

typedef struct cpb_scope_node {
  cpb_span name, op;
  uint64_t size; /* bytes of the constants that it has */
} cpb_scope_node;

/* A graph, as its nodes are gone through: twice, in the same order. */
typedef struct cpb_scoped {
  const cpb_allocator *allocator;
  void *user;
  void (*begin)(void *user);
  bool (*next)(void *user, cpb_scope_node *node);
  /* What leads to the node that came last: one name after the other. */
  bool (*next_input)(void *user, cpb_span *from, bool *control);
} cpb_scoped;

/* The question's scope, without the slash that it may end in. */
static inline cpb_span cpb_scope_of(const cpb_question *question) {
  cpb_span scope = {(const uint8_t *)question->scope, question->scope_size};
  if (scope.size > 0 && scope.data[scope.size - 1] == '/') scope.size--;
  return scope;
}

/* The members of an answer: "scope", "nodes", "size", and a page, "children". False, without a member,
 * when there is no such scope, or with the error set when memory is short. */
bool cpb_scopes_write(const cpb_scoped *of, const cpb_question *question, cpb_json_writer *answer, cpb_error *error);

#endif
