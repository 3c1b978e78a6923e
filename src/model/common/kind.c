#include "cpb/model.h"

/* In a separate file, so that a program links only the kinds that it uses. */
#define NAMED(NAME, name, number, label, type) [number] = #name,
static const char *const names[] = {CPB_MODEL_KINDS(NAMED)};
#define LABELLED(NAME, name, number, label, type) [number] = label,
static const char *const labels[] = {CPB_MODEL_KINDS(LABELLED)};
#define TYPED(NAME, name, number, label, type) [number] = type,
static const char *const types[] = {CPB_MODEL_KINDS(TYPED)};

#define AT(list, number) ((size_t)(number) < sizeof list / sizeof *list ? list[number] : NULL)

const char *cpb_model_kind_name(cpb_model_kind kind) { return AT(names, kind); }

const char *cpb_model_kind_label(cpb_model_kind kind) { return AT(labels, kind); }

const char *cpb_model_message_type(cpb_model_kind kind) { return AT(types, kind); }
