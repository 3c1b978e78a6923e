/* cpb/model.h: looking inside models.
 *
 * A cpb_model answers questions about a model: its signatures, functions, nodes
 * and layers, its largest parts. It reads the parts that a question needs, but no
 * weights, and keeps them for later questions. Each answer is one JSON object in
 * UTF-8, which docs/inspecting.md describes.
 *
 *     cpb_model *model = cpb_model_new(NULL, CPB_MODEL_SAVED_MODEL, NULL);
 *     cpb_question question = {.struct_size = sizeof question, .kind = CPB_ASK_OVERVIEW};
 *     cpb_model_ask(model, &question);
 *     while ((step = cpb_model_step(model)) == CPB_STEP_NEED)
 *       cpb_file_supply(file, cpb_model_input(model));
 *     if (step == CPB_STEP_DONE) json = cpb_model_answer(model, &size);
 *
 * The input of a SavedModel is its message: the file saved_model.pb, or the merged
 * message of saved_model.cpb, whose ranges come from cpb_merge_read()
 * (cpb/chunked.h). The answers are the same for both. */
#ifndef CPB_MODEL_H
#define CPB_MODEL_H

#include "cpb/base.h"
#include "cpb/checkpoint.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_model cpb_model;

/* The kinds of models: X(NAME, name, number, label, the full name of the message type of such
 * models, or NULL if the built-in schema does not have it). Numbers never change. If a file fits
 * several kinds equally well, the first one is guessed.
 *
 *  - SAMEDIFF_ZIP: a SameDiff zip; SAMEDIFF_GRAPH: a FlatBuffers graph, as ND4J's SameDiff.save writes it;
 *  - KERAS_METADATA: a keras_metadata.pb, a message of the type
 *    third_party.tensorflow.python.keras.protobuf.SavedMetadata;
 *  - SAVED_MODEL: a SavedModel of TensorFlow;
 *  - GRAPH_DEF: a frozen graph;
 *  - META_GRAPH: a .meta file of TensorFlow 1;
 *  - ONNX: an ONNX model;
 *  - COREML: an .mlmodel, or the one in an .mlpackage;
 *  - CHECKPOINT: a checkpoint of TensorFlow by itself: its index, or the file of version 1. */
#define CPB_MODEL_KINDS(X)                                                \
  X(SAMEDIFF_ZIP, samediff_zip, 4, "SameDiff zip", NULL)                  \
  X(SAMEDIFF_GRAPH, samediff_graph, 5, "SameDiff graph", NULL)            \
  X(KERAS_METADATA, keras_metadata, 3, "Keras metadata", NULL)            \
  X(SAVED_MODEL, saved_model, 1, "SavedModel", "tensorflow.SavedModel")   \
  X(GRAPH_DEF, graph_def, 2, "GraphDef", "tensorflow.GraphDef")           \
  X(META_GRAPH, meta_graph, 8, "MetaGraphDef", "tensorflow.MetaGraphDef") \
  X(ONNX, onnx, 6, "ONNX", "onnx.ModelProto")                             \
  X(COREML, coreml, 7, "Core ML", "CoreML.Specification.Model")           \
  X(CHECKPOINT, checkpoint, 9, "checkpoint", NULL)

/* CPB_MODEL_SAVED_MODEL and so on. */
typedef enum cpb_model_kind {
#define CPB_MODEL_KIND_ENUM(NAME, name, number, label, type) CPB_MODEL_##NAME = number,
  CPB_MODEL_KINDS(CPB_MODEL_KIND_ENUM)
#undef CPB_MODEL_KIND_ENUM
} cpb_model_kind;

/* The kind's name for programs, such as "saved_model", for people, such as "SavedModel", and its
 * message type, such as "tensorflow.SavedModel", or NULL. Kinds are numbered from 1 on; NULL for
 * other numbers. Static. */
CPB_API const char *cpb_model_kind_name(cpb_model_kind kind);
CPB_API const char *cpb_model_kind_label(cpb_model_kind kind);
CPB_API const char *cpb_model_message_type(cpb_model_kind kind);

/* The first and last bytes of a file, or of a merged message, by which its kind is recognized.
 * Bytes beyond CPB_BEGIN_BYTES and CPB_END_BYTES are not used; both may have fewer, or none, if
 * these are not available. */
enum { CPB_BEGIN_BYTES = 4096, CPB_END_BYTES = 65536 };

typedef struct cpb_file_ends {
  /* sizeof(cpb_file_ends) */
  size_t struct_size;

  /* Its first bytes, and its last ones (which may be the same in a short file), or NULL. Borrowed. */
  const void *begin;
  size_t begin_size;
  const void *end;
  size_t end_size;

  /* The size of the file in bytes; 0: unknown, or the same as `begin_size`. */
  uint64_t size;

  /* Its name, whose end counts, or NULL. Pass a URL without its query. */
  const char *name;
  size_t name_size;
} cpb_file_ends;

/* The kind of model in a file: the kind whose fields and texts fit its first bytes best, if they
 * also have evidence that other formats do not have, such as the operations of nodes. 0: not a
 * known kind. The name only decides between kinds that fit. Read the last bytes only if the first
 * ones were not enough. */
CPB_API cpb_model_kind cpb_model_guess(const cpb_file_ends *ends);

/* Describes a file that is not a model of a known kind, with advice: writes a sentence of less than
 * `size` bytes to `out`, with its terminating NUL; 256 are enough. "a Git LFS pointer to a file of
 * 1234 bytes; fetch it with \"git lfs pull\"". Returns the name of the format, such as "git_lfs"
 * (src/model/foreign/rows.h lists them; static), or NULL if it is unknown: the sentence then lists the
 * known kinds. */
CPB_API const char *cpb_foreign_describe(const cpb_file_ends *ends, char *out, size_t size);

/* The kind of a model in protobuf's text format (.pbtxt, .prototxt) that begins with these bytes,
 * by the names of the first fields. 4,096 bytes are enough. 0: not such a text; or, with the error
 * set, memory is short. */
CPB_API cpb_model_kind cpb_model_guess_text(const cpb_allocator *allocator, const void *data, size_t size,
                                            cpb_error *error);

struct cpb_text_options; /* cpb/message.h */

/* Parses the whole text of a model into its message, with cpb_message_from_text() (cpb/message.h).
 * The message can be asked any question about this kind of model. The schema of `options` does not
 * count. */
CPB_API uint8_t *cpb_model_from_text(cpb_model_kind kind, const void *text, size_t size,
                                     const struct cpb_text_options *options, size_t *message_size, cpb_error *error);

typedef struct cpb_model_options {
  /* sizeof(cpb_model_options) */
  size_t struct_size;

  /* Longer values, which are mostly weights, are not read. In bytes; default 1024. */
  uint64_t max_value;

  /* The most bytes for the parts that were read; more is CPB_E_LIMIT. Default 256 MiB; 64 MiB if
   * size_t has 32 bits. */
  uint64_t max_memory;

  /* `depth` counts, and for each question `held`, `walked`, `entries` and `answer`; copied. */
  const cpb_limits *limits;
} cpb_model_options;

/* Returns NULL when memory is short. */
CPB_API cpb_model *cpb_model_new(const cpb_allocator *allocator, cpb_model_kind kind, const cpb_model_options *options);
CPB_API void cpb_model_free(cpb_model *model);

/* The kind passed to cpb_model_new(). */
CPB_API cpb_model_kind cpb_model_get_kind(const cpb_model *model);

/* Adds the keras_metadata.pb next to a SavedModel (a few KiB for each layer),
 * which is copied: LAYERS and LOAD then use Keras's data about the objects,
 * OVERVIEW and SEARCH include them, and CUT also cuts this file. Call it between
 * questions. Returns zero when memory is short or the model is of another kind. */
CPB_API int cpb_model_set_keras_metadata(cpb_model *model, const void *data, size_t size);

/* Adds the fingerprint.pb next to a SavedModel (some hundred bytes), which is copied: OVERVIEW then
 * includes it, and lists damage to it as a problem. Call it between questions. Returns zero when memory
 * is short or the model is of another kind. */
CPB_API int cpb_model_set_fingerprint(cpb_model *model, const void *data, size_t size);

/* Adds the checkpoint in a SavedModel's variables/: VARIABLES then lists the stored values, and
 * OVERVIEW counts them. For the kind CHECKPOINT, it is the model itself, and the input is not read.
 * Without it, a model of this kind reads its input, and guesses the use of tensors from their
 * names. The checkpoint must outlive the model, or stay until another one, or NULL, is set.
 * `object_graph` is the tensor that the checkpoint has under CPB_CHECKPOINT_GRAPH, or NULL, which
 * is copied. Call it between questions. Returns zero when memory is short or the model is of
 * another kind. */
CPB_API int cpb_model_set_checkpoint(cpb_model *model, const cpb_checkpoint *checkpoint, const void *object_graph,
                                     size_t size);

/* Sets the table of operators: the names of their inputs, the version that introduced their current
 * form, and a sentence on each. NODE and NODES show these; no other answer and no count depends on
 * the table. The library has tables for ONNX, TensorFlow and Core ML. Small builds, such as those
 * of the JavaScript package, lack them until one is set. `data` is text in the form of
 * src/model/operators/operators.h; it is copied, and text of another form counts as empty. Call it
 * between questions. Returns zero when memory is short or the kind does not use such a table. */
CPB_API int cpb_model_set_operators(cpb_model *model, const void *data, size_t size);

/* Tells the model that the input is damaged, as `message` says, even if reading does not show it,
 * because parts of the model are missing from the input (cpb_merge_damage). Each answer then has
 * this among its problems, unless it reports other damage; CUT fails. The text is copied. */
CPB_API void cpb_model_note_damage(cpb_model *model, const char *message);

/* --- Questions ------------------------------------------------------------- */

/* X(NAME, name, number, the subject in its `name`, text). A subject in brackets is optional, ""
 * stands for no subject, and PATHS are one a line. docs/inspecting.md lists the questions for each
 * kind of model; other questions are CPB_E_UNSUPPORTED. */
#define CPB_QUESTIONS(X)                                                                                            \
  X(OVERVIEW, overview, 1, "", "Versions, signatures, and counts of everything else.")                              \
  X(SIGNATURE, signature, 2, "[KEY]", "A signature, the function behind it, and the variables it uses.")            \
  X(FUNCTIONS, functions, 3, "", "The functions, with their callers.")                                              \
  X(FUNCTION, function, 4, "FUNCTION", "One function: its arguments, and what it captures and calls.")              \
  X(NODES, nodes, 5, "[FUNCTION]", "The nodes of the graph, or of a function.")                                     \
  X(OBJECTS, objects, 6, "[PATH]", "The object at PATH, and its children.")                                         \
  X(LAYERS, layers, 7, "[LAYER]", "The layers, or one layer with its configuration.")                               \
  X(CONSTANTS, constants, 8, "", "The constants, or a SameDiff file's parameters, largest first.")                  \
  X(OPS, ops, 9, "[FUNCTION]", "How often each operation is used.")                                                 \
  X(SEARCH, search, 10, "[TEXT]", "Everything that has TEXT in its name.")                                          \
  X(LOAD, load, 11, "PATHS", "Which objects TensorFlow loads for these (load_partial).")                            \
  X(TAG, tag, 12, "[NAME]", "All of a tag of a SameDiff file.")                                                     \
  X(SCOPES, scopes, 13, "[FUNCTION]", "The name scopes of the graph, or of a function (--scope: what is in one).")  \
  X(CUT, cut, 14, "PATHS", "What a SavedModel that is cut down to these keeps.")                                    \
  X(CONSUMERS, consumers, 15, "NODE", "What takes the outputs of a node.")                                          \
  X(VARIABLES, variables, 16, "[NAME]", "The variables, or a checkpoint's tensors, and what is stored for each.")   \
  X(NODE, node, 17, "NODE", "One node: what it takes and from where, what it gives and to whom.")                   \
  X(UPSTREAM, upstream, 18, "NODE", "All that a node depends on, the nearest first, or the way to another (--to).") \
  X(DOWNSTREAM, downstream, 19, "NODE", "All that depends on a node, the nearest first, or the way to another (--to).")

/* CPB_ASK_OVERVIEW, CPB_ASK_SIGNATURE and so on. */
typedef enum cpb_question_kind {
#define CPB_QUESTION_ENUM(NAME, name, number, argument, text) CPB_ASK_##NAME = number,
  CPB_QUESTIONS(CPB_QUESTION_ENUM)
#undef CPB_QUESTION_ENUM
} cpb_question_kind;

/* From the list above: the question's name, such as "overview", its subject, such as "[FUNCTION]",
 * and its text. NULL for other numbers. Static. */
CPB_API const char *cpb_question_name(cpb_question_kind kind);
CPB_API const char *cpb_question_argument(cpb_question_kind kind);
CPB_API const char *cpb_question_text(cpb_question_kind kind);

/* Non-zero if models of that kind answer that question. */
CPB_API int cpb_model_kind_answers(cpb_model_kind kind, cpb_question_kind question);

typedef struct cpb_question {
  /* sizeof(cpb_question) */
  size_t struct_size;

  cpb_question_kind kind;

  /* SavedModel: the number of the meta graph, from 0. */
  uint32_t meta_graph;

  /* The subject of the question, according to the list above, in UTF-8, or NULL.
   * Copied. */
  const char *name;
  size_t name_size;

  /* Copied; NULL for none.
   * NODES: only names that begin with it. SCOPES: the scope; NULL: the outermost;
   * further lines name other scopes that are open.
   * CONSUMERS, NODE, UPSTREAM, DOWNSTREAM: the function that has the node; NULL: the graph.
   * SameDiff: the tag (for NODES and SCOPES, it is the `name`); NULL: the default one. */
  const char *scope;
  size_t scope_size;

  /* For a page: the number of its first element, from 0, and the most elements; 0
   * means 100. */
  uint64_t first;
  uint64_t count;

  /* Non-zero: an answer after a few requests. For an ONNX model that contains its tensors, all
   * questions except CONSTANTS and LAYERS then only read the bytes before and after the graph's
   * tensors, if these can be found (docs/inspecting-onnx.md). Answers then have the member
   * "unread": {"offset", "size"}; SEARCH finds the tensors that nodes take. Other questions and
   * models ignore it. */
  int brief;

  /* UPSTREAM, DOWNSTREAM: the node or value, in the same graph, that a shortest way shall lead to,
   * in UTF-8; copied. NULL: the answer has all nodes that are at most `distance` steps away; 0: no
   * bound. */
  const char *to;
  size_t to_size;
  uint64_t distance;
} cpb_question;

/* Begins a question. This ends a question that is in progress, and frees the last
 * answer. An ill-formed question is CPB_E_USAGE at the next step. */
CPB_API void cpb_model_ask(cpb_model *model, const cpb_question *question);

/* CPB_STEP_NEED, then CPB_STEP_DONE: the answer is complete. Or CPB_STEP_ERROR, which ends only
 * this question: another may be asked, even after CPB_E_MEMORY, so a host can still show the
 * readable parts of a damaged model. */
CPB_API cpb_input *cpb_model_input(cpb_model *model);
CPB_API cpb_step cpb_model_step(cpb_model *model);
CPB_API const cpb_error *cpb_model_error(const cpb_model *model);

/* The work of all questions so far. */
CPB_API cpb_work cpb_model_get_work(const cpb_model *model);

/* After CPB_STEP_DONE: a JSON object, not ended by NUL, valid until the next question. A page is an
 * object {"total", "first", "items"} in it. Its member "problems": [{"offset", "text"}] lists parts
 * of the model that could not be read. */
CPB_API const char *cpb_model_answer(const cpb_model *model, size_t *size);

/* --- What CUT cuts out ------------------------------------------------------ */

/* After CPB_STEP_DONE for CUT: the cut model, a SavedModel that only has the objects at the paths,
 * those that they reach, and everything that these need (docs/cutting.md); and its
 * keras_metadata.pb, which is empty when none was set. */
typedef enum cpb_cut_file { CPB_CUT_SAVED_MODEL, CPB_CUT_KERAS_METADATA } cpb_cut_file;

/* Both files are concatenations of pieces: mostly ranges of the input, so
 * constants are not in memory, and between them new bytes. */
typedef struct cpb_model_piece {
  uint64_t offset;      /* in the input, or CPB_NO_OFFSET: the piece is `bytes` */
  uint64_t length;      /* in bytes */
  const uint8_t *bytes; /* NULL for a range of the input */
} cpb_model_piece;

/* Valid until the next question. */
CPB_API size_t cpb_model_num_pieces(const cpb_model *model, cpb_cut_file file);
CPB_API cpb_model_piece cpb_model_get_piece(const cpb_model *model, cpb_cut_file file, size_t i);

#ifdef __cplusplus
}
#endif
#endif
