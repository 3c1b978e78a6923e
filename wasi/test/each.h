/* Many commands in one process, for tests/verdicts.py: each line of standard input has the words of one, separated by
 * tabs. The answer to each is a line with its exit code and the sizes of its output and messages, followed by these.
 * Each runs in a copy of the process, where the module is loaded already. */
#ifndef CPB_WASI_TEST_EACH_H
#define CPB_WASI_TEST_EACH_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 64 };

/* Runs the command with a module, or ends the process; the exit code. */
typedef int run_function(void *module, int count, char **words);

static void each_require(int ok, const char *what) {
  if (ok) return;
  perror(what);
  exit(125);
}

static int each_split(char *line, char **words) {
  int count = 0;
  line[strcspn(line, "\n")] = '\0';
  for (char *word = strtok(line, "\t"); word; word = strtok(NULL, "\t")) {
    each_require(count < MAX_WORDS, "a command of so many words");
    words[count++] = word;
  }
  return count;
}

static _Noreturn void each_child(run_function *run, void *module, int count, char **words, FILE *out, FILE *messages) {
  int nothing = open("/dev/null", O_RDONLY);
  each_require(dup2(nothing, 0) == 0 && dup2(fileno(out), 1) == 1 && dup2(fileno(messages), 2) == 2, "dup2");
  close(nothing);
  close(fileno(out));
  close(fileno(messages));
  exit(run(module, count, words));
}

static long each_size(FILE *file) {
  fseek(file, 0, SEEK_END);
  return ftell(file);
}

static void each_copy(FILE *file, long left) {
  char part[65536];
  rewind(file);
  for (size_t n; left > 0; left -= (long)n) {
    n = fread(part, 1, sizeof part, file);
    each_require(n > 0 && fwrite(part, 1, n, stdout) == n, "what a command wrote");
  }
  fclose(file);
}

static void each_run(run_function *run, void *module, int count, char **words) {
  FILE *out = tmpfile(), *messages = tmpfile();
  int status;
  each_require(out && messages && fflush(stdout) == 0, "files for what a command writes");
  pid_t child = fork();
  each_require(child >= 0, "fork");
  if (child == 0) each_child(run, module, count, words, out, messages);
  each_require(waitpid(child, &status, 0) == child, "waitpid");
  long sizes[] = {each_size(out), each_size(messages)};
  printf("%d %ld %ld\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), sizes[0], sizes[1]);
  each_copy(out, sizes[0]);
  each_copy(messages, sizes[1]);
}

/* The first word of all commands is `name`. */
static int run_each(run_function *run, void *module, char *name) {
  char *line = NULL, *words[MAX_WORDS + 1] = {name};
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) each_run(run, module, 1 + each_split(line, words + 1), words);
  free(line);
  return 0;
}

#endif
