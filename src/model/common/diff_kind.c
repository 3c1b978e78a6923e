#include "model/common/kind.h"

const char *const cpb_diff_of_layer[6] = {"index", "parent", "depth", "node", "variables", NULL};
const char *const cpb_diff_of_problem[2] = {"offset", NULL};
const char *const cpb_diff_of_entry[13] = {
    "use", "parameters", "reference", "of_other_tag", "entry", "size", "compressed", "compressed_bytes",
    "cut", "offset",     "preview",   "preview_more", NULL};
