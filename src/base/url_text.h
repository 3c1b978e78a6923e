/* Properties of URLs that follow from their text alone. */
#ifndef CPB_BASE_URL_TEXT_H
#define CPB_BASE_URL_TEXT_H

#include <stdbool.h>

#include "base/bytes.h"

/* The supported schemes, for errors. */
#define CPB_URL_SCHEMES "http, https, s3, hf, gs and file"

/* The length of the scheme, if it is a supported one: http, https, s3, hf, gs; else 0. */
size_t cpb_url_scheme(cpb_span text);

/* Whether a text begins like a URL with an unsupported scheme. */
bool cpb_url_is_unknown(cpb_span text);

/* Whether a text begins with file://; and the local path of such a URL, in `out` with room for the text and a NUL. The
 * latter is false if the URL names another machine or has an invalid escape. */
bool cpb_url_is_file(cpb_span text);
bool cpb_url_file_path(cpb_span text, char *out);

/* The character at `*at` without its escape; moves `*at` behind it. -1 for an invalid escape. */
int cpb_url_unescape(const char **at, const char *end);

/* Whether the scheme is s3, hf or gs: such URLs contain a key without escaping. */
bool cpb_url_has_key(cpb_span text);

/* The length of such a URL, or of a key, without its query. The query begins with the first "?" that is followed by
 * NAME=, as in "?versionId=..."; any other "?" or "#" is part of the key. */
size_t cpb_url_key_length(cpb_span text);

/* The length of a text without query and fragment, if it is a supported URL; else of all of it. */
size_t cpb_url_path_length(cpb_span text);

/* Writes a file's name as part of a URL's path, with all but plain characters escaped; returns the number of bytes, at
 * most three per character. */
size_t cpb_url_escape(cpb_span name, char *out);

#endif
