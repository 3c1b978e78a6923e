#include "cpb/model.h"

/* In a separate file, so that a program links only the questions that it uses. */
#define NAMED(NAME, name, number, argument, text) [number] = #name,
static const char *const names[] = {CPB_QUESTIONS(NAMED)};
#define ABOUT(NAME, name, number, argument, text) [number] = argument,
static const char *const arguments[] = {CPB_QUESTIONS(ABOUT)};
#define TOLD(NAME, name, number, argument, text) [number] = text,
static const char *const texts[] = {CPB_QUESTIONS(TOLD)};

#define AT(list, number) ((size_t)(number) < sizeof list / sizeof *list ? list[number] : NULL)

const char *cpb_question_name(cpb_question_kind kind) { return AT(names, kind); }

const char *cpb_question_argument(cpb_question_kind kind) { return AT(arguments, kind); }

const char *cpb_question_text(cpb_question_kind kind) { return AT(texts, kind); }
