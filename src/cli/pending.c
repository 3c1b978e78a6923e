#include "cpb/message.h"
#define W __attribute__((weak))
W cpb_json *cpb_json_new(const cpb_allocator *a, const cpb_message_type *t, const void *d, size_t s, const cpb_json_options *o) { (void)a; (void)t; (void)d; (void)s; (void)o; return 0; }
W void cpb_json_free(cpb_json *j) { (void)j; }
W cpb_step cpb_json_step(cpb_json *j) { (void)j; return CPB_STEP_ERROR; }
W const char *cpb_json_output(const cpb_json *j, size_t *l) { (void)j; *l = 0; return ""; }
W const cpb_error *cpb_json_error(const cpb_json *j) { (void)j; return 0; }
