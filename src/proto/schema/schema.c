#include "proto/schema/builder.h"

#include <string.h>

#include "base/checked.h"

char *cpb_schema_text(cpb_schema *schema, size_t length) {
  size_t size;
  if (!cpb_add_size(length, 1, &size)) return NULL;
  char *text = (char *)cpb_texts_add(&schema->names, &schema->allocator, size);
  if (text) text[length] = '\0';
  return text;
}

void cpb_schema_free(cpb_schema *schema) {
  if (!schema) return;
  const cpb_allocator a = schema->allocator;
  cpb_texts_free(&schema->names, &a);
  cpb_release(&a, schema->messages);
  cpb_release(&a, schema->enums);
  cpb_release(&a, schema->fields);
  cpb_release(&a, schema->values);
  cpb_release(&a, schema);
}

/* --- Looking up ----------------------------------------------------------- */

/* Messages and enums begin with their name, so one search serves both. */
static const void *find_named(const void *items, size_t count, size_t element, const char *name) {
  const uint8_t *base = items;
  while (count > 0) {
    const uint8_t *middle = base + count / 2 * element;
    const char *found;
    memcpy(&found, middle, sizeof found);
    int order = strcmp(name, found);
    if (order == 0) return middle;
    if (order > 0) {
      base = middle + element;
      count -= count / 2 + 1;
    } else {
      count /= 2;
    }
  }
  return NULL;
}

const cpb_message_type *cpb_schema_find_message(const cpb_schema *schema, const char *name) {
  return find_named(schema->messages, schema->num_messages, sizeof *schema->messages, name);
}

const cpb_enum_type *cpb_schema_find_enum(const cpb_schema *schema, const char *name) {
  return find_named(schema->enums, schema->num_enums, sizeof *schema->enums, name);
}

size_t cpb_schema_num_messages(const cpb_schema *schema) { return schema->num_messages; }

const cpb_message_type *cpb_schema_get_message(const cpb_schema *schema, size_t i) {
  return i < schema->num_messages ? &schema->messages[i] : NULL;
}
