/* Either of the engines that write a .cpb file, or a fork of one. */
#ifndef CPB_HOST_PACKER_H
#define CPB_HOST_PACKER_H

#include <stdbool.h>

#include "cpb/repack.h"
#include "cpb/split.h"

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

#endif
