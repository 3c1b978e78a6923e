#include "model/common/diff_kind.h"

const char *const cpb_diff_of_layer[] = {"index", "parent", "depth", "node", "variables", NULL};
const char *const cpb_diff_of_problem[] = {"offset", NULL};
const char *const cpb_diff_of_entry[] = {
    "use", "parameters", "reference", "of_other_tag", "entry", "size", "compressed", "compressed_bytes",
    "cut", "offset",     "preview",   "preview_more", NULL};
