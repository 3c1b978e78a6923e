/* Random messages in canonical order that are cut up at random while they are
 * written: merging must give back the same bytes.
 *
 * The messages have: 1 a number, 2 bytes, 3 a message, 4 repeated messages,
 * 5 repeated bytes, 6 a map from strings to messages, 7 a map from numbers to
 * bytes, 9 a group. */
#ifndef RANDOM_MESSAGE_H
#define RANDOM_MESSAGE_H

#include "merge_case.h"
#include "proto/wire.h"

static uint64_t seed;

static inline uint32_t random_below(uint32_t n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)(seed >> 11) % n;
}

static inline bool one_in(uint32_t n) { return random_below(n) == 0; }

/* --- Writing the whole and the chunks at once ----------------------------- */

/* What stays where it is in a message's chunk, and the node the chunk is at. */
typedef struct {
  cpb_buffer bytes;
  uint32_t node; /* what is cut out of it becomes this node's child */
  char path[96]; /* from there to the message */
} kept;

static merge_case *the_case;
static cpb_allocator plain;

static void append(cpb_buffer *out, const void *data, size_t size) { assert_true(cpb_buffer_append(out, data, size)); }

static void append_number(cpb_buffer *out, uint32_t field, uint64_t value) {
  uint8_t bytes[CPB_WIRE_HEADER_MAX];
  uint8_t *end = cpb_varint_write(cpb_wire_put_tag(bytes, field, CPB_WIRE_VARINT), value);
  append(out, bytes, (size_t)(end - bytes));
}

static void append_field(cpb_buffer *out, uint32_t field, const cpb_buffer *value) {
  uint8_t header[CPB_WIRE_HEADER_MAX];
  append(out, header, (size_t)(cpb_wire_put_len(header, field, value->size) - header));
  append(out, value->data, value->size);
}

static void random_bytes(cpb_buffer *out) {
  uint32_t size = one_in(8) ? random_below(400) : random_below(6);
  for (uint32_t i = 0; i < size; i++) append(out, &"abcdefgh"[random_below(8)], 1);
}

static void deeper(kept *to, const kept *from, const char *step) {
  cpb_buffer_init(&to->bytes, &plain);
  to->node = from->node;
  cpb_format(to->path, sizeof to->path, "%s%s%s", from->path, from->path[0] != '\0' ? "." : "", step);
}

static void write_message(cpb_buffer *whole, kept *in, int depth);

/* A field's value, which may be cut out. Returns true when the field itself is
 * left out where it stood: a merge will create it. */
static bool write_value(kept *in, const char *step, bool is_message, bool may_vanish, int depth, cpb_buffer *whole,
                        cpb_buffer *stays) {
  kept inside;
  deeper(&inside, in, step);
  bool cut = one_in(3);
  if (cut) {
    inside.node = add_node(the_case, in->node, inside.path, CPB_NO_CHUNK);
    inside.path[0] = '\0';
  }
  uint32_t node = inside.node;
  if (is_message) {
    write_message(whole, &inside, depth + 1);
  } else {
    random_bytes(whole);
    append(&inside.bytes, whole->data, whole->size);
  }
  if (cut) {
    uint32_t type = is_message ? CPB_CHUNK_MESSAGE : CPB_CHUNK_BYTES;
    uint64_t chunk = add_chunk(the_case, type, inside.bytes.data, inside.bytes.size);
    assert_true(cpb_metadata_set_chunk(&the_case->index, node, chunk));
  } else {
    append(stays, inside.bytes.data, inside.bytes.size);
  }
  cpb_buffer_free(&inside.bytes);
  return cut && may_vanish && one_in(2);
}

static void write_field(cpb_buffer *whole, kept *in, uint32_t field, const char *step, bool is_message, bool may_vanish,
                        int depth) {
  cpb_buffer value, stays;
  cpb_buffer_init(&value, &plain);
  cpb_buffer_init(&stays, &plain);
  bool vanishes = write_value(in, step, is_message, may_vanish, depth, &value, &stays);
  append_field(whole, field, &value);
  if (!vanishes) append_field(&in->bytes, field, &stays);
  cpb_buffer_free(&value);
  cpb_buffer_free(&stays);
}

static void write_entry(cpb_buffer *whole, kept *in, uint32_t field, uint32_t key, bool last, int depth) {
  cpb_buffer entry, left, value, stays;
  cpb_buffer *all[] = {&entry, &left, &value, &stays};
  char step[32];
  for (size_t i = 0; i < 4; i++) cpb_buffer_init(all[i], &plain);
  if (field == 6) {
    char text[8];
    cpb_buffer key_bytes;
    size_t length = cpb_format(text, sizeof text, "k%u", key);
    cpb_buffer_init(&key_bytes, &plain);
    append(&key_bytes, text, length);
    append_field(&entry, 1, &key_bytes);
    cpb_buffer_free(&key_bytes);
    cpb_format(step, sizeof step, "6[\"%s\"]", text);
  } else {
    append_number(&entry, 1, key);
    cpb_format(step, sizeof step, "7[#%u]", key);
  }
  append(&left, entry.data, entry.size);
  bool vanishes = write_value(in, step, field == 6, last, depth, &value, &stays);
  append_field(&entry, 2, &value);
  append_field(&left, 2, &stays);
  append_field(whole, field, &entry);
  if (!vanishes) append_field(&in->bytes, field, &left);
  for (size_t i = 0; i < 4; i++) cpb_buffer_free(all[i]);
}

/* Elements, of which the last ones may go to slices of the message. */
static void write_elements(cpb_buffer *whole, kept *in, uint32_t field, int depth) {
  uint32_t count = random_below(depth < 2 ? 5 : 3);
  uint32_t stay = one_in(3) ? random_below(count + 1) : count;
  kept slice = *in;
  bool sliced = stay < count;
  cpb_buffer_init(&slice.bytes, &plain);
  for (uint32_t i = 0; i < count; i++) {
    char step[16];
    cpb_format(step, sizeof step, "%u[%u]", field, i);
    write_field(whole, i < stay ? in : &slice, field, step, field == 4, !sliced && i + 1 == count, depth);
  }
  if (sliced)
    add_node(the_case, in->node, in->path, add_chunk(the_case, CPB_CHUNK_MESSAGE, slice.bytes.data, slice.bytes.size));
  cpb_buffer_free(&slice.bytes);
}

static void write_map(cpb_buffer *whole, kept *in, uint32_t field, int depth) {
  uint32_t count = random_below(4);
  for (uint32_t i = 0; i < count; i++) write_entry(whole, in, field, i, i + 1 == count, depth);
}

static void write_group(cpb_buffer *whole, kept *in) {
  static const char group[] = "\x4b\x0a\x01g\x4c";
  append(whole, group, 5);
  append(&in->bytes, group, 5);
}

static void write_message(cpb_buffer *whole, kept *in, int depth) {
  bool leaf = depth > 3;
  if (one_in(2)) {
    uint64_t value = random_below(1000);
    append_number(whole, 1, value);
    append_number(&in->bytes, 1, value);
  }
  if (one_in(2)) write_field(whole, in, 2, "2", false, true, depth);
  if (!leaf && one_in(2)) write_field(whole, in, 3, "3", true, true, depth);
  if (!leaf) write_elements(whole, in, 4, depth);
  if (one_in(2)) write_elements(whole, in, 5, depth);
  if (!leaf && one_in(2)) write_map(whole, in, 6, depth);
  if (one_in(2)) write_map(whole, in, 7, depth);
  if (one_in(3)) write_group(whole, in);
}

static inline void make_case(merge_case *c, cpb_buffer *whole, uint64_t from) {
  seed = from * 0x9e3779b97f4a7c15u + 1;
  merge_case_init(c);
  the_case = c;
  plain = cpb_allocator_or_default(NULL);
  cpb_buffer_init(whole, &plain);
  kept root = {.node = add_node(c, CPB_NO_NODE, "", CPB_NO_CHUNK)};
  cpb_buffer_init(&root.bytes, &plain);
  write_message(whole, &root, 0);
  assert_true(cpb_metadata_set_chunk(&c->index, 0, add_chunk(c, CPB_CHUNK_MESSAGE, root.bytes.data, root.bytes.size)));
  cpb_buffer_free(&root.bytes);
}

#endif
