/* The values stored in one place: of a tensor, or of one of its slices. */
#ifndef CPB_MODEL_CHECKPOINT_PART_READER_H
#define CPB_MODEL_CHECKPOINT_PART_READER_H

#include "model/common/values_reader.h"

typedef struct cpb_stored_part {
  const cpb_stored *stored; /* its entry; in version 1 the entry of the whole tensor */
  cpb_span key;             /* of the slice */
  const uint64_t *shape;    /* of the slice, with the tensor's rank */
} cpb_stored_part;

typedef struct cpb_part_reader {
  /* NULL if memory is short. All arguments must outlive the reader; `input` is the file that has the part. */
  void *(*create)(const cpb_allocator *allocator, cpb_meter *meter, const cpb_values_options *options,
                  cpb_stored_part part, cpb_input *input, cpb_error *error);
  void (*destroy)(void *reader);
  cpb_have (*next)(void *reader, cpb_values_info *info, cpb_span *data); /* as in values_reader.h */
} cpb_part_reader;

extern const cpb_part_reader cpb_bundle_values; /* from a data file */
extern const cpb_part_reader cpb_table_values;  /* from the table of version 1 */

#endif
