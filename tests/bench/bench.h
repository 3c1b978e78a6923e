/* What the benchmarks share: time, and a file in memory. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline void die(const char *text) {
  fprintf(stderr, "%s\n", text);
  exit(1);
}

static inline double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double now(void) { return seconds_of(CLOCK_MONOTONIC); }

#ifdef __wasi__ /* has no clock for it */
static inline double processor(void) { return now(); }
#else
static inline double processor(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
#endif

/* Runs `work`, which answers the bytes that it did: once, or for some seconds, and
 * then three times at least, as the first run finds its memory cold. Prints a line a run: seconds,
 * bytes, and seconds of the processor, which other programs do not change as much. */
static inline int measure(const char *for_seconds, uint64_t (*work)(void *), void *what) {
  double seconds = for_seconds != NULL ? strtod(for_seconds, NULL) : 0, end = now() + seconds;
  int at_least = seconds > 0 ? 3 : 1;
  for (int run = 0; run < at_least || now() < end; run++) {
    double start = now(), before = processor();
    uint64_t bytes = work(what);
    double used = processor() - before;
    printf("%.6f %llu %.6f\n", now() - start, (unsigned long long)bytes, used);
  }
  return 0;
}

static inline uint8_t *slurp(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) die(path);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  uint8_t *data = malloc(*size + 1);
  if (fread(data, 1, *size, file) != *size) die(path);
  fclose(file);
  return data;
}

#endif
