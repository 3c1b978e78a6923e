/* cpb/model.h: looking inside models.
 *
 * A cpb_model answers questions about a model: what it computes, its signatures,
 * its functions and nodes, its layers, what is large. It reads only what a
 * question touches, keeps what later questions will need again, and never reads
 * weights. Each answer is one JSON object in UTF-8 (docs/inspecting.md says what
 * is in which); lists come in pages.
 *
 *     cpb_model *model = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
 *     cpb_question question = {sizeof question, CPB_ASK_OVERVIEW};
 *     cpb_model_ask(model, &question);
 *     while ((step = cpb_model_step(model)) == CPB_STEP_NEED)
 *       answer cpb_model_input(model);
 *     if (step == CPB_STEP_DONE) json = cpb_model_answer(model, &size);
 *
 * The input of a SavedModel is its message: `saved_model.pb`, or the virtual
 * message of a `saved_model.cpb`, whose ranges cpb_merge_read() (cpb/chunked.h)
 * gives. An answer is the same for both. */
#ifndef CPB_MODEL_H
#define CPB_MODEL_H

#include "cpb/base.h"
#include "cpb/checkpoint.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_model cpb_model;

typedef enum cpb_model_kind {
  CPB_MODEL_SAVED_MODEL = 1, /* a tensorflow.SavedModel message */
  CPB_MODEL_GRAPH_DEF,       /* a tensorflow.GraphDef message: a frozen graph */
  CPB_MODEL_KERAS_METADATA,  /* keras_metadata.pb: third_party.tensorflow.python.keras.protobuf.SavedMetadata */
  CPB_MODEL_SAMEDIFF_ZIP,    /* a SameDiff zip */
  CPB_MODEL_SAMEDIFF_GRAPH   /* a FlatBuffers graph as ND4J's SameDiff.save writes it */
} cpb_model_kind;

/* What the first bytes of a file, or of the message of a .cpb file, are probably of; a
 * hundred are enough. 0 for none of these. (A keras_metadata.pb is known by its name.) */
CPB_API cpb_model_kind cpb_model_guess(const void *data, size_t size);

/* Zero means the default. */
typedef struct cpb_model_options {
  size_t struct_size;       /* sizeof(cpb_model_options) */
  uint64_t max_value;       /* values longer than this are left out of what is read
                               (weights, mostly); in bytes, default 1024 */
  uint64_t max_memory;      /* bytes that what is read may take before CPB_E_LIMIT;
                               default 256 MiB (64 MiB where size_t has 32 bits) */
  const cpb_limits *limits; /* `depth` counts; copied */
} cpb_model_options;

/* NULL when memory is short; `options` may be NULL. */
CPB_API cpb_model *cpb_model_new(const cpb_allocator *allocator, cpb_model_kind kind, const cpb_model_options *options);
CPB_API void cpb_model_free(cpb_model *model);

/* Gives a SavedModel its keras_metadata.pb, which lies beside it: LAYERS and LOAD then
 * know what Keras says of the objects, OVERVIEW and SEARCH tell of it, and CUT cuts it,
 * too. It is small (a few KiB a layer) and is copied; between questions. False when memory
 * is short or the model is of another kind. */
CPB_API int cpb_model_set_keras_metadata(cpb_model *model, const void *data, size_t size);

/* Tells a SavedModel of the checkpoint beside it, in variables/: VARIABLES then knows what is
 * stored of which variable, and OVERVIEW how much that is. `object_graph` is the text that
 * the checkpoint has under the key CPB_CHECKPOINT_GRAPH, which is copied (it says which
 * variable has which key; NULL where there is none, as in TensorFlow 1); the checkpoint must
 * stay as long as the model, or until another one is set; NULL takes it away. Between
 * questions. False when memory is short or the model is of another kind. */
CPB_API int cpb_model_set_checkpoint(cpb_model *model, const cpb_checkpoint *checkpoint, const void *object_graph,
                                     size_t size);

/* --- Questions ------------------------------------------------------------- */

/* X(name, number, text). Which kind of model answers which question is in
 * docs/inspecting.md; one that a kind has no answer to is CPB_E_UNSUPPORTED. */
#define CPB_QUESTIONS(X)                                                                                    \
  X(OVERVIEW, 1, "versions, meta graphs or tags, signatures, counts: a few small reads")                    \
  X(SIGNATURE, 2, "one signature, followed to its function, captures and variables")                        \
  X(FUNCTIONS, 3, "the function library: signatures, sizes, who calls whom; a page")                        \
  X(FUNCTION, 4, "one function, by name")                                                                   \
  X(NODES, 5, "nodes of the graph, or of the function `name`; a page")                                      \
  X(OBJECTS, 6, "the children of the object at the path `name`; a page")                                    \
  X(LAYERS, 7, "the Keras layer tree, with how layers are connected")                                       \
  X(CONSTANTS, 8, "constants or parameters, largest first; a page")                                         \
  X(OPS, 9, "how often each operation is used, graph and functions")                                        \
  X(SEARCH, 10, "what has `name` in its name, of any of these; a page")                                     \
  X(LOAD, 11, "Keras: the nodes to load for the paths in `name`, one a line")                               \
  X(TAG, 12, "SameDiff: the graph of the tag `name`, its variables and operations")                         \
  X(SCOPES, 13, "name scopes: what is in `scope`, in the graph or the function `name`; a page")             \
  X(CUT, 14, "the model cut down to the objects at the paths in `name`, one a line: what stays")            \
  X(CONSUMERS, 15, "what takes the node, argument or SameDiff variable `name`, and as which input; a page") \
  X(VARIABLES, 16, "variables and what a checkpoint has stored of each, or those `name` means; a page")

typedef enum cpb_question_kind {
#define CPB_QUESTION_ENUM(name, number, text) CPB_ASK_##name = number,
  CPB_QUESTIONS(CPB_QUESTION_ENUM)
#undef CPB_QUESTION_ENUM
} cpb_question_kind;

/* The question's name in small letters, such as "overview", and its one-line
 * meaning; NULL for a number that is none. */
CPB_API const char *cpb_question_name(cpb_question_kind kind);
CPB_API const char *cpb_question_text(cpb_question_kind kind);

typedef struct cpb_question {
  size_t struct_size; /* sizeof(cpb_question) */
  cpb_question_kind kind;
  uint32_t meta_graph; /* of a SavedModel: which, from 0 */
  const char *name;    /* UTF-8, `name_size` bytes, copied; what it is depends on
                          `kind`; NULL for none */
  size_t name_size;
  const char *scope; /* NODES: only names that begin with it; SCOPES: the scope,
                        NULL for all; CONSUMERS: the function that has the node, NULL
                        for the graph; SameDiff: the tag, NULL for the default one */
  size_t scope_size;
  uint64_t first; /* of a page: number of the first element, from 0 */
  uint64_t count; /* of a page: how many at most; 0 means 100 */
} cpb_question;

/* Begins a question and ends one that is under way; the last answer goes. A
 * question out of order or ill-formed is CPB_E_USAGE at the next step. */
CPB_API void cpb_model_ask(cpb_model *model, const cpb_question *question);

/* CPB_STEP_NEED, then CPB_STEP_DONE: the answer is there; or CPB_STEP_ERROR. An
 * error ends this question only, and another may be asked (what a damaged model
 * has that can be read is still shown); after CPB_E_MEMORY too. */
CPB_API cpb_input *cpb_model_input(cpb_model *model);
CPB_API cpb_step cpb_model_step(cpb_model *model);
CPB_API const cpb_error *cpb_model_error(const cpb_model *model);

/* After CPB_STEP_DONE: a JSON object, without a terminating NUL; valid until the
 * next call for this model. A list in pages is an object {"total", "first",
 * "items"}. What could not be made out is told in "problems", a list of
 * {"offset", "text"}, and never left out in silence. */
CPB_API const char *cpb_model_answer(const cpb_model *model, size_t *size);

/* --- What CUT cuts out ------------------------------------------------------ */

/* After CPB_STEP_DONE for CUT, the model that it told of: a SavedModel with nothing but
 * the objects at the paths, what they reach and what these need (docs/cutting.md), as
 * pieces one behind the other. Most are ranges of the input, so that no constant is in
 * memory; what is around these was written anew. And the keras_metadata.pb that goes with
 * it, of which there is nothing where none was set. Valid until the next question. */
typedef enum cpb_cut_file { CPB_CUT_SAVED_MODEL, CPB_CUT_KERAS_METADATA } cpb_cut_file;

typedef struct cpb_model_piece {
  uint64_t offset;      /* in the input; CPB_NO_OFFSET: it is in `bytes` */
  uint64_t length;      /* in bytes */
  const uint8_t *bytes; /* NULL for a range of the input */
} cpb_model_piece;

CPB_API size_t cpb_model_num_pieces(const cpb_model *model, cpb_cut_file file);
CPB_API cpb_model_piece cpb_model_get_piece(const cpb_model *model, cpb_cut_file file, size_t i);

#ifdef __cplusplus
}
#endif
#endif
