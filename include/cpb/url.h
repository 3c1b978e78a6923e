/* cpb/url.h: files on servers and in object stores, read by ranges.
 *
 *     https://host/model.cpb      http and https
 *     s3://bucket/key             S3, or a compatible store; every character is part of the key, but for
 *                                 a query, which begins with a ? and a parameter, as in ?versionId=...
 *
 *     gs://bucket/object          Google Cloud Storage
 *     hf://owner/model/file       Hugging Face; or owner/model@revision
 *
 * An http or https URL of a page at Hugging Face, GitHub or GitLab that shows a file (.../blob/...)
 * stands for that file. docs/urls.md lists the request for each kind, and the variables with
 * tokens.
 *
 * A cpb_file on a URL is like any other (cpb/file.h): it fetches ranges when an engine needs them.
 * cpb_message_file_options and cpb_model_file_options have a member `urls`, with which paths may be
 * URLs, and the files next to these are opened as well.
 *
 *     cpb_url_options urls = {.struct_size = sizeof urls};
 *     cpb_model_file_options how = {.struct_size = sizeof how, .urls = &urls};
 *     cpb_model_file *model = cpb_model_file_open(NULL, "https://host/model/", &how, &error);
 *
 * Servers are not trusted. Each response must be exactly the requested range, with the size and the
 * ETag, or else the date, of the first response. A contradiction is an error, and so is a
 * compressed body, or a whole body of more than `max_whole` bytes instead of a range. After
 * temporary errors (no connection, no bytes or very few, 429, 503 and the like) a request is tried
 * again, after growing pauses or when the server says; if a server that responded before stops
 * responding, for 15 seconds. Only GET requests are sent.
 *
 * libcurl makes the connections. It is loaded when the first URL is opened, and supports proxies
 * from https_proxy and no_proxy, and passwords from ~/.netrc. SSL_CERT_FILE, SSL_CERT_DIR or
 * CURL_CA_BUNDLE name other certificates than the system's. A program that does not ignore SIGPIPE
 * may get this signal when libcurl's TLS library writes to a closed connection. Without libcurl, or
 * if the library was compiled without it, opening a URL is CPB_E_UNSUPPORTED.
 *
 * Up to 10 redirects are followed: to http and https, never from https to http. They are followed
 * once: later ranges are requested from the final URL, until this fails, and then from the original
 * one again. Another host or port gets neither `headers` nor passwords, unless ~/.netrc names that
 * host and has no default. Messages never show the user, password or query of a URL, as the query
 * may have a signature.
 *
 * s3:// URLs are signed with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN for
 * AWS_REGION, else AWS_DEFAULT_REGION, else us-east-1; without keys they are not signed, which
 * public buckets allow. AWS_ENDPOINT_URL_S3, else AWS_ENDPOINT_URL, is another store's address.
 * Other settings come from the profile AWS_PROFILE, else default, in ~/.aws/credentials and
 * ~/.aws/config. Signing takes libcurl 7.87 or newer. */
#ifndef CPB_URL_H
#define CPB_URL_H

#include "cpb/base.h"
#include "cpb/file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cpb_url_options {
  /* sizeof(cpb_url_options) */
  size_t struct_size;

  /* Milliseconds without a byte after which a request has failed. 0: 30,000. */
  uint64_t idle_time;

  /* Bytes a second below which a request has failed, averaged over `idle_time`; only the time spent
   * waiting for bytes counts. 0: 100. */
  uint64_t min_speed;

  /* The time at which reading must have ended, on the clock of cpb_url_clock(); 0: no bound. It
   * holds for all files with the same options together. */
  uint64_t deadline;

  /* The number of attempts for each request. 0: 4. */
  unsigned attempts;

  /* The largest file that a server may send as a whole instead of a range; it is then kept. In
   * bytes; 0: 1 MiB. */
  uint64_t max_whole;

  /* Headers to send, such as "Authorization: Bearer ...", up to a NULL; or NULL. */
  const char *const *headers;

  /* Called by the reading thread, at least ten times a second, while it waits for a server. A
   * result other than 0 ends reading with CPB_E_CANCELLED. May be NULL; `user` is passed to it. */
  int (*cancelled)(void *user);
  void *user;

  /* Called once for each file whose server sends neither ETag nor date, before its second request:
   * a change of such a file while it is read goes unnoticed if its size stays the same. `name` is
   * as from cpb_url_name(). May be NULL; `user` is passed to it. */
  void (*unmarked)(void *user, const char *name);

  /* Non-zero: ETags are ignored, and only size and date are compared: for servers behind one name
   * that give the same file different ETags. */
  int ignore_etag;

  /* The largest file, in bytes, that is downloaded as a whole if its server does not support
   * ranges. It goes into a temporary file, which is removed with the cpb_file. 0: such a file is
   * refused beyond max_whole. */
  uint64_t max_download;

  /* Opens the temporary file, which must be empty, readable and writable, and not used otherwise.
   * Returns its descriptor, which the cpb_file then owns, or -1 with errno set. Needed with
   * `max_download`; `user` is passed to it. */
  int (*spool)(void *user);

  /* Called from time to time during a download with the received bytes and all bytes (0: unknown).
   * May be NULL; `user` is passed to it. */
  void (*downloading)(void *user, uint64_t done, uint64_t total);
} cpb_url_options;

/* Whether a text is a URL of one of these kinds, by its beginning. */
CPB_API int cpb_is_url(const char *text);

/* Opens a URL; the first request is sent when bytes are read. `options` may be NULL; data that they
 * point to must outlive the file. Up to 8 MiB are held at once. CPB_E_USAGE: not a URL;
 * CPB_E_UNSUPPORTED, CPB_E_MEMORY. Reading gives CPB_E_NOT_FOUND (404, 410), CPB_E_DENIED (401,
 * 403, 407), CPB_E_UNAVAILABLE (no connection or answer, 408, 425, 429, 5xx), each with the status
 * or the system's number, CPB_E_READ for any other failure, and CPB_E_CANCELLED.
 *
 * With a libcurl before 7.84 no other thread may open its first URL at the same time. */
CPB_API cpb_file *cpb_url_open(const cpb_allocator *allocator, const char *url, const cpb_url_options *options,
                               cpb_error *error);

/* Writes a URL without user, password, query and fragment, for messages. Other texts are copied
 * unchanged. Writes at most size - 1 bytes and a NUL; returns `out`. */
CPB_API const char *cpb_url_name(const char *url, char *out, size_t size);

/* Milliseconds since some fixed moment. */
CPB_API uint64_t cpb_url_clock(void);

#ifdef __cplusplus
}
#endif
#endif
