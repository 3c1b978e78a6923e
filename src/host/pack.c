/* Splits and repacks: the loop between the engine that makes a .cpb file, its input, the threads that encode for it, if
 * any, and its output. */
#include "base/checked.h"
#include "base/limits.h"
#include "base/status.h"
#include "host/transfer.h"

/* The size of parts that a thread encodes: large enough that handing them over costs little, small enough that all
 * threads finish at about the same time. */
#define PART_MOST ((uint64_t)1 << 20)
#define PART_LEAST ((uint64_t)64 << 10)
#define PARTS_EACH 8u

#define CPB_NAME_ROOM 4100 /* of the name of a file in an index */

typedef struct packing {
  cpb_transfer transfer;
  cpb_packer packer;
  cpb_encoders *encoders; /* NULL: no threads, or one has failed */
  bool holds_part;
  uint32_t file; /* number of one of several files, which is written to `other`; 0: none */
  cpb_output *other;
  uint64_t at;      /* where output comes in order */
  uint64_t written; /* bytes written since an earlier start */
} packing;

static bool failed(packing *p, const cpb_error *error) {
  if (p->transfer.error->code == CPB_OK) *p->transfer.error = *error;
  return false;
}

static bool go_on(packing *p) {
  uint64_t done, total;
  cpb_packer_progress(&p->packer, &done, &total);
  return cpb_transfer_go_on(&p->transfer, done, total);
}

/* With several files, the one that the engine is writing. */
static cpb_output *output_of(packing *p) {
  const cpb_file_options *options = &p->transfer.options;
  char name[CPB_NAME_ROOM];
  uint32_t file = p->packer.split ? cpb_split_file(p->packer.split) : 0;
  if (file == 0) {
    if (p->file > 0) p->at = p->file = 0;
    return p->transfer.out;
  }
  if (file == p->file) return p->other;
  cpb_split_file_name(p->packer.split, file, name, sizeof name);
  p->other = options->open_file ? options->open_file(options->open_user, name, p->transfer.error) : NULL;
  if (!p->other) cpb_fail(p->transfer.error, CPB_E_USAGE, CPB_NO_OFFSET, "there is no open_file for several files");
  p->file = file;
  p->at = 0;
  return p->other;
}

/* After a restart everything is as before, except that bytes may have been written over earlier ones. */
static bool write_output(packing *p) {
  uint64_t offset, skip = 0;
  size_t length;
  const uint8_t *data = cpb_packer_output(&p->packer, &offset, &length);
  cpb_output *out = output_of(p);
  if (!out) return false;
  if (offset == p->at) {
    skip = cpb_min_u64(length, offset < p->written ? p->written - offset : 0);
    p->at += length;
  }
  if (skip == length) return true;
  return cpb_output_write(out, offset + skip, data + skip, length - (size_t)skip) == CPB_OK ||
         failed(p, cpb_output_error(out));
}

/* --- Parts ------------------------------------------------------------------------ */

static void give_back(packing *p) {
  if (p->holds_part) cpb_encoders_give_back(p->encoders);
  p->holds_part = false;
}

/* Gives the next part, if threads encode it. */
static bool give_part(packing *p) {
  cpb_span part = {NULL, 0};
  cpb_taken taken = CPB_TAKEN_NEVER;
  give_back(p);
  while (p->encoders && (taken = cpb_encoders_wait(p->encoders, &part)) == CPB_TAKEN_LATER)
    if (!go_on(p)) return false;
  p->holds_part = taken == CPB_TAKEN;
  if (p->holds_part) return cpb_packer_give(&p->packer, part.data, part.size) == CPB_OK;
  cpb_encoders_free(p->encoders);
  p->encoders = NULL;
  return true;
}

/* Errors in the plan are reported by the next step. */
static void start_encoders(packing *p) {
  unsigned threads = cpb_transfer_threads(&p->transfer);
  uint64_t done, total;
  size_t count = 0;
  if (threads < 2) return;
  cpb_step step;
  while ((step = cpb_packer_plan(&p->packer)) == CPB_STEP_NEED) {
    cpb_file_supply(p->transfer.in, cpb_packer_input(&p->packer));
    if (!go_on(p)) return;
  }
  cpb_packer_progress(&p->packer, &done, &total);
  uint64_t least = cpb_max_u64(cpb_min_u64(PART_MOST, total / PARTS_EACH / threads), PART_LEAST);
  if (step != CPB_STEP_DONE || cpb_packer_cut(&p->packer, least, &count) != CPB_OK) return;
  threads = (unsigned)cpb_min_u64(threads, count);
  if (threads > 1) p->encoders = cpb_encoders_new(&p->transfer, &p->packer, count, threads);
}

/* --- The loop ----------------------------------------------------------------------- */

static bool take_step(packing *p, cpb_step step) {
  switch (step) {
    case CPB_STEP_NEED: cpb_file_supply(p->transfer.in, cpb_packer_input(&p->packer)); return true;
    case CPB_STEP_OUTPUT: return write_output(p);
    case CPB_STEP_PART: return give_part(p);
    default: return step == CPB_STEP_ERROR && failed(p, cpb_packer_error(&p->packer));
  }
}

static void run(packing *p) {
  while (p->transfer.error->code == CPB_OK && take_step(p, cpb_packer_step(&p->packer)) && go_on(p)) {}
}

/* Memory that was too little with threads may suffice without them. */
static bool starts_again(packing *p) {
  bool threads = p->encoders != NULL;
  cpb_encoders_free(p->encoders);
  p->encoders = NULL;
  if (!threads || p->transfer.error->code != CPB_E_MEMORY || cpb_packer_restart(&p->packer) != CPB_OK) return false;
  p->written = p->at;
  p->at = 0;
  *p->transfer.error = (cpb_error){.code = CPB_OK, .offset = CPB_NO_OFFSET};
  return true;
}

static cpb_code pack(packing *p) {
  start_encoders(p);
  run(p);
  if (starts_again(p)) run(p);
  return p->transfer.error->code;
}

static packing begin(cpb_file *in, cpb_output *out, const cpb_file_options *options, cpb_error *error) {
  packing p = {.transfer = {.in = in, .out = out, .error = error}};
  cpb_options_copy(&p.transfer.options, sizeof p.transfer.options, options);
  return p;
}

cpb_code cpb_transfer_split(cpb_file *in, cpb_output *out, cpb_split *split, const cpb_file_options *options,
                            cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  packing p = begin(in, out, options, error);
  p.packer.split = split;
  return pack(&p);
}

cpb_code cpb_transfer_repack(cpb_file *in, cpb_output *out, cpb_repack *repack, const cpb_file_options *options,
                             cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  packing p = begin(in, out, options, error);
  p.packer.repack = repack;
  return pack(&p);
}
