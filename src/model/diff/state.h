/* A comparison in progress.
 *
 * It is a sequence of tasks (tasks.h), each with one or more rounds. A round reads lists from each model into tables,
 * then compares them. Only the names of functions, the places in the tree of objects that are still to be visited, and
 * the result are kept between rounds. */
#ifndef CPB_MODEL_DIFF_STATE_H
#define CPB_MODEL_DIFF_STATE_H

#include "cpb/diff.h"
#include "cpb/values.h"

#include "base/input.h"
#include "base/meter.h"
#include "base/status.h"
#include "model/diff/distance.h"
#include "model/diff/lists.h"
#include "model/diff/pairs.h"
#include "model/diff/places.h"
#include "model/diff/table.h"

/* The items of a list in each model, in two tables with the same order: normalized, without their places; and
 * unchanged. */
typedef struct cpb_diff_items {
  cpb_diff_table plain[2], whole[2];
} cpb_diff_items;

/* A question to one model. */
typedef struct cpb_diff_read {
  const cpb_diff_list *list;
  int side;
  bool whole;    /* the answer itself is one item, `key` */
  cpb_span name; /* the object of the question, or NULL */
  char node[24]; /* or this one, if it is not empty */
  cpb_span key;
} cpb_diff_read;

#define CPB_DIFF_READS 4

/* A section of the result, left out if it is empty. */
typedef struct cpb_diff_section {
  size_t begin; /* of it in the result */
  bool comma;
  cpb_span function;            /* the section is about its nodes; NULL: about no function */
  bool of_functions, of_layers; /* each item is a function, or a layer */
  bool derived;                 /* items depend on other parts of the model, so damage to these changes them */
  uint64_t added, removed, changed, same;
  uint64_t unread;    /* not comparable because a model is damaged */
  uint64_t elsewhere; /* equal, but with values in another place */
} cpb_diff_section;

/* The first damage that an answer of a model reported, or the error of values that cannot be read. */
typedef struct cpb_diff_damage {
  bool met;
  uint64_t offset; /* CPB_NO_OFFSET: unknown */
  char text[320];
} cpb_diff_damage;

/* Empty sections of functions. */
typedef struct cpb_diff_left_out {
  uint64_t sections, same;
} cpb_diff_left_out;

#define CPB_DIFF_RANK 64 /* of a reported index; NumPy's arrays have no higher one */

/* The two numbers that are farthest apart. */
typedef struct cpb_diff_largest {
  const char *numpy; /* their type; NULL: no difference, or the elements are not numbers */
  cpb_diff_distance distance;
  uint8_t elements[2][CPB_DIFF_ELEMENT];
  uint64_t at;                   /* elements before it */
  uint32_t state, rank;          /* the updater's, as in cpb_diff_values */
  uint64_t index[CPB_DIFF_RANK]; /* valid once the array has ended */
} cpb_diff_largest;

/* The number of elements that differ; of bytes, if elements have no fixed size. */
typedef struct cpb_diff_counts {
  uint64_t elements, different;
  bool bytes;  /* the counts are of bytes */
  bool bad[2]; /* its values cannot be read to their end */
  bool same;
  cpb_diff_largest largest;
} cpb_diff_counts;

/* The values of an item that both models have and that is otherwise equal. For a constant, the stored bytes are
 * compared first, and the elements only if the bytes differ. For a variable, values are compared only if the checksums
 * differ. */
typedef struct cpb_diff_values {
  enum { CPB_DIFF_NOTHING, CPB_DIFF_BYTES, CPB_DIFF_ELEMENTS } doing;
  const cpb_diff_list *list;
  cpb_span name;
  const cpb_stored *stored[2]; /* of variables */
  uint32_t state, num_states;  /* which of the updater's states is compared, from 1; 0 for the values themselves */
  cpb_range tensors[2];        /* of constants: the ranges of the tensors */
  cpb_range also[2];           /* another tensor of the constant, compared next; of length 0 for none */
  cpb_range ranges[2];         /* not yet compared */
  cpb_input inputs[2];
  cpb_values *values[2];
  cpb_span data[2]; /* the current bytes, not yet compared */
  bool ended[2];
  bool bytes_differ;                    /* the constant's stored bytes differ */
  bool scaled;                          /* stored numbers become values by scales or a table */
  uint64_t reach;                       /* of values in another file: the file must have at least this many bytes */
  bool reads_all;                       /* read all of them although they are the same, because the file is too short */
  bool elsewhere;                       /* they are in other places of files next to the models, or in one such place */
  bool unread;                          /* neither model's values can be read: both are damaged */
  uint8_t element[2][CPB_DIFF_ELEMENT]; /* an element that comes in pieces */
  uint32_t at;                          /* the number of its bytes so far */
  cpb_diff_counts counts, sum;          /* of one array, and of all */
} cpb_diff_values;

struct cpb_diff_task;

struct cpb_diff {
  cpb_allocator own; /* for itself and the result */
  cpb_meter meter;
  cpb_allocator allocator; /* for everything else: it charges the meter */
  cpb_diff_options options;
  cpb_model *models[2];
  cpb_work before[2]; /* the models' work before the comparison */
  cpb_model_kind kinds[2];
  cpb_json_writer out; /* the result */
  bool different;
  cpb_diff_left_out left_out;
  cpb_diff_damage damage[2];
  bool lacks[2];       /* a damaged model gave answers for this section */
  bool lacks_pairs[2]; /* the same for the list of functions */
  cpb_step ended;      /* CPB_STEP_DONE or CPB_STEP_ERROR; CPB_STEP_NEED before */
  cpb_error error;
  int side;      /* the model that is waited for, or that failed */
  int64_t shard; /* the number of its checkpoint's shard that is waited for, or -1 */
  cpb_input *input;

  const struct cpb_diff_task *const *program;
  size_t task, round;
  bool in_round; /* the round has begun */
  cpb_diff_read reads[CPB_DIFF_READS];
  size_t num_reads, next_read;
  bool asked;     /* the next read has begun */
  uint64_t first; /* first item of its page */
  uint64_t page;  /* the largest number of items of a page; 0 before the first */
  uint64_t total; /* items of the list, according to the last page */
  cpb_diff_items items;

  uint32_t meta_graph, num_meta_graphs; /* the meta graph that is compared, or the tag of a SameDiff zip */
  bool has_checkpoints;
  cpb_diff_items tags;
  cpb_diff_join next_tag;
  cpb_span tag;

  cpb_diff_pairs pairs;  /* of functions */
  cpb_diff_pairs layers; /* renamed layers */
  cpb_diff_places places;
  size_t place; /* its children are compared; CPB_DIFF_NO_PLACE if names are not paths */

  cpb_diff_section section;
  cpb_diff_join join;
  bool joining;   /* a list with values is being compared */
  bool comparing; /* the values of one item are being compared */
  cpb_diff_values values;
};

static inline bool cpb_diff_ok(const cpb_diff *d) { return d->error.code == CPB_OK; }

/* All return false. The first failure is kept. */
static inline bool cpb_diff_fail(cpb_diff *d, int side, const cpb_error *error) {
  if (!cpb_diff_ok(d)) return false;
  d->side = side;
  d->error = *error;
  return false;
}

static inline bool cpb_diff_fail_memory(cpb_diff *d) {
  if (cpb_diff_ok(d)) d->side = -1;
  cpb_fail_memory(&d->error);
  return false;
}

/* False if the charges exceed the limit. */
static inline bool cpb_diff_charge(cpb_diff *d, cpb_work_kind kind, uint64_t amount) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  return cpb_meter_charge(&d->meter, kind, amount, CPB_NO_OFFSET, &error) || cpb_diff_fail(d, -1, &error);
}

/* Sets the arguments of a pair of functions, which are the last items added. */
void cpb_diff_arguments_pair(cpb_diff *d, cpb_diff_pair *functions);

/* Whether one of two texts, of the first model and of the second, is an argument's name or begins with it: "a_1244:0".
 * In that case `same` tells whether both do so with the same argument, and are otherwise equal. */
bool cpb_diff_are_arguments(const cpb_diff_pairs *arguments, cpb_span a, cpb_span b, bool *same);

#endif
