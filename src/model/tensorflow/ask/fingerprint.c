/* fingerprint.pb, which TensorFlow writes next to a SavedModel: hashes of its parts. */
#include "base/status.h"
#include "model/tensorflow/ask/questions.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/state.h"

static const char *const hashes[] = {NULL,
                                     "saved_model_checksum",
                                     "graph_def_program_hash",
                                     "signature_def_hash",
                                     "saved_object_graph_hash",
                                     "checkpoint_hash"};

static bool is_whole(cpb_span message) {
  cpb_cursor c = cpb_cursor_of(message);
  while (cpb_cursor_next(&c)) {}
  return !c.damaged;
}

/* As text: most JSON parsers have no integers of 64 bits. */
static void write_hash(cpb_json_writer *a, const char *key, uint64_t value) {
  char text[24];
  cpb_format(text, sizeof text, "%llu", (unsigned long long)value);
  if (value != 0) cpb_json_writer_text(a, key, text);
}

void cpb_write_fingerprint(cpb_saved_model *m) {
  cpb_json_writer *a = m->viewed.answer;
  const cpb_span message = {m->fingerprint.data, m->fingerprint.size};
  if (message.size == 0) return;
  const cpb_span version = cpb_get_bytes(message, FINGERPRINT_VERSION), uuid = cpb_get_bytes(message, FINGERPRINT_UUID);
  cpb_json_writer_open(a, "fingerprint", '{');
  for (uint32_t i = 1; i < sizeof hashes / sizeof *hashes; i++) write_hash(a, hashes[i], cpb_get_number(message, i));
  if (version.data) cpb_write_versions(a, "version", version);
  if (uuid.data) cpb_json_writer_span(a, "uuid", uuid);
  cpb_json_writer_close(a, '}');
  if (!is_whole(message))
    cpb_problems_add_damage(&m->viewed.problems, CPB_NO_OFFSET, "fingerprint.pb cannot be parsed to its end");
}

int cpb_saved_set_fingerprint(cpb_saved_model *m, const void *data, size_t size) {
  m->fingerprint.size = 0;
  return !m->is_graph && !m->is_alone && cpb_buffer_append(&m->fingerprint, data, size);
}
