/* The entry of one kind of model: its readers, and how to recognize a file. Each kind defines it in its own folder.
 * CPB_MODEL_KINDS (cpb/model.h) has its names; kinds.c and guess.c make their tables from it. */
#ifndef CPB_MODEL_COMMON_KIND_H
#define CPB_MODEL_COMMON_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/input.h"
#include "base/json_writer.h"
#include "base/meter.h"
#include "base/status.h"
#include "cpb/model.h"
#include "cpb/values.h"
#include "model/common/part.h"

/* --- model reader ----------------------------------------------------------------------------- */

/* The interface between cpb_model (cpb/model.h) and the reader of one kind of model.
 *
 * model.c owns the question, the answer's buffer and the error; a reader owns its own state. */

typedef struct cpb_model_reader {
  /* NULL if memory is short. The meter counts memory from the allocator; the reader charges its work to the meter, or,
   * while it writes, through the answer. `options` has its defaults filled in. */
  void *(*create)(const cpb_allocator *allocator, cpb_meter *meter, cpb_model_kind kind,
                  const cpb_model_options *options);
  void (*destroy)(void *reader);
  /* Begins a question, whose strings live until the next. It abandons an unfinished question. */
  void (*ask)(void *reader, const cpb_question *question);
  /* CPB_STEP_NEED, CPB_STEP_DONE with the answer written, or CPB_STEP_ERROR. */
  cpb_step (*step)(void *reader, cpb_json_writer *answer, cpb_error *error);
  cpb_input *(*input)(void *reader);
  /* Whether models of that kind can answer the question; `ask` gets no others. */
  bool (*answers)(cpb_model_kind kind, cpb_question_kind question);

  /* Only some kinds have these; NULL for the others. */

  /* As in cpb/model.h. */
  int (*set_keras_metadata)(void *reader, const void *data, size_t size);
  int (*set_fingerprint)(void *reader, const void *data, size_t size);
  void (*note_damage)(void *reader, const char *message);
  /* The table lives until another one is set. False if models of the kind have no operators. */
  bool (*set_operators)(void *reader, cpb_span table);
  int (*set_checkpoint)(void *reader, const cpb_checkpoint *checkpoint, const void *object_graph, size_t size);
  /* The plan of the last answer; empty for most questions. */
  const cpb_pieces *(*pieces)(const void *reader, cpb_cut_file file);
} cpb_model_reader;

/* --- values reader ---------------------------------------------------------------------------- */

/* The interface between cpb_values (cpb/values.h) and the reader of one kind of model. */

typedef struct cpb_values_reader {
  /* NULL if memory is short. `options` has its defaults filled in. Its texts, `name` and the meter live as long as the
   * reader; `allocator` is the meter's. */
  void *(*create)(const cpb_allocator *allocator, cpb_meter *meter, cpb_model_kind kind, cpb_span name,
                  const cpb_values_options *options);
  void (*destroy)(void *reader);
  /* CPB_HAVE: `info` describes the array, and `data` is the next of its values, empty after the last; CPB_WAIT; or
   * CPB_FAILED with the error set. */
  cpb_have (*next)(void *reader, cpb_values_info *info, cpb_span *data);
  cpb_input *(*input)(void *reader);
  cpb_error *(*error)(void *reader);
} cpb_values_reader;

/* --- diff kind -------------------------------------------------------------------------------- */

/* The lists of answers that a kind's models are compared by (model/diff). */

/* A list of an answer, and the members that identify its items. */
typedef struct cpb_diff_list {
  const char *section; /* as the result calls it */
  cpb_question_kind question;
  const char *member;         /* of the answer: a page, or a list. NULL: the answer's members
                                 are the items, but for `ignored` */
  const char *keys[4];        /* members of an item, up to a NULL; "?name" only if the
                                 item has no member before it */
  const char *const *ignored; /* members of an item with its place, and not its content */
  bool deep;                  /* members within it of these names, too */
} cpb_diff_list;

#define CPB_DIFF_IGNORED(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Members without meaning for a layer, a problem or a part of a SameDiff tag, which are ignored. */
extern const char *const cpb_diff_of_layer[6];
extern const char *const cpb_diff_of_problem[2];
extern const char *const cpb_diff_of_entry[13];

/* Lists that several kinds have: members of the overview but for some, a list of it, and others. */
#define CPB_DIFF_OVERVIEW(ignored, deep) {"overview", CPB_ASK_OVERVIEW, NULL, {NULL}, ignored, deep}
#define CPB_DIFF_LISTED(member, ...) {member, CPB_ASK_OVERVIEW, member, {__VA_ARGS__}, NULL, false}
#define CPB_DIFF_OPS {"ops", CPB_ASK_OPS, "ops", {"op"}, NULL, false}
#define CPB_DIFF_LAYERS {"layers", CPB_ASK_LAYERS, "layers", {"path", "?name"}, cpb_diff_of_layer, false}
#define CPB_DIFF_PROBLEMS(question) {"problems", question, "problems", {"text"}, cpb_diff_of_problem, false}

typedef enum cpb_diff_program {
  CPB_DIFF_LISTS,       /* `lists` alone */
  CPB_DIFF_VARIABLES,   /* `lists`, and variables */
  CPB_DIFF_GRAPH,       /* functions, `of_part`, nodes, constants */
  CPB_DIFF_META_GRAPHS, /* `lists`; of each meta graph the same, objects and variables */
  CPB_DIFF_TAG,         /* `lists`, `of_part`, parameters, states */
  CPB_DIFF_TAGS         /* `lists`; of each tag the same */
} cpb_diff_program;

typedef struct cpb_diff_kind {
  cpb_diff_program program;
  bool told_roles;                      /* the roles of inputs follow from the operation, and are not compared */
  bool told_outputs;                    /* the outputs of nodes follow from their attributes, and are not compared */
  const cpb_diff_list *lists, *of_part; /* up to one without a section; NULL: none */
} cpb_diff_kind;

/* --- kind ------------------------------------------------------------------------------------- */

typedef struct cpb_kind {
  const cpb_model_reader *reader;
  const cpb_values_reader *values; /* NULL: the kind has no values */
  cpb_diff_kind diff;
} cpb_kind;

extern const cpb_kind cpb_checkpoint_kind;
extern const cpb_kind cpb_coreml_kind;
extern const cpb_kind cpb_graph_def_kind;
extern const cpb_kind cpb_keras_metadata_kind;
extern const cpb_kind cpb_meta_graph_kind;
extern const cpb_kind cpb_onnx_kind;
extern const cpb_kind cpb_samediff_graph_kind;
extern const cpb_kind cpb_samediff_zip_kind;
extern const cpb_kind cpb_saved_model_kind;

/* How well a file fits; 0: it does not. `is_named`: its name has the kind's ending. These functions are not in the
 * rows, because a program that uses the rows links all readers. */
int cpb_checkpoint_guess(const cpb_file_ends *ends, bool is_named);
int cpb_coreml_guess(const cpb_file_ends *ends, bool is_named);
int cpb_graph_def_guess(const cpb_file_ends *ends, bool is_named);
int cpb_keras_metadata_guess(const cpb_file_ends *ends, bool is_named);
int cpb_meta_graph_guess(const cpb_file_ends *ends, bool is_named);
int cpb_onnx_guess(const cpb_file_ends *ends, bool is_named);
int cpb_samediff_graph_guess(const cpb_file_ends *ends, bool is_named);
int cpb_samediff_zip_guess(const cpb_file_ends *ends, bool is_named);
int cpb_saved_model_guess(const cpb_file_ends *ends, bool is_named);

/* The kind of the file before its line ends were converted from LF to CRLF; 0: they were not converted. */
cpb_model_kind cpb_guess_converted(const cpb_file_ends *ends);

/* --- whole ------------------------------------------------------------------------------------ */

/* Whether all of the models' code is linked, or only the part for a first look, as in most WebAssembly modules. */

/* With CPB_MODEL_LINKED each module decides when it is linked. */
#ifdef CPB_MODEL_LINKED
extern const bool cpb_has_whole_model;
#  define CPB_WITH_WHOLE_MODEL cpb_has_whole_model
#else
#  define CPB_WITH_WHOLE_MODEL true
#endif

static inline bool cpb_is_whole_model(cpb_error *error) {
  if (!CPB_WITH_WHOLE_MODEL) cpb_fail(error, CPB_E_UNSUPPORTED, CPB_NO_OFFSET, "this module has no answer to that");
  return CPB_WITH_WHOLE_MODEL;
}

#endif
