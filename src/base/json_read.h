/* JSON text as a tree of yyjson's values, which its inline functions walk
 * (yyjson_obj_get, yyjson_arr_iter_next, ...).
 *
 * Reading does not recurse, and depth is bounded before memory is taken. The tree takes at
 * most some 20 times the text's size. */
#ifndef CPB_BASE_JSON_READ_H
#define CPB_BASE_JSON_READ_H

#include <yyjson.h>

#include "base/bytes.h"
#include "cpb/base.h"

/* NULL with the error set: it is not JSON (CPB_E_DAMAGED, the offset in the text),
 * objects and lists are nested deeper than `depth` (CPB_E_LIMIT), or memory is
 * short. NaN and Infinity are taken, which Python writes.
 * Numbers are yyjson's "raw", as they are written. `a` must stay where it is
 * until the tree is freed with yyjson_doc_free(). */
yyjson_doc *cpb_json_read(const cpb_allocator *a, cpb_span text, uint32_t depth, cpb_error *error);

/* Each is false when `value` is NULL or of another kind. */
bool cpb_json_number(yyjson_val *value, cpb_span *text);     /* as it is written */
bool cpb_json_signed(yyjson_val *value, int64_t *number);    /* an integer that fits */
bool cpb_json_unsigned(yyjson_val *value, uint64_t *number); /* one up to INT64_MAX */
bool cpb_json_text(yyjson_val *value, cpb_span *text);       /* a key as well; may hold NUL */

/* The member `key` of an object; NULL when there is none, or no object. */
yyjson_val *cpb_json_member(yyjson_val *object, const char *key);

#endif
