#include "cpb/model.h"

static const char *const names[] = {
    [CPB_ASK_OVERVIEW] = "overview",
    [CPB_ASK_SIGNATURE] = "signature",
    [CPB_ASK_FUNCTIONS] = "functions",
    [CPB_ASK_FUNCTION] = "function",
    [CPB_ASK_NODES] = "nodes",
    [CPB_ASK_OBJECTS] = "objects",
    [CPB_ASK_LAYERS] = "layers",
    [CPB_ASK_CONSTANTS] = "constants",
    [CPB_ASK_OPS] = "ops",
    [CPB_ASK_SEARCH] = "search",
    [CPB_ASK_LOAD] = "load",
    [CPB_ASK_TAG] = "tag",
    [CPB_ASK_SCOPES] = "scopes",
    [CPB_ASK_CUT] = "cut",
    [CPB_ASK_CONSUMERS] = "consumers",
    [CPB_ASK_NODE] = "node",
    [CPB_ASK_UPSTREAM] = "upstream",
    [CPB_ASK_DOWNSTREAM] = "downstream",
    [CPB_ASK_VARIABLES] = "variables",
};

static const char *const texts[] = {
#define QUESTION_TEXT(name, number, text) [number] = text,
    CPB_QUESTIONS(QUESTION_TEXT)
#undef QUESTION_TEXT
};
_Static_assert(sizeof names == sizeof texts, "each question of cpb/model.h has a name");

const char *cpb_question_name(cpb_question_kind kind) {
  return (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

const char *cpb_question_text(cpb_question_kind kind) { return cpb_question_name(kind) ? texts[kind] : NULL; }
