#include "cpb_layout.h"

#include <stddef.h>

#include "cpb/field_reader.h"
#include "cpb/pager.h"

#define SIZE(type, size) _Static_assert(sizeof(type) == size, #type);
#define FIELD(type, field, at) _Static_assert(offsetof(type, field) == at, #type "." #field);
CPB_LAYOUT(SIZE, FIELD)
