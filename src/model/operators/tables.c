#include "model/operators/operators.h"

#define OP(name, domain, outputs, versions, sentence) name "\t" domain "\t" versions "\t" sentence "\n"
#define NAMED(name, outputs)
static const char onnx[] =
#include "model/operators/onnx.inc"
    ;
static const char coreml[] =
#include "model/operators/coreml.inc"
    ;
static const char tensorflow[] =
#include "model/operators/tensorflow.inc"
    ;

#define TABLE(text) ((cpb_span){(const uint8_t *)(text), sizeof(text) - 1})
cpb_span cpb_operators_onnx(void) { return TABLE(onnx); }
cpb_span cpb_operators_coreml(void) { return TABLE(coreml); }
cpb_span cpb_operators_tensorflow(void) { return TABLE(tensorflow); }
