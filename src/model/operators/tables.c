#include "model/operators/operators.h"

static const char onnx[] =
#include "model/operators/onnx.inc"
    ;
static const char coreml[] =
#include "model/operators/coreml.inc"
    ;
static const char tensorflow[] =
#include "model/operators/tensorflow.inc"
    ;

cpb_span cpb_operators_onnx(void) { return (cpb_span){(const uint8_t *)onnx, sizeof onnx - 1}; }

cpb_span cpb_operators_coreml(void) { return (cpb_span){(const uint8_t *)coreml, sizeof coreml - 1}; }

cpb_span cpb_operators_tensorflow(void) { return (cpb_span){(const uint8_t *)tensorflow, sizeof tensorflow - 1}; }
