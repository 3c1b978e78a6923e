/* The second step of making a schema: what was collected is sorted, and pointers take the
 * place of names. */
#ifndef CPB_PROTO_SCHEMA_LINK_H
#define CPB_PROTO_SCHEMA_LINK_H

#include "proto/schema/builder.h"

bool cpb_schema_link(cpb_schema_builder *b);

/* False, with DAMAGED: `what` and the name. */
bool cpb_schema_damaged(cpb_schema_builder *b, const char *what, const char *name);

#endif
