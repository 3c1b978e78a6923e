#include "job.h"

#include <string.h>

#include "board.h"
#include "heap.h"
#include "semihosting.h"

static int failed(const char *text) {
  semihosting_print(text);
  return 2;
}

/* The next word of `*at`, which goes past it. */
static char *word(char **at) {
  char *begin = *at + strspn(*at, " ");
  char *end = begin + strcspn(begin, " ");
  *at = *end ? end + 1 : end;
  *end = '\0';
  return begin;
}

/* What is no number is none that a chunk has. */
static uint64_t number(const char *text) {
  uint64_t value = 0;
  for (; *text >= '0' && *text <= '9'; text++) value = value * 10 + (uint64_t)(*text - '0');
  return *text ? UINT64_MAX : value;
}

int job_begin(job *j) {
  char line[256]; /* QEMU gives no longer ones */
  if (semihosting_command_line(line, sizeof line) != 0) return failed("no command line\n");
  char *at = line;
  word(&at); /* the program */
  const char *file = word(&at), *what = word(&at), *out = word(&at);
  if (!*out || strlen(what) >= sizeof j->what) return failed("usage: FILE CHUNK|PATH OUT\n");
  strcpy(j->what, what);
  j->chunk = number(what);
  j->file = semihosting_open_to_read(file);
  j->out = semihosting_open_to_write(out);
  if (j->file < 0 || j->out < 0) return failed("cannot open a file\n");
  j->size = semihosting_size(j->file);
  return 0;
}

void job_print(const char *text, uint64_t number) {
  char digits[24], *at = digits + sizeof digits;
  *--at = '\0';
  *--at = '\n';
  do {
    *--at = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  semihosting_print(text);
  semihosting_print(" ");
  semihosting_print(at);
}

void job_report(void) {
  size_t fixed = (size_t)((char *)bss_end - (char *)stack_end), heap = heap_peak(), stack = board_stack_used();
  job_print("ticks", board_ticks());
  job_print("static", fixed);
  job_print("heap", heap);
  job_print("stack", stack);
  job_print("peak", fixed + heap + stack);
}
