/* Paths such as "root.layer.kernel". Each node has only its last name and its parent, so paths take little memory,
 * however long they all are together; a path is made when it is printed. */
#ifndef CPB_MODEL_COMMON_LINKS_H
#define CPB_MODEL_COMMON_LINKS_H

#include <stdbool.h>

#include "base/alloc.h"
#include "base/bytes.h"

#define CPB_NO_PARENT UINT32_MAX

/* Longer paths are cut in the middle: CPB_PATH_END bytes of the beginning, "...[N bytes]...", as
 * many of the end. */
#define CPB_PATH_MAX 1024
#define CPB_PATH_END 480

typedef struct cpb_link {
  cpb_span name;   /* its name in the parent; for a root, its whole path */
  uint64_t size;   /* of the path, in bytes */
  uint32_t parent; /* of a root itself; CPB_NO_PARENT: it has no path */
  uint32_t head;   /* the first on the path where this is CPB_PATH_END bytes long, or itself */
} cpb_link;

/* Gives node `i` the path `name`, or ".name" after the path of `parent`. */
void cpb_link_root(cpb_link *links, uint32_t i, cpb_span name);
void cpb_link_child(cpb_link *links, uint32_t i, uint32_t parent, cpb_span name);

/* Appends the path, cut if it is too long; nothing for a node without one. Takes at most about CPB_PATH_MAX steps.
 * False if memory is short. */
bool cpb_link_path(const cpb_link *links, uint32_t i, cpb_buffer *out);

#endif
