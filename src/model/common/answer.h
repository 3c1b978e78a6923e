/* Parts that the answers of all kinds share: pages, parameters, problems, texts, ranges. */
#ifndef CPB_MODEL_COMMON_ANSWER_H
#define CPB_MODEL_COMMON_ANSWER_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/json_writer.h"
#include "cpb/model.h"
#include "model/common/part.h"

/* --- page ------------------------------------------------------------------------------------- */

/* A list in pages.
 *
 *     cpb_page page = cpb_page_open(answer, question, "children");
 *     while (...)
 *       if (cpb_page_has(&page)) ... write one ...
 *     cpb_page_close(answer, &page); */

typedef struct cpb_page {
  const cpb_json_writer *answer;
  uint64_t first, count;
  uint64_t total;  /* elements so far */
  uint64_t passed; /* elements walked so far, on the page or not */
  bool sized;      /* the number of elements was known, and has been written */
} cpb_page;

/* Opens the object of a list whose elements are counted during the walk, or whose size is known. In both cases the
 * answer's meter is charged an entry for each element of the list. */
cpb_page cpb_page_open(cpb_json_writer *answer, const cpb_question *question, const char *key);
cpb_page cpb_page_open_sized(cpb_json_writer *answer, const cpb_question *question, const char *key, uint64_t total);
/* Counts an element; true when it is to be written, and can be. */
bool cpb_page_has(cpb_page *page);
void cpb_page_close(cpb_json_writer *answer, const cpb_page *page);

/* --- parameters ------------------------------------------------------------------------------- */

/* The use of tensors in a model, and its number of parameters, in the same form for every kind. */

/* Parameters are the weights. */
typedef enum cpb_tensor_use {
  CPB_TENSOR_WEIGHT,
  CPB_TENSOR_CONSTANT,     /* another value that the graph holds */
  CPB_TENSOR_QUANTIZATION, /* scales, zero points, palettes, masks */
  CPB_TENSOR_OPTIMIZER,    /* saved by training, besides the weights */
  CPB_TENSOR_STATE,        /* state at run time: metrics, averages of weights, random seeds */
  CPB_TENSOR_UNKNOWN,      /* unknown because of damage */
  CPB_NUM_TENSOR_USES
} cpb_tensor_use;

/* "weight" and so on; NULL if unknown. */
const char *cpb_tensor_use_name(cpb_tensor_use use);

typedef struct cpb_parameters {
  uint64_t total, trainable; /* elements */
  uint64_t tensors;
  uint64_t bytes;       /* by shape and type */
  uint64_t size;        /* as stored */
  bool partial;         /* some have an unknown number of elements */
  bool knows_trainable; /* the model says which are trainable */
  bool lacks_tensors;   /* only the number of elements is known */
} cpb_parameters;

/* Adds elements, bytes and size of a weight, or of a part of one. Sums saturate at 2^64 - 1. */
void cpb_parameters_add(cpb_parameters *p, uint64_t elements, uint64_t bytes, uint64_t size, bool trainable);

/* Writes "parameters", with "partial": true if some have an unknown number of elements. */
void cpb_parameters_write(const cpb_parameters *p, cpb_json_writer *answer);

/* --- problems --------------------------------------------------------------------------------- */

/* Problems of a model that do not prevent an answer. The answer lists them under "problems". */

typedef struct cpb_problem {
  uint64_t offset; /* in the input, or CPB_NO_OFFSET */
  bool is_damage;  /* the rest of the model could not be read */
  char text[192];
} cpb_problem;

typedef struct cpb_problems {
  cpb_allocator allocator;
  cpb_problem *items; /* the first 100, because a hostile model can have any number */
  size_t count, capacity;
  uint64_t more; /* further problems, only counted */
} cpb_problems;

void cpb_problems_init(cpb_problems *problems, const cpb_allocator *a);
void cpb_problems_free(cpb_problems *problems);
/* Text from the input must have passed through cpb_quote(). If memory is short, the problem is only counted. */
void cpb_problems_add(cpb_problems *problems, uint64_t offset, const char *text);

/* The same for damage: the answer lacks the damaged part, and perhaps what follows. */
void cpb_problems_add_damage(cpb_problems *problems, uint64_t offset, const char *text);

/* The elements of a list: {"offset": N or null, "text"}, and "damage": true for damage. */
void cpb_problems_write(const cpb_problems *problems, cpb_json_writer *answer);

/* --- text ------------------------------------------------------------------------------------- */

/* A text that may be long, in an answer. */

/* A string of up to 64 bytes; for a longer one {"text", "size"} with its beginning, or null if it is not in memory. */
void cpb_write_short_text(cpb_json_writer *answer, const cpb_part *part, cpb_span text);

/* --- write ------------------------------------------------------------------------------------ */

/* JSON that answers about several kinds of models share. */

/* The texts in field `number` of the message, as a list. */
void cpb_write_strings(cpb_json_writer *answer, const char *key, cpb_span message, uint32_t number);

/* The text in the field, unless it is empty. */
void cpb_write_some_text(cpb_json_writer *answer, const char *key, cpb_span message, uint32_t number);

/* The varints in the field, as a list of exact numbers. */
void cpb_write_varints(cpb_json_writer *answer, const char *key, cpb_span message, uint32_t number);

/* A range: {"offset", "size"}. */
void cpb_write_range(cpb_json_writer *answer, const char *key, cpb_range range);

/* Instead of a value that the outline left out: {"omitted"}, its range. */
void cpb_write_omitted(cpb_json_writer *answer, const char *key, const cpb_part *part, cpb_span value);

#endif
