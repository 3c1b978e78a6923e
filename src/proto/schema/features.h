/* The effect of editions and their features on the wire format. A feature is set for a file, a message or a field, and
 * inherited by its contents. (https://protobuf.dev/editions/features/) */
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
  bool utf8;      /* strings are validated */
  bool delimited; /* messages are written as groups */
} cpb_features;

/* False with CPB_E_UNSUPPORTED for an unknown edition or syntax. */
bool cpb_features_of_file(const cpb_pb_FileDescriptorProto *file, cpb_features *features, cpb_error *error);

/* The features in `set`, if that is not NULL; all others are inherited. */
cpb_features cpb_features_merge(cpb_features inherited, const cpb_pb_FeatureSet *set);

#endif
