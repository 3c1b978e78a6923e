/* The graphs of a Core ML model: its own, functions of its program, blocks and networks within operations and layers,
 * and the models of a pipeline. */
#ifndef CPB_MODEL_COREML_GRAPHS_H
#define CPB_MODEL_COREML_GRAPHS_H

#include "model/common/problems.h"
#include "model/coreml/messages.h"
#include "model/view/view.h"

/* From the view's part, which is a Model, and of which spans are kept. Number 0 is the model's own graph, of a program
 * its default function. False with the error set. */
bool cpb_coreml_graphs_build(cpb_view *view, cpb_problems *problems, cpb_meter *meter, cpb_error *error);

#endif
