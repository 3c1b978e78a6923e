#include "cpb/model.h"

#define NUMBERED(NAME, name, number, argument, text) [number] = {#name, argument, text},
static const struct {
  const char *name, *argument, *text;
} questions[] = {CPB_QUESTIONS(NUMBERED)};
#define NUM_QUESTIONS (sizeof questions / sizeof *questions)

const char *cpb_question_name(cpb_question_kind kind) {
  return (size_t)kind < NUM_QUESTIONS ? questions[kind].name : NULL;
}

const char *cpb_question_argument(cpb_question_kind kind) {
  return (size_t)kind < NUM_QUESTIONS ? questions[kind].argument : NULL;
}

const char *cpb_question_text(cpb_question_kind kind) {
  return (size_t)kind < NUM_QUESTIONS ? questions[kind].text : NULL;
}
