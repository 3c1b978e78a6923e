/* The second step of making a schema: sorts the collected definitions, and turns names of types into pointers. */
#ifndef CPB_PROTO_SCHEMA_LINK_H
#define CPB_PROTO_SCHEMA_LINK_H

#include "proto/schema/builder.h"

bool cpb_schema_link(cpb_schema_builder *b);

/* Fails with CPB_E_DAMAGED: `what` and the name. Returns false. */
bool cpb_schema_damaged(cpb_schema_builder *b, const char *what, const char *name);

#endif
