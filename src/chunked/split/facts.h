/* The properties of a field that splitting depends on. */
#ifndef CPB_CHUNKED_SPLIT_FACTS_H
#define CPB_CHUNKED_SPLIT_FACTS_H

#include <stdbool.h>

#include "cpb/chunked.h"
#include "cpb/message.h"

typedef enum cpb_fact_kind {
  CPB_FACT_OTHER = 0, /* numbers, repeated strings, groups, unknown fields */
  CPB_FACT_BYTES,     /* a singular string or bytes field */
  CPB_FACT_MESSAGE,
  CPB_FACT_MAP /* whose values are messages */
} cpb_fact_kind;

typedef struct cpb_split_facts {
  cpb_fact_kind kind;
  const char *name;
  const cpb_message_type *type; /* MESSAGE; MAP: of the values */
  bool repeated;
  int32_t oneof;    /* -1: not in a oneof; also set for OTHER */
  cpb_tag_kind key; /* MAP: how the key is written in a field tag;
                        0 when it cannot be */
} cpb_split_facts;

cpb_split_facts cpb_split_facts_of(const cpb_message_type *type, uint32_t number);

/* Whether it has required fields: an empty message in its place would be invalid. */
bool cpb_split_requires(const cpb_message_type *type);

#endif
