/* Reads one profile from ~/.aws/credentials and ~/.aws/config. All I/O goes through the environment. */
#ifndef CPB_HOST_URL_PROFILE_H
#define CPB_HOST_URL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/alloc.h"
#include "cpb/base.h"

/* Variables and files: the process's, or a test's. */
typedef struct cpb_environment {
  const char *(*variable)(const char *name); /* NULL if it is not set */
  /* Appends a file to `out`. 0, or an errno; EFBIG if it is larger than CPB_PROFILE_MOST bytes. */
  int (*read)(const char *path, cpb_buffer *out);
} cpb_environment;

#define CPB_PROFILE_MOST ((size_t)1 << 20)

typedef enum cpb_setting_name {
  CPB_SETTING_ID,
  CPB_SETTING_SECRET,
  CPB_SETTING_TOKEN,
  CPB_SETTING_REGION,
  CPB_SETTING_ENDPOINT,
  CPB_SETTING_ELSEWHERE, /* one that gets keys from elsewhere: role_arn, sso_session, ... */
  CPB_SETTINGS
} cpb_setting_name;

typedef struct cpb_setting {
  char *text; /* NULL: missing */
  const char *name, *path;
  size_t line; /* from 1 */
} cpb_setting;

typedef struct cpb_profile {
  cpb_setting settings[CPB_SETTINGS];
  bool is_named; /* by AWS_PROFILE */
  char *paths[2];
} cpb_profile;

/* False with the error set. Free `p` in any case. */
bool cpb_profile_load(cpb_profile *p, const cpb_allocator *a, const cpb_environment *environment, cpb_error *error);
void cpb_profile_free(cpb_profile *p, const cpb_allocator *a);

/* Sets the error: the place of a setting, and the expected value. The message does not contain the text, which may be
 * secret. */
void cpb_setting_fail(const cpb_setting *setting, cpb_code code, const char *expected, cpb_error *error);

#endif
