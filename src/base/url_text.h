/* What is known of URLs by their text alone. */
#ifndef CPB_BASE_URL_TEXT_H
#define CPB_BASE_URL_TEXT_H

#include <stdbool.h>

#include "base/bytes.h"

/* The length of the scheme, if it is one that we read: http, https, s3; else 0. */
size_t cpb_url_scheme(cpb_span text);

/* Whether the scheme is s3, where a key is in the URL as it is, with nothing escaped. */
bool cpb_url_is_s3(cpb_span text);

/* How much of an s3 URL, or of a key, comes before its query. That begins with the first "?" that NAME= follows, as in
 * "?versionId=..."; any other "?" or "#" is part of the key. */
size_t cpb_url_key_length(cpb_span text);

/* How much of a text comes before query and fragment, if it is a URL that we read; else all of it. */
size_t cpb_url_path_length(cpb_span text);

/* Writes a file's name as part of the path of a URL, with all but plain characters escaped; returns how many bytes
 * that are, at most three each. */
size_t cpb_url_escape(cpb_span name, char *out);

#endif
