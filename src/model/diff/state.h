/* A comparison that is under way.
 *
 * It is a sequence of tasks (tasks.h), each of which goes through rounds: a round reads lists of both models
 * into tables, then compares these. Nothing else is kept from one round to the next but the names of
 * functions, the places in the tree of objects that are still to be visited, and the result. */
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

/* The items of a list of both models, without what says where they are, and as they are: in the
 * same order, so that the n-th of the one is the n-th of the other. */
typedef struct cpb_diff_items {
  cpb_diff_table plain[2], whole[2];
} cpb_diff_items;

/* A question that is to be asked of one model. */
typedef struct cpb_diff_read {
  const cpb_diff_list *list;
  int side;
  bool whole;    /* the answer itself is one item, `key` */
  cpb_span name; /* what is asked about; NULL for nothing */
  char node[24]; /* or this, when it is not empty */
  cpb_span key;
} cpb_diff_read;

#define CPB_DIFF_READS 4

/* A section of the result, which is left out when it says nothing. */
typedef struct cpb_diff_section {
  size_t begin; /* of it in the result */
  bool comma;
  cpb_span function;            /* whose nodes these are; NULL for none */
  bool of_functions, of_layers; /* each item is one */
  bool derived;                 /* items tell of what else is in the model, so damage changes them */
  uint64_t added, removed, changed, same;
  uint64_t unread;    /* that cannot be compared, as a model is damaged */
  uint64_t elsewhere; /* the same, but their values lie elsewhere */
} cpb_diff_section;

/* What an answer said first of a model's damage, or the error of values that cannot be read. */
typedef struct cpb_diff_damage {
  bool met;
  uint64_t offset; /* CPB_NO_OFFSET: it does not say */
  char text[320];
} cpb_diff_damage;

/* Sections of functions that say nothing. */
typedef struct cpb_diff_left_out {
  uint64_t sections, same;
} cpb_diff_left_out;

#define CPB_DIFF_RANK 64 /* of an index that is told; NumPy's arrays have no higher one */

/* The two elements of numbers that are farthest apart. */
typedef struct cpb_diff_largest {
  const char *numpy; /* their type; NULL: none differ, or they are no numbers */
  cpb_diff_distance distance;
  uint8_t elements[2][CPB_DIFF_ELEMENT];
  uint64_t at;                   /* how many precede them */
  uint32_t state, rank;          /* of the updater, as in cpb_diff_values */
  uint64_t index[CPB_DIFF_RANK]; /* once the array has ended */
} cpb_diff_largest;

/* How many elements differ; bytes, where elements have no fixed size. */
typedef struct cpb_diff_counts {
  uint64_t elements, different;
  bool bytes;  /* that is what was counted */
  bool bad[2]; /* whose values cannot be read to their end */
  bool same;
  cpb_diff_largest largest;
} cpb_diff_counts;

/* The values of an item of both models, which is otherwise the same: of a constant first the bytes
 * that are stored, and only when these differ the elements; of a variable only if the checksums differ. */
typedef struct cpb_diff_values {
  enum { CPB_DIFF_NOTHING, CPB_DIFF_BYTES, CPB_DIFF_ELEMENTS } doing;
  const cpb_diff_list *list;
  cpb_span name;
  const cpb_stored *stored[2]; /* of variables */
  uint32_t state, num_states;  /* of the updater: which is compared, from 1; 0 for the values themselves */
  cpb_range tensors[2];        /* of constants: where they lie */
  cpb_range also[2];           /* and another tensor of it, which is compared next; of length 0 for none */
  cpb_range ranges[2];         /* what was not compared yet */
  cpb_input inputs[2];
  cpb_values *values[2];
  cpb_span data[2]; /* of them, not compared */
  bool ended[2];
  bool bytes_differ;                    /* of the constant, as they are stored */
  bool scaled;                          /* what is stored are numbers of which scales or a table make the values */
  uint64_t reach;                       /* of those in another file: that needs at least so many bytes */
  bool reads_all;                       /* although they are the same, as that file does not have them all */
  bool elsewhere;                       /* they lie in other places of files beside the models, or in one of these */
  bool unread;                          /* they cannot be read in either model, which are then damaged */
  uint8_t element[2][CPB_DIFF_ELEMENT]; /* one that comes in pieces, */
  uint32_t at;                          /* and how many bytes of it are there */
  cpb_diff_counts counts, sum;          /* of an array, and of all */
} cpb_diff_values;

struct cpb_diff_task;

struct cpb_diff {
  cpb_allocator own; /* for itself and the result */
  cpb_meter meter;
  cpb_allocator allocator; /* for all else: it charges the meter */
  cpb_diff_options options;
  cpb_model *models[2];
  cpb_work before[2]; /* what these had done before */
  cpb_model_kind kinds[2];
  cpb_json_writer out; /* the result */
  bool different;
  cpb_diff_left_out left_out;
  cpb_diff_damage damage[2];
  bool lacks[2];       /* answers for this section were made of a damaged model */
  bool lacks_pairs[2]; /* and so was the list of functions */
  cpb_step ended;      /* CPB_STEP_DONE or CPB_STEP_ERROR; CPB_STEP_NEED before */
  cpb_error error;
  int side;      /* that is waited for, or that failed */
  int64_t shard; /* of its checkpoint that is waited for, or -1 */
  cpb_input *input;

  const struct cpb_diff_task *const *program;
  size_t task, round;
  bool in_round; /* it was begun */
  cpb_diff_read reads[CPB_DIFF_READS];
  size_t num_reads, next_read;
  bool asked;     /* the next read was */
  uint64_t first; /* item of its page */
  uint64_t page;  /* how many items that has at most; 0 before the first */
  uint64_t total; /* items of the list, as the last page said */
  cpb_diff_items items;

  uint32_t meta_graph, num_meta_graphs; /* what is compared: this, or the tag of a SameDiff zip */
  bool has_checkpoints;
  cpb_diff_items tags;
  cpb_diff_join next_tag;
  cpb_span tag;

  cpb_diff_pairs pairs;  /* of functions */
  cpb_diff_pairs layers; /* that were renamed */
  cpb_diff_places places;
  size_t place; /* whose children are compared; CPB_DIFF_NO_PLACE where the names are no paths */

  cpb_diff_section section;
  cpb_diff_join join;
  bool joining;   /* a list is compared, values and all */
  bool comparing; /* the values of one item are */
  cpb_diff_values values;
};

static inline bool cpb_diff_ok(const cpb_diff *d) { return d->error.code == CPB_OK; }

/* All return false. The first failure stays. */
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

/* False when more is charged than is allowed. */
static inline bool cpb_diff_charge(cpb_diff *d, cpb_work_kind kind, uint64_t amount) {
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  return cpb_meter_charge(&d->meter, kind, amount, CPB_NO_OFFSET, &error) || cpb_diff_fail(d, -1, &error);
}

/* Sets the arguments of a pair of functions, which are the items that were added last. */
void cpb_diff_arguments_pair(cpb_diff *d, cpb_diff_pair *functions);

/* Whether one of two texts, of the first model and of the second, is or begins with an argument's name: "a_1244:0".
 * `same` is then whether both do, of the same argument, and agree in the rest. */
bool cpb_diff_are_arguments(const cpb_diff_pairs *arguments, cpb_span a, cpb_span b, bool *same);

#endif
