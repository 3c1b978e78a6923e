#include "host/url/address.h"

#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "base/url_text.h"

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static bool same(const char *a, const char *b, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (lower(a[i]) != lower(b[i])) return false;
  return true;
}

static cpb_span span_of(const char *text) { return (cpb_span){(const uint8_t *)text, strlen(text)}; }

static size_t scheme_of(const char *text) { return cpb_url_scheme(span_of(text)); }

int cpb_is_url(const char *text) { return text && scheme_of(text) > 0; }

/* Finds the parts of the URL, without checking their characters. */
static bool cut(const char *url, cpb_address *a) {
  a->scheme = url;
  a->scheme_length = scheme_of(url);
  if (a->scheme_length == 0) return false;
  const char *host = url + a->scheme_length + 3;
  a->path = host + strcspn(host, "/?#");
  for (const char *p = host; p < a->path; p++)
    if (*p == '@') host = p + 1;
  a->host = host;
  a->host_length = (size_t)(a->path - host);
  a->query = url + cpb_url_path_length(span_of(url));
  a->end = a->query + (cpb_url_has_key(span_of(url)) ? strlen(a->query) : strcspn(a->query, "#"));
  return true;
}

/* Whether the host, perhaps in brackets, is followed by nothing or by a port, which may be empty. */
static bool has_port(const cpb_address *a) {
  const char *at = a->host, *end = a->host + a->host_length;
  unsigned port = 0;
  if (*at == '[') at = memchr(at, ']', a->host_length);
  if (!at || (*at == ']' && at + 1 < end && at[1] != ':')) return false;
  while (at < end && *at != ':') at++;
  for (at += at < end; at < end; at++) {
    if (*at < '0' || *at > '9') return false;
    port = 10 * port + (unsigned)(*at - '0');
    if (port > UINT16_MAX) return false;
  }
  return true;
}

bool cpb_address_parse(const char *url, cpb_address *address) {
  if (!cut(url, address) || address->host_length == 0 || *address->host == ':') return false;
  if (cpb_address_is_http(address) && !has_port(address)) return false;
  bool escapes = cpb_url_has_key(span_of(url));
  if (escapes && ((*address->path && *address->path != '/') || memchr(address->host, '%', address->host_length)))
    return false;
  for (const char *p = url; *p; p++) {
    bool space = *p == ' ' && escapes && p >= address->path;
    if (((unsigned char)*p <= ' ' && !space) || *p == 0x7f) return false;
  }
  return true;
}

bool cpb_address_check(const char *url, cpb_address *address, cpb_error *error) {
  if (!cpb_address_parse(url, address))
    return CPB_FAILS(
        error, CPB_E_USAGE, CPB_NO_OFFSET,
        "this is no URL; expected http://, https://, s3://, hf:// or gs://, a host, perhaps with a port up "
        "to 65535, and a path");
  if (!cpb_address_has_scheme(address, "s3") || address->path < address->query) return true;
  return CPB_FAILS(error, CPB_E_USAGE, CPB_NO_OFFSET, "this names no file; expected s3://BUCKET/KEY");
}

bool cpb_address_has_scheme(const cpb_address *a, const char *scheme) {
  return strlen(scheme) == a->scheme_length && same(a->scheme, scheme, a->scheme_length);
}

bool cpb_address_is_http(const cpb_address *a) {
  return cpb_address_has_scheme(a, "http") || cpb_address_has_scheme(a, "https");
}

/* The length without the port that goes without saying. */
static size_t host_length(const cpb_address *a) {
  const char *port = cpb_address_has_scheme(a, "https") ? ":443" : ":80";
  size_t length = strlen(port), all = a->host_length;
  if (all > 0 && a->host[all - 1] == ':') return all - 1;
  return all > length && memcmp(a->host + all - length, port, length) == 0 ? all - length : all;
}

bool cpb_address_same_origin(const char *a, const char *b) {
  cpb_address x, y;
  if (!cut(a, &x) || !cut(b, &y) || x.scheme_length != y.scheme_length) return false;
  size_t length = host_length(&x);
  return same(x.scheme, y.scheme, x.scheme_length) && length == host_length(&y) && same(x.host, y.host, length);
}

static void append(char *out, size_t size, size_t *at, const char *text, size_t length) {
  length = cpb_min_size(length, size - 1 - *at);
  memcpy(out + *at, text, length);
  *at += length;
}

const char *cpb_url_name(const char *url, char *out, size_t size) {
  cpb_address a;
  size_t at = 0;
  if (size == 0) return out;
  if (cut(url, &a)) {
    append(out, size, &at, url, a.scheme_length + 3);
    append(out, size, &at, a.host, (size_t)(a.query - a.host));
  } else {
    append(out, size, &at, url, strlen(url));
  }
  out[at] = 0;
  return out;
}

size_t cpb_path_length(const char *path) { return cpb_url_path_length(span_of(path)); }

bool cpb_path_ends_with(const char *path, const char *ending) {
  size_t length = cpb_path_length(path), end = strlen(ending);
  return length >= end && memcmp(path + length - end, ending, end) == 0;
}

bool cpb_path_escape(const char *path, cpb_span name, char *out) {
  const bool is_key = cpb_url_has_key(span_of(path)), escapes = cpb_is_url(path) && !is_key;
  if (memchr(name.data, 0, name.size) || (is_key && cpb_url_key_length(name) < name.size)) return false;
  if (!escapes) memcpy(out, name.data, name.size);
  out[escapes ? cpb_url_escape(name, out) : name.size] = 0;
  return true;
}

void cpb_path_replace(const char *path, size_t keep, const char *ending, char *out) {
  cpb_address a;
  size_t length = strlen(ending);
  memmove(out, path, keep);
  memcpy(out + keep, ending, length + 1);
  if (!cut(path, &a)) return;
  memcpy(out + keep + length, a.query, (size_t)(a.end - a.query));
  out[keep + length + (size_t)(a.end - a.query)] = 0;
}
