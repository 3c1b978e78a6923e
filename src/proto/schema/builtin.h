/* The built-in schema, generated from /proto by tools/builtin_schema.py. */
#ifndef CPB_PROTO_SCHEMA_BUILTIN_H
#define CPB_PROTO_SCHEMA_BUILTIN_H

#include <stddef.h>
#include <stdint.h>

extern const char cpb_builtin_schema_names[];
extern const uint8_t cpb_builtin_schema_code[];
extern const size_t cpb_builtin_schema_code_size;

#endif
