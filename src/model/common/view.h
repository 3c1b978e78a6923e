/* Macros for views: message types that list the fields that an outline enters and keeps (cpb/outline.h, keep_known).
 * Everything else is kept if it is short, and omitted otherwise.
 *
 *     CPB_VIEW(tensor, CPB_KEEP(TENSOR_NAME), CPB_ENTER(TENSOR_SHAPE, shape)) */
#ifndef CPB_MODEL_COMMON_VIEW_H
#define CPB_MODEL_COMMON_VIEW_H

#include "cpb/message.h"
#include "model/common/cursor.h"

#define CPB_ENTER(n, view) {.number = n, .type = CPB_TYPE_MESSAGE, .message = &view}
/* A field that is such a message if it is long: short ones may be anything. */
#define CPB_ENTER_LONG(n, view) {.number = n, .type = CPB_TYPE_BYTES, .message = &view}
#define CPB_KEEP(n) {.number = n, .type = CPB_TYPE_BYTES}

#define CPB_VIEW_TYPE(view, list, ...) \
  static const cpb_message_type view = {.fields = list, .num_fields = sizeof list / sizeof *list, __VA_ARGS__};
#define CPB_VIEW(view, ...)                               \
  static const cpb_field view##_fields[] = {__VA_ARGS__}; \
  CPB_VIEW_TYPE(view, view##_fields, .map_entry = 0)

/* A message that is useful even in part. Others would change their meaning without all of their fields: a tensor
 * without its shape is a number. */
#define CPB_VIEW_DIVISIBLE(view, how, ...)                \
  static const cpb_field view##_fields[] = {__VA_ARGS__}; \
  CPB_VIEW_TYPE(view, view##_fields, .divisible = CPB_DIVISIBLE_##how)

#define CPB_VIEW_ENTRY(view, ...)                         \
  static const cpb_field view##_fields[] = {__VA_ARGS__}; \
  CPB_VIEW_TYPE(view, view##_fields, .map_entry = 1)

/* An entry of a map. */
#define CPB_VIEW_MAP_OF(view, value) CPB_VIEW_ENTRY(view, CPB_KEEP(MAP_KEY), CPB_ENTER(MAP_VALUE, value))

#endif
