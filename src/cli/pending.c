#include "cpb/message.h"
#define W __attribute__((weak))
W cpb_path *cpb_path_parse(const cpb_allocator *a, const char *t, size_t l, cpb_error *e) { (void)a; (void)t; (void)l; e->code = CPB_E_UNSUPPORTED; return 0; }
W void cpb_path_free(cpb_path *p) { (void)p; }
W size_t cpb_path_num_steps(const cpb_path *p) { (void)p; return 0; }
W const cpb_path_step *cpb_path_get_step(const cpb_path *p, size_t i) { (void)p; (void)i; return 0; }
W size_t cpb_path_format(const cpb_path_step *s, size_t c, char *o, size_t z) { (void)s; (void)c; if (z) o[0] = 0; return 0; }
W cpb_json *cpb_json_new(const cpb_allocator *a, const cpb_message_type *t, const void *d, size_t s, const cpb_json_options *o) { (void)a; (void)t; (void)d; (void)s; (void)o; return 0; }
W void cpb_json_free(cpb_json *j) { (void)j; }
W cpb_step cpb_json_step(cpb_json *j) { (void)j; return CPB_STEP_ERROR; }
W const char *cpb_json_output(const cpb_json *j, size_t *l) { (void)j; *l = 0; return ""; }
W const cpb_error *cpb_json_error(const cpb_json *j) { (void)j; return 0; }
