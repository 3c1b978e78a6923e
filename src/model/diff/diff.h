/* A diff of two models: its state, and what its files do for each other. */
#ifndef CPB_MODEL_DIFF_DIFF_H
#define CPB_MODEL_DIFF_DIFF_H

#include "base/alloc.h"
#include "base/input.h"
#include "base/json_read.h"
#include "base/json_writer.h"
#include "base/meter.h"
#include "base/status.h"
#include "cpb/diff.h"
#include "cpb/values.h"
#include "model/common/kind.h"
#include "model/common/links.h"
#include "model/common/spans.h"
#include "model/diff/plain.h"

/* --- lists ------------------------------------------------------------------------------------ */

/* The lists that several kinds of models have; a kind's own lists are in its rows (model/common/kind.h). */

extern const cpb_diff_list cpb_diff_functions;        /* FUNCTION of each */
extern const cpb_diff_list cpb_diff_nodes;            /* NODES of the graph and of each function */
extern const cpb_diff_list cpb_diff_nodes_with_roles; /* the same if roles of inputs follow from operations */
extern const cpb_diff_list cpb_diff_nodes_with_types; /* TensorFlow's, whose attributes give the types of outputs */
extern const cpb_diff_list cpb_diff_objects;          /* OBJECTS at each path */
extern const cpb_diff_list cpb_diff_object;           /* and the members of the object itself */
extern const cpb_diff_list cpb_diff_constants;        /* with their values */
extern const cpb_diff_list cpb_diff_variables;        /* with the checksums that a checkpoint has */
extern const cpb_diff_list cpb_diff_variables_alone;
extern const cpb_diff_list cpb_diff_variables_unchecked; /* that only their values can compare */
extern const cpb_diff_list cpb_diff_parameters;
extern const cpb_diff_list cpb_diff_states;

/* --- distance --------------------------------------------------------------------------------- */

/* How far two elements of arrays are apart, where they are numbers. */

#define CPB_DIFF_ELEMENT 16 /* bytes of the largest */

typedef struct cpb_diff_distance {
  uint64_t integer; /* of integers */
  double real;      /* of floats; NaN where one of the two is NaN */
} cpb_diff_distance;

/* `numpy` is the type as in cpb_values_info, or NULL. False: it has no distances, because it is neither an integer nor
 * a float of 2, 4 or 8 bytes. */
bool cpb_diff_measure(const char *numpy, const uint8_t *a, const uint8_t *b, cpb_diff_distance *out);

/* A distance that is NaN is larger than all others. */
bool cpb_diff_is_farther(const char *numpy, const cpb_diff_distance *d, const cpb_diff_distance *than);

/* As numbers that read back the same: strings where JSON has no such number. */
void cpb_diff_write_distance(cpb_json_writer *out, const char *key, const char *numpy, const cpb_diff_distance *d);
void cpb_diff_write_element(cpb_json_writer *out, const char *key, const char *numpy, const uint8_t *element);

/* --- match ------------------------------------------------------------------------------------ */

/* Pairs the elements of two lists: those with the same key, the n-th of the one list with the n-th of the other. They
 * are sorted, so that no input can make it slow. */

typedef struct cpb_diff_element {
  cpb_span key;
  void *value;
  void *other; /* its partner, or NULL */
} cpb_diff_element;

typedef struct cpb_diff_elements {
  cpb_diff_element *list; /* in the list's order */
  size_t count;
} cpb_diff_elements;

/* Makes `count` elements, which the caller sets. False if memory is short. */
bool cpb_diff_elements_make(cpb_diff_elements *elements, const cpb_allocator *a, size_t count);
void cpb_diff_elements_free(cpb_diff_elements *elements, const cpb_allocator *a);

/* Sets `other` in both. False if memory is short. */
bool cpb_diff_match(const cpb_allocator *a, const cpb_diff_elements sides[2]);

/* --- pairs ------------------------------------------------------------------------------------ */

/* Pairs the functions of two models. TensorFlow appends a number to the names of functions that it traces, and the
 * number changes with each run. */

typedef struct cpb_diff_pair {
  cpb_span names[2];                /* NULL data: only the other model has the function */
  struct cpb_diff_pairs *arguments; /* arguments that are the same under different names, or NULL */
} cpb_diff_pair;

typedef struct cpb_diff_pairs {
  cpb_allocator allocator;
  cpb_buffer bytes; /* the names */
  struct cpb_diff_name *names[2];
  size_t counts[2], capacities[2];
  cpb_diff_pair *list;
  size_t count;
  cpb_diff_pair **by_name[2]; /* the pairs with a name in that model, sorted by it */
} cpb_diff_pairs;

void cpb_diff_pairs_init(cpb_diff_pairs *pairs, const cpb_allocator *a);
void cpb_diff_pairs_free(cpb_diff_pairs *pairs);

/* Adds a function of a side. When all are added, pairs them: first equal names, then names that differ only in their
 * numbers, in the order of the numbers. False if memory is short. */
bool cpb_diff_pairs_add(cpb_diff_pairs *pairs, int side, cpb_span name);
bool cpb_diff_pairs_make(cpb_diff_pairs *pairs);

/* Alternatively, pairs the n-th function added for one side with the n-th of the other. Both sides must have equally
 * many. */
bool cpb_diff_pairs_make_in_order(cpb_diff_pairs *pairs);

/* The pair of the function, or NULL if that side has no function of this name. */
const cpb_diff_pair *cpb_diff_pairs_find(const cpb_diff_pairs *pairs, int side, cpb_span name);

/* Whether texts are equal, name the same function, or differ only in a number that TensorFlow gives in each run:
 * "CustomGradient-12". */
bool cpb_diff_same_text(const cpb_diff_pairs *pairs, cpb_span a, cpb_span b);

/* A common form of texts that are the same in this sense, to sort them by. A function in both models has its name in
 * the first one. */
cpb_span cpb_diff_common_text(const cpb_diff_pairs *pairs, int side, cpb_span text);

/* --- places ----------------------------------------------------------------------------------- */

/* Places in the tree of objects whose children are still to be compared. A place is a child of another place. */

#define CPB_DIFF_NO_PLACE SIZE_MAX

/* Two objects, one of each model, whose children are still to be compared. */
typedef struct cpb_diff_place {
  uint64_t nodes[2];
} cpb_diff_place;

typedef struct cpb_diff_places {
  cpb_allocator allocator;
  cpb_diff_place *list;
  cpb_link *links; /* of each place, and one for a child of it; they own their names */
  size_t count, capacity, links_capacity;
  cpb_buffer seen[2]; /* a bit for each object that is one of the places */
  cpb_buffer path;
} cpb_diff_places;

void cpb_diff_places_init(cpb_diff_places *places, const cpb_allocator *a);
void cpb_diff_places_free(cpb_diff_places *places); /* empties them */

/* Adds a place, unless one of its objects is a place already: an object may be the child of several objects. False if
 * memory is short. */
bool cpb_diff_places_add(cpb_diff_places *places, const uint64_t nodes[2], size_t parent, cpb_span name);

/* The path of the child `name` of a place, in the form of the answers (common/links.h), valid until the next call; for
 * CPB_DIFF_NO_PLACE it is `name`. NULL data if memory is short. */
cpb_span cpb_diff_places_path(cpb_diff_places *places, size_t parent, cpb_span name);

/* --- table ------------------------------------------------------------------------------------ */

/* The items of a list by key, each as plain text. */

typedef struct cpb_diff_item {
  size_t key, key_size; /* in the table's bytes */
  size_t text, text_size;
  size_t number; /* among items with the same key, from 0 */
} cpb_diff_item;

typedef struct cpb_diff_table {
  cpb_allocator allocator;
  cpb_json_writer bytes; /* keys and texts, one after the other */
  cpb_diff_item *items;
  size_t count, capacity;
} cpb_diff_table;

void cpb_diff_table_init(cpb_diff_table *table, const cpb_allocator *a);
void cpb_diff_table_free(cpb_diff_table *table); /* empties it */

/* Adds an item; `key` must not be inside the table. False if memory is short. */
bool cpb_diff_table_add(cpb_diff_table *table, cpb_span key, yyjson_val *item, const char *const *ignored, bool deep);
/* The same, with the unchanged item. */
bool cpb_diff_table_add_whole(cpb_diff_table *table, cpb_span key, yyjson_val *item);
/* Call it after the last was added. False if memory is short. */
bool cpb_diff_table_sort(cpb_diff_table *table);

cpb_span cpb_diff_key(const cpb_diff_table *table, const cpb_diff_item *item);
cpb_span cpb_diff_text(const cpb_diff_table *table, const cpb_diff_item *item);

/* Both tables in the order of their keys. False at the end; an item that only one has is
 * NULL for the other. */
typedef struct cpb_diff_join {
  const cpb_diff_table *tables[2];
  size_t at[2];
  const cpb_diff_item *items[2];
} cpb_diff_join;

bool cpb_diff_join_next(cpb_diff_join *join);

/* --- state ------------------------------------------------------------------------------------ */

/* A comparison in progress.
 *
 * It is a sequence of tasks, each with one or more rounds. A round reads lists from each model into tables,
 * then compares them. Only the names of functions, the places in the tree of objects that are still to be visited, and
 * the result are kept between rounds. */

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
  bool has_unread; /* an item is the same but for a value that is too long to be read */
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

  uint32_t meta_graph, num_meta_graphs;     /* the meta graph that is compared, or the tag of a SameDiff zip */
  bool has_checkpoints, has_one_checkpoint; /* both models; only one */
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

/* --- members ---------------------------------------------------------------------------------- */

/* How two items differ, member by member. */

/* Names that differ between the models and mean the same thing. */
typedef struct cpb_diff_known {
  const cpb_diff_pairs *functions;
  const cpb_diff_pairs *arguments; /* of the function that the items belong to; or NULL */
  const cpb_diff_pairs *layers;    /* renamed layers; or NULL */
} cpb_diff_known;

/* Writes the elements of a list, {"member", "a", "b"}: the path of the difference, such as inputs.x.shape, and both
 * values, null if absent; and "renamed" if the values are names of a renamed layer. Elements of lists are paired by
 * name if they have one, and the n-th of several with the n-th. If nothing is written, the items are equal. Charges
 * `meter`, which may be NULL. False with the error set. */
bool cpb_diff_members(const cpb_allocator *a, const cpb_diff_known *known, cpb_meter *meter, const cpb_span texts[2],
                      cpb_json_writer *out, bool *differs, cpb_error *error);

/* --- section ---------------------------------------------------------------------------------- */

/* The section of the result for one list. */

/* Begins d->section; `function` is NULL for none. */
void cpb_diff_section_begin(cpb_diff *d, const char *name, cpb_span function);
void cpb_diff_section_end(cpb_diff *d, bool even_if_same);

/* Whether there is room to list another difference. */
bool cpb_diff_has_room(const cpb_diff *d);

/* Counts a difference. True: there is room to list it, "change" and "name" were written, and cpb_diff_difference_end()
 * ends it. */
bool cpb_diff_difference_begin(cpb_diff *d, const char *change, cpb_span name, uint64_t *counter);
void cpb_diff_difference_end(cpb_diff *d);

/* Compares the joined items of d->items, or counts one that the other model lacks. If d->comparing is set, the members
 * that differ include the findings of d->values. */
void cpb_diff_compare_item(cpb_diff *d, const cpb_diff_join *join);

/* Compares all of d->items as a section, and empties them. */
void cpb_diff_compare_items(cpb_diff *d, const char *name, cpb_span function);

/* --- values ----------------------------------------------------------------------------------- */

/* The values of constants and parameters of two models. */

/* Begins with the values of the item of d->join: of a constant, a parameter, or the updater's state of a parameter. */
void cpb_diff_values_begin(cpb_diff *d, const cpb_diff_list *list);

/* The same for a variable. False: its values need not or cannot be read. */
bool cpb_diff_values_begin_stored(cpb_diff *d);

/* CPB_STEP_NEED; CPB_STEP_DONE: d->values.sum is the result; or CPB_STEP_ERROR. */
cpb_step cpb_diff_values_step(cpb_diff *d);

/* Whether no difference was found, but neither model's values could be read: both are then damaged. */
bool cpb_diff_values_unread(const cpb_diff *d);

/* Writes the result as a member that differs. */
void cpb_diff_values_write(cpb_diff *d);
void cpb_diff_values_end(cpb_diff *d);

/* Whether the checkpoints have checksums of their values; version 1 has none. */
bool cpb_diff_has_checksums(const cpb_diff *d);

/* --- read ------------------------------------------------------------------------------------- */

/* Asks the models, and turns their answers into items of tables. */

#define CPB_DIFF_ANSWER_DEPTH 1000 /* of an answer, which our own code wrote */

void cpb_diff_items_init(cpb_diff_items *items, const cpb_allocator *a);
void cpb_diff_items_free(cpb_diff_items *items); /* empties them */
/* In the order of the keys. False when memory is short. */
bool cpb_diff_items_sort(cpb_diff_items *items);
cpb_diff_join cpb_diff_items_join(const cpb_diff_items *items);
/* The unnormalized item of that side of a join. */
cpb_span cpb_diff_items_whole(const cpb_diff_items *items, const cpb_diff_join *join, int side);

/* Sets the question that begins the next round. */
void cpb_diff_will_read(cpb_diff *d, cpb_diff_read read);
/* Reads a list from each model; each name is the object of that model's question. */
void cpb_diff_will_read_both(cpb_diff *d, const cpb_diff_list *list, cpb_span name_a, cpb_span name_b);

/* CPB_STEP_NEED, CPB_STEP_DONE with d->items read, or CPB_STEP_ERROR. */
cpb_step cpb_diff_read_step(cpb_diff *d);

/* A count or an id in an answer; 0 if it is absent. */
uint64_t cpb_diff_number(yyjson_val *object, const char *key);

/* --- tasks ------------------------------------------------------------------------------------ */

/* The tasks of a comparison, and their order. */

/* One part of a comparison, in rounds. */
typedef struct cpb_diff_task {
  /* Sets the reads of the next round; false if there are no more, or no possible ones. */
  bool (*begin)(cpb_diff *d);
  /* Compares the lists of the round: CPB_STEP_NEED, CPB_STEP_DONE or CPB_STEP_ERROR. */
  cpb_step (*compare)(cpb_diff *d);
} cpb_diff_task;

/* The tasks for a kind of model, up to a NULL. */
const cpb_diff_task *const *cpb_diff_program_of(cpb_model_kind kind);

/* A task: first the roots, then in each round the children of an object that both models have. */
bool cpb_diff_objects_begin(cpb_diff *d);
cpb_step cpb_diff_objects_compare(cpb_diff *d);

/* Pairs the layers in d->items before these are sorted: those of the second model get their partners' keys. Leaves the
 * names of renamed layers in d->layers. */
void cpb_diff_layers_pair(cpb_diff *d);

#endif
