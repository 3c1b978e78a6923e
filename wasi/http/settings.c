#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "host/url/address.h"
#include "host/url/exchange.h"
#include "serve.h"

#define URL_MAX ((size_t)4096)

static const char *models(void) {
  const char *text = cpb_exchange_environment.variable("CPB_MODELS");
  return text ? text : "";
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static size_t word_length(const char *text) {
  size_t length = 0;
  while (text[length] && !is_space(text[length])) length++;
  return length;
}

bool settings_next_model(const char **at, serve_model *model) {
  const char *word = *at ? *at : models();
  while (is_space(*word)) word++;
  size_t length = word_length(word);
  const char *equals = memchr(word, '=', length);
  *at = word + length;
  if (!equals) return false;
  *model = (serve_model){.name = word,
                         .name_length = (size_t)(equals - word),
                         .url = equals + 1,
                         .url_length = length - (size_t)(equals + 1 - word)};
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

/* A copy that ends by NUL, if it is a URL without a password. */
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
    cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET,
             "model %u of CPB_MODELS is called \"%s\"; expected letters, digits, \".\", \"_\" and \"-\"", number, name);
  } else if (!copy_url(model, url)) {
    cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET,
             "CPB_MODELS: the model %s has no http, https or s3 URL of up to %zu bytes without a password", name,
             URL_MAX - 1);
  }
  return error->code == CPB_OK;
}

bool settings_check(cpb_error *error) {
  const char *at = NULL;
  serve_model model;
  unsigned count = 0;
  while (settings_next_model(&at, &model)) {
    if (!check_model(&model, ++count, error)) return false;
  }
  if (count > 0 && !*at) return true;
  cpb_fail(error, CPB_E_USAGE, CPB_NO_OFFSET,
           "the environment's CPB_MODELS names no model, or something else after %u of them; expected NAME=URL, and "
           "spaces between",
           count);
  return false;
}

bool settings_allow(const char *url) {
  const char *at = NULL;
  char known[URL_MAX];
  serve_model model;
  while (settings_next_model(&at, &model)) {
    if (copy_url(&model, known) && cpb_address_same_origin(known, url)) return true;
  }
  return false;
}

uint64_t settings_number(const char *name, uint64_t otherwise) {
  const char *text = cpb_exchange_environment.variable(name);
  uint64_t number = 0;
  if (!text || !*text) return otherwise;
  for (; *text; text++) {
    bool digit = *text >= '0' && *text <= '9';
    if (!digit || !cpb_mul_u64(number, 10, &number) || !cpb_add_u64(number, (uint64_t)(*text - '0'), &number))
      return otherwise;
  }
  return number;
}
