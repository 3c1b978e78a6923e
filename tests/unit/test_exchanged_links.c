/* Links that are exchanged between the look at a path and its opening: what is opened lies where it was looked for, or
 * nothing is opened. */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* When so many paths were resolved, the attacker has a turn. */
static int turns;
static void (*attack)(void);

static char *resolve(const char *path, char *out) {
  char *found = realpath(path, out);
  if (--turns == 0) attack();
  return found;
}

#define realpath resolve
#define cpb_reference_descriptor tested_descriptor
#define cpb_reference_identity tested_identity
#define cpb_reference_name tested_name
#define cpb_reference_is_same tested_is_same
#include "host/references_posix.c"
#undef realpath

static char before[PATH_MAX];

/* home/m/d/w is the model's, secret/d/w, of the same name, somebody else's. */
static int set_up(void **state) {
  (void)state;
  static char folder[] = "/tmp/cpb-links-XXXXXX";
  assert_non_null(getcwd(before, sizeof before));
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  return system(
      "mkdir -p home/m/d home/blobs secret/d && printf model > home/m/model && printf good > home/m/d/w &&"
      "printf evil > secret/d/w && printf evil > secret/w && printf blob > home/blobs/w && "
      "printf model > home/blobs/model && ln -s ../blobs/model home/m/link && ln -s ../blobs/w home/m/w && "
      "ln -s ../../secret/w home/m/out");
}

static int tear_down(void **state) {
  (void)state;
  char command[PATH_MAX + 20];
  char here[PATH_MAX];
  if (!getcwd(here, sizeof here) || chdir(before) != 0) return -1;
  snprintf(command, sizeof command, "rm -rf '%s'", here);
  return system(command);
}

/* "": it was refused. */
static const char *read_name(const char *model, const char *path) {
  static char content[8];
  cpb_error error = {.code = CPB_OK};
  const int opened = open(model, O_RDONLY);
  const cpb_reference_home home = {model, strlen("home/m/"), tested_identity(opened)};
  const int fd = tested_descriptor(&home, path, &error);
  const ssize_t length = fd >= 0 ? read(fd, content, sizeof content - 1) : 0;
  assert_true(length >= 0);
  content[length] = '\0';
  if (fd >= 0) close(fd);
  close(opened);
  return content;
}

static void run(const char *command) { assert_int_equal(system(command), 0); }

static void exchange_folder(void) { run("mv home/m/d home/m/away && ln -s ../../secret/d home/m/d"); }
static void exchange_file(void) { run("mv home/m/d/w home/m/d/away && ln -s ../../../secret/d/w home/m/d/w"); }
static void exchange_home(void) { run("mv home/m home/away && ln -s ../secret home/m"); }
static void exchange_model(void) { run("rm home/m/link && ln -s ../../secret/w home/m/link"); }
static void exchange_blobs(void) { run("mv home/blobs home/away && ln -s ../secret home/blobs"); }
static void nothing(void) {}

static void links_that_stay(void **state) {
  (void)state;
  attack = nothing;
  assert_string_equal(read_name("home/m/model", "home/m/d/w"), "good");
  assert_string_equal(read_name("home/m/model", "home/m/w"), ""); /* it is really in home/m */
  assert_string_equal(read_name("home/m/link", "home/m/d/w"), "good");
  assert_string_equal(read_name("home/m/link", "home/m/w"), "blob");
  assert_string_equal(read_name("home/m/link", "home/m/out"), "");
  assert_string_equal(read_name("home/m/model", "home/m/out"), "");
}

/* In each moment that there is. */
static void links_that_are_exchanged(void **state) {
  (void)state;
  static const struct {
    void (*attack)(void);
    const char *model, *path, *right, *back;
  } cases[] = {
      {exchange_folder, "home/m/model", "home/m/d/w", "good", "rm home/m/d && mv home/m/away home/m/d"},
      {exchange_file, "home/m/model", "home/m/d/w", "good", "rm home/m/d/w && mv home/m/d/away home/m/d/w"},
      {exchange_home, "home/m/model", "home/m/d/w", "good", "rm home/m && mv home/away home/m"},
      {exchange_model, "home/m/link", "home/m/out", "", "rm home/m/link && ln -s ../blobs/model home/m/link"},
      {exchange_blobs, "home/m/link", "home/m/w", "blob", "rm home/blobs && mv home/away home/blobs"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (int moment = 1; moment <= 3; moment++) {
      attack = cases[i].attack;
      turns = moment;
      const char *content = read_name(cases[i].model, cases[i].path);
      if (*content && strcmp(content, cases[i].right) != 0) fail_msg("case %zu, moment %d: %s", i, moment, content);
      if (turns <= 0) run(cases[i].back);
    }
  }
}

/* A model that is no longer there has no folder. */
static void a_model_that_was_exchanged(void **state) {
  (void)state;
  cpb_error error = {.code = CPB_OK};
  const int opened = open("home/m/model", O_RDONLY);
  const cpb_reference_home home = {"home/m/model", strlen("home/m/"), tested_identity(opened)};
  run("printf other > home/m/new && mv home/m/new home/m/model");
  assert_int_equal(tested_descriptor(&home, "home/m/d/w", &error), -1);
  assert_non_null(strstr(error.message, "no longer the one that was opened"));
  close(opened);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(links_that_stay), cmocka_unit_test(links_that_are_exchanged),
                                     cmocka_unit_test(a_model_that_was_exchanged)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
