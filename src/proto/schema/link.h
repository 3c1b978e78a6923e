/* The second step of making a schema: what was collected is sorted, and names of types become
 * pointers. */
#ifndef CPB_PROTO_SCHEMA_LINK_H
#define CPB_PROTO_SCHEMA_LINK_H

#include "proto/schema/builder.h"

bool cpb_schema_link(cpb_schema_builder *b);

/* Fails with CPB_E_DAMAGED: `what` and the name. Returns false. */
bool cpb_schema_damaged(cpb_schema_builder *b, const char *what, const char *name);

#endif
