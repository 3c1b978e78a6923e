#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "host/url/address.h"
#include "host/url/exchange.h"
#include "serve.h"

#define URL_MAX ((size_t)4096)

const char *settings_text(const char *name) {
  const char *text = cpb_exchange_environment.variable(name);
  return text ? text : "";
}

bool settings_next_model(const char **at, serve_model *model) {
  const char *word = *at ? *at : settings_text("CPB_MODELS");
  word += strspn(word, SETTINGS_SPACE);
  size_t length = strcspn(word, SETTINGS_SPACE);
  const char *equals = memchr(word, '=', length);
  *at = word + length;
  if (!equals) return false;
  *model = (serve_model){.name = word,
                         .name_length = (size_t)(equals - word),
                         .url = equals + 1,
                         .url_length = length - (size_t)(equals + 1 - word)};
  model->is_prefix = model->name_length > 2 && !memcmp(equals - 2, "/*", 2);
  if (model->is_prefix) model->name_length -= 2;
  return true;
}

static bool is_name(const char *name, size_t length) {
  static const char others[] = "._-";
  for (size_t i = 0; i < length; i++) {
    char c = name[i];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && !memchr(others, c, sizeof others - 1)) return false;
  }
  return length > 0;
}

/* A copy that ends with NUL, if it is a URL without a password. */
static bool copy_url(const serve_model *model, char *out) {
  cpb_address address;
  if (model->url_length >= URL_MAX) return false;
  memcpy(out, model->url, model->url_length);
  out[model->url_length] = 0;
  if (!cpb_address_parse(out, &address)) return false;
  return address.host == address.scheme + address.scheme_length + strlen("://");
}

static bool check_model(const serve_model *model, unsigned number, cpb_error *error) {
  char url[URL_MAX], name[64];
  cpb_quote(name, sizeof name, model->name, model->name_length);
  if (!is_name(model->name, model->name_length)) {
    cpb_fail(
        error, CPB_E_USAGE, CPB_NO_OFFSET,
        "model %u of CPB_MODELS is called \"%s\"; expected letters, digits, \".\", \"_\" and \"-\", and /* after them "
        "for all below",
        number, name);
  } else if (!copy_url(model, url)) {
    cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET,
             "CPB_MODELS: the model %s has no http, https or s3 URL of up to %zu bytes without a password", name,
             URL_MAX - 1);
  } else if (model->is_prefix && !cpb_path_ends_with(url, "/")) {
    cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET,
             "CPB_MODELS: the URL of %s/* does not end in a slash; expected that of a folder, or a bucket", name);
  }
  return error->code == CPB_OK;
}

static int compare(const void *a, const void *b) {
  const serve_model *x = a, *y = b;
  size_t length = cpb_min_size(x->name_length, y->name_length);
  int order = memcmp(x->name, y->name, length);
  return order ? order : (x->name_length > y->name_length) - (x->name_length < y->name_length);
}

/* No name may occur twice, even if one of them is a prefix. */
static bool check_names(unsigned count, cpb_error *error) {
  const cpb_allocator a = cpb_allocator_or_default(NULL);
  const char *at = NULL;
  char name[64];
  size_t n = 0;
  serve_model *all = cpb_alloc(&a, count * sizeof *all);
  if (!all) return cpb_fail_memory(error) == CPB_OK;
  while (n < count && settings_next_model(&at, &all[n])) n++;
  qsort(all, n, sizeof *all, compare);
  for (size_t i = 1; i < n && error->code == CPB_OK; i++)
    if (compare(&all[i - 1], &all[i]) == 0)
      cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET, "CPB_MODELS has the name %s twice; expected one model for each",
               cpb_quote(name, sizeof name, all[i].name, all[i].name_length));
  cpb_release(&a, all);
  return error->code == CPB_OK;
}

/* A scheme, a host and perhaps a port, as browsers write them. */
static bool is_origin(const char *word, size_t length) {
  char text[256];
  cpb_address address;
  if (length == 1 && *word == '*') return true;
  if (length >= sizeof text) return false;
  memcpy(text, word, length);
  text[length] = 0;
  return cpb_address_parse(text, &address) && cpb_address_is_http(&address) && !*address.path;
}

static bool check_headers(cpb_error *error) {
  char quoted[64];
  const char *origin = settings_text("CPB_ORIGINS"), *cached = settings_text("CPB_CACHE_CONTROL");
  for (size_t length;; origin += length) {
    origin += strspn(origin, SETTINGS_SPACE);
    length = strcspn(origin, SETTINGS_SPACE);
    if (length == 0) break;
    if (is_origin(origin, length)) continue;
    return CPB_FAILS(error, CPB_E_USAGE, CPB_NO_OFFSET,
                     "CPB_ORIGINS has %s, which is no origin; expected \"*\", or such as https://host:8443",
                     cpb_quote(quoted, sizeof quoted, origin, length));
  }
  const char *checked = settings_text("CPB_CHECKED");
  if (*checked && strcmp(checked, "all") != 0 && strcmp(checked, "model") != 0)
    return CPB_FAILS(error, CPB_E_USAGE, CPB_NO_OFFSET, "CPB_CHECKED is \"%s\"; expected all or model",
                     cpb_quote(quoted, sizeof quoted, checked, strlen(checked)));
  size_t printable = 0;
  while (cached[printable] >= ' ' && cached[printable] <= '~') printable++;
  if (!cached[printable] && printable < SERVE_VALUE) return true;
  return CPB_FAILS(error, CPB_E_USAGE, CPB_NO_OFFSET,
                   "CPB_CACHE_CONTROL is no value of a header; expected up to %d printable characters",
                   SERVE_VALUE - 1);
}

bool settings_check(cpb_error *error) {
  const char *at = NULL;
  serve_model model;
  unsigned count = 0;
  while (settings_next_model(&at, &model))
    if (!check_model(&model, ++count, error)) return false;
  if (count > 0 && !*at) return check_names(count, error) && check_headers(error);
  return CPB_FAILS(
      error, CPB_E_USAGE, CPB_NO_OFFSET,
      "the environment's CPB_MODELS names no model, or something else after %u of them; expected NAME=URL, and "
      "spaces between",
      count);
}

bool settings_allow(const char *url) {
  const char *at = NULL;
  char known[URL_MAX];
  serve_model model;
  while (settings_next_model(&at, &model))
    if (copy_url(&model, known) && cpb_address_same_origin(known, url)) return true;
  return false;
}

uint64_t settings_number(const char *name, uint64_t otherwise) {
  const char *text = settings_text(name);
  uint64_t number;
  return serve_read_number(&text, &number) && !*text && number < UINT64_MAX ? number : otherwise;
}
