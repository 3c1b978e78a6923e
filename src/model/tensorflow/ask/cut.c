/* A model cut down to some of its objects: the objects that stay, and the plan to write it. */
#include "model/tensorflow/ask/questions.h"

#include "base/status.h"
#include "model/common/kind.h"
#include "model/tensorflow/cut/cut.h"
#include "model/tensorflow/describe.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/keras.h"

/* --- What stays ----------------------------------------------------------------------- */

static void write_objects(cpb_saved_model *m, const cpb_cut *cut) {
  static const char *const why[] = {NULL, "around", "needed", "reached", "asked"};
  cpb_page page = cpb_viewed_page(&m->viewed, "objects");
  for (size_t i = 0; i < m->objects.count; i++) {
    if (cut->objects[i] == CPB_CUT_OFF || !cpb_page_has(&page)) continue;
    cpb_json_writer_open(m->viewed.answer, NULL, '{');
    cpb_write_object_place(m, (uint32_t)i);
    cpb_json_writer_unsigned(m->viewed.answer, "new_node", cut->numbers[i]);
    cpb_json_writer_text(m->viewed.answer, "why", why[cut->objects[i]]);
    cpb_json_writer_close(m->viewed.answer, '}');
  }
  cpb_page_close(m->viewed.answer, &page);
}

static void write_share(cpb_saved_model *m, const char *key, const uint8_t *stays, size_t total) {
  size_t count = 0;
  for (size_t i = 0; i < total; i++) count += stays[i] != 0;
  cpb_json_writer_open(m->viewed.answer, key, '{');
  cpb_json_writer_unsigned(m->viewed.answer, "kept", count);
  cpb_json_writer_unsigned(m->viewed.answer, "total", total);
  cpb_json_writer_close(m->viewed.answer, '}');
}

static void write_signatures(cpb_saved_model *m, const cpb_cut *cut, const char *key, bool kept) {
  cpb_entries list;
  if (!cpb_saved_entries(m, m->meta, META_GRAPH_SIGNATURE, &list)) return;
  cpb_json_writer_open(m->viewed.answer, key, '[');
  for (size_t i = 0; i < list.count; i++)
    if (cpb_cut_has_signature(cut, list.items[i].key) == kept)
      cpb_json_writer_span(m->viewed.answer, NULL, list.items[i].key);
  cpb_json_writer_close(m->viewed.answer, ']');
  cpb_entries_free(&list);
}

static void write_answer(cpb_saved_model *m, const cpb_cut *cut) {
  cpb_json_writer_unsigned(m->viewed.answer, "size", m->cut.size);
  if (cpb_saved_keras_given(m).data)
    cpb_json_writer_unsigned(m->viewed.answer, "keras_metadata_size", m->cut_keras.size);
  cpb_json_writer_bool(m->viewed.answer, "runs_in_a_session", cut->session);
  write_share(m, "functions", cut->functions + 1, cpb_graph_num_functions(&m->graph));
  write_share(m, "concrete_functions", cut->concrete, m->objects.num_concrete);
  write_share(m, "graph_nodes", cut->nodes, cut->graph.count);
  write_signatures(m, cut, "signatures", true);
  write_signatures(m, cut, "signatures_cut_off", false);
  write_objects(m, cut);
}

/* --- The plan --------------------------------------------------------------------------- */

/* The plan has ranges of the original file instead of bytes, so it costs little and is always made: the answer tells
 * its size. */

static void plan(cpb_saved_model *m, const cpb_cut *cut) {
  cpb_cut_write(cut, &m->cut);
  cpb_cut_write_keras(cut, cpb_saved_keras_given(m), &m->cut_keras);
  if (m->cut.failed || m->cut_keras.failed) cpb_viewed_fail_memory(&m->viewed);
}

/* Rejects a damaged model: its lost parts would be missing from the result. */
static bool check_damage(cpb_saved_model *m) {
  const cpb_error *damages[] = {&m->skeleton.damage, &m->graph_part.damage, &m->damage};
  for (size_t i = 0; i < 3; i++) {
    if (damages[i]->code == CPB_OK) continue;
    *m->viewed.error = *damages[i];
    return false;
  }
  if (m->objects.count > 0) return true;
  return CPB_FAILS(m->viewed.error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET,
                   "the model has no object graph, so it cannot be cut; TensorFlow 1 writes none");
}

void cpb_ask_cut(cpb_saved_model *m) {
  cpb_cut cut;
  if (!cpb_is_whole_model(m->viewed.error) || !check_damage(m)) return;
  if (cpb_cut_decide(&cut, m, cpb_viewed_name(&m->viewed))) {
    plan(m, &cut);
    write_answer(m, &cut);
  }
  cpb_cut_free(&cut);
}
