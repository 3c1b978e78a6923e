/* cpb/url.h: files on servers and in object stores, read by ranges.
 *
 *     https://host/model.cpb      http and https
 *     s3://bucket/key             S3, or what is compatible with it; every character is part of the key, but for
 *                                 a query, which begins with a ? and a parameter, as in ?versionId=...
 *
 *     gs://bucket/object          Google Cloud Storage
 *     hf://owner/model/file       Hugging Face; or owner/model@revision
 *
 * An http or https URL of a page at Hugging Face, GitHub or GitLab that shows a file (.../blob/...) stands for that
 * file. docs/urls.md lists what is requested for each, and which variables have the tokens.
 *
 * A cpb_file on a URL is like any other (cpb/file.h): what an engine needs is fetched when it
 * needs it. cpb_message_file_options and cpb_model_file_options have a member `urls`, with which
 * a path that is a URL is opened as one, and so are the files beside it.
 *
 *     cpb_url_options urls = {.struct_size = sizeof urls};
 *     cpb_model_file_options how = {.struct_size = sizeof how, .urls = &urls};
 *     cpb_model_file *model = cpb_model_file_open(NULL, "https://host/model/", &how, &error);
 *
 * Servers are not trusted. Each response must be exactly the range that was asked for, and have
 * the size and the ETag, or else the date, of the first one; what contradicts it is an error, as is
 * a compressed or a whole body of more than `max_whole` bytes in place of a range. What may pass
 * (no connection, nothing arriving or next to nothing, 429, 503 and the like) is tried again after growing pauses,
 * or when the server says; without a response from a server that gave one before, for 15 seconds. Nothing but GET is
 * sent.
 *
 * libcurl makes the connections. It is loaded when the first URL is opened, and brings what it
 * knows: the proxies of https_proxy and no_proxy, and passwords of ~/.netrc. SSL_CERT_FILE, SSL_CERT_DIR or
 * CURL_CA_BUNDLE name other certificates than the system's. Where its TLS library writes to a connection
 * that the server has closed, a program that does not ignore SIGPIPE may get one. Without libcurl, or where the library
 * was compiled without it, opening a URL is CPB_E_UNSUPPORTED.
 *
 * Up to 10 redirects are followed: to http and https, never from https to http. They are followed once: later ranges
 * are requested where they led, until that fails, and then of the URL again. Another
 * host or port gets neither `headers` nor passwords, unless ~/.netrc names that host and has no
 * default. No message shows a user, a password or the query of a URL, where signatures are.
 *
 * s3:// URLs are signed with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN for
 * AWS_REGION, else AWS_DEFAULT_REGION, else us-east-1; without keys they are not signed, which public buckets
 * allow. AWS_ENDPOINT_URL_S3, else AWS_ENDPOINT_URL, is another store's address. What these do not say is taken
 * from the profile AWS_PROFILE, else default, in ~/.aws/credentials and ~/.aws/config. Signing takes
 * libcurl 7.87 or newer. */
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

  /* Bytes a second below which a request has failed; what comes in `idle_time` counts, of the time in which it is
   * waited for. 0: 100. */
  uint64_t min_speed;

  /* When reading must have ended, on the clock of cpb_url_clock(); 0: never. With the same
   * options it holds for all files together. */
  uint64_t deadline;

  /* How often a request is tried in all. 0: 4. */
  unsigned attempts;

  /* Bytes up to which a server may answer a range with the whole file, which is then kept.
   * 0: 1 MiB. */
  uint64_t max_whole;

  /* Headers to send, such as "Authorization: Bearer ...", up to a NULL; or NULL. */
  const char *const *headers;

  /* Called while a server is waited for, at least ten times a second, by the thread that reads. Anything but 0 ends
   * reading with CPB_E_CANCELLED. May be NULL; `user` is passed to it. */
  int (*cancelled)(void *user);
  void *user;

  /* Called once for each file of which the server says neither ETag nor date, before it is requested a second time:
   * if such a file changes while it is read, and its size does not, nobody can notice. `name` is as of
   * cpb_url_name(). May be NULL; `user` is passed to it. */
  void (*unmarked)(void *user, const char *name);

  /* Non-zero: a file's ETag is not looked at, but its size and date are: for servers behind one name that give the
   * same file different ETags. */
  int ignore_etag;

  /* Up to how many bytes a file may have that is downloaded as a whole, once its server turns out not to know ranges.
   * It goes into a temporary file, which ends with the cpb_file. 0: such a file is refused beyond max_whole. */
  uint64_t max_download;

  /* Opens the temporary file: an empty one to be read and written, which no one else uses. Returns its descriptor,
   * which passes to the cpb_file, or -1 with errno set. Needed with `max_download`; `user` is passed to it. */
  int (*spool)(void *user);

  /* Called from time to time during a download with the bytes that have come and all there are (0: not known). May be
   * NULL; `user` is passed to it. */
  void (*downloading)(void *user, uint64_t done, uint64_t total);
} cpb_url_options;

/* Whether a text is a URL of one of these kinds, by its beginning. */
CPB_API int cpb_is_url(const char *text);

/* Opens a URL; nothing is requested before something is read. `options` may be NULL; what they
 * point to must outlive the file. Up to 8 MiB are held at once. CPB_E_USAGE: not a URL;
 * CPB_E_UNSUPPORTED, CPB_E_MEMORY. Reading gives CPB_E_NOT_FOUND (404, 410), CPB_E_DENIED (401,
 * 403, 407), CPB_E_UNAVAILABLE (no connection or answer, 408, 425, 429, 5xx), each with the status or
 * the system's number, CPB_E_READ for whatever else goes wrong, and CPB_E_CANCELLED.
 *
 * With a libcurl before 7.84 no other thread may open its first URL at the same time. */
CPB_API cpb_file *cpb_url_open(const cpb_allocator *allocator, const char *url, const cpb_url_options *options,
                               cpb_error *error);

/* What may be shown of a URL: no user, password, query or fragment. Other texts are copied as they
 * are. Writes at most size - 1 bytes and a NUL; returns `out`. */
CPB_API const char *cpb_url_name(const char *url, char *out, size_t size);

/* Milliseconds from some fixed moment. */
CPB_API uint64_t cpb_url_clock(void);

#ifdef __cplusplus
}
#endif
#endif
