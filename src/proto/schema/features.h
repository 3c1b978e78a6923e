/* What editions and their features mean for the wire format. A feature is set for a file, a message or a
 * field, and inherited by what is in it. (https://protobuf.dev/editions/features/) */
#ifndef CPB_PROTO_SCHEMA_FEATURES_H
#define CPB_PROTO_SCHEMA_FEATURES_H

#include <stdbool.h>

#include "cpb/base.h"
#include "cpb/descriptor.pb.h"

typedef enum { CPB_PRESENCE_EXPLICIT = 1, CPB_PRESENCE_IMPLICIT = 2, CPB_PRESENCE_REQUIRED = 3 } cpb_presence;

typedef struct cpb_features {
  cpb_presence presence;
  bool closed;    /* enums */
  bool packed;    /* repeated numbers */
  bool utf8;      /* strings are checked */
  bool delimited; /* messages are written as groups */
} cpb_features;

/* False with CPB_E_UNSUPPORTED for an edition or syntax that is not known. */
bool cpb_features_of_file(const cpb_pb_FileDescriptorProto *file, cpb_features *features, cpb_error *error);

/* The features that `set`, if not NULL, sets, and all others as inherited. */
cpb_features cpb_features_merge(cpb_features inherited, const cpb_pb_FeatureSet *set);

#endif
