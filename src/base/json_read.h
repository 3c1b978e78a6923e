/* JSON, parsed into a tree of yyjson's values. Walk it with yyjson_obj_get(), yyjson_arr_iter_next() and its other
 * inline functions.
 *
 * The parser does not recurse, and checks the depth before it allocates. The tree takes at most about 20 times the size
 * of the text. */
#ifndef CPB_BASE_JSON_READ_H
#define CPB_BASE_JSON_READ_H

#include <yyjson.h>

#include "base/bytes.h"
#include "cpb/base.h"

/* CPB_E_DAMAGED: the text is not JSON (but NaN and Infinity are accepted, as Python writes
 * them), with the offset in the text; CPB_E_LIMIT: objects and arrays are nested deeper
 * than `depth`; CPB_E_MEMORY. Numbers are yyjson's "raw" values, the text as written. The
 * tree is freed with yyjson_doc_free(), until when `a` must exist. */
yyjson_doc *cpb_json_read(const cpb_allocator *a, cpb_span text, uint32_t depth, cpb_error *error);

/* False if `value` is NULL or of another kind. */
bool cpb_json_number(yyjson_val *value, cpb_span *text);     /* as it is written */
bool cpb_json_signed(yyjson_val *value, int64_t *number);    /* an integer in range */
bool cpb_json_unsigned(yyjson_val *value, uint64_t *number); /* 0 to INT64_MAX */
bool cpb_json_text(yyjson_val *value, cpb_span *text);       /* a string, or a key; may contain NUL */

/* The member `key`; NULL if it is missing, or if `object` is not an object. */
yyjson_val *cpb_json_member(yyjson_val *object, const char *key);

#endif
