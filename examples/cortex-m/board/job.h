/* What a program is asked on its command line, `FILE WHAT OUT`: to write a chunk or a field of that .cpb
 * file to a third file. And the report of what that took. */
#ifndef CPB_JOB_H
#define CPB_JOB_H

#include <stddef.h>
#include <stdint.h>

typedef struct job {
  int file, out;
  uint32_t size; /* of the file; semihosting has 32 bits for it */
  char what[48]; /* a path; or the number of a chunk, which is then `chunk` as well */
  uint64_t chunk;
} job;

/* 0, or the exit status when something is missing, which was printed. */
int job_begin(job *j);

/* Prints `text` and the number behind it, on a line. */
void job_print(const char *text, uint64_t number);

/* Prints what was used, one number a line: static, heap, stack and all of RAM, and ticks. */
void job_report(void);

#endif
