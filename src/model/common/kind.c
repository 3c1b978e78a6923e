#include "cpb/model.h"

#define NUMBERED(NAME, name, number, label, type) [number] = {#name, label, type},
static const struct {
  const char *name, *label, *type;
} kinds[] = {CPB_MODEL_KINDS(NUMBERED)};
#define NUM_KINDS (sizeof kinds / sizeof *kinds)

const char *cpb_model_kind_name(cpb_model_kind kind) { return (size_t)kind < NUM_KINDS ? kinds[kind].name : NULL; }

const char *cpb_model_kind_label(cpb_model_kind kind) { return (size_t)kind < NUM_KINDS ? kinds[kind].label : NULL; }

const char *cpb_model_message_type(cpb_model_kind kind) { return (size_t)kind < NUM_KINDS ? kinds[kind].type : NULL; }
