/* Transfers: their state, the packer of either kind, and what threads do for them. */
#ifndef CPB_HOST_TRANSFER_H
#define CPB_HOST_TRANSFER_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cpb/file.h"
#include "cpb/repack.h"
#include "cpb/split.h"

typedef struct cpb_transfer {
  cpb_file *in;
  cpb_output *out; /* NULL: the merged message is compared, or only read */
  cpb_file *against;
  cpb_comparison *comparison;
  cpb_file_options options;
  cpb_error *error;
} cpb_transfer;

/* The allowed number of threads. */
static inline unsigned cpb_transfer_threads(const cpb_transfer *t) {
  return t->options.threads < 1 ? 1 : t->options.threads > 256 ? 256 : t->options.threads;
}

/* Reports progress, in which a program may end the operation: false with the error set. `progress` may be NULL. */
static inline bool cpb_progress_report(cpb_progress progress, void *user, uint64_t done, uint64_t total,
                                       cpb_error *error) {
  if (!progress || progress(user, done, total) == 0) return true;
  cpb_fail(error, CPB_E_CANCELLED, CPB_NO_OFFSET, "%s", cpb_code_text(CPB_E_CANCELLED));
  return false;
}

/* The same with the transfer's error if the host cancels. */
static inline bool cpb_transfer_go_on(cpb_transfer *t, uint64_t done, uint64_t total) {
  return cpb_progress_report(t->options.progress, t->options.user, done, total, t->error);
}

/* --- Comparing a merged message with a file (transfer.c) --------------------------------- */

/* The message's bytes from `offset` on, against the file's. Once they differ, or the file cannot be read, it does
 * nothing. */
void cpb_compare_bytes(cpb_comparison *c, cpb_file *against, uint64_t offset, const uint8_t *data, size_t size);

/* --- Checking all records ----------------------------------------------------------------- */

typedef struct cpb_checking {
  cpb_transfer transfer;
  cpb_check check;
} cpb_checking;

/* Gives a record to the program. False with the error set if the program stops the check. */
static inline bool cpb_check_record(cpb_checking *c, const cpb_record *record) {
  cpb_code code = c->check.record ? c->check.record(c->check.user, record) : CPB_OK;
  if (code != CPB_OK) cpb_fail(c->transfer.error, code, CPB_NO_OFFSET, "%s", cpb_code_text(code));
  return code == CPB_OK;
}

/* --- Either of the engines that write a .cpb file, or a fork of one ------------------------ */

typedef struct cpb_packer {
  cpb_split *split; /* one of them is not NULL */
  cpb_repack *repack;
} cpb_packer;

static inline cpb_step cpb_packer_step(const cpb_packer *p) {
  return p->split ? cpb_split_step(p->split) : cpb_repack_step(p->repack);
}

static inline cpb_input *cpb_packer_input(const cpb_packer *p) {
  return p->split ? cpb_split_input(p->split) : cpb_repack_input(p->repack);
}

static inline const uint8_t *cpb_packer_output(const cpb_packer *p, uint64_t *offset, size_t *length) {
  return p->split ? cpb_split_output(p->split, offset, length) : cpb_repack_output(p->repack, offset, length);
}

static inline void cpb_packer_progress(const cpb_packer *p, uint64_t *done, uint64_t *total) {
  if (p->split) cpb_split_progress(p->split, done, total);
  if (p->repack) cpb_repack_progress(p->repack, done, total);
}

static inline const cpb_error *cpb_packer_error(const cpb_packer *p) {
  return p->split ? cpb_split_error(p->split) : cpb_repack_error(p->repack);
}

/* The step that makes the file's plan, or reads its index, before parts can be formed. */
static inline cpb_step cpb_packer_plan(const cpb_packer *p) {
  return p->split ? cpb_split_plan(p->split) : cpb_repack_open(p->repack);
}

static inline cpb_code cpb_packer_cut(const cpb_packer *p, uint64_t least, size_t *count) {
  return p->split ? cpb_split_cut(p->split, least, count) : cpb_repack_cut(p->repack, least, count);
}

static inline bool cpb_packer_fork(const cpb_packer *p, const cpb_allocator *a, cpb_packer *fork) {
  if (p->split) fork->split = cpb_split_fork(p->split, a);
  else fork->repack = cpb_repack_fork(p->repack, a);
  return fork->split || fork->repack;
}

static inline cpb_code cpb_packer_part(const cpb_packer *fork, size_t part) {
  return fork->split ? cpb_split_part(fork->split, part) : cpb_repack_part(fork->repack, part);
}

static inline cpb_code cpb_packer_give(const cpb_packer *p, const void *data, size_t size) {
  return p->split ? cpb_split_give(p->split, data, size) : cpb_repack_give(p->repack, data, size);
}

static inline cpb_code cpb_packer_restart(const cpb_packer *p) {
  return p->split ? cpb_split_restart(p->split) : cpb_repack_restart(p->repack);
}

static inline void cpb_packer_free(cpb_packer *p) {
  cpb_split_free(p->split);
  cpb_repack_free(p->repack);
}

/* --- Threads: ..._threads.c, or threads_none.c, which stands for all of them ---------------- */

/* Merges the planned message, in parts that end at `ends`, with `count` threads. False: something failed, and a single
 * thread must repeat it, so that the error is always the same; the bytes before `*written` are final. True: it is
 * complete, or the transfer's error tells why it cannot continue. */
bool cpb_merge_by_threads(cpb_transfer *t, cpb_merge *merge, const uint64_t *ends, size_t num_parts, unsigned count,
                          uint64_t *written);

/* Reads the parts between `cuts`, the last of which is UINT64_MAX, with `count` threads, and reports every record.
 * False: nothing was reported, because the file has errors, or memory is short: a single thread must find the
 * reason. */
bool cpb_check_by_threads(cpb_checking *c, const uint64_t *cuts, size_t num_parts, unsigned count);

/* --- Threads that encode the parts of a file ------------------------------------------- */

typedef struct cpb_encoders cpb_encoders;

/* `packer` was cut into `num_parts`. NULL if memory or threads are short, or the input cannot be shared; the packer
 * then continues alone. */
cpb_encoders *cpb_encoders_new(cpb_transfer *t, const cpb_packer *packer, size_t num_parts, unsigned count);

/* Ends all threads. */
void cpb_encoders_free(cpb_encoders *e);

typedef enum cpb_taken {
  CPB_TAKEN,
  CPB_TAKEN_LATER, /* it is not ready after up to a tenth of a second */
  CPB_TAKEN_NEVER  /* something failed: the packer must repeat it alone */
} cpb_taken;

/* Takes the next part, in order; without bytes if the packer must encode it. */
cpb_taken cpb_encoders_wait(cpb_encoders *e, cpb_span *part);

/* Gives back the last part, which has been written. */
void cpb_encoders_give_back(cpb_encoders *e);

#endif
