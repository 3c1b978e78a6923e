/* Numbers in the header of a transposed chunk (docs/riegeli-transposed.md). */
#ifndef CPB_RIEGELI_TRANSPOSE_FORMAT_H
#define CPB_RIEGELI_TRANSPOSE_FORMAT_H

/* Ids of nodes without a tag, because they are not fields. */
enum { CPB_ID_NOTHING = 0, CPB_ID_NON_PROTO = 1, CPB_ID_SUBMESSAGE_START = 2, CPB_ID_RECORD_START = 3 };

/* The lower three bits of a tag. */
enum {
  CPB_TAG_VARINT,
  CPB_TAG_FIXED64,
  CPB_TAG_LENGTH,
  CPB_TAG_GROUP_START,
  CPB_TAG_GROUP_END,
  CPB_TAG_FIXED32,
  CPB_TAG_SUBMESSAGE_END /* not a wire type of protobuf */
};

/* The subtype of a varint field: below this its length - 1, otherwise its value. */
enum { CPB_SUBTYPE_INLINE = 10 };

/* Makes transposed chunks (encoder.h); its state is in encoder_state.h. */
typedef struct cpb_transpose_encoder cpb_transpose_encoder;

#endif
