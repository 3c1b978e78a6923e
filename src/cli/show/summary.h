/* State that the parts of the summary share: first all parts ask, then everything is printed, because damage comes
 * first. */
#ifndef CPB_CLI_SHOW_SUMMARY_H
#define CPB_CLI_SHOW_SUMMARY_H

#include "cli/show/show.h"
#include "cli/show/table.h"

#define CLI_TOP 5 /* number of variables, constants and problems that are kept */

/* How much each part may show. If the total is too much for a screen, the next row is tried. */
typedef struct cli_amounts {
  size_t layers, top, files, tensors, signatures, ops, problems, about;
  bool close; /* without empty lines */
} cli_amounts;

/* --- Layers (summary_layers.c) ---------------------------------------------------- */

/* A layer, or a run of layers; texts are offsets in the buffer, each ended by NUL. */
typedef struct cli_layer {
  size_t name, last_name, class, input, path;
  size_t stem, last_stem; /* of these names: the common beginning of similar layers; 0: none */
  uint64_t parameters, count;
  uint32_t depth;
  uint32_t repeats; /* number of repetitions with consecutive numbers: layer.0 to layer.11; 0: none */
  bool alike;       /* all of one class */
} cli_layer;

typedef struct cli_layers {
  cpb_buffer texts, rows; /* rows: cli_layer */
  cpb_buffer names;       /* const char *, sorted: of the layers that are folded */
  size_t runs;            /* that remain after folding */
  bool folded;            /* by names */
  uint32_t depth;         /* of the layers shown */
} cli_layers;

/* --- Variables (summary_variables.c) ------------------------------------------------ */

typedef struct cli_variable {
  char *texts[3];      /* name, tensor and path, allocated, or NULL */
  uint64_t size, name; /* name: its hash */
} cli_variable;

typedef struct cli_variables {
  uint64_t variables, elements, size; /* without the copies */
  uint64_t copies;                    /* that Keras 3 makes */
  cpb_buffer names;                   /* uint64_t: hashes, to find names that several variables have */
  cli_variable top[CLI_TOP];
  size_t num_top;
} cli_variables;

/* --- Parameters by type (summary_about.c) ------------------------------------------- */

#define CLI_DTYPES_MOST 64 /* more than there are */

typedef struct cli_dtype {
  char name[32];
  uint64_t elements, size;
} cli_dtype;

/* --- The summary ------------------------------------------------------------------------ */

typedef struct cli_summary {
  cli_sheet sheet;
  cli_asker asker;
  cpb_model_kind kind;
  yyjson_doc *overview, *signature, *ops, *all_ops, *constants;
  cli_layers layers;
  cli_variables variables;
  cli_dtype dtypes[CLI_DTYPES_MOST];
  size_t num_dtypes;
  bool savers[2 * CLI_TOP]; /* which of the largest constants are only for saving */
  uint64_t functions, function_nodes, uncalled;
  char *problems[CLI_TOP]; /* the first ones, allocated */
  size_t num_problems;     /* of all */
  char *damage;            /* where reading ended */
  cpb_error failed;        /* the first question that failed */
  const cli_amounts *amounts;
} cli_summary;

/* Asks, and keeps the model's problems; NULL if the question cannot be answered. */
yyjson_doc *cli_summary_ask(cli_summary *s, cpb_question_kind kind, cpb_span name, uint64_t first, uint64_t count);

/* Asks for the whole list, in pages, and calls `each` with every element, until it returns false. Returns the list's
 * total. */
typedef bool cli_summary_element(cli_summary *s, yyjson_val *element, void *user);
uint64_t cli_summary_ask_list(cli_summary *s, cpb_question_kind kind, cli_summary_element *each, void *user);

/* A copy of the pending text; NULL if memory is short. */
char *cli_summary_keep(cli_summary *s);

/* An empty line between parts; a heading after one; both only for a person. */
void cli_summary_gap(cli_summary *s);
void cli_summary_title(cli_summary *s, const char *title);
/* After an empty line, the heading that begins a line. */
void cli_summary_heading(cli_summary *s, const char *heading);
/* "Whole texts: cpb inspect MODEL WORDS" */
void cli_summary_whole(cli_summary *s, const char *words);
/* "12 more: cpb inspect MODEL WORDS" */
void cli_summary_more(cli_summary *s, uint64_t count, const char *words);

void cli_summary_ask_layers(cli_summary *s);
void cli_summary_fold_layers(cli_summary *s);
void cli_summary_show_layers(cli_summary *s);
void cli_summary_free_layers(cli_summary *s);

void cli_summary_ask_variables(cli_summary *s);
void cli_summary_show_variables(cli_summary *s);
void cli_summary_free_variables(cli_summary *s);

/* Files, their sizes, and parameters. */
void cli_summary_show_files(cli_summary *s);

/* The model's description, author, licence and metadata. */
void cli_summary_show_about(cli_summary *s);
/* Counts an item of `constants` or `variables`, of `size` bytes, if it is a parameter; then all constants, unless there
 * are variables. */
void cli_summary_add_dtype(cli_summary *s, yyjson_val *item, uint64_t size);
void cli_summary_ask_dtypes(cli_summary *s);

/* Signatures, or the inputs and outputs of a graph. */
void cli_summary_show_signatures(cli_summary *s);
cpb_span cli_summary_default_signature(const cli_summary *s);

void cli_summary_ask_constants(cli_summary *s);
/* Those of the overview, or, where that has read no large graph, those among the constants. */
yyjson_val *cli_summary_parameters(const cli_summary *s);
void cli_summary_show_constants(cli_summary *s);
void cli_summary_show_ops(cli_summary *s);

/* Tags of a SameDiff file. */
void cli_summary_show_tags(cli_summary *s);

static inline yyjson_val *cli_root(yyjson_doc *tree) { return tree ? yyjson_doc_get_root(tree) : NULL; }
static inline yyjson_val *cli_items(yyjson_val *page) { return cpb_json_member(page, "items"); }

/* Whether it is a SavedModel, or one of its meta graphs. */
static inline bool cli_is_saved_model(const cli_summary *s) {
  return s->kind == CPB_MODEL_SAVED_MODEL || s->kind == CPB_MODEL_META_GRAPH;
}

static inline bool cli_is_samediff(const cli_summary *s) {
  return s->kind == CPB_MODEL_SAMEDIFF_ZIP || s->kind == CPB_MODEL_SAMEDIFF_GRAPH;
}

/* Whether it is another kind with a graph: the overview counts the parameters, and layers come from the names of
 * nodes. */
static inline bool cli_is_exported(const cli_summary *s) {
  return !cli_is_saved_model(s) && !cli_is_samediff(s) && s->kind != CPB_MODEL_GRAPH_DEF &&
         s->kind != CPB_MODEL_KERAS_METADATA && s->kind != CPB_MODEL_CHECKPOINT;
}

#endif
