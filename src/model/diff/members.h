/* How two items differ, member by member. */
#ifndef CPB_MODEL_DIFF_MEMBERS_H
#define CPB_MODEL_DIFF_MEMBERS_H

#include "base/meter.h"
#include "model/diff/pairs.h"
#include "model/diff/plain.h"

/* What is known to be the same by other names. */
typedef struct cpb_diff_known {
  const cpb_diff_pairs *functions;
  const cpb_diff_pairs *arguments; /* of the function that the items are, or are in; or NULL */
  const cpb_diff_pairs *layers;    /* that were renamed, of layers; or NULL */
} cpb_diff_known;

/* Writes the elements of a list, {"member", "a", "b"}: the path to what differs, such as inputs.x.shape,
 * and what either has, null for nothing; "renamed" if these are names of a layer that was. Elements of lists that
 * have a name are found by it, the n-th of a name by the n-th. The items are the same when nothing was written.
 * Charges `meter`, which may be NULL. False with the error set. */
bool cpb_diff_members(const cpb_allocator *a, const cpb_diff_known *known, cpb_meter *meter, const cpb_span texts[2],
                      cpb_json_writer *out, bool *differs, cpb_error *error);

#endif
