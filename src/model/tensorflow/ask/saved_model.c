/* Reads the parts of the model that a question needs; the file of the question then writes the answer. */
#include "model/tensorflow/ask/questions.h"

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/keras.h"
#include "model/tensorflow/state.h"
#include "model/tensorflow/variables.h"
#include "model/tensorflow/view.h"
#include "model/tensorflow/weights.h"

/* --- Damage ------------------------------------------------------------------------------------ */

/* Writers order fields by number, so the last field tells which ones are missing. */
static const char *missing_of_meta_graph(uint32_t last) {
  switch (last) {
    case 0: return "everything that follows is missing";
    case META_GRAPH_INFO: return "the graph, the signatures and the objects are missing";
    case META_GRAPH_GRAPH: return "the rest of the graph, the signatures and the objects are missing";
    case META_GRAPH_SAVER:
    case META_GRAPH_COLLECTION: return "the signatures and the objects are missing";
    case META_GRAPH_SIGNATURE: return "further signatures and the objects are missing";
    case META_GRAPH_ASSET: return "the objects are missing";
    default: return "the rest of the objects is missing";
  }
}

static const char *missing_of_graph(uint32_t last) {
  switch (last) {
    case 0: return "everything that follows is missing";
    case GRAPH_NODE: return "the rest of the nodes, and the functions, are missing";
    default: return "the rest of the functions is missing";
  }
}

/* The fields that lost bytes. */
static const char *lost_of_model(const cpb_outline *outline, bool is_alone) {
  switch (cpb_outline_lost_in(outline, is_alone ? 0 : 1)) {
    case META_GRAPH_INFO: return "what the model was made with";
    case META_GRAPH_COLLECTION: return "the collections";
    case META_GRAPH_SIGNATURE: return "the signatures";
    case META_GRAPH_ASSET: return "the assets";
    case META_GRAPH_OBJECTS: return "the objects";
    default: return "the model";
  }
}

static const char *lost_of_graph(const cpb_outline *outline) {
  switch (cpb_outline_lost_in(outline, 0)) {
    case GRAPH_NODE: return "the nodes";
    case GRAPH_LIBRARY: return "the functions";
    default: return "the graph";
  }
}

static void note(cpb_problems *problems, const cpb_error *damage, const char *missing) {
  char text[192];
  cpb_format(text, sizeof text, "%s: %s", damage->message, missing);
  cpb_problems_add_damage(problems, damage->offset, text);
}

static void note_lost(cpb_problems *problems, const cpb_part *part, const char *of) {
  char missing[96];
  cpb_format(missing, sizeof missing, "at least %llu bytes of %s are missing", (unsigned long long)part->lost, of);
  note(problems, &part->damage, missing);
}

static const char *missing_of_model(const cpb_part *part, bool is_alone) {
  cpb_span last = is_alone ? part->message : cpb_get_bytes(part->message, SAVED_MODEL_META_GRAPHS);
  return missing_of_meta_graph(cpb_last_field(last));
}

static void note_model(cpb_problems *problems, cpb_part *part, bool is_alone) {
  if (part->lost == 0 && !part->missing) part->missing = missing_of_model(part, is_alone);
  if (part->lost > 0) note_lost(problems, part, lost_of_model(part->outline, is_alone));
  else note(problems, &part->damage, part->missing);
}

static void note_graph(cpb_problems *problems, cpb_part *part) {
  if (part->lost == 0 && !part->missing) part->missing = missing_of_graph(cpb_last_field(part->message));
  if (part->lost > 0) note_lost(problems, part, lost_of_graph(part->outline));
  else note(problems, &part->damage, part->missing);
}

static bool ends_early(const cpb_part *part) { return part->damage.code == CPB_E_TRUNCATED; }

/* Adds a problem for the damage to the model, and to the graph if a question has read it: only one, if both ended where
 * the file does. */
static void saved_note_damage(cpb_saved_model *m, cpb_problems *problems) {
  cpb_part *model = &m->skeleton, *inner = &m->graph_part;
  bool both_end = ends_early(model) && ends_early(inner);
  if (model->damage.code != CPB_OK) note_model(problems, model, m->is_alone);
  if (inner->read && inner->damage.code != CPB_OK && !both_end) note_graph(problems, inner);
  if (problems->count == 0 && m->damage.code != CPB_OK) note(problems, &m->damage, "a part of the model is missing");
}

/* A hint for hosts that pay for each request: without its graphs, a SavedModel is rarely larger than a few times
 * this. */
#define SKELETON_AHEAD ((uint64_t)128 << 10)

/* --- Questions --------------------------------------------------------------------- */

#define LITTLE_KERAS ((uint64_t)256 << 10)
#define LITTLE_GRAPH ((uint64_t)256 << 10)

typedef cpb_saved_question asked;

static bool answers(cpb_model_kind kind, cpb_question_kind question) {
  if (kind == CPB_MODEL_META_GRAPH && question == CPB_ASK_CUT) return false;
  return cpb_saved_find_question(kind == CPB_MODEL_GRAPH_DEF, question) != NULL;
}

/* --- Creation ------------------------------------------------------------------------ */

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, const cpb_model_options *options) {
  cpb_saved_model *m = cpb_alloc_zeroed(a, sizeof *m);
  if (!m) return NULL;
  cpb_viewed_init(&m->viewed, a, meter, &cpb_tensorflow_view, &m->graph_part);
  m->viewed.view.own = m;
  m->options = *options;
  m->limits = cpb_limits_or_default(options->limits);
  m->options.limits = &m->limits;
  m->is_graph = kind == CPB_MODEL_GRAPH_DEF;
  m->is_alone = kind == CPB_MODEL_META_GRAPH;
  m->damage.offset = CPB_NO_OFFSET;
  cpb_input_init(&m->no_input);
  cpb_objects_init(&m->objects, a);
  cpb_graph_init(&m->graph, a, &m->viewed.view.graphs);
  cpb_buffer_init(&m->fingerprint, a);
  cpb_pieces_init(&m->cut, a);
  cpb_pieces_init(&m->cut_keras, a);
  cpb_problems_init(&m->object_problems, a);
  cpb_problems_init(&m->graph_problems, a);
  return m;
}

static void forget_objects(cpb_saved_model *m) {
  cpb_saved_forget_keras(m, false);
  cpb_saved_forget_links(m);
  cpb_objects_free(&m->objects);
  cpb_problems_free(&m->object_problems);
  m->has_objects = false;
}

static void forget_graph(cpb_saved_model *m) {
  cpb_viewed_forget(&m->viewed);
  cpb_graph_free(&m->graph);
  cpb_part_free(&m->graph_part);
  cpb_problems_free(&m->graph_problems);
  m->has_graph = false;
}

static void forget_cut(cpb_saved_model *m) {
  cpb_pieces_free(&m->cut);
  cpb_pieces_free(&m->cut_keras);
}

static void destroy(void *reader) {
  cpb_saved_model *m = reader;
  cpb_allocator a = m->viewed.allocator;
  cpb_saved_forget_keras(m, true);
  forget_objects(m);
  forget_graph(m);
  forget_cut(m);
  cpb_saved_forget_checkpoint(m);
  cpb_buffer_free(&m->fingerprint);
  cpb_part_free(&m->skeleton);
  cpb_problems_free(&m->viewed.problems);
  cpb_release(&a, m);
}

static void ask(void *reader, const cpb_question *question) {
  cpb_saved_model *m = reader;
  m->viewed.question = *question;
  m->knows_frozen = false;
  forget_cut(m);
  if (m->skeleton.outline && !m->skeleton.read) cpb_part_free(&m->skeleton);
  if (!m->has_graph) forget_graph(m);
  if (cpb_saved_keras_input(m)) cpb_saved_forget_keras(m, false);
}

static cpb_input *input(void *reader) {
  cpb_saved_model *m = reader;
  if (m->graph_part.outline && !m->graph_part.read) return cpb_outline_input(m->graph_part.outline);
  if (m->skeleton.outline && !m->skeleton.read) return cpb_outline_input(m->skeleton.outline);
  return cpb_saved_keras_input(m) ? cpb_saved_keras_input(m) : &m->no_input;
}

/* --- Parts ------------------------------------------------------------------------------ */

/* At most three parts are in memory: the skeleton, the graph of one meta graph, and Keras's metadata. A part is read
 * when the first question needs it, and stays for the next questions. Questions about another meta graph drop what
 * depends on the old one. If a question is given up halfway, the next one drops the part that it was reading. */

static cpb_step step_part(cpb_saved_model *m, cpb_part *part) {
  bool was_read = part->read;
  cpb_step step = cpb_part_step(part, m->viewed.error);
  if (step != CPB_STEP_DONE || was_read) return step;
  if (m->damage.code != CPB_OK) part->lacks_some = true;
  bool done = cpb_meter_charge(m->viewed.meter, CPB_WORK_WALKED, part->message.size, CPB_NO_OFFSET, m->viewed.error);
  return done ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

static cpb_step read_skeleton(cpb_saved_model *m) {
  const cpb_outline_options how = {.max_value = m->options.max_value,
                                   .max_size = cpb_saved_memory_left(m),
                                   .limits = &m->limits,
                                   .read_ahead = SKELETON_AHEAD};
  if (m->is_graph) return CPB_STEP_DONE;
  const cpb_message_type *view = m->is_alone ? &cpb_view_meta_graph : &cpb_view_saved_model;
  bool begun = m->skeleton.outline || cpb_part_begin(&m->skeleton, &m->viewed.allocator, view, NULL, 0, &how);
  if (!begun) return cpb_viewed_fail_memory(&m->viewed), CPB_STEP_ERROR;
  return step_part(m, &m->skeleton);
}

static cpb_step read_graph(cpb_saved_model *m) {
  if (m->has_graph) return CPB_STEP_DONE;
  if (!m->graph_part.outline && !cpb_saved_begin_part(m, &m->graph_part, META_GRAPH_GRAPH, &cpb_view_graph_def, 0))
    return CPB_STEP_ERROR;
  cpb_step step = step_part(m, &m->graph_part);
  if (step != CPB_STEP_DONE) return step;
  if (!cpb_graph_build(&m->graph, m->graph_part.message, m->graph_part.lacks_some, &m->graph_problems, m->viewed.meter,
                       m->viewed.error)) {
    forget_graph(m);
    return CPB_STEP_ERROR;
  }
  m->has_graph = true;
  return CPB_STEP_DONE;
}

static bool build_objects(cpb_saved_model *m) {
  if (m->has_objects || m->is_graph) return true;
  m->has_objects =
      cpb_objects_build(&m->objects, &m->skeleton, m->meta, &m->object_problems, m->viewed.meter, m->viewed.error);
  if (!m->has_objects) forget_objects(m);
  return m->has_objects;
}

/* Collects facts about the entire model once; otherwise every question would have to walk all meta graphs. */
static void look_at_model(cpb_saved_model *m) {
  cpb_span meta;
  m->schema_version = cpb_get_number(m->skeleton.message, SAVED_MODEL_VERSION);
  m->next_meta = cpb_meta_graphs_of(m->skeleton.message, m->is_alone);
  for (cpb_meta_graphs all = m->next_meta; cpb_meta_graphs_next(&all, &meta);) m->num_meta_graphs++;
  m->has_looked = true;
}

/* Continues after the meta graph of the last question, so that questions about one after the other take one walk. */
static void find_meta_graph(cpb_saved_model *m, uint32_t wanted) {
  uint32_t next = m->meta.data ? m->meta_number + 1 : 0;
  if (m->meta.data && wanted == m->meta_number) return;
  if (wanted < next || !m->meta.data) {
    m->next_meta = cpb_meta_graphs_of(m->skeleton.message, m->is_alone);
    next = 0;
  }
  m->meta = (cpb_span){NULL, 0};
  while (wanted < m->num_meta_graphs && next <= wanted && cpb_meta_graphs_next(&m->next_meta, &m->meta)) next++;
}

/* Sets the meta graph of the question, and drops the data of another one. */
static bool choose_meta_graph(cpb_saved_model *m) {
  uint32_t wanted = m->viewed.question.meta_graph;
  if (m->is_graph) return true;
  if (!m->has_looked) look_at_model(m);
  if (m->meta.data && wanted != m->meta_number) {
    forget_objects(m);
    forget_graph(m);
  }
  find_meta_graph(m, wanted);
  m->meta_number = wanted;
  if (m->meta.data || wanted == 0) return true;
  return CPB_FAILS(m->viewed.error, CPB_E_NOT_FOUND, CPB_NO_OFFSET,
                   "meta_graph is %u; expected less than %zu, the number of meta graphs", (unsigned)wanted,
                   m->num_meta_graphs);
}

/* --- Steps -------------------------------------------------------------------------------- */

/* step() starts at the top again after each wait for input. Each part remembers that it was read, so only the unread
 * one continues. The answer is written in one go at the end, when nothing can wait any more. */

/* An overview is usually the first question: it does not read a large graph of a SavedModel. */
static bool may_read_graph(const cpb_saved_model *m, const asked *what) {
  if (m->has_graph || m->is_alone || what->kind != CPB_ASK_OVERVIEW) return true;
  return cpb_part_where(&m->skeleton, cpb_get_bytes(m->meta, META_GRAPH_GRAPH)).length <= LITTLE_GRAPH;
}

static bool needs_graph(const cpb_saved_model *m, const asked *what) {
  if (what->needs & CPB_SAVED_NEEDS_GRAPH) return true;
  if (what->kind == CPB_ASK_OVERVIEW && cpb_overview_shows_placeholders(m)) return true;
  return (what->needs & CPB_SAVED_TAKES_WEIGHTS) && (m->lacks_shapes || m->lists_none) && may_read_graph(m, what);
}

static void write_problems(cpb_saved_model *m, const asked *what) {
  bool graph = needs_graph(m, what);
  cpb_problems damage;
  cpb_problems_init(&damage, &m->viewed.allocator);
  saved_note_damage(m, &damage);
  cpb_json_writer_open(m->viewed.answer, "problems", '[');
  cpb_problems_write(&damage, m->viewed.answer);
  cpb_problems_write(&m->object_problems, m->viewed.answer);
  if (graph) cpb_problems_write(&m->graph_problems, m->viewed.answer);
  cpb_problems_write(&m->viewed.problems, m->viewed.answer);
  cpb_json_writer_close(m->viewed.answer, ']');
  cpb_problems_free(&damage);
}

static cpb_step write_answer(cpb_saved_model *m, const asked *what) {
  cpb_problems_free(&m->viewed.problems);
  cpb_json_writer_begin(m->viewed.answer);
  cpb_json_writer_open(m->viewed.answer, NULL, '{');
  if (!m->is_graph && m->num_meta_graphs == 0)
    cpb_problems_add(&m->viewed.problems, m->skeleton.message.size, "meta_graphs is empty; expected at least one");
  if (what->write) what->write(m);
  else cpb_question_find(what->kind)(&m->viewed);
  write_problems(m, what);
  cpb_json_writer_close(m->viewed.answer, '}');
  return m->viewed.error->code == CPB_OK ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

/* If nothing could be read, the damage becomes the error. */
static bool fail_if_empty(cpb_saved_model *m, const cpb_part *part) {
  if (part->damage.code == CPB_OK || part->message.size > 0) return false;
  *m->viewed.error = part->damage;
  return true;
}

static bool needs_keras(const cpb_saved_model *m, const asked *what) {
  if (what->needs & CPB_SAVED_NEEDS_KERAS) return true;
  if (m->is_graph) return false;
  return ((what->needs & CPB_SAVED_TAKES_LAYERS) && cpb_saved_has_layers(m)) ||
         ((what->needs & CPB_SAVED_TAKES_KERAS) && cpb_saved_has_keras(m, UINT64_MAX)) ||
         ((what->needs & CPB_SAVED_TAKES_LITTLE_KERAS) && cpb_saved_has_keras(m, LITTLE_KERAS));
}

static cpb_step step(void *reader, cpb_json_writer *answer, cpb_error *error) {
  cpb_saved_model *m = reader;
  m->viewed.answer = m->viewed.view.answer = answer;
  m->walk.node.data = NULL;
  m->viewed.error = error;
  const asked *what = cpb_saved_find_question(m->is_graph, m->viewed.question.kind);
  cpb_step read = read_skeleton(m);
  if (read != CPB_STEP_DONE) return read;
  if (fail_if_empty(m, &m->skeleton) || !choose_meta_graph(m) || !build_objects(m)) return CPB_STEP_ERROR;
  cpb_saved_find_frozen(m);
  if (needs_graph(m, what) && (read = read_graph(m)) != CPB_STEP_DONE) return read;
  cpb_saved_find_frozen(m);
  m->with_keras = needs_keras(m, what);
  if (m->with_keras && (read = cpb_saved_read_keras(m)) != CPB_STEP_DONE) return read;
  if (m->is_graph && fail_if_empty(m, &m->graph_part)) return CPB_STEP_ERROR;
  m->viewed.damage = cpb_saved_damage(m);
  return write_answer(m, what);
}

static const cpb_pieces *pieces(const void *reader, cpb_cut_file file) {
  const cpb_saved_model *m = reader;
  return file == CPB_CUT_KERAS_METADATA ? &m->cut_keras : &m->cut;
}

static void note_damage(void *reader, const char *message) {
  cpb_saved_model *m = reader;
  cpb_fail(&m->damage, CPB_E_DAMAGED, CPB_NO_OFFSET, "%s", message);
}

static bool set_operators(void *reader, cpb_span table) {
  ((cpb_saved_model *)reader)->viewed.view.operators = table;
  return true;
}

const cpb_model_reader cpb_saved_model_reader = {.create = create,
                                                 .destroy = destroy,
                                                 .ask = ask,
                                                 .step = step,
                                                 .input = input,
                                                 .answers = answers,
                                                 .set_keras_metadata = cpb_saved_set_keras,
                                                 .set_fingerprint = cpb_saved_set_fingerprint,
                                                 .set_checkpoint = cpb_saved_set_checkpoint,
                                                 .note_damage = note_damage,
                                                 .set_operators = set_operators,
                                                 .pieces = pieces};
