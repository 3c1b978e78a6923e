/* The fields of a tensor's message, read without what lies between them. */
#ifndef CPB_MODEL_COMMON_TENSOR_SCAN_H
#define CPB_MODEL_COMMON_TENSOR_SCAN_H

#include "model/common/tensor/values_state.h"

/* Goes through the fields in [begin, end) of the input. */
void cpb_tensor_scan_begin(cpb_tensor_values *values, uint64_t begin, uint64_t end);
/* From the first of the fields with the values to the end of the last. */
void cpb_tensor_scan_field(cpb_tensor_values *values);
/* The next of the fields of a list, which are all of this number: CPB_HAVE with one, or at their end with
 * `listing` false. It begins when that is false, and goes on while it is true. */
cpb_have cpb_tensor_list_next(cpb_tensor_values *values, uint32_t number);
/* A small part of the message in one piece: of up to 64 KiB. */
cpb_have cpb_tensor_gather(cpb_tensor_values *values, cpb_range where, const char *name, cpb_span *bytes);
/* CPB_HAVE with a field, or CPB_WIRE_END. */
cpb_have cpb_tensor_scan_next(cpb_tensor_values *values, cpb_wire_event *event);
/* For what cpb_input_span returned when that is not CPB_HAVE: the input's end and its
 * failures are errors. */
cpb_have cpb_tensor_settle(cpb_tensor_values *values, cpb_have have);

#endif
