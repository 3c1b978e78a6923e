/* Numbers, dtypes, shapes and JSON values as pieces of text (sheet.h). */
#ifndef CPB_CLI_SHOW_VALUES_H
#define CPB_CLI_SHOW_VALUES_H

#include "cli/show/sheet.h"

/* 3,538,984 and 2.4 MiB for a person; plain digits for a program. */
void cli_put_count(cli_sheet *s, uint64_t count);
void cli_put_size(cli_sheet *s, uint64_t bytes);
void cli_put_share(cli_sheet *s, uint64_t part, uint64_t whole);                      /* 36 % */
void cli_put_plural(cli_sheet *s, uint64_t count, const char *one, const char *more); /* 1,200 nodes */

/* f32 for float32 and FLOAT; other names unchanged. */
void cli_put_dtype(cli_sheet *s, cpb_span dtype);
/* [?,224,224,3], or [batch,3] if sizes have names; [*] for null, where even the rank is unknown. */
void cli_put_shape(cli_sheet *s, yyjson_val *shape);
/* f32[?,224,224,3], of an object's members dtype and shape. */
void cli_put_tensor(cli_sheet *s, yyjson_val *tensor);
/* A StructuredValue (docs/inspecting.md): {a: f32[?,5], b: (i64[], string[])}. */
void cli_put_structured(cli_sheet *s, yyjson_val *value);
/* Any value, on one line; "-" for null and for a missing value. */
void cli_put_value(cli_sheet *s, yyjson_val *value);

/* The value of a member; 0 or nothing if it is missing or of another kind. */
uint64_t cli_number_at(yyjson_val *object, const char *key);
cpb_span cli_text_at(yyjson_val *object, const char *key);
bool cli_is_text(yyjson_val *value, const char *text);

#endif
