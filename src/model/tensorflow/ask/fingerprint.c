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

static void write_field(cpb_json_writer *a, const cpb_cursor *field) {
  char text[24];
  if (field->type == CPB_WIRE_VARINT && field->number < sizeof hashes / sizeof *hashes) {
    cpb_format(text, sizeof text, "%llu", (unsigned long long)field->value);
    cpb_json_writer_text(a, hashes[field->number], text); /* most JSON parsers have no numbers of 64 bits */
  } else if (field->type == CPB_WIRE_LEN && field->number == FINGERPRINT_UUID) {
    cpb_json_writer_span(a, "uuid", field->bytes);
  } else if (field->type == CPB_WIRE_LEN && field->number == FINGERPRINT_VERSION) {
    cpb_write_versions(a, "version", field->bytes);
  }
}

void cpb_write_fingerprint(cpb_saved_model *m) {
  cpb_cursor c = cpb_cursor_of((cpb_span){m->fingerprint.data, m->fingerprint.size});
  if (m->fingerprint.size == 0) return;
  cpb_json_writer_open(m->viewed.answer, "fingerprint", '{');
  while (cpb_cursor_next(&c)) write_field(m->viewed.answer, &c);
  cpb_json_writer_close(m->viewed.answer, '}');
}

bool cpb_saved_set_fingerprint(cpb_saved_model *m, const void *data, size_t size, cpb_error *error) {
  const uint8_t *field = data;
  cpb_cursor c = cpb_cursor_of((cpb_span){data, size});
  while (cpb_cursor_next(&c)) field = c.at;
  if (m->is_graph || m->is_alone) cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "only a SavedModel has a fingerprint");
  else if (c.damaged)
    cpb_fail(error, CPB_E_DAMAGED, (uint64_t)(field - (const uint8_t *)data),
             "a field of the fingerprint cannot be parsed");
  m->fingerprint.size = 0;
  if (error->code == CPB_OK && !cpb_buffer_append(&m->fingerprint, data, size)) cpb_fail_memory(error);
  return error->code == CPB_OK;
}
