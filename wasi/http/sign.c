#include "sign.h"

#include <string.h>

#include "base/checked.h"
#include "base/sha256.h"
#include "base/status.h"
#include "host/url/address.h"

#define PARTS 16 /* of a query */
#define BLOCK 64 /* of SHA-256 */
#define SCOPE 96

/* --- HMAC (RFC 2104) ---------------------------------------------------------------------------- */

/* Returns the state after the text: cpb_sha256_end() gives its HMAC. */
static cpb_sha256 hmac(const void *key, size_t key_length, const char *text) {
  uint8_t pad[BLOCK] = {0}, inner[CPB_SHA256_SIZE];
  cpb_sha256 sha;
  if (key_length > BLOCK) {
    cpb_sha256_begin(&sha);
    cpb_sha256_add(&sha, key, key_length);
    cpb_sha256_end(&sha, pad);
  } else {
    memcpy(pad, key, key_length);
  }
  for (size_t i = 0; i < BLOCK; i++) pad[i] ^= 0x36;
  cpb_sha256_begin(&sha);
  cpb_sha256_add(&sha, pad, BLOCK);
  cpb_sha256_add(&sha, text, strlen(text));
  cpb_sha256_end(&sha, inner);
  for (size_t i = 0; i < BLOCK; i++) pad[i] ^= 0x36 ^ 0x5c;
  cpb_sha256_begin(&sha);
  cpb_sha256_add(&sha, pad, BLOCK);
  cpb_sha256_add(&sha, inner, sizeof inner);
  return sha;
}

/* --- The date ------------------------------------------------------------------------------------- */

/* "20261231T235959Z" */
static void write_date(char out[17], int64_t now) {
  unsigned seconds = (unsigned)(now % 86400);
  /* Days in the Gregorian calendar; years begin in March here. */
  int64_t day = now / 86400 + 719468, era = day / 146097, of_era = day % 146097;
  int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t month = (5 * of_year + 2) / 153, date = of_year - (153 * month + 2) / 5 + 1;
  month = month < 10 ? month + 3 : month - 9;
  int64_t year = year_of_era + era * 400 + (month <= 2);
  const unsigned parts[] = {(unsigned)year, (unsigned)month,   (unsigned)date,
                            seconds / 3600, seconds / 60 % 60, seconds % 60};
  char *p = out;
  for (size_t i = 0; i < 6; i++) {
    if (i == 3) *p++ = 'T';
    for (unsigned unit = i == 0 ? 1000 : 10; unit > 0; unit /= 10) *p++ = (char)('0' + parts[i] / unit % 10);
  }
  memcpy(p, "Z", 2);
}

/* --- The canonical request -------------------------------------------------------------------------- */

static void add(cpb_sha256 *sha, const char *text) { cpb_sha256_add(sha, text, strlen(text)); }

typedef struct part {
  const char *text;
  size_t length;
} part;

static bool is_before(const part *a, const part *b) {
  int order = memcmp(a->text, b->text, cpb_min_size(a->length, b->length));
  return order < 0 || (order == 0 && a->length < b->length);
}

/* The parts of a query in order, each with a "=". It is escaped already. */
static bool add_query(cpb_sha256 *sha, const char *query, const char *end) {
  part parts[PARTS];
  size_t count = 0;
  for (const char *p = query < end ? query + 1 : end; p < end;) {
    const char *next = memchr(p, '&', (size_t)(end - p));
    part new = {p, (size_t)((next ? next : end) - p)};
    size_t i = count;
    if (count++ == PARTS) return false;
    for (; i > 0 && is_before(&new, &parts[i - 1]); i--) parts[i] = parts[i - 1];
    parts[i] = new;
    p = next ? next + 1 : end;
  }
  for (size_t i = 0; i < count; i++) {
    if (i > 0) add(sha, "&");
    cpb_sha256_add(sha, parts[i].text, parts[i].length);
    if (!memchr(parts[i].text, '=', parts[i].length)) add(sha, "=");
  }
  return true;
}

static size_t host_length(const cpb_address *a) {
  const char *port = cpb_address_has_scheme(a, "https") ? ":443" : ":80";
  size_t length = strlen(port);
  bool has = a->host_length > length && !memcmp(a->host + a->host_length - length, port, length);
  return has ? a->host_length - length : a->host_length;
}

/* "x-amz-...: value" in its signed form. */
static void add_header(cpb_sha256 *sha, const char *line) {
  const char *colon = strchr(line, ':');
  cpb_sha256_add(sha, line, (size_t)(colon + 1 - line));
  add(sha, colon + 1 + (colon[1] == ' '));
  add(sha, "\n");
}

static const char *names_of(const cpb_request *r) {
  return r->signed_headers[1] ? "host;x-amz-content-sha256;x-amz-date;x-amz-security-token"
                              : "host;x-amz-content-sha256;x-amz-date";
}

/* `r->signed_headers`: the hash of the body, and perhaps a token. */
static bool hash_request(const cpb_request *r, const char *url, const char *date, char hex[CPB_SHA256_HEX]) {
  cpb_sha256 sha;
  cpb_address a;
  if (!cpb_address_parse(url, &a)) return false;
  cpb_sha256_begin(&sha);
  add(&sha, "GET\n");
  cpb_sha256_add(&sha, a.path, (size_t)(a.query - a.path));
  add(&sha, "\n");
  if (!add_query(&sha, a.query, a.end)) return false;
  add(&sha, "\nhost:");
  cpb_sha256_add(&sha, a.host, host_length(&a));
  add(&sha, "\n");
  add_header(&sha, r->signed_headers[0]);
  add_header(&sha, date);
  if (r->signed_headers[1]) add_header(&sha, r->signed_headers[1]);
  add(&sha, "\n");
  add(&sha, names_of(r));
  add(&sha, "\n");
  add(&sha, strchr(r->signed_headers[0], ':') + 2);
  cpb_sha256_end_hex(&sha, hex);
  return true;
}

/* --- The signature ------------------------------------------------------------------------------------ */

/* "DATE/REGION/s3/aws4_request" signed part by part, then the text. */
static void sign(const char *secret, const char *day, const char *region, const char *text, char hex[CPB_SHA256_HEX]) {
  char key[200];
  uint8_t from[CPB_SHA256_SIZE];
  const char *const parts[] = {region, "s3", "aws4_request", text};
  cpb_sha256 sha = hmac(key, cpb_format(key, sizeof key, "AWS4%s", secret), day);
  for (size_t i = 0; i < 4; i++) {
    cpb_sha256_end(&sha, from);
    sha = hmac(from, sizeof from, parts[i]);
  }
  cpb_sha256_end_hex(&sha, hex);
}

bool sign_s3(const cpb_request *r, const char *url, int64_t now, sign_headers *out, cpb_error *error) {
  char date[17], day[9], region[48], scope[SCOPE], hex[CPB_SHA256_HEX], text[256], id[160];
  const char *secret = strchr(r->keys, ':') + 1, *from = r->signature + strlen("aws:amz:");
  size_t region_length = strcspn(from, ":"), id_length = (size_t)(secret - 1 - r->keys);
  write_date(date, now);
  cpb_format(day, sizeof day, "%s", date);
  cpb_format(out->date, sizeof out->date, "x-amz-date: %s", date);
  bool fits = region_length < sizeof region && id_length < sizeof id && strlen(secret) < 160;
  if (!fits || !hash_request(r, url, out->date, hex))
    return CPB_FAILS(
        error, CPB_E_USAGE, CPB_NO_OFFSET,
        "the request cannot be signed: expected keys of less than 160 characters, a region of less than 48 and a "
        "query of up to %d parts",
        PARTS);
  memcpy(region, from, region_length);
  region[region_length] = 0;
  memcpy(id, r->keys, id_length);
  id[id_length] = 0;
  cpb_format(scope, sizeof scope, "%s/%s/s3/aws4_request", day, region);
  cpb_format(text, sizeof text, "AWS4-HMAC-SHA256\n%s\n%s\n%s", date, scope, hex);
  sign(secret, day, region, text, hex);
  cpb_format(out->authorization, sizeof out->authorization,
             "Authorization: AWS4-HMAC-SHA256 Credential=%s/%s,SignedHeaders=%s,Signature=%s", id, scope, names_of(r),
             hex);
  return true;
}
