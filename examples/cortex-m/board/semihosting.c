#include "semihosting.h"

#include <string.h>

enum {
  SYS_OPEN = 1,
  SYS_WRITE0 = 4,
  SYS_WRITE = 5,
  SYS_READ = 6,
  SYS_SEEK = 10,
  SYS_FLEN = 12,
  SYS_GET_CMDLINE = 21,
  SYS_EXIT_EXTENDED = 32
};
enum { MODE_READ = 1, MODE_WRITE = 5 }; /* "rb", "wb" */
#define APPLICATION_EXIT 0x20026u

static int call(int operation, const void *arguments) {
  register int r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = arguments;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

int semihosting_command_line(char *out, size_t size) {
  uintptr_t arguments[] = {(uintptr_t)out, size};
  return call(SYS_GET_CMDLINE, arguments);
}

static int open_file(const char *name, unsigned mode) {
  uintptr_t arguments[] = {(uintptr_t)name, mode, strlen(name)};
  return call(SYS_OPEN, arguments);
}

int semihosting_open_to_read(const char *name) { return open_file(name, MODE_READ); }

int semihosting_open_to_write(const char *name) { return open_file(name, MODE_WRITE); }

uint32_t semihosting_size(int file) {
  uintptr_t arguments[] = {(uintptr_t)file};
  return (uint32_t)call(SYS_FLEN, arguments);
}

size_t semihosting_read(int file, uint32_t offset, void *out, size_t size) {
  uintptr_t seek[] = {(uintptr_t)file, offset}, read[] = {(uintptr_t)file, (uintptr_t)out, size};
  if (call(SYS_SEEK, seek) != 0) return 0;
  int missing = call(SYS_READ, read);
  return missing < 0 || (size_t)missing > size ? 0 : size - (size_t)missing;
}

int semihosting_write(int file, const void *data, size_t size) {
  uintptr_t arguments[] = {(uintptr_t)file, (uintptr_t)data, size};
  return call(SYS_WRITE, arguments) == 0 ? 0 : -1;
}

void semihosting_print(const char *text) { call(SYS_WRITE0, text); }

void semihosting_exit(int status) {
  uintptr_t arguments[] = {APPLICATION_EXIT, (uintptr_t)status};
  for (;;) call(SYS_EXIT_EXTENDED, arguments);
}
