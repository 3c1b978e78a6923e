/* wasmtime MODULE.wasm ARGUMENT...: runs a WASI command in Wasmtime, like the program of that name, with every
 * directory open; wasmtime --each MODULE.wasm: many, as each.h says. PyPI's wasmtime has only the library, without
 * headers. Compiled modules are kept in MODULE.wasm.compiled. */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "each.h"

typedef struct bytes {
  size_t size;
  char *data;
} bytes;

typedef struct function {
  uint64_t store;
  void *index;
} function;

typedef struct engine engine;
typedef struct module module;
typedef struct store store;
typedef struct context context;
typedef struct linker linker;
typedef struct config config;
typedef struct failure failure;
typedef struct trap trap;

engine *wasm_engine_new(void);
failure *wasmtime_module_new(engine *, const uint8_t *wasm, size_t size, module **);
failure *wasmtime_module_serialize(module *, bytes *);
failure *wasmtime_module_deserialize_file(engine *, const char *path, module **);
store *wasmtime_store_new(engine *, void *user, void (*finalizer)(void *));
context *wasmtime_store_context(store *);
failure *wasmtime_context_set_wasi(context *, config *);
linker *wasmtime_linker_new(engine *);
failure *wasmtime_linker_define_wasi(linker *);
failure *wasmtime_linker_module(linker *, context *, const char *name, size_t size, module *);
failure *wasmtime_linker_get_default(linker *, context *, const char *name, size_t size, function *);
failure *wasmtime_func_call(context *, const function *, const void *arguments, size_t count, void *results,
                            size_t num_results, trap **);
bool wasmtime_error_exit_status(const failure *, int *status);
void wasmtime_error_message(const failure *, bytes *);
void wasm_trap_message(const trap *, bytes *);
config *wasi_config_new(void);
bool wasi_config_set_argv(config *, size_t count, char **words);
void wasi_config_inherit_env(config *);
void wasi_config_inherit_stdin(config *);
void wasi_config_inherit_stdout(config *);
void wasi_config_inherit_stderr(config *);
bool wasi_config_preopen_dir(config *, const char *path, const char *name, bool may_change);

static _Noreturn void die(const char *what, bytes message) {
  fprintf(stderr, "wasmtime: %s: %.*s\n", what, (int)message.size, message.data);
  exit(125);
}

static void check(const char *what, const failure *failed) {
  bytes message;
  int status;
  if (!failed) return;
  if (wasmtime_error_exit_status(failed, &status)) exit(status);
  wasmtime_error_message(failed, &message);
  die(what, message);
}

static void require(bool ok, const char *what) {
  if (ok) return;
  perror(what);
  exit(125);
}

static bytes read_whole(const char *path) {
  FILE *file = fopen(path, "rb");
  require(file, path);
  fseek(file, 0, SEEK_END);
  bytes all = {.size = (size_t)ftell(file)};
  rewind(file);
  all.data = malloc(all.size);
  require(all.data && fread(all.data, 1, all.size, file) == all.size, path);
  fclose(file);
  return all;
}

/* Other processes may do the same at this moment. */
static void write_whole(const char *path, bytes all) {
  char part[4096];
  snprintf(part, sizeof part, "%s.%d", path, (int)getpid());
  FILE *file = fopen(part, "wb");
  require(file && fwrite(all.data, 1, all.size, file) == all.size && fclose(file) == 0, part);
  require(rename(part, path) == 0, path);
}

static module *load(engine *e, const char *path) {
  char kept[4000];
  module *m = NULL;
  struct stat source, compiled;
  snprintf(kept, sizeof kept, "%s.compiled", path);
  require(stat(path, &source) == 0, path);
  if (stat(kept, &compiled) == 0 && compiled.st_mtime > source.st_mtime &&
      wasmtime_module_deserialize_file(e, kept, &m) == NULL)
    return m;
  bytes wasm = read_whole(path);
  check("compiling", wasmtime_module_new(e, (const uint8_t *)wasm.data, wasm.size, &m));
  bytes made;
  check("keeping", wasmtime_module_serialize(m, &made));
  write_whole(kept, made);
  return m;
}

static void open_directory(config *c, const char *path) { require(wasi_config_preopen_dir(c, path, path, true), path); }

/* wasi-libc treats "/" and "." as the same, so the contents of "/" are opened by name. */
static void open_directories(config *c) {
  DIR *root = opendir("/");
  char path[300];
  struct dirent *entry;
  struct stat found;
  require(root, "/");
  while ((entry = readdir(root))) {
    snprintf(path, sizeof path, "/%s", entry->d_name);
    if (entry->d_name[0] != '.' && stat(path, &found) == 0 && S_ISDIR(found.st_mode)) open_directory(c, path);
  }
  closedir(root);
  open_directory(c, ".");
}

static config *configure(int count, char **words) {
  config *c = wasi_config_new();
  require(wasi_config_set_argv(c, (size_t)count, words), "words that are UTF-8");
  wasi_config_inherit_env(c);
  wasi_config_inherit_stdin(c);
  wasi_config_inherit_stdout(c);
  wasi_config_inherit_stderr(c);
  open_directories(c);
  return c;
}

typedef struct loaded {
  engine *engine;
  module *module;
} loaded;

static int run(void *with, int count, char **words) {
  const loaded *l = with;
  context *c = wasmtime_store_context(wasmtime_store_new(l->engine, NULL, NULL));
  linker *links = wasmtime_linker_new(l->engine);
  function start;
  trap *trapped = NULL;
  check("WASI", wasmtime_linker_define_wasi(links));
  check("WASI", wasmtime_context_set_wasi(c, configure(count, words)));
  check("linking", wasmtime_linker_module(links, c, "", 0, l->module));
  check("starting", wasmtime_linker_get_default(links, c, "", 0, &start));
  check("running", wasmtime_func_call(c, &start, NULL, 0, NULL, 0, &trapped));
  if (!trapped) return 0;
  bytes message;
  wasm_trap_message(trapped, &message);
  die("trap", message);
}

int main(int count, char **words) {
  bool many = count == 3 && strcmp(words[1], "--each") == 0;
  if (count < 2) return 125;
  signal(SIGPIPE, SIG_IGN);
  loaded l = {.engine = wasm_engine_new()};
  l.module = load(l.engine, words[many ? 2 : 1]);
  return many ? run_each(run, &l, words[2]) : run(&l, count - 1, words + 1);
}
