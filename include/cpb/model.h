/* cpb/model.h: looking inside models.
 *
 * A cpb_model answers questions about a model: what it computes, its signatures,
 * functions, nodes and layers, what is large in it. It reads what a question needs,
 * but no weights, and keeps what later questions will need again. Each answer is
 * one JSON object in UTF-8; docs/inspecting.md says what is in it.
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

/* The kinds of models: X(NAME, name, number, label, the full name of the message type that models of this kind are, or
 * NULL where the built-in schema has none). Numbers never change; of kinds that a file fits equally well the first is
 * guessed.
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

/* The kind's name for programs, such as "saved_model", for people, such as "SavedModel", and its message type, such as
 * "tensorflow.SavedModel", or NULL. NULL for a number that is no kind: kinds are numbered from 1 on. Static. */
CPB_API const char *cpb_model_kind_name(cpb_model_kind kind);
CPB_API const char *cpb_model_kind_label(cpb_model_kind kind);
CPB_API const char *cpb_model_message_type(cpb_model_kind kind);

/* What is looked at of a file, or of a merged message, to tell what it is. Of more bytes than CPB_BEGIN_BYTES and
 * CPB_END_BYTES no use is made; either may have fewer, or none, as far as they are at hand. */
enum { CPB_BEGIN_BYTES = 4096, CPB_END_BYTES = 65536 };

typedef struct cpb_file_ends {
  /* sizeof(cpb_file_ends) */
  size_t struct_size;

  /* Its first bytes, and its last ones (the same as the first where it is short); NULL for none. Borrowed. */
  const void *begin;
  size_t begin_size;
  const void *end;
  size_t end_size;

  /* The size of the file in bytes; 0: not known, or as many as `begin` has. */
  uint64_t size;

  /* Its name, of which the end counts, or NULL. A URL's query does not belong to it. */
  const char *name;
  size_t name_size;
} cpb_file_ends;

/* The kind of model that a file is: the one whose fields and texts its first bytes fit best and of which they have what
 * nothing else has, such as the operations of nodes. 0: none of these. A name tells the kind only of what could be it.
 * The last bytes need not be read before the first ones were not enough. */
CPB_API cpb_model_kind cpb_model_guess(const cpb_file_ends *ends);

/* What a file is that is no model of a known kind, and what to do: a sentence of less than `size` bytes, written to
 * `out` with its terminating NUL; 256 are enough. "a Git LFS pointer to a file of 1234 bytes; fetch it with \"git lfs
 * pull\"". Returns the name of what it is, such as "git_lfs" (docs/foreign-files.md lists them; static), or NULL
 * when that is not known: the sentence then says which kinds there are. */
CPB_API const char *cpb_foreign_describe(const cpb_file_ends *ends, char *out, size_t size);

/* The kind of model that is written in protobuf's text format (.pbtxt, .prototxt) and begins with these bytes, by the
 * names of the first fields. 0: it is no such text. 4,096 bytes are enough. */
CPB_API cpb_model_kind cpb_model_guess_text(const void *data, size_t size);

struct cpb_text_options; /* cpb/message.h */

/* The model's message, from its whole text, as cpb_message_from_text() (cpb/message.h) makes it: any question about
 * this kind of model can be asked of it. */
CPB_API uint8_t *cpb_model_from_text(const cpb_allocator *allocator, cpb_model_kind kind, const void *text, size_t size,
                                     const struct cpb_text_options *options, size_t *message_size, cpb_error *error);

typedef struct cpb_model_options {
  /* sizeof(cpb_model_options) */
  size_t struct_size;

  /* Longer values, which are mostly weights, are not read. In bytes; default 1024. */
  uint64_t max_value;

  /* Bytes that what was read may take before CPB_E_LIMIT. Default 256 MiB; 64 MiB where
   * size_t has 32 bits. */
  uint64_t max_memory;

  /* `depth` counts, and of one question `held`, `walked`, `entries` and `answer`; copied. */
  const cpb_limits *limits;
} cpb_model_options;

/* Returns NULL when memory is short. */
CPB_API cpb_model *cpb_model_new(const cpb_allocator *allocator, cpb_model_kind kind, const cpb_model_options *options);
CPB_API void cpb_model_free(cpb_model *model);

/* The kind that it was made for. */
CPB_API cpb_model_kind cpb_model_get_kind(const cpb_model *model);

/* Adds the keras_metadata.pb that is beside a SavedModel (a few KiB for each layer),
 * which is copied: LAYERS and LOAD then know what Keras says of the objects, OVERVIEW
 * and SEARCH include it, and CUT cuts it, too. To be called between questions. Zero
 * when memory is short or the model is of another kind. */
CPB_API int cpb_model_set_keras_metadata(cpb_model *model, const void *data, size_t size);

/* Adds the checkpoint in a SavedModel's variables/: VARIABLES then knows what is stored
 * of each variable, and OVERVIEW how much there is. Of the kind CHECKPOINT it is the model itself, whose input is then
 * not read; without it, that is, and what tensors are for is told by their names. The checkpoint must outlive the
 * model, or stay until another one, or NULL, is set. `object_graph` is the tensor that
 * the checkpoint has under CPB_CHECKPOINT_GRAPH (NULL: it has none), which is copied. To
 * be called between questions. Zero when memory is short or the model is of another
 * kind. */
CPB_API int cpb_model_set_checkpoint(cpb_model *model, const cpb_checkpoint *checkpoint, const void *object_graph,
                                     size_t size);

/* Sets the table of operators: the names of their inputs, the version since which each is as it is, and a sentence on
 * each. NODE and NODES tell these; no other answer and no count depends on the table. The library has tables for
 * ONNX, TensorFlow and Core ML. Builds that must be small, such as those of the JavaScript package, have none until
 * one is set. `data` is text in the form of src/model/operators/operators.h; it is copied, and text of another form
 * counts as empty. To be called between questions. Zero when memory is short or the kind has no such table. */
CPB_API int cpb_model_set_operators(cpb_model *model, const void *data, size_t size);

/* Tells that the input is damaged, as `message` says, where reading may not show it: some of the model is not in the
 * input at all (cpb_merge_damage). Each answer then says so among its problems, if it does not say of other damage;
 * CUT fails. The text is copied. */
CPB_API void cpb_model_note_damage(cpb_model *model, const char *message);

/* --- Questions ------------------------------------------------------------- */

/* X(NAME, name, number, what its `name` is, text). A name in brackets may be left out, "" stands for no name, and
 * PATHS are one a line. docs/inspecting.md says which kind of model answers which; a question that a kind does
 * not answer is CPB_E_UNSUPPORTED. */
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

/* From the list above: the question's name, such as "overview", what it is about, such as "[FUNCTION]", and its text.
 * NULL for other numbers. Static. */
CPB_API const char *cpb_question_name(cpb_question_kind kind);
CPB_API const char *cpb_question_argument(cpb_question_kind kind);
CPB_API const char *cpb_question_text(cpb_question_kind kind);

/* Non-zero if models of that kind answer that question. */
CPB_API int cpb_model_kind_answers(cpb_model_kind kind, cpb_question_kind question);

typedef struct cpb_question {
  /* sizeof(cpb_question) */
  size_t struct_size;

  cpb_question_kind kind;

  /* Of a SavedModel: which of its meta graphs, from 0. */
  uint32_t meta_graph;

  /* What the question is about, as the list above says, in UTF-8; NULL: nothing in
   * particular. Copied. */
  const char *name;
  size_t name_size;

  /* Copied; NULL for none.
   * NODES: only names that begin with it. SCOPES: the scope; NULL: the outermost;
   * further lines: others that are open, too.
   * CONSUMERS, NODE, UPSTREAM, DOWNSTREAM: the function that has the node; NULL: the graph.
   * SameDiff: the tag, but for NODES and SCOPES, whose `name` it is; NULL: the default one. */
  const char *scope;
  size_t scope_size;

  /* Of a page: the number of its first element, from 0, and how many it has at most;
   * 0 means 100. */
  uint64_t first;
  uint64_t count;

  /* Non-zero: an answer after a few requests. Of an ONNX model that has its tensors within, all questions but
   * CONSTANTS and LAYERS read only what is before and behind those of its graph, if the file tells where that is
   * (docs/inspecting-onnx.md). Answers then have the member "unread": {"offset", "size"}; SEARCH finds the tensors that
   * nodes take. For other questions and models it changes nothing. */
  int brief;

  /* UPSTREAM, DOWNSTREAM: the node or value, in the same graph, to which a shortest way is wanted, in UTF-8; copied;
   * NULL: all nodes are wanted that are at most `distance` steps away; 0: however far. */
  const char *to;
  size_t to_size;
  uint64_t distance;
} cpb_question;

/* Begins a question. It ends one that is under way, and the last answer is gone. A
 * question that is ill-formed is CPB_E_USAGE at the next step. */
CPB_API void cpb_model_ask(cpb_model *model, const cpb_question *question);

/* CPB_STEP_NEED, then CPB_STEP_DONE: the answer is there; or CPB_STEP_ERROR, which ends
 * this question only: another may be asked, also after CPB_E_MEMORY, so that what can
 * be read of a damaged model is still shown. */
CPB_API cpb_input *cpb_model_input(cpb_model *model);
CPB_API cpb_step cpb_model_step(cpb_model *model);
CPB_API const cpb_error *cpb_model_error(const cpb_model *model);

/* The work of all questions so far. */
CPB_API cpb_work cpb_model_get_work(const cpb_model *model);

/* After CPB_STEP_DONE: a JSON object, not ended by NUL, valid until the next question. A
 * page is an object {"total", "first", "items"} in it. Parts of the model that could
 * not be read are listed in its member "problems": [{"offset", "text"}]. */
CPB_API const char *cpb_model_answer(const cpb_model *model, size_t *size);

/* --- What CUT cuts out ------------------------------------------------------ */

/* After CPB_STEP_DONE for CUT: the cut model, a SavedModel that has only the objects at
 * the paths, those that they reach and what these need (docs/cutting.md). And its
 * keras_metadata.pb, which is empty when none was set. */
typedef enum cpb_cut_file { CPB_CUT_SAVED_MODEL, CPB_CUT_KERAS_METADATA } cpb_cut_file;

/* Either file is the concatenation of pieces: mostly ranges of the input, so that no
 * constant is in memory, and between them bytes that were written anew. */
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
