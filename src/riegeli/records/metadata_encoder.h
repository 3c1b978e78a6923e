/* Makes the data of a file metadata chunk: that of a transposed chunk with one record, a
 * serialized RecordsMetadata. */
#ifndef CPB_RIEGELI_RECORDS_METADATA_ENCODER_H
#define CPB_RIEGELI_RECORDS_METADATA_ENCODER_H

#include "riegeli/codec/compressor.h"

/* Appends it to `out`. */
bool cpb_records_metadata_encode(const cpb_allocator *a, cpb_compressor *c, cpb_span metadata, cpb_buffer *out,
                                 cpb_codec_error *error);

#endif
