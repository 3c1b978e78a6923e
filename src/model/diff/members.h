/* How two items differ, member by member. */
#ifndef CPB_MODEL_DIFF_MEMBERS_H
#define CPB_MODEL_DIFF_MEMBERS_H

#include "base/meter.h"
#include "model/diff/pairs.h"
#include "model/diff/plain.h"

/* Names that differ between the models and mean the same thing. */
typedef struct cpb_diff_known {
  const cpb_diff_pairs *functions;
  const cpb_diff_pairs *arguments; /* of the function that the items belong to; or NULL */
  const cpb_diff_pairs *layers;    /* renamed layers; or NULL */
} cpb_diff_known;

/* Writes the elements of a list, {"member", "a", "b"}: the path of the difference, such as inputs.x.shape, and both
 * values, null if absent; and "renamed" if the values are names of a renamed layer. Elements of lists are paired by
 * name if they have one, and the n-th of several with the n-th. If nothing is written, the items are equal. Charges
 * `meter`, which may be NULL. False with the error set. */
bool cpb_diff_members(const cpb_allocator *a, const cpb_diff_known *known, cpb_meter *meter, const cpb_span texts[2],
                      cpb_json_writer *out, bool *differs, cpb_error *error);

#endif
