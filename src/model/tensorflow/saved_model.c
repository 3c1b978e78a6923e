#include "model/tensorflow/saved_model.h"

#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "model/reader.h"
#include "model/tensorflow/ask/keras.h"
#include "model/tensorflow/fields.h"
#include "model/tensorflow/variables.h"
#include "model/tensorflow/views.h"

/* A hint for a host whose requests are dear: what is around the graphs is mostly
 * less than a few of these. */
#define SKELETON_AHEAD ((uint64_t)128 << 10)
#define LEAST_MEMORY ((uint64_t)1 << 20)

/* --- Questions --------------------------------------------------------------------- */

/* Beside the skeleton. What Keras says is for some only a part of the answer: then it is
 * read where there is any, for an overview where that is little. */
enum { SKELETON = 0, GRAPH = 1, KERAS = 2, KERAS_IF_ANY = 4, KERAS_IF_LITTLE = 8 };
#define LITTLE_KERAS ((uint64_t)256 << 10)

typedef struct asked {
  cpb_question_kind kind;
  unsigned needs;
  void (*ask)(cpb_saved_model *m);
} asked;

static const asked questions[] = {
    {CPB_ASK_OVERVIEW, KERAS_IF_LITTLE, cpb_ask_overview},
    {CPB_ASK_SIGNATURE, GRAPH, cpb_ask_signature},
    {CPB_ASK_FUNCTIONS, GRAPH, cpb_ask_functions},
    {CPB_ASK_FUNCTION, GRAPH, cpb_ask_function},
    {CPB_ASK_NODES, GRAPH, cpb_ask_nodes},
    {CPB_ASK_OBJECTS, SKELETON, cpb_ask_objects},
    {CPB_ASK_CONSTANTS, GRAPH, cpb_ask_constants},
    {CPB_ASK_OPS, GRAPH, cpb_ask_ops},
    {CPB_ASK_SEARCH, GRAPH | KERAS_IF_ANY, cpb_ask_search},
    {CPB_ASK_LAYERS, KERAS, cpb_ask_layers},
    {CPB_ASK_LOAD, KERAS, cpb_ask_load},
    {CPB_ASK_SCOPES, GRAPH, cpb_ask_scopes},
    {CPB_ASK_CUT, GRAPH, cpb_ask_cut},
    {CPB_ASK_CONSUMERS, GRAPH, cpb_ask_consumers},
    {CPB_ASK_VARIABLES, SKELETON, cpb_ask_variables},
};
static const asked of_graphs[] = {
    {CPB_ASK_OVERVIEW, GRAPH, cpb_ask_graph_overview}, {CPB_ASK_FUNCTIONS, GRAPH, cpb_ask_functions},
    {CPB_ASK_FUNCTION, GRAPH, cpb_ask_function},       {CPB_ASK_NODES, GRAPH, cpb_ask_nodes},
    {CPB_ASK_CONSTANTS, GRAPH, cpb_ask_constants},     {CPB_ASK_OPS, GRAPH, cpb_ask_ops},
    {CPB_ASK_SEARCH, GRAPH, cpb_ask_search},           {CPB_ASK_SCOPES, GRAPH, cpb_ask_scopes},
    {CPB_ASK_CONSUMERS, GRAPH, cpb_ask_consumers},
};

#define COUNT(list) (sizeof list / sizeof *list)

static const asked *find_question(cpb_saved_model *m) {
  const asked *list = m->is_graph ? of_graphs : questions;
  size_t count = m->is_graph ? COUNT(of_graphs) : COUNT(questions);
  for (size_t i = 0; i < count; i++) {
    if (list[i].kind == m->question.kind) return &list[i];
  }
  cpb_fail(m->error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "this kind of model has no answer to %s",
           cpb_question_name(m->question.kind));
  return NULL;
}

bool cpb_saved_fail_memory(cpb_saved_model *m) {
  cpb_fail_memory(m->error);
  return false;
}

bool cpb_saved_not_found(cpb_saved_model *m, const char *what, cpb_span name) {
  char text[128];
  cpb_quote(text, sizeof text, name.data ? name.data : (const uint8_t *)"", name.size);
  cpb_fail(m->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "there is no %s \"%s\"", what, text);
  return false;
}

/* --- Creation ------------------------------------------------------------------------ */

static void *create(const cpb_allocator *a, cpb_model_kind kind, const cpb_model_options *options) {
  cpb_saved_model *m = cpb_alloc_zeroed(a, sizeof *m);
  if (!m) return NULL;
  m->allocator = *a;
  m->options = *options;
  m->limits = cpb_limits_or_default(options->limits);
  m->options.limits = &m->limits;
  m->is_graph = kind == CPB_MODEL_GRAPH_DEF;
  cpb_input_init(&m->no_input);
  cpb_objects_init(&m->objects, a);
  cpb_graph_init(&m->graph, a);
  cpb_pieces_init(&m->cut, a);
  cpb_pieces_init(&m->cut_keras, a);
  cpb_problems_init(&m->problems, a);
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
  cpb_allocator a = m->allocator;
  cpb_saved_forget_keras(m, true);
  forget_objects(m);
  forget_graph(m);
  forget_cut(m);
  cpb_saved_forget_checkpoint(m);
  cpb_part_free(&m->skeleton);
  cpb_problems_free(&m->problems);
  cpb_release(&a, m);
}

static void ask(void *reader, const cpb_question *question) {
  cpb_saved_model *m = reader;
  m->question = *question;
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

/* What the other part has left of the memory. */
static uint64_t memory_left(const cpb_saved_model *m) {
  uint64_t used = m->skeleton.message.size + m->graph_part.message.size;
  return cpb_max_u64(m->options.max_memory - cpb_min_u64(used, m->options.max_memory), LEAST_MEMORY);
}

static cpb_step read_skeleton(cpb_saved_model *m) {
  const cpb_outline_options how = {.max_value = m->options.max_value,
                                   .max_size = memory_left(m),
                                   .limits = &m->limits,
                                   .read_ahead = SKELETON_AHEAD};
  if (m->is_graph) return CPB_STEP_DONE;
  bool begun = m->skeleton.outline || cpb_part_begin(&m->skeleton, &m->allocator, &cpb_view_saved_model, NULL, 0, &how);
  if (!begun) {
    cpb_saved_fail_memory(m);
    return CPB_STEP_ERROR;
  }
  return cpb_part_step(&m->skeleton, m->error);
}

bool cpb_saved_begin_part(cpb_saved_model *m, cpb_part *part, uint32_t field, const cpb_message_type *view,
                          uint64_t read_ahead) {
  const cpb_outline_options how = {
      .max_value = m->options.max_value, .max_size = memory_left(m), .limits = &m->limits, .read_ahead = read_ahead};
  static const cpb_range nothing = {0, 0};
  cpb_range *ranges = NULL;
  size_t count = 0;
  bool begun = m->is_graph || cpb_part_ranges(&m->skeleton, &m->allocator, m->meta, field, &ranges, &count);
  bool empty = !m->is_graph && count == 0;
  begun = begun && cpb_part_begin(part, &m->allocator, view, empty ? &nothing : ranges, empty ? 1 : count, &how);
  cpb_release(&m->allocator, ranges);
  if (!begun) return cpb_saved_fail_memory(m);
  /* A part may claim to go on past the end, which is known by now. */
  if (!m->is_graph) cpb_input_end(cpb_outline_input(part->outline), cpb_outline_input(m->skeleton.outline)->size);
  return true;
}

static void note_damage(cpb_problems *problems, const cpb_part *part) {
  if (part->damage.code != CPB_OK) cpb_problems_add(problems, part->damage.offset, part->damage.message);
}

static cpb_step read_graph(cpb_saved_model *m) {
  if (m->has_graph) return CPB_STEP_DONE;
  if (!m->graph_part.outline && !cpb_saved_begin_part(m, &m->graph_part, META_GRAPH_GRAPH, &cpb_view_graph, 0))
    return CPB_STEP_ERROR;
  cpb_step step = cpb_part_step(&m->graph_part, m->error);
  if (step != CPB_STEP_DONE) return step;
  if (!cpb_graph_build(&m->graph, m->graph_part.message, &m->graph_problems)) {
    forget_graph(m);
    cpb_saved_fail_memory(m);
    return CPB_STEP_ERROR;
  }
  note_damage(&m->graph_problems, &m->graph_part);
  m->has_graph = true;
  return CPB_STEP_DONE;
}

static bool build_objects(cpb_saved_model *m) {
  if (m->has_objects || m->is_graph) return true;
  m->has_objects = cpb_objects_build(&m->objects, &m->skeleton, m->meta, &m->object_problems);
  if (m->has_objects) return true;
  forget_objects(m);
  return cpb_saved_fail_memory(m);
}

/* The meta graph of the question; what was kept of another one goes. */
static bool choose_meta_graph(cpb_saved_model *m) {
  uint32_t wanted = m->question.meta_graph;
  m->num_meta_graphs = 0;
  if (m->is_graph) return true;
  if (m->meta.data && wanted != m->meta_number) {
    forget_objects(m);
    forget_graph(m);
  }
  m->meta = (cpb_span){NULL, 0};
  cpb_cursor c = cpb_cursor_of(m->skeleton.message);
  while (cpb_cursor_find(&c, SAVED_MODEL_META_GRAPHS, CPB_WIRE_LEN)) {
    if (m->num_meta_graphs++ == wanted) m->meta = c.bytes;
  }
  m->meta_number = wanted;
  if (m->meta.data || wanted == 0) return true;
  cpb_fail(m->error, CPB_E_NOT_FOUND, CPB_NO_OFFSET, "there is no meta graph %u; there are %zu", (unsigned)wanted,
           m->num_meta_graphs);
  return false;
}

/* --- Steps -------------------------------------------------------------------------------- */

static void write_problems(cpb_saved_model *m, const asked *what) {
  cpb_problems skeleton;
  cpb_problems_init(&skeleton, &m->allocator);
  if (m->skeleton.read) note_damage(&skeleton, &m->skeleton);
  cpb_json_writer_open(m->answer, "problems", '[');
  cpb_problems_write(&skeleton, m->answer);
  cpb_problems_write(&m->object_problems, m->answer);
  if (what->needs & GRAPH) cpb_problems_write(&m->graph_problems, m->answer);
  cpb_problems_write(&m->problems, m->answer);
  cpb_json_writer_close(m->answer, ']');
  cpb_problems_free(&skeleton);
}

static cpb_step write_answer(cpb_saved_model *m, const asked *what) {
  cpb_problems_free(&m->problems);
  cpb_json_writer_begin(m->answer);
  cpb_json_writer_open(m->answer, NULL, '{');
  if (!m->is_graph && m->num_meta_graphs == 0)
    cpb_problems_add(&m->problems, m->skeleton.message.size, "the SavedModel has no meta graph");
  what->ask(m);
  write_problems(m, what);
  cpb_json_writer_close(m->answer, '}');
  return m->error->code == CPB_OK ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

/* Nothing at all could be read, and why: then that is the answer. */
static bool fail_if_empty(cpb_saved_model *m, const cpb_part *part) {
  if (part->damage.code == CPB_OK || part->message.size > 0) return false;
  *m->error = part->damage;
  return true;
}

static bool needs_keras(const cpb_saved_model *m, const asked *what) {
  if (what->needs & KERAS) return true;
  if (m->is_graph) return false;
  return ((what->needs & KERAS_IF_ANY) && cpb_saved_has_keras(m, UINT64_MAX)) ||
         ((what->needs & KERAS_IF_LITTLE) && cpb_saved_has_keras(m, LITTLE_KERAS));
}

static cpb_step step(void *reader, cpb_json_writer *answer, cpb_error *error) {
  cpb_saved_model *m = reader;
  m->answer = answer;
  m->error = error;
  const asked *what = find_question(m);
  if (!what) return CPB_STEP_ERROR;
  cpb_step read = read_skeleton(m);
  if (read != CPB_STEP_DONE) return read;
  if (fail_if_empty(m, &m->skeleton) || !choose_meta_graph(m) || !build_objects(m)) return CPB_STEP_ERROR;
  if ((what->needs & GRAPH) && (read = read_graph(m)) != CPB_STEP_DONE) return read;
  m->with_keras = needs_keras(m, what);
  if (m->with_keras && (read = cpb_saved_read_keras(m)) != CPB_STEP_DONE) return read;
  if (m->is_graph && fail_if_empty(m, &m->graph_part)) return CPB_STEP_ERROR;
  return write_answer(m, what);
}

const cpb_model_reader cpb_saved_model_reader = {create, destroy, ask, step, input};

const cpb_pieces *cpb_saved_cut(const void *reader, cpb_cut_file file) {
  const cpb_saved_model *m = reader;
  return file == CPB_CUT_KERAS_METADATA ? &m->cut_keras : &m->cut;
}

/* --- Pages ---------------------------------------------------------------------------------- */

cpb_page cpb_page_open(cpb_saved_model *m, const char *key) {
  cpb_json_writer_open(m->answer, key, '{');
  cpb_json_writer_open(m->answer, "items", '[');
  return (cpb_page){m->question.first, m->question.count, 0};
}

bool cpb_page_has(cpb_page *page) {
  uint64_t number = page->total++;
  return number >= page->first && number - page->first < page->count;
}

void cpb_page_close(cpb_saved_model *m, const cpb_page *page) {
  cpb_json_writer_close(m->answer, ']');
  cpb_json_writer_unsigned(m->answer, "first", page->first);
  cpb_json_writer_unsigned(m->answer, "total", page->total);
  cpb_json_writer_close(m->answer, '}');
}
