/* wasm3 MODULE.wasm ARGUMENT...: runs a WASI command in the interpreter wasm3, whose
 * sources are in PyPI's pywasm3; wasm3 --each MODULE.wasm: many, as each.h says. This host
 * has only what the commands that read need: twelve functions, and none that writes to a
 * disk; and the clock, for benchmarks. It is for tests: every file that the user can read
 * is open to the program. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "each.h"
#include "wasm3.h"

enum { ROOT = 3, STACK_SIZE = 1 << 20 };
enum {
  WASI_OK = 0,
  WASI_BADF = 8,
  WASI_EXIST = 20,
  WASI_INVAL = 28,
  WASI_IO = 29,
  WASI_ISDIR = 31,
  WASI_LOOP = 32,
  WASI_NOENT = 44,
  WASI_NOTSUP = 58,
  WASI_NOSPC = 51,
  WASI_NOTDIR = 54,
  WASI_PIPE = 64,
  WASI_SPIPE = 70
};
enum { OPEN_DIRECTORY = 2, FOLLOW = 1 };
enum { TYPE_UNKNOWN, TYPE_CHARACTER_DEVICE = 2, TYPE_DIRECTORY, TYPE_FILE };

typedef struct program {
  int count;
  char **words;
  int status;
} program;

static uint32_t wasi_errno(void) {
  static const struct {
    int from;
    uint32_t to;
  } codes[] = {{EBADF, WASI_BADF}, {EEXIST, WASI_EXIST}, {EINVAL, WASI_INVAL}, {EISDIR, WASI_ISDIR},
               {ELOOP, WASI_LOOP}, {ENOENT, WASI_NOENT}, {ENOSPC, WASI_NOSPC}, {ENOTDIR, WASI_NOTDIR},
               {EPIPE, WASI_PIPE}, {ESPIPE, WASI_SPIPE}};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i].from == errno) return codes[i].to;
  return WASI_IO;
}

static void put32(void *memory, uint32_t at, uint32_t value) { memcpy((uint8_t *)memory + at, &value, 4); }
static void put64(void *memory, uint32_t at, uint64_t value) { memcpy((uint8_t *)memory + at, &value, 8); }

static m3ApiRawFunction(args_sizes_get) {
  m3ApiReturnType(uint32_t) m3ApiGetArg(uint32_t, count) m3ApiGetArg(uint32_t, size) const program *p =
      m3_GetUserData(runtime);
  uint32_t total = 0;
  for (int i = 0; i < p->count; i++) total += (uint32_t)strlen(p->words[i]) + 1;
  put32(_mem, count, (uint32_t)p->count);
  put32(_mem, size, total);
  m3ApiReturn(WASI_OK)
}

static m3ApiRawFunction(args_get) {
  m3ApiReturnType(uint32_t) m3ApiGetArg(uint32_t, pointers) m3ApiGetArg(uint32_t, text) const program *p =
      m3_GetUserData(runtime);
  for (int i = 0; i < p->count; i++) {
    uint32_t size = (uint32_t)strlen(p->words[i]) + 1;
    put32(_mem, pointers + 4 * (uint32_t)i, text);
    memcpy((uint8_t *)_mem + text, p->words[i], size);
    text += size;
  }
  m3ApiReturn(WASI_OK)
}

static m3ApiRawFunction(fd_prestat_get) {
  m3ApiReturnType(uint32_t) m3ApiGetArg(uint32_t, fd) m3ApiGetArg(uint32_t, out) if (fd != ROOT) m3ApiReturn(WASI_BADF)
      put32(_mem, out, 0);
  put32(_mem, out + 4, 1);
  m3ApiReturn(WASI_OK)
}

static m3ApiRawFunction(fd_prestat_dir_name) {
  m3ApiReturnType(uint32_t) m3ApiGetArg(uint32_t, fd) m3ApiGetArgMem(char *, name)
      m3ApiGetArg(uint32_t, size) if (fd != ROOT || size < 1) m3ApiReturn(WASI_BADF) *name = '/';
  m3ApiReturn(WASI_OK)
}

static uint32_t type_of(const struct stat *found) {
  return S_ISDIR(found->st_mode)   ? TYPE_DIRECTORY
         : S_ISREG(found->st_mode) ? TYPE_FILE
         : S_ISCHR(found->st_mode) ? TYPE_CHARACTER_DEVICE
                                   : TYPE_UNKNOWN;
}

static m3ApiRawFunction(fd_fdstat_get) {
  m3ApiReturnType(uint32_t) m3ApiGetArg(uint32_t, fd) m3ApiGetArg(uint32_t, out) struct stat found;
  if (fstat((int)fd, &found) != 0) m3ApiReturn(wasi_errno()) put32(_mem, out, type_of(&found));
  put32(_mem, out + 4, 0);
  put64(_mem, out + 8, UINT64_MAX); /* rights */
  put64(_mem, out + 16, UINT64_MAX);
  m3ApiReturn(WASI_OK)
}

static m3ApiRawFunction(path_open) {
  m3ApiReturnType(uint32_t) m3ApiGetArg(uint32_t, directory) m3ApiGetArg(uint32_t, lookup)
      m3ApiGetArgMem(const char *, path) m3ApiGetArg(uint32_t, length) m3ApiGetArg(uint32_t, how)
          m3ApiGetArg(uint64_t, rights) m3ApiGetArg(uint64_t, inherited) m3ApiGetArg(uint32_t, flags)
              m3ApiGetArg(uint32_t, out)(void) lookup,
      (void)rights, (void)inherited, (void)flags;
  char name[4096];
  snprintf(name, sizeof name, "%.*s", (int)length, path);
  int fd = openat((int)directory, name, O_RDONLY | (how & OPEN_DIRECTORY ? O_DIRECTORY : 0));
  if (fd < 0) m3ApiReturn(wasi_errno()) put32(_mem, out, (uint32_t)fd);
  m3ApiReturn(WASI_OK)
}

static m3ApiRawFunction(path_filestat_get) {
  m3ApiReturnType(uint32_t) m3ApiGetArg(uint32_t, directory) m3ApiGetArg(uint32_t, lookup)
      m3ApiGetArgMem(const char *, path) m3ApiGetArg(uint32_t, length) m3ApiGetArg(uint32_t, out) char name[4096];
  struct stat found;
  snprintf(name, sizeof name, "%.*s", (int)length, path);
  if (fstatat((int)directory, name, &found, lookup & FOLLOW ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
    m3ApiReturn(wasi_errno()) memset((uint8_t *)_mem + out, 0, 64);
  put64(_mem, out, (uint64_t)found.st_dev);
  put64(_mem, out + 8, (uint64_t)found.st_ino);
  put32(_mem, out + 16, type_of(&found));
  put64(_mem, out + 32, (uint64_t)found.st_size);
  m3ApiReturn(WASI_OK)
}

static m3ApiRawFunction(fd_seek) {
  m3ApiReturnType(uint32_t) m3ApiGetArg(uint32_t, fd) m3ApiGetArg(int64_t, offset) m3ApiGetArg(uint32_t, whence)
      m3ApiGetArg(uint32_t, out) static const int from[] = {SEEK_SET, SEEK_CUR, SEEK_END};
  off_t at = whence < 3 ? lseek((int)fd, offset, from[whence]) : (errno = EINVAL, -1);
  if (at < 0) m3ApiReturn(wasi_errno()) put64(_mem, out, (uint64_t)at);
  m3ApiReturn(WASI_OK)
}

/* The first piece in the program's list is enough: it asks again for the rest. */
static struct iovec first_piece(void *memory, uint32_t list, uint32_t count) {
  for (uint32_t i = 0; i < count; i++, list += 8) {
    uint32_t piece[2];
    memcpy(piece, (uint8_t *)memory + list, 8);
    if (piece[1] > 0) return (struct iovec){(uint8_t *)memory + piece[0], piece[1]};
  }
  return (struct iovec){memory, 0};
}

/* It lists no folders. */
static m3ApiRawFunction(fd_readdir) { m3ApiReturnType(uint32_t) m3ApiReturn(WASI_NOTSUP) }

static m3ApiRawFunction(fd_read) {
  m3ApiReturnType(uint32_t) m3ApiGetArg(uint32_t, fd) m3ApiGetArg(uint32_t, list) m3ApiGetArg(uint32_t, count)
      m3ApiGetArg(uint32_t, out) struct iovec piece = first_piece(_mem, list, count);
  ssize_t n = read((int)fd, piece.iov_base, piece.iov_len);
  if (n < 0) m3ApiReturn(wasi_errno()) put32(_mem, out, (uint32_t)n);
  m3ApiReturn(WASI_OK)
}

static m3ApiRawFunction(fd_write) {
  m3ApiReturnType(uint32_t) m3ApiGetArg(uint32_t, fd) m3ApiGetArg(uint32_t, list) m3ApiGetArg(uint32_t, count)
      m3ApiGetArg(uint32_t, out) struct iovec piece = first_piece(_mem, list, count);
  ssize_t n = write((int)fd, piece.iov_base, piece.iov_len);
  if (n < 0) m3ApiReturn(wasi_errno()) put32(_mem, out, (uint32_t)n);
  m3ApiReturn(WASI_OK)
}

static m3ApiRawFunction(fd_close) {
  m3ApiReturnType(uint32_t) m3ApiGetArg(uint32_t, fd) if (close((int)fd) != 0) m3ApiReturn(wasi_errno())
      m3ApiReturn(WASI_OK)
}

static m3ApiRawFunction(proc_exit) {
  m3ApiGetArg(uint32_t, status)(void) _mem;
  ((program *)m3_GetUserData(runtime))->status = (int)status;
  m3ApiTrap(m3Err_trapExit)
}

static m3ApiRawFunction(clock_time_get) {
  m3ApiReturnType(uint32_t) m3ApiGetArg(uint32_t, clock) m3ApiGetArg(uint64_t, precision)
      m3ApiGetArg(uint32_t, out)(void) precision;
  struct timespec t;
  clock_gettime(clock == 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &t);
  put64(_mem, out, (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
  m3ApiReturn(WASI_OK)
}

static const struct {
  const char *name, *signature;
  M3RawCall function;
} functions[] = {
    {"args_get", "i(ii)", args_get},
    {"args_sizes_get", "i(ii)", args_sizes_get},
    {"clock_time_get", "i(iIi)", clock_time_get},
    {"fd_close", "i(i)", fd_close},
    {"fd_fdstat_get", "i(ii)", fd_fdstat_get},
    {"fd_prestat_dir_name", "i(i*i)", fd_prestat_dir_name},
    {"fd_prestat_get", "i(ii)", fd_prestat_get},
    {"fd_read", "i(iiii)", fd_read},
    {"fd_readdir", "i(iiiIi)", fd_readdir},
    {"fd_seek", "i(iIii)", fd_seek},
    {"fd_write", "i(iiii)", fd_write},
    {"path_filestat_get", "i(ii*ii)", path_filestat_get},
    {"path_open", "i(ii*iiIIii)", path_open},
    {"proc_exit", "v(i)", proc_exit},
};

static _Noreturn void die(const char *what, const char *why) {
  fprintf(stderr, "wasm3: %s: %s\n", what, why);
  exit(125);
}

static void check(const char *what, M3Result why) {
  if (why) die(what, why);
}

typedef struct wasm {
  uint8_t *bytes;
  uint32_t size;
} wasm;

static wasm read_whole(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) die(path, strerror(errno));
  fseek(file, 0, SEEK_END);
  wasm w = {.size = (uint32_t)ftell(file)};
  rewind(file);
  w.bytes = malloc(w.size);
  if (!w.bytes || fread(w.bytes, 1, w.size, file) != w.size) die(path, "cannot be read");
  fclose(file);
  return w;
}

static int run(void *with, int count, char **words) {
  const wasm *w = with;
  if (dup2(open("/", O_RDONLY | O_DIRECTORY), ROOT) != ROOT) die("/", strerror(errno));
  program p = {.count = count, .words = words};
  IM3Environment environment = m3_NewEnvironment();
  IM3Runtime runtime = m3_NewRuntime(environment, STACK_SIZE, &p);
  IM3Module module;
  IM3Function start;
  check("parsing", m3_ParseModule(environment, &module, w->bytes, w->size));
  check("loading", m3_LoadModule(runtime, module));
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    check(functions[i].name, m3_LinkRawFunction(module, "wasi_snapshot_preview1", functions[i].name,
                                                functions[i].signature, functions[i].function));
  check("_start", m3_FindFunction(&start, runtime, "_start"));
  M3Result ended = m3_CallV(start);
  M3ErrorInfo info;
  m3_GetErrorInfo(runtime, &info);
  if (ended && ended != m3Err_trapExit) die(ended, info.message);
  return p.status;
}

int main(int count, char **words) {
  int many = count == 3 && strcmp(words[1], "--each") == 0;
  if (count < 2) return 125;
  wasm w = read_whole(words[many ? 2 : 1]);
  return many ? run_each(run, &w, words[2]) : run(&w, count - 1, words + 1);
}
