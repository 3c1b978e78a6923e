/* A library to preload: the CPB_FAIL_AT-th call of a kind fails with errno
 * CPB_FAIL_WITH, or ends the process there when that is "exit", or transfers a
 * single byte when that is "short", or has the file CPB_SHORTEN cut off before it
 * when that is "shorten". CPB_FAIL_KIND is "read", "write" (which
 * stands for all that changes files) or "memory" (what the program itself
 * allocates, not what libraries do on its behalf). At its end a process appends
 * to the file CPB_FAIL_COUNT the number of such calls, and that of blocks of
 * memory and descriptors that it did not give back. With CPB_ALL_NAMED there are
 * no files without a name. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int calls, blocks, descriptors;
static bool over = true; /* before main and after it: what is called there is the C library's affair */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of these, and of the blocks */

static struct {
  const char *kind, *with;
  int at, error;
  uintptr_t begin, end; /* of the program in memory */
} plan;

#define SHORTENED 1000 /* bytes that are left */

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static void report(void) {
  over = true;
  const char *path = getenv("CPB_FAIL_COUNT");
  if (path == NULL) return;
  FILE *file = fopen(path, "a");
  if (file == NULL) return;
  fprintf(file, "%d %d %d\n", calls, blocks, descriptors);
  fclose(file);
}

/* Where the first object that is loaded, the program, lies. */
static int find_program(struct dl_phdr_info *info, size_t size, void *user) {
  (void)size;
  (void)user;
  plan.begin = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + part->p_vaddr, end = begin + part->p_memsz;
    if (part->p_type != PT_LOAD) continue;
    if (begin < plan.begin) plan.begin = begin;
    if (end > plan.end) plan.end = end;
  }
  return 1;
}

__attribute__((constructor)) static void prepare(void) {
  const char *at = getenv("CPB_FAIL_AT");
  plan.kind = getenv("CPB_FAIL_KIND");
  plan.with = getenv("CPB_FAIL_WITH");
  if (plan.kind == NULL || at == NULL || plan.with == NULL) return;
  plan.at = atoi(at);
  plan.error = atoi(plan.with);
  dl_iterate_phdr(find_program, NULL);
  atexit(report);
  over = false;
}

/* What follows main() is not the program's: the compiler's runtime may write how it ran. */
static int (*program)(int, char **, char **);

static int until_end(int argc, char **argv, char **environment) {
  int result = program(argc, argv, environment);
  over = true;
  return result;
}

int __libc_start_main(int (*start)(int, char **, char **), int argc, char **argv, void (*begin)(void),
                      void (*end)(void), void (*unload)(void), void *stack) {
  REAL(__libc_start_main);
  program = start;
  return real(until_end, argc, argv, begin, end, unload, stack);
}

static bool is_the_call(const char *kind) {
  if (over || strcmp(plan.kind, kind) != 0) return false;
  pthread_mutex_lock(&lock);
  bool found = calls++ == plan.at;
  pthread_mutex_unlock(&lock);
  return found;
}

/* Whether the call is the one, and then not to be made. `size` is that of a
 * transfer, which can also be interrupted or short; NULL is for other calls. */
static bool fails(const char *kind, size_t *size) {
  if (!is_the_call(kind)) return false;
  if (strcmp(plan.with, "exit") == 0) _exit(99);
  if (strcmp(plan.with, "shorten") == 0) {
    if (truncate(getenv("CPB_SHORTEN"), SHORTENED) != 0) abort();
    return false;
  }
  bool is_transfer = size != NULL && *size > 0;
  if (strcmp(plan.with, "short") == 0) {
    if (is_transfer) *size = 1;
    return false;
  }
  errno = plan.error;
  return errno != EINTR || is_transfer;
}

/* --- Files -------------------------------------------------------------------- */

static int opened(int fd) {
  pthread_mutex_lock(&lock);
  descriptors += fd >= 0 && !over;
  pthread_mutex_unlock(&lock);
  return fd;
}

#define OPEN(name)                                                    \
  int name(const char *path, int flags, ...) {                        \
    va_list list;                                                     \
    va_start(list, flags);                                            \
    bool makes = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE; \
    mode_t mode = makes ? va_arg(list, mode_t) : 0;                   \
    va_end(list);                                                     \
    REAL(name);                                                       \
    if (!(flags & O_CREAT) && makes && getenv("CPB_ALL_NAMED")) {     \
      errno = EOPNOTSUPP;                                             \
      return -1;                                                      \
    }                                                                 \
    if (fails(makes ? "write" : "read", NULL)) return -1;             \
    return opened(real(path, flags, mode));                           \
  }
OPEN(open)
OPEN(open64)

/* Nothing is made by these. */
#define OPENAT(name)                                       \
  int name(int folder, const char *path, int flags, ...) { \
    REAL(name);                                            \
    if (fails("read", NULL)) return -1;                    \
    return opened(real(folder, path, flags));              \
  }
OPENAT(openat)
OPENAT(openat64)
OPENAT(__openat64_2) /* which _FORTIFY_SOURCE calls */

DIR *opendir(const char *path) {
  REAL(opendir);
  return fails("read", NULL) ? NULL : real(path);
}

#define MKSTEMP(name)          \
  int name(char *path) {       \
    REAL(name);                \
    return opened(real(path)); \
  }
MKSTEMP(mkstemp)
MKSTEMP(mkstemp64)

int close(int fd) {
  bool failed = !over && fails("write", NULL);
  int error = errno;
  REAL(close);
  int result = real(fd);
  if (over) return result;
  pthread_mutex_lock(&lock);
  descriptors -= result == 0;
  pthread_mutex_unlock(&lock);
  errno = failed ? error : errno;
  return failed ? -1 : result;
}

ssize_t read(int fd, void *data, size_t size) {
  if (fails("read", &size)) return -1;
  REAL(read);
  return real(fd, data, size);
}

ssize_t write(int fd, const void *data, size_t size) {
  if (fd > 2 && fails("write", &size)) return -1;
  REAL(write);
  return real(fd, data, size);
}

#define SHARED_READ(name)                                       \
  ssize_t name(int fd, void *data, size_t size, off_t offset) { \
    if (fails("read", &size)) return -1;                        \
    REAL(name);                                                 \
    return real(fd, data, size, offset);                        \
  }
SHARED_READ(pread)
SHARED_READ(pread64)

#define SHARED_WRITE(name)                                            \
  ssize_t name(int fd, const void *data, size_t size, off_t offset) { \
    if (fails("write", &size)) return -1;                             \
    REAL(name);                                                       \
    return real(fd, data, size, offset);                              \
  }
SHARED_WRITE(pwrite)
SHARED_WRITE(pwrite64)

/* A thread that cannot be had is like memory that cannot. */
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *), void *user) {
  if (fails("memory", NULL)) return EAGAIN;
  REAL(pthread_create);
  return real(thread, how, work, user);
}

int dup(int fd) {
  if (fails("read", NULL)) return -1;
  REAL(dup);
  return opened(real(fd));
}

/* Calls that change a file, or lock it. */
#define CHANGE(name, parameters, arguments) \
  int name parameters {                     \
    if (fails("write", NULL)) return -1;    \
    REAL(name);                             \
    return real arguments;                  \
  }
CHANGE(fsync, (int fd), (fd))
CHANGE(flock, (int fd, int how), (fd, how))
CHANGE(fchmod, (int fd, mode_t mode), (fd, mode))
CHANGE(fchown, (int fd, uid_t owner, gid_t group), (fd, owner, group))
CHANGE(rename, (const char *from, const char *to), (from, to))
CHANGE(link, (const char *from, const char *to), (from, to))
CHANGE(linkat, (int from, const char *old, int to, const char *new, int flags), (from, old, to, new, flags))

/* --- Memory ------------------------------------------------------------------- */

void *__libc_malloc(size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static bool is_program(const void *caller) {
  return !over && (uintptr_t)caller >= plan.begin && (uintptr_t)caller < plan.end;
}

#define BY_PROGRAM is_program(__builtin_return_address(0))

/* The program's blocks. Who gives one back is not seen from a tail call's return
 * address, so it is known by its address. */
static void *kept[1 << 16];

static void *keep(void *block) {
  pthread_mutex_lock(&lock);
  if (block != NULL && blocks < (int)(sizeof kept / sizeof *kept)) kept[blocks++] = block;
  pthread_mutex_unlock(&lock);
  return block;
}

static bool let_go(const void *block) {
  bool found = false;
  pthread_mutex_lock(&lock);
  for (int i = blocks; i-- > 0 && !found;) {
    found = kept[i] == block;
    if (found) kept[i] = kept[--blocks];
  }
  pthread_mutex_unlock(&lock);
  return found;
}

void *malloc(size_t size) {
  bool counts = BY_PROGRAM;
  if (counts && fails("memory", NULL)) return NULL;
  void *block = __libc_malloc(size);
  return counts ? keep(block) : block;
}

void *realloc(void *block, size_t size) {
  bool counts = BY_PROGRAM;
  if (counts && fails("memory", NULL)) return NULL;
  void *moved = __libc_realloc(block, size);
  if (moved == NULL) return NULL;
  bool was_kept = block != NULL && let_go(block);
  return counts || was_kept ? keep(moved) : moved;
}

void free(void *block) {
  if (block != NULL) let_go(block);
  __libc_free(block);
}
