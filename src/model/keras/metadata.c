/* keras_metadata.pb, a small file, is read whole. */
#include "model/keras/keras.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/input.h"
#include "base/status.h"
#include "model/common/cursor.h"
#include "model/common/guess.h"
#include "model/common/kind.h"

#define READ_SIZE 65536

typedef struct metadata {
  cpb_allocator allocator;
  cpb_meter *meter;
  uint64_t max_memory; /* for the file, and for its parsed contents */
  cpb_input input;
  cpb_buffer file;
  bool read;
  cpb_keras_list list;
  cpb_problems problems;
  cpb_keras *keras; /* NULL until it was read */
  cpb_question question;
} metadata;

static void *create(const cpb_allocator *a, cpb_meter *meter, cpb_model_kind kind, const cpb_model_options *options) {
  (void)kind;
  metadata *m = cpb_alloc_zeroed(a, sizeof *m);
  if (!m) return NULL;
  m->allocator = *a;
  m->meter = meter;
  m->max_memory = options->max_memory;
  cpb_input_init(&m->input);
  cpb_buffer_init(&m->file, a);
  cpb_problems_init(&m->problems, a);
  return m;
}

static void forget(metadata *m) {
  cpb_keras_free(m->keras);
  m->keras = NULL;
  cpb_keras_list_free(&m->allocator, &m->list);
  cpb_problems_free(&m->problems);
}

static void destroy(void *reader) {
  metadata *m = reader;
  cpb_allocator a = m->allocator;
  forget(m);
  cpb_buffer_free(&m->file);
  cpb_release(&a, m);
}

static void ask(void *reader, const cpb_question *question) {
  metadata *m = reader;
  m->question = *question;
  /* a new question may try again after an error of the host */
  m->input.failure = (cpb_error){.code = CPB_OK};
}

static cpb_input *input(void *reader) { return &((metadata *)reader)->input; }

static cpb_step read_file(metadata *m, cpb_error *error) {
  cpb_span span;
  cpb_have have;
  while ((have = cpb_input_span(&m->input, m->file.size, READ_SIZE, UINT64_MAX, &span)) == CPB_HAVE) {
    if (span.size > m->max_memory || m->file.size > m->max_memory - span.size) {
      cpb_fail(error, CPB_E_LIMIT, m->file.size,
               "keras_metadata.pb exceeds max_memory, %llu bytes: it has at least %llu",
               (unsigned long long)m->max_memory, (unsigned long long)m->file.size + span.size);
      return CPB_STEP_ERROR;
    }
    if (!cpb_buffer_append(&m->file, span.data, span.size)) return cpb_fail_memory(error), CPB_STEP_ERROR;
  }
  if (have == CPB_WAIT) return CPB_STEP_NEED;
  if (have == CPB_FAILED) *error = m->input.failure;
  m->read = have == CPB_AT_END;
  return m->read ? CPB_STEP_DONE : CPB_STEP_ERROR;
}

/* Many short files can be parsed as a protobuf message; Keras metadata is recognized by the
 * identifier of its first object. */
static bool is_metadata(const metadata *m) {
  return m->file.size == 0 || (m->list.count > 0 && cpb_keras_is_identifier(m->list.objects[0].identifier));
}

static bool make_sense(metadata *m, cpb_error *error) {
  if (!cpb_keras_decode(&m->allocator, (cpb_span){m->file.data, m->file.size}, &m->list, &m->problems))
    return cpb_fail_memory(error), false;
  if (!is_metadata(m))
    return CPB_FAILS(error, CPB_E_FORMAT, 0,
                     "not a keras_metadata.pb: identifier of the first object is not _tf_keras_...");
  m->keras = cpb_keras_new(&m->allocator, m->list.objects, m->list.count, NULL,
                           m->max_memory - cpb_min_u64(m->max_memory, m->file.size), &m->problems, m->meter, error);
  return m->keras != NULL;
}

static bool answers(cpb_model_kind kind, cpb_question_kind question) {
  (void)kind;
  return question == CPB_ASK_OVERVIEW || question == CPB_ASK_LAYERS || question == CPB_ASK_LOAD ||
         question == CPB_ASK_SEARCH;
}

static bool answer_question(metadata *m, cpb_json_writer *answer, cpb_error *error) {
  const cpb_question *q = &m->question;
  switch (q->kind) {
    case CPB_ASK_OVERVIEW: return cpb_keras_overview(m->keras, answer, error);
    case CPB_ASK_LAYERS: return cpb_keras_layers(m->keras, q, answer, error);
    case CPB_ASK_LOAD: return cpb_keras_load(m->keras, q, answer, error);
    default: return cpb_keras_search(m->keras, q, answer, error);
  }
}

static cpb_step step(void *reader, cpb_json_writer *answer, cpb_error *error) {
  metadata *m = reader;
  if (!m->read) {
    cpb_step step = read_file(m, error);
    if (step != CPB_STEP_DONE) return step;
  }
  if (!m->keras && !make_sense(m, error)) {
    forget(m);
    return CPB_STEP_ERROR;
  }
  cpb_json_writer_open(answer, NULL, '{');
  cpb_json_writer_text(answer, "format", "keras_metadata");
  if (!answer_question(m, answer, error)) return CPB_STEP_ERROR;
  cpb_json_writer_open(answer, "problems", '[');
  cpb_problems_write(&m->problems, answer);
  cpb_json_writer_close(answer, ']');
  cpb_json_writer_close(answer, '}');
  return CPB_STEP_DONE;
}

const cpb_model_reader cpb_keras_metadata_reader = {
    .create = create, .destroy = destroy, .ask = ask, .step = step, .input = input, .answers = answers};

CPB_EVIDENCE(versions, CPB_EVIDENCE_NUMBER(VERSION_PRODUCER), CPB_EVIDENCE_NUMBER(VERSION_MIN_CONSUMER),
             CPB_EVIDENCE_BYTES(3));
CPB_EVIDENCE(object, CPB_EVIDENCE_NUMBER(OBJECT_NODE_ID), CPB_EVIDENCE_BYTES(OBJECT_NODE_PATH),
             CPB_EVIDENCE_PROOF_BYTES(OBJECT_IDENTIFIER, cpb_keras_is_identifier), CPB_EVIDENCE_BYTES(OBJECT_METADATA),
             CPB_EVIDENCE_OF(OBJECT_VERSION, versions));
CPB_EVIDENCE(saved_metadata, CPB_EVIDENCE_OF(METADATA_NODES, object));

int cpb_keras_metadata_guess(const cpb_file_ends *ends, bool is_named) {
  return cpb_evidence_score(&saved_metadata, cpb_ends_begin(ends), is_named);
}
