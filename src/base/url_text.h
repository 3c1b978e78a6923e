/* What is known of URLs by their text alone. */
#ifndef CPB_BASE_URL_TEXT_H
#define CPB_BASE_URL_TEXT_H

#include <stdbool.h>

#include "base/bytes.h"

/* The schemes that we read, for errors. */
#define CPB_URL_SCHEMES "http, https, s3, hf, gs and file"

/* The length of the scheme, if it is one that is requested: http, https, s3, hf, gs; else 0. */
size_t cpb_url_scheme(cpb_span text);

/* Whether a text begins as a URL does, of a scheme that is not read. */
bool cpb_url_is_unknown(cpb_span text);

/* Whether a text begins with file://, and the path that it names on this machine, in `out` with room for the text and a
 * NUL. False of the latter: it is another machine's, or has an escape that is none. */
bool cpb_url_is_file(cpb_span text);
bool cpb_url_file_path(cpb_span text, char *out);

/* Whether the scheme is s3, hf or gs, where a key is in the URL as it is, with nothing escaped. */
bool cpb_url_has_key(cpb_span text);

/* How much of such a URL, or of a key, comes before its query. That begins with the first "?" that NAME= follows, as in
 * "?versionId=..."; any other "?" or "#" is part of the key. */
size_t cpb_url_key_length(cpb_span text);

/* How much of a text comes before query and fragment, if it is a URL that we read; else all of it. */
size_t cpb_url_path_length(cpb_span text);

/* Writes a file's name as part of the path of a URL, with all but plain characters escaped; returns how many bytes
 * that are, at most three each. */
size_t cpb_url_escape(cpb_span name, char *out);

#endif
