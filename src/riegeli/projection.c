#include "riegeli/projection.h"

#include "base/status.h"

enum { MAX_NUMBER = (1 << 29) - 1 };

enum { VARINT, FIXED64, LENGTH, GROUP_START, GROUP_END, FIXED32 };

/* --- The paths ------------------------------------------------------------ */

void cpb_projection_free(cpb_projection *p) {
  if (p->nodes) cpb_release(&p->allocator, p->nodes);
  p->nodes = NULL;
}

static bool add_node(cpb_projection *p, cpb_error *error, uint32_t number) {
  if (!CPB_RESERVE(&p->allocator, &p->nodes, &p->capacity, p->num_nodes + 1)) return cpb_fail_memory(error), false;
  p->nodes[p->num_nodes++] = (cpb_projection_node){.number = number};
  return true;
}

static uint32_t find(const cpb_projection *p, uint32_t parent, uint32_t number) {
  uint32_t node = p->nodes[parent].child;
  while (node != 0 && p->nodes[node].number != number) node = p->nodes[node].sibling;
  return node;
}

/* Goes from `*node` to the field `number` in it, which is added if necessary. */
static bool descend(cpb_projection *p, cpb_error *error, uint32_t *node, uint32_t number) {
  const uint32_t parent = *node;
  *node = find(p, parent, number);
  if (*node != 0) return true;
  if (!add_node(p, error, number)) return false;
  *node = (uint32_t)p->num_nodes - 1;
  p->nodes[*node].sibling = p->nodes[parent].child;
  p->nodes[parent].child = *node;
  return true;
}

static bool read_number(const char **at, uint32_t *number) {
  uint64_t value = 0;
  while (**at >= '0' && **at <= '9' && value <= MAX_NUMBER) value = 10 * value + (uint64_t)(*(*at)++ - '0');
  *number = (uint32_t)value;
  return value > 0 && value <= MAX_NUMBER;
}

static bool parse_path(cpb_projection *p, const char *fields, const char **at, cpb_error *error) {
  uint32_t node = 0, number;
  for (size_t depth = 1;; depth++) {
    const size_t offset = (size_t)(*at - fields);
    if (!read_number(at, &number) || (**at && **at != ',' && **at != '.'))
      return cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET,
                      "fields at character %zu: expected field numbers from 1 to 536870911, such as \"1,4.2\"",
                      offset) == CPB_OK;
    if (depth > CPB_PROJECTION_DEPTH)
      return cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "fields at character %zu: a path of more than %d numbers",
                      offset, CPB_PROJECTION_DEPTH) == CPB_OK;
    if (!descend(p, error, &node, number)) return false;
    if (**at != '.') break;
    (*at)++;
  }
  p->nodes[node].whole = true;
  return true;
}

bool cpb_projection_parse(cpb_projection *p, const cpb_allocator *a, const char *fields, cpb_error *error) {
  *p = (cpb_projection){.allocator = *a};
  bool done = add_node(p, error, 0);
  for (const char *at = fields; done && *fields;) {
    done = parse_path(p, fields, &at, error);
    if (!*at) break;
    at++;
  }
  if (!done) cpb_projection_free(p);
  return done;
}

cpb_scope cpb_projection_child(const cpb_projection *p, cpb_scope scope, uint32_t number) {
  if (scope == CPB_SCOPE_ALL || scope == CPB_SCOPE_NONE) return scope;
  if (p->nodes[scope].whole) return CPB_SCOPE_ALL;
  const uint32_t node = find(p, scope, number);
  if (node == 0) return CPB_SCOPE_NONE;
  return p->nodes[node].whole ? CPB_SCOPE_ALL : node;
}

/* --- Messages ------------------------------------------------------------- */

static const uint8_t *read_tag(const uint8_t *at, const uint8_t *end, uint32_t *tag) {
  uint64_t value;
  at = cpb_varint_read(at, end, &value);
  if (!at || value < 8 || value > UINT32_MAX || (value & 7) > FIXED32) return NULL;
  *tag = (uint32_t)value;
  return at;
}

/* A varint of up to 10 arbitrary bytes: so fields that are left out need no validation. */
static const uint8_t *skip_varint(const uint8_t *at, const uint8_t *end) {
  for (size_t i = 0; i < CPB_VARINT_MAX && at < end; i++)
    if (*at++ < 0x80) return at;
  return NULL;
}

static const uint8_t *skip_bytes(const uint8_t *at, const uint8_t *end, uint64_t size) {
  return size <= (size_t)(end - at) ? at + size : NULL;
}

/* The end of the field whose tag ends at `at`; of the start or end of a group, `at`. */
static const uint8_t *skip_value(const uint8_t *at, const uint8_t *end, uint32_t tag) {
  uint64_t length;
  switch (tag & 7) {
    case VARINT: return skip_varint(at, end);
    case FIXED64: return skip_bytes(at, end, 8);
    case FIXED32: return skip_bytes(at, end, 4);
    case LENGTH: at = cpb_varint_read(at, end, &length); return at ? skip_bytes(at, end, length) : NULL;
    default: return at;
  }
}

/* Whether these are valid fields, and groups end as they begin. The contents of fields of bytes are not examined. */
static bool is_message(const uint8_t *at, const uint8_t *end) {
  uint32_t groups[CPB_PROJECTION_DEPTH], tag;
  size_t depth = 0;
  while (at < end) {
    at = read_tag(at, end, &tag);
    if (!at) return false;
    if ((tag & 7) == GROUP_START) {
      if (depth == CPB_PROJECTION_DEPTH) return false;
      groups[depth++] = tag >> 3;
    } else if ((tag & 7) == GROUP_END) {
      if (depth == 0 || groups[--depth] != tag >> 3) return false;
    }
    at = skip_value(at, end, tag);
    if (!at) return false;
  }
  return depth == 0;
}

/* --- What is left ----------------------------------------------------------- */

/* A message, or a group in one, that keeps some of its fields. */
typedef struct level {
  const uint8_t *end; /* of the message */
  cpb_scope scope;
  bool group;
  uint8_t *length; /* where its length is written, with the room of the original one */
  size_t room;
} level;

typedef struct filter {
  const cpb_projection *projection;
  const uint8_t *at; /* what is read, always behind `out` */
  uint8_t *out;
  level levels[CPB_PROJECTION_DEPTH + 1];
  size_t depth;
} filter;

static void copy_to(filter *f, const uint8_t *begin, const uint8_t *end) {
  const size_t size = (size_t)(end - begin);
  if (size > 0) memmove(f->out, begin, size);
  f->out += size;
  f->at = end;
}

/* Writes the length in its shortest form, which may move the bytes after it. */
static void end_message(filter *f, const level *l) {
  uint8_t *content = l->length + l->room;
  const size_t size = (size_t)(f->out - content);
  uint8_t *after = cpb_varint_write(l->length, size);
  if (after < content) memmove(after, content, size);
  f->out = after + size;
}

/* Skips a whole group, whose first tag ends at `at`, in a well-formed message. */
static const uint8_t *skip_group(const uint8_t *at, const uint8_t *end) {
  for (size_t depth = 1; depth > 0;) {
    uint32_t tag = 0;
    at = read_tag(at, end, &tag);
    if ((tag & 7) == GROUP_START) depth++;
    if ((tag & 7) == GROUP_END) depth--;
    at = skip_value(at, end, tag);
  }
  return at;
}

/* Enters the field that begins at f->at, whose tag ends at `value`, because only some of its fields are kept. */
static void enter(filter *f, const uint8_t *value, uint32_t tag, cpb_scope scope) {
  const level *outer = &f->levels[f->depth - 1];
  uint64_t size;
  if ((tag & 7) == GROUP_START) {
    copy_to(f, f->at, value);
    f->levels[f->depth++] = (level){outer->end, scope, true, NULL, 0};
    return;
  }
  const uint8_t *after = skip_value(value, outer->end, tag);
  if ((tag & 7) != LENGTH) {
    f->at = after;
    return;
  }
  const uint8_t *content = cpb_varint_read(value, outer->end, &size);
  if (!is_message(content, after)) {
    copy_to(f, f->at, after);
    return;
  }
  copy_to(f, f->at, value);
  f->levels[f->depth++] = (level){after, scope, false, f->out, (size_t)(content - value)};
  f->out += content - value;
  f->at = content;
}

static void filter_field(filter *f) {
  const level *l = &f->levels[f->depth - 1];
  uint32_t tag = 0;
  const uint8_t *value = read_tag(f->at, l->end, &tag);
  if ((tag & 7) == GROUP_END) { /* of this level: other groups were skipped, or entered */
    copy_to(f, f->at, value);
    f->depth--;
    return;
  }
  const cpb_scope scope = cpb_projection_child(f->projection, l->scope, tag >> 3);
  if (scope != CPB_SCOPE_ALL && scope != CPB_SCOPE_NONE) {
    enter(f, value, tag, scope);
    return;
  }
  const uint8_t *after = (tag & 7) == GROUP_START ? skip_group(value, l->end) : skip_value(value, l->end, tag);
  if (scope == CPB_SCOPE_ALL) copy_to(f, f->at, after);
  else f->at = after;
}

size_t cpb_projection_filter(const cpb_projection *p, const uint8_t *in, size_t size, uint8_t *out) {
  if (size == 0) return 0;
  filter f; /* most of its levels are unused */
  f.projection = p;
  f.at = in;
  f.out = out;
  f.depth = 1;
  f.levels[0] = (level){.end = in + size, .scope = CPB_SCOPE_RECORD};
  if (!is_message(in, in + size)) {
    copy_to(&f, in, in + size);
    return size;
  }
  while (f.depth > 0) {
    const level *l = &f.levels[f.depth - 1];
    if (l->group || f.at < l->end) {
      filter_field(&f);
    } else {
      if (f.depth > 1) end_message(&f, l);
      f.depth--;
    }
  }
  return (size_t)(f.out - out);
}
