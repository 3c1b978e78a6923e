/* The PyTorch module that a node is from, as torch.onnx notes it in the node's metadata. */
#ifndef CPB_MODEL_ONNX_MODULES_H
#define CPB_MODEL_ONNX_MODULES_H

#include "model/view/view.h"

/* As in model/view/view.h. By "pkg.torch.onnx.name_scopes" and "pkg.torch.onnx.class_hierarchy", which
 * torch.onnx.export(dynamo=True) writes: lists as Python prints them, from the model inwards, the last of which is the
 * operation itself. Of the model's own operations the path is the model's class. */
bool cpb_onnx_module(const cpb_view_node *node, cpb_span *path, cpb_span *class_name);

#endif
