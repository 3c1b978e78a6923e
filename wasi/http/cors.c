/* Pages of other origins: which ones may read answers, and browsers' preflights. */
#include <string.h>

#include "job.h"

/* How long a browser may cache a preflight: a day; some browsers cap it lower. */
#define MAX_AGE "86400"

/* Whether CPB_ORIGINS lists this origin; all browsers write an origin in the same way. */
static bool is_listed(const char *list, const char *origin) {
  size_t length = strlen(origin);
  for (const char *p = list; *p;) {
    p += strspn(p, SETTINGS_SPACE);
    size_t word = strcspn(p, SETTINGS_SPACE);
    if (length > 0 && word == length && !memcmp(p, origin, length)) return true;
    p += word;
  }
  return false;
}

bool cors_add(const serve_request *request, serve_reply *reply) {
  const char *list = settings_text("CPB_ORIGINS"), *origin = request->origin ? request->origin : "";
  bool is_for_all = is_listed(list, "*");
  if (!*list) return false;
  if (!is_for_all) serve_add_header(reply, "Vary", "Origin");
  if (!is_for_all && !is_listed(list, origin)) return false;
  serve_add_header(reply, "Access-Control-Allow-Origin", is_for_all ? "*" : origin);
  serve_add_header(reply, "Access-Control-Expose-Headers",
                   "Accept-Ranges, Content-Length, Content-Range, CPB-Transferred, ETag");
  return true;
}

void cors_answer(job *j) {
  serve_reply *reply = j->reply;
  reply->status = 204;
  serve_add_header(reply, "Allow", SERVE_METHODS);
  if (!cors_add(j->request, reply)) return;
  serve_add_header(reply, "Access-Control-Allow-Methods", SERVE_METHODS);
  serve_add_header(reply, "Access-Control-Allow-Headers",
                   "If-Match, If-Modified-Since, If-None-Match, If-Range, Range");
  serve_add_header(reply, "Access-Control-Max-Age", MAX_AGE);
}
