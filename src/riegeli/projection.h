/* The fields of its records that a reader returns: a set of paths, as a tree of field numbers.
 *
 * The result for a record does not depend on the kind of its chunk: cpb_projection_filter() defines it, and the decoder
 * of transposed chunks only leaves fields out earlier. */
#ifndef CPB_RIEGELI_PROJECTION_H
#define CPB_RIEGELI_PROJECTION_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

/* Whether readers support projections. 0: for devices. With CPB_PROJECTION_LINKED each WebAssembly module decides. */
#ifdef CPB_PROJECTION_LINKED
extern const bool cpb_has_projection;
#  define CPB_WITH_PROJECTION cpb_has_projection
#elif !defined CPB_WITH_PROJECTION
#  define CPB_WITH_PROJECTION 1
#endif

/* The longest path, and the deepest nesting of groups in a message. */
#define CPB_PROJECTION_DEPTH 100

typedef struct cpb_projection_node {
  uint32_t number;
  uint32_t child, sibling; /* the first one below it, and its next sibling; 0: none */
  bool whole;              /* a path ends here */
} cpb_projection_node;

typedef struct cpb_projection {
  cpb_allocator allocator;
  cpb_projection_node *nodes; /* first the root */
  size_t num_nodes, capacity;
} cpb_projection;

/* A place among the fields: a node of the tree, or one of these. */
typedef uint32_t cpb_scope;
#define CPB_SCOPE_RECORD ((cpb_scope)0)
#define CPB_SCOPE_ALL (UINT32_MAX - 2)  /* everything below is returned */
#define CPB_SCOPE_NONE (UINT32_MAX - 1) /* nothing */

/* Parses paths such as "1,4.2": field 1, and field 2 within field 4. False with CPB_E_USAGE or CPB_E_MEMORY. */
bool cpb_projection_parse(cpb_projection *p, const cpb_allocator *a, const char *fields, cpb_error *error);
void cpb_projection_free(cpb_projection *p);

/* The scope within the field `number`. */
cpb_scope cpb_projection_child(const cpb_projection *p, cpb_scope scope, uint32_t number);

/* Writes the filtered record, which is no longer than the original, and returns its size. `out` may be `in`, or before
 * it. A malformed record stays unchanged, and so does a length-delimited field above selected ones if its value is not
 * a message. */
size_t cpb_projection_filter(const cpb_projection *p, const uint8_t *in, size_t size, uint8_t *out);

#endif
