/* cpb/field_json.h: the value of one field as JSON.
 *
 *     cpb_field_json *json = cpb_field_json_new(NULL, cpb_find_found(find), &range, 1, NULL);
 *     while ((step = cpb_field_json_step(json)) > CPB_STEP_DONE)
 *       if (step == CPB_STEP_NEED) cpb_file_supply(file, cpb_field_json_input(json));
 *       else fwrite(cpb_field_json_output(json, &length), 1, length, stdout);
 *
 * A message becomes an object as from cpb_json (cpb/message.h). A number, text, bytes, a list or a
 * map has the form of a member's value in such an object. Long values are not read:
 * {"@omitted": {"offset", "size"}} has their range in the input. */
#ifndef CPB_FIELD_JSON_H
#define CPB_FIELD_JSON_H

#include "cpb/base.h"
#include "cpb/find.h"
#include "cpb/message.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_field_json cpb_field_json;

typedef struct cpb_field_json_options {
  /* sizeof(cpb_field_json_options) */
  size_t struct_size;

  /* Longer strings, bytes and packed fields are left out. In bytes; default 1024. */
  uint64_t max_value;

  /* The most bytes for the values that are kept; more is CPB_E_LIMIT. Default 64
   * MiB. */
  uint64_t max_size;

  /* Names, unknown fields, UTF-8 and indentation; copied. NULL: the defaults of cpb_json_options. */
  const cpb_json_options *json;

  /* `depth`, `walked` and `held` count. */
  const cpb_limits *limits;
} cpb_field_json_options;

/* `found` (copied) describes the field, and `ranges` are its ranges in the input, both as from
 * cpb_find; with `num_ranges` 0 the whole input is the field. The types must outlive the object.
 * Returns NULL when memory is short. */
CPB_API cpb_field_json *cpb_field_json_new(const cpb_allocator *allocator, const cpb_found *found,
                                           const cpb_range *ranges, size_t num_ranges,
                                           const cpb_field_json_options *options);
CPB_API void cpb_field_json_free(cpb_field_json *json);

CPB_API cpb_input *cpb_field_json_input(cpb_field_json *json);

/* CPB_STEP_NEED; CPB_STEP_OUTPUT; CPB_STEP_DONE after the last byte; or CPB_STEP_ERROR.
 * CPB_E_USAGE: the type of the field is unknown; CPB_E_DAMAGED: the value does not fit it; other
 * errors as from cpb_outline and cpb_json. */
CPB_API cpb_step cpb_field_json_step(cpb_field_json *json);

/* After CPB_STEP_OUTPUT: the next bytes, valid until the next step. */
CPB_API const char *cpb_field_json_output(const cpb_field_json *json, size_t *length);
CPB_API const cpb_error *cpb_field_json_error(const cpb_field_json *json);

#ifdef __cplusplus
}
#endif
#endif
