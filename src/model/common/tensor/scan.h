/* Reads the fields of a tensor's message without the bytes between them. */
#ifndef CPB_MODEL_COMMON_TENSOR_SCAN_H
#define CPB_MODEL_COMMON_TENSOR_SCAN_H

#include "model/common/tensor/values_state.h"

/* Goes through the fields in [begin, end) of the input. */
void cpb_tensor_scan_begin(cpb_tensor_values *values, uint64_t begin, uint64_t end);
/* Extends the range of the field with values: from the first such field to the end of the last. */
void cpb_tensor_scan_field(cpb_tensor_values *values);
/* The next of a list's fields, which all have this number: CPB_HAVE with one, or with `listing` false at the end of the
 * list. Sets `listing` at the start, if it is false. */
cpb_have cpb_tensor_list_next(cpb_tensor_values *values, uint32_t number);
/* Reads a small part of the message, up to 64 KiB, into one piece. */
cpb_have cpb_tensor_gather(cpb_tensor_values *values, cpb_range where, const char *name, cpb_span *bytes);
/* CPB_HAVE with a field, or CPB_WIRE_END. */
cpb_have cpb_tensor_scan_next(cpb_tensor_values *values, cpb_wire_event *event);
/* Turns a result of cpb_input_span other than CPB_HAVE into an error, for the input's end and its failures. */
cpb_have cpb_tensor_settle(cpb_tensor_values *values, cpb_have have);

#endif
