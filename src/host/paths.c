/* Transfers with paths: opens both files, and commits the output on success. */
#include <stdbool.h>

#include "base/limits.h"
#include "base/status.h"
#include "cpb/file.h"
#include "cpb/url.h"

typedef struct paths {
  cpb_file_options options;
  cpb_file *in;
  cpb_output *out;
} paths;

static bool open_both(paths *p, const char *in, const char *out, const cpb_file_options *options, cpb_error *error) {
  cpb_options_copy(&p->options, sizeof p->options, options);
  p->in = p->options.urls && cpb_is_url(in) ? cpb_url_open(p->options.allocator, in, p->options.urls, error)
                                            : cpb_file_open(p->options.allocator, in, error);
  if (!p->in) return false;
  if (p->options.allow_references) cpb_file_allow_references(p->in, p->options.urls);
  cpb_output_options how = {.struct_size = sizeof how, .replace = p->options.replace, .sync = p->options.sync};
  p->out = cpb_output_create(p->options.allocator, out, &how, error);
  if (!p->out) cpb_file_close(p->in);
  return p->out != NULL;
}

static cpb_code close_both(paths *p, cpb_code code, cpb_error *error) {
  if (code == CPB_OK) code = cpb_output_commit(p->out);
  if (code != CPB_OK && error->code == CPB_OK) *error = *cpb_output_error(p->out);
  cpb_output_free(p->out);
  cpb_file_close(p->in);
  return code;
}

static cpb_code merge(paths *p, cpb_index *index, cpb_error *error) {
  cpb_step step;
  while ((step = cpb_index_step(index)) == CPB_STEP_NEED) cpb_file_supply(p->in, cpb_index_input(index));
  if (step == CPB_STEP_DONE) return cpb_transfer_merge(p->in, index, p->out, &p->options, error);
  *error = *cpb_index_error(index);
  return error->code;
}

cpb_code cpb_file_merge(const char *in, const char *out, const cpb_file_options *options, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  paths p;
  if (!open_both(&p, in, out, options, error)) return error->code;
  cpb_index *index = cpb_index_new(p.options.allocator, p.options.limits);
  cpb_code code = index ? merge(&p, index, error) : cpb_fail_memory(error);
  cpb_index_free(index);
  return close_both(&p, code, error);
}

/* Errors of the base mention it: other errors are about the input. */
static cpb_code blame_base(cpb_error *error) {
  const cpb_error inner = *error;
  error->code = CPB_OK;
  return cpb_fail(error, inner.code, inner.offset, "base: %s", inner.message);
}

static cpb_split_base *read_base(paths *p, const char *out, cpb_split *split, cpb_error *error) {
  cpb_step step;
  while ((step = cpb_split_plan(split)) == CPB_STEP_NEED) cpb_file_supply(p->in, cpb_split_input(split));
  if (step != CPB_STEP_DONE) {
    *error = *cpb_split_error(split);
    return NULL;
  }
  cpb_split_base *base = cpb_file_read_base(p->options.base, out, split, &p->options, error);
  if (base && cpb_split_share(split, base) != CPB_OK) *error = *cpb_split_error(split);
  else if (!base && error->code != CPB_E_MEMORY && error->code != CPB_E_CANCELLED) blame_base(error);
  return base;
}

static cpb_code split_file(paths *p, const char *out, cpb_split *split, cpb_error *error) {
  cpb_split_base *base = p->options.base ? read_base(p, out, split, error) : NULL;
  if (error->code == CPB_OK) cpb_transfer_split(p->in, p->out, split, &p->options, error);
  cpb_split_free(split);
  cpb_split_base_free(base);
  return error->code;
}

cpb_code cpb_file_split(const char *in, const char *out, const cpb_split_options *how, const cpb_file_options *options,
                        cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  paths p;
  cpb_split_options ours;
  if (!open_both(&p, in, out, options, error)) return error->code;
  cpb_options_copy(&ours, sizeof ours, how);
  ours.seekable = 1;
  ours.limits = p.options.limits;
  cpb_split *split = cpb_split_new(p.options.allocator, &ours);
  return close_both(&p, split ? split_file(&p, out, split, error) : cpb_fail_memory(error), error);
}

cpb_code cpb_file_repack(const char *in, const char *out, const cpb_repack_options *how,
                         const cpb_file_options *options, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  paths p;
  cpb_repack_options ours;
  if (!open_both(&p, in, out, options, error)) return error->code;
  cpb_options_copy(&ours, sizeof ours, how);
  ours.seekable = 1;
  ours.limits = p.options.limits;
  cpb_repack *repack = cpb_repack_new(p.options.allocator, &ours);
  cpb_code code = repack ? cpb_transfer_repack(p.in, p.out, repack, &p.options, error) : cpb_fail_memory(error);
  cpb_repack_free(repack);
  return close_both(&p, code, error);
}
