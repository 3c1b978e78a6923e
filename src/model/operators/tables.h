/* The built-in tables of operators (model/operators/operators.h): all, or none in modules that must be small, whose
 * host provides the one that a model needs. */
#ifndef CPB_MODEL_OPERATORS_TABLES_H
#define CPB_MODEL_OPERATORS_TABLES_H

#include "base/bytes.h"

/* Empty where it is not built in. */
cpb_span cpb_operators_onnx(void);
cpb_span cpb_operators_tensorflow(void);
cpb_span cpb_operators_coreml(void);

#endif
