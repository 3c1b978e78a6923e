/* URLs as texts. Pure: no function here does I/O. The public ones are in cpb/url.h. */
#ifndef CPB_HOST_URL_ADDRESS_H
#define CPB_HOST_URL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "cpb/url.h"

/* Where the parts of "scheme://user:password@host:port/path?query#fragment" begin and end. */
typedef struct cpb_address {
  const char *scheme, *host, *path, *query, *end; /* the host with its port; `query` from its "?" on */
  size_t scheme_length, host_length;
} cpb_address;

/* False for a text that is not a URL with a supported scheme, has no host, or has a space (except in a key) or control
 * character, something else than a port after the host, or a "?", "#" or "%" in a bucket's name. */
bool cpb_address_parse(const char *url, cpb_address *address);

/* The same, also for a bucket without a key; false with the error set. */
bool cpb_address_check(const char *url, cpb_address *address, cpb_error *error);

/* Whether the scheme is http or https. */
bool cpb_address_is_http(const cpb_address *address);

bool cpb_address_has_scheme(const cpb_address *address, const char *scheme);

/* Whether two URLs have the same scheme, host and port: they may share secrets. */
bool cpb_address_same_origin(const char *a, const char *b);

/* How long the path is that `path`, which may be a URL, begins with: all but the query. */
size_t cpb_path_length(const char *path);

/* Whether a path, or the path of a URL, ends like this. */
bool cpb_path_ends_with(const char *path, const char *ending);

/* Writes a name that a file gives, and a NUL, as a part of `path`, which may be a URL: with all that is not plain
 * escaped, unless it is a path or a key. False where it would not be the same name there: a NUL is in it, or the
 * beginning of a query in a key. `out` has room for 3 * name.size + 1 bytes. */
bool cpb_path_escape(const char *path, cpb_span name, char *out);

/* Writes `path` with its bytes [keep, cpb_path_length(path)) replaced by `ending`; a URL keeps its query, which may
 * contain a signature, but not the fragment. `out` has room for strlen(path) + strlen(ending) + 1 bytes. */
void cpb_path_replace(const char *path, size_t keep, const char *ending, char *out);

#endif
