/* SavedModels and graphs as a view: the graph itself and the functions of its library. */
#ifndef CPB_MODEL_TENSORFLOW_VIEW_H
#define CPB_MODEL_TENSORFLOW_VIEW_H

#include "model/view/view.h"

/* Its views have a cpb_saved_model as their own. */
extern const cpb_view_kind cpb_tensorflow_view;

#endif
