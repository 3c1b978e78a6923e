/* Which layer is which of the other model, where layers were renamed or moved.
 *
 * Layers belong together that have the same path and name; of the others, in this order, those that are alike and
 * have the same path; those of the same name and class; those that are alike, the n-th with the n-th; and those of
 * the same path. Layers are alike that have the same class, configuration, shape of inputs and number of parameters.
 * Two that are alike have been renamed if neither's name is a layer's of the other model. */
#ifndef CPB_MODEL_DIFF_LAYERS_H
#define CPB_MODEL_DIFF_LAYERS_H

#include "model/diff/state.h"

/* Pairs the layers in d->items, before these are sorted: those of the second model get their partners' keys.
 * d->layers are then the names of those that were renamed. */
void cpb_diff_layers_pair(cpb_diff *d);

#endif
