/* Recognizes the kind of model in a file. This table is separate from the one in kinds.c, so that a program which only
 * recognizes kinds does not link the readers. */
#include "model/common/guess.h"
#include "base/checked.h"
#include "base/limits.h"
#include "model/common/kind.h"
#include "model/foreign/foreign.h"

#define GUESS(NAME, name, number, label, type) {number, cpb_##name##_guess},
static const struct {
  cpb_model_kind kind;
  int (*guess)(const cpb_file_ends *ends, bool is_named);
} kinds[] = {CPB_MODEL_KINDS(GUESS)};
#define NUM_KINDS (sizeof kinds / sizeof *kinds)

/* A file with this ending is of that kind if at all possible, for some kinds even if its beginning is damaged. */
static const struct {
  const char *ending;
  cpb_model_kind kind;
  bool even_damaged;
} names[] = {{"saved_model.pb", CPB_MODEL_SAVED_MODEL, true},
             {"saved_model.cpb", CPB_MODEL_SAVED_MODEL, true},
             {"keras_metadata.pb", CPB_MODEL_KERAS_METADATA, true},
             {".index", CPB_MODEL_CHECKPOINT, true},
             {".fb", CPB_MODEL_SAMEDIFF_GRAPH, false},
             {".onnx", CPB_MODEL_ONNX, false},
             {".mlmodel", CPB_MODEL_COREML, false},
             {".meta", CPB_MODEL_META_GRAPH, false}};
#define NUM_NAMES (sizeof names / sizeof *names)

static size_t find_name(const cpb_file_ends *ends) {
  size_t i = 0;
  while (i < NUM_NAMES && !cpb_ends_named(ends, names[i].ending)) i++;
  return i;
}

/* The kind that fits best; the first of several. */
static cpb_model_kind best_of(const cpb_file_ends *ends, int *best) {
  const size_t name = find_name(ends);
  cpb_model_kind kind = 0;
  *best = 0;
  for (size_t i = 0; i < NUM_KINDS; i++) {
    int score = kinds[i].guess(ends, name < NUM_NAMES && names[name].kind == kinds[i].kind);
    if (score <= *best) continue;
    *best = score;
    kind = kinds[i].kind;
  }
  return kind;
}

/* Restores the bytes before a CR was put before each LF, and counts the LFs; 0 if one has no CR. */
static int unconvert(cpb_span in, uint8_t *out, size_t *size) {
  int line_ends = 0;
  *size = 0;
  for (size_t i = 0; i < in.size; i++) {
    if (in.data[i] == '\n' && (i == 0 || in.data[i - 1] != '\r')) return 0;
    if (in.data[i] == '\n') line_ends++, --*size;
    out[(*size)++] = in.data[i];
  }
  return line_ends;
}

/* About one in a hundred bytes of a message is an LF. So a converted file hardly fits any kind, and its original fits
 * better. A length of 13 before a first field also looks like CR LF, so a few are not evidence. */
cpb_model_kind cpb_guess_converted(const cpb_file_ends *ends) {
  enum { LINE_ENDS_LEAST = 4 };
  uint8_t before[CPB_BEGIN_BYTES];
  int found, original;
  cpb_file_ends other = {.struct_size = sizeof other, .begin = before, .size = ends->size};
  const int line_ends = unconvert(cpb_ends_begin(ends), before, &other.begin_size);
  if (line_ends == 0) return 0;
  best_of(ends, &found);
  const cpb_model_kind kind = best_of(&other, &original);
  return original > found && (found == 0 || line_ends >= LINE_ENDS_LEAST) ? kind : (cpb_model_kind)0;
}

cpb_model_kind cpb_model_guess(const cpb_file_ends *given) {
  int score;
  cpb_file_ends ends;
  cpb_ends_copy(&ends, given);
  const cpb_model_kind kind = best_of(&ends, &score);
  if (kind && !cpb_guess_converted(&ends)) return kind;
  const size_t name = find_name(&ends);
  const bool is_damaged = name < NUM_NAMES && names[name].even_damaged && !cpb_foreign_look(&ends).kind;
  return is_damaged && ends.size > 0 ? names[name].kind : (cpb_model_kind)0;
}
