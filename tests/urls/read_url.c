/* read_url URL [NAME=NUMBER ...] [OFFSET+LENGTH | tail ...]: writes bytes of a URL, of its end those that an index
 * is looked for in, to standard output. Options: timeout (milliseconds without a byte), min_speed (bytes a second),
 * time (milliseconds in all), attempts, max_whole, max_download, ignore_etag. For "size" the size is written, as a
 * line; for "wait" a line is read from standard input. Code 1: the error is on standard error. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpb/chunked.h"
#include "cpb/url.h"

static void fail(const cpb_error *error) {
  fflush(stdout);
  fprintf(stderr, "%s: %s\n", cpb_code_name(error->code), error->message);
  exit(1);
}

static void read_range(cpb_file *file, uint64_t offset, uint64_t length) {
  cpb_error error;
  while (length > 0) {
    size_t size = length < 1 << 20 ? (size_t)length : 1 << 20;
    const uint8_t *data = cpb_file_read(file, offset, &size, &error);
    if (!data) fail(&error);
    if (size == 0) return;
    fwrite(data, 1, size, stdout);
    offset += size;
    length -= size;
  }
}

/* As an engine asks for it that begins at the end. */
static void read_tail(cpb_file *file) {
  uint64_t size;
  cpb_error error;
  cpb_index *index = cpb_index_new(NULL, NULL);
  if (cpb_index_step(index) != CPB_STEP_NEED) exit(2);
  cpb_file_supply(file, cpb_index_input(index));
  if (cpb_index_step(index) == CPB_STEP_ERROR && cpb_index_error(index)->code != CPB_E_FORMAT)
    fail(cpb_index_error(index));
  cpb_index_free(index);
  if (cpb_file_size(file, &size, &error) != CPB_OK) fail(&error);
  read_range(file, size > 1000 ? size - 1000 : 0, 1000);
}

static int open_spool(void *user) {
  FILE *file = tmpfile();
  (void)user;
  int fd = file ? dup(fileno(file)) : -1;
  if (file) fclose(file);
  return fd;
}

static bool set_option(cpb_url_options *options, const char *word) {
  const char *value = strchr(word, '=');
  if (!value) return false;
  uint64_t number = strtoull(value + 1, NULL, 10);
  if (strncmp(word, "timeout=", 8) == 0) options->idle_time = number;
  else if (strncmp(word, "time=", 5) == 0) options->deadline = cpb_url_clock() + number;
  else if (strncmp(word, "min_speed=", 10) == 0) options->min_speed = number;
  else if (strncmp(word, "attempts=", 9) == 0) options->attempts = (unsigned)number;
  else if (strncmp(word, "max_whole=", 10) == 0) options->max_whole = number;
  else if (strncmp(word, "ignore_etag=", 12) == 0) options->ignore_etag = (int)number;
  else if (strncmp(word, "max_download=", 13) == 0) options->max_download = number;
  else exit(2);
  return true;
}

int main(int count, char **words) {
  cpb_error error;
  cpb_url_options options = {.struct_size = sizeof options, .spool = open_spool};
  int i = 2;
  if (count < 2) return 2;
  while (i < count && set_option(&options, words[i])) i++;
  cpb_file *file = cpb_url_open(NULL, words[1], &options, &error);
  if (!file) fail(&error);
  for (; i < count; i++) {
    uint64_t offset, length;
    if (strcmp(words[i], "tail") == 0) {
      read_tail(file);
    } else if (strcmp(words[i], "size") == 0) {
      if (cpb_file_size(file, &length, &error) != CPB_OK) fail(&error);
      printf("%" PRIu64 "\n", length);
    } else if (strcmp(words[i], "wait") == 0) {
      fflush(stdout);
      if (getchar() == EOF) return 2;
    } else if (sscanf(words[i], "%" SCNu64 "+%" SCNu64, &offset, &length) == 2) {
      read_range(file, offset, length);
    } else {
      return 2;
    }
  }
  cpb_file_close(file);
  return 0;
}
