#include "cli/show/fingerprint.h"

#include <string.h>

#include "base/status.h"
#include "cli/os/os.h"
#include "cpb/message.h"

#define FINGERPRINT "fingerprint.pb"
#define FINGERPRINT_MOST ((size_t)64 << 10) /* it has some hundred bytes */

static char *beside(cli *c, const char *model, const char *name, int *status) {
  const char *slash = strrchr(model, '/');
  size_t folder = slash ? (size_t)(slash - model) + 1 : 0;
  char *path = cpb_alloc(&c->allocator, folder + strlen(name) + 1);
  if (path) {
    memcpy(path, model, folder);
    strcpy(path + folder, name);
  } else {
    *status = cli_fail_memory(c);
  }
  return path;
}

/* The message as JSON, appended. */
static bool append_json(cli *c, const uint8_t *data, size_t size, cpb_buffer *out, cpb_error *error) {
  const cpb_json_options how = {.struct_size = sizeof how, .original_names = 1};
  cpb_schema *schema = cpb_schema_new_builtin(&c->allocator, error);
  const cpb_message_type *type = schema ? cpb_schema_find_message(schema, "tensorflow.FingerprintDef") : NULL;
  cpb_json *json = type ? cpb_json_new(&c->allocator, type, data, size, &how) : NULL;
  cpb_step step = json ? CPB_STEP_OUTPUT : CPB_STEP_ERROR;
  while (step == CPB_STEP_OUTPUT && (step = cpb_json_step(json)) == CPB_STEP_OUTPUT) {
    size_t length;
    const char *text = cpb_json_output(json, &length);
    if (!cpb_buffer_append(out, text, length)) cpb_fail_memory(error);
  }
  if (step == CPB_STEP_ERROR && json) *error = *cpb_json_error(json);
  else if (step == CPB_STEP_ERROR) cpb_fail_memory(error);
  cpb_json_free(json);
  cpb_schema_free(schema);
  return error->code == CPB_OK;
}

static bool add_member(cli *c, cpb_file *file, cpb_buffer *answer, cpb_error *error) {
  static const char key[] = ",\"fingerprint\":";
  size_t length = FINGERPRINT_MOST;
  const uint8_t *data = cpb_file_read(file, 0, &length, error);
  if (!data) return false;
  const size_t size = answer->size--; /* the closing bracket comes again */
  bool done = (cpb_buffer_append(answer, key, sizeof key - 1) || cpb_fail_memory(error) == CPB_OK) &&
              append_json(c, data, length, answer, error) &&
              (cpb_buffer_append(answer, "}", 1) || cpb_fail_memory(error) == CPB_OK);
  if (done) return true;
  answer->size = size;
  answer->data[size - 1] = '}';
  return false;
}

int cli_add_fingerprint(cli *c, const char *model, cpb_buffer *answer) {
  int status = CLI_OK;
  cpb_error error = {.code = CPB_OK, .offset = CPB_NO_OFFSET};
  char *path = beside(c, model, FINGERPRINT, &status);
  if (path && os_exists(path)) {
    cpb_file *file = cpb_file_open(&c->allocator, path, &error);
    if (!file || !add_member(c, file, answer, &error)) status = cli_fail(c, path, &error);
    cpb_file_close(file);
  }
  cpb_release(&c->allocator, path);
  return status;
}
