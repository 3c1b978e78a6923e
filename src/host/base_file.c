/* Opens a base for a split, from a path or URL: its name for the output file, and its chunks. */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file_name.h"
#include "base/limits.h"
#include "base/status.h"
#include "host/descriptor.h"
#include "host/references.h"
#include "host/transfer.h"

#define URL_MOST 4096u

typedef struct reading {
  cpb_file_options options;
  const char *path, *out;
  cpb_buffer name; /* the base's name in the output, and a NUL */
  cpb_file *file;
  cpb_error *error;
} reading;

static bool failed(reading *r, cpb_code code, const char *text) {
  return CPB_FAILS(r->error, code, CPB_NO_OFFSET, "%s", text);
}

static size_t folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* --- The name ------------------------------------------------------------------------ */

/* Secrets must not get into a file that is passed on. */
static bool name_url(reading *r) {
  char plain[URL_MOST];
  if (!r->options.allow_references)
    return failed(r, CPB_E_USAGE,
                  "the base is a URL, which readers of the output do not ask for by default; expected a file, or "
                  "--allow-references here and for every reader");
  if (strcmp(cpb_url_name(r->path, plain, sizeof plain), r->path) != 0)
    return failed(r, CPB_E_USAGE,
                  "the base's URL would be in the output; expected one without password, query and fragment");
  return cpb_buffer_append(&r->name, r->path, strlen(r->path)) || cpb_fail_memory(r->error) == CPB_OK;
}

/* Whether a path from one folder to a file begins with "../". */
static bool leads_up(const uint8_t *name, size_t size) { return size >= 3 && memcmp(name, "../", 3) == 0; }

static bool name_path(reading *r) {
  errno = 0;
  if (!cpb_reference_name(r->path, r->out, folder_of(r->out), &r->name)) {
    if (errno == EXDEV)
      return failed(r, CPB_E_USAGE, "the base is in another folder than the output, which WASI has no path to");
    if (errno == 0 || errno == ENOMEM) cpb_fail_memory(r->error);
    else cpb_fail_errno(r->error, CPB_E_READ);
    return false;
  }
  if (r->options.allow_references || !leads_up(r->name.data, r->name.size)) return true;
  return failed(r, CPB_E_USAGE,
                "the base is not in the output's folder or below it, and readers of the output look nowhere else by "
                "default; expected it there, or --allow-references here and for every reader");
}

static bool set_name(reading *r) {
  bool done = cpb_is_url(r->path) ? name_url(r) : name_path(r);
  return done && (cpb_buffer_append(&r->name, "", 1) || cpb_fail_memory(r->error) == CPB_OK);
}

/* --- Reading ------------------------------------------------------------------------- */

static bool open_base(reading *r) {
  const cpb_file_options *o = &r->options;
  const bool is_url = cpb_is_url(r->path);
  if (is_url && !o->urls) return failed(r, CPB_E_USAGE, "the base is a URL; expected url options, or a path");
  r->file =
      is_url ? cpb_url_open(o->allocator, r->path, o->urls, r->error) : cpb_file_open(o->allocator, r->path, r->error);
  if (r->file && o->allow_references) cpb_file_allow_references(r->file, o->urls);
  return r->file != NULL;
}

static bool read_chunks(reading *r, cpb_split_base *base) {
  cpb_step step;
  uint64_t done, total, size;
  cpb_other_file now;
  while ((step = cpb_split_base_step(base)) == CPB_STEP_NEED) {
    cpb_file_supply(r->file, cpb_split_base_input(base));
    cpb_split_base_progress(base, &done, &total);
    if (!cpb_progress_report(r->options.progress, r->options.user, done, total, r->error)) return false;
  }
  if (step != CPB_STEP_DONE) *r->error = *cpb_split_base_error(base);
  if (r->error->code != CPB_OK || cpb_file_size(r->file, &size, r->error) != CPB_OK) return false;
  cpb_split_base_get_file(base, 0, &now);
  return size == now.size || failed(r, CPB_E_READ, "the base's size changed while it was read");
}

/* --- What the output must not replace ------------------------------------------------- */

static bool is_output(const reading *r, const cpb_other_file *other, bool *same) {
  const cpb_allocator a = cpb_allocator_or_default(r->options.allocator);
  const size_t folder = other->name[0] == '/' ? 0 : folder_of(r->out);
  char *path = cpb_alloc(&a, folder + other->length + 1);
  if (!path) return false;
  const cpb_span name = {(const uint8_t *)other->name, other->length};
  memcpy(path, r->out, folder);
  if (!cpb_file_name_normalize(name, path + folder)) memcpy(path + folder, name.data, name.size);
  path[folder + name.size] = '\0';
  *same = !cpb_is_url(path + folder) && cpb_reference_is_same(path, r->out);
  cpb_release(&a, path);
  return true;
}

static bool check_output(reading *r, const cpb_split_base *base) {
  cpb_other_file other;
  if (!cpb_reference_is_same(r->out, r->out)) return true; /* the output does not exist yet */
  for (uint32_t file = 0; cpb_split_base_get_file(base, file, &other) == CPB_OK; file++) {
    bool same = false;
    if (!is_output(r, &other, &same)) return cpb_fail_memory(r->error) == CPB_OK;
    if (same)
      return failed(r, CPB_E_USAGE,
                    file == 0 ? "the base is the output itself; expected another file"
                              : "the base has chunks in the output; expected another name for it");
  }
  return true;
}

static cpb_split_base *read_base(reading *r, const cpb_split *split) {
  const cpb_split_base_options which = {
      .struct_size = sizeof which, .name = (const char *)r->name.data, .limits = r->options.limits};
  cpb_split_base *base = cpb_split_base_new(r->options.allocator, split, &which);
  if (!base) cpb_fail_memory(r->error);
  if (base && read_chunks(r, base) && check_output(r, base)) return base;
  cpb_split_base_free(base);
  return NULL;
}

cpb_split_base *cpb_file_read_base(const char *path, const char *out, const cpb_split *split,
                                   const cpb_file_options *options, cpb_error *given_error) {
  cpb_error spare, *error = cpb_error_begin(given_error, &spare);
  reading r = {.path = path, .out = out, .error = error};
  cpb_options_copy(&r.options, sizeof r.options, options);
  const cpb_allocator a = cpb_allocator_or_default(r.options.allocator);
  cpb_buffer_init(&r.name, &a);
  cpb_split_base *base = set_name(&r) && open_base(&r) ? read_base(&r, split) : NULL;
  cpb_file_close(r.file);
  cpb_buffer_free(&r.name);
  return base;
}
