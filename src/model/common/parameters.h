/* The use of tensors in a model, and its number of parameters, in the same form for every kind. */
#ifndef CPB_MODEL_COMMON_PARAMETERS_H
#define CPB_MODEL_COMMON_PARAMETERS_H

#include "base/json_writer.h"

/* Parameters are the weights. */
typedef enum cpb_tensor_use {
  CPB_TENSOR_WEIGHT,
  CPB_TENSOR_CONSTANT,     /* another value that the graph holds */
  CPB_TENSOR_QUANTIZATION, /* scales, zero points, palettes, masks */
  CPB_TENSOR_OPTIMIZER,    /* saved by training, besides the weights */
  CPB_TENSOR_STATE,        /* state at run time: metrics, averages of weights, random seeds */
  CPB_TENSOR_UNKNOWN,      /* unknown because of damage */
  CPB_NUM_TENSOR_USES
} cpb_tensor_use;

/* "weight" and so on; NULL if unknown. */
const char *cpb_tensor_use_name(cpb_tensor_use use);

typedef struct cpb_parameters {
  uint64_t total, trainable; /* elements */
  uint64_t tensors;
  uint64_t bytes;       /* by shape and type */
  uint64_t size;        /* as stored */
  bool partial;         /* some have an unknown number of elements */
  bool knows_trainable; /* the model says which are trainable */
  bool lacks_tensors;   /* only the number of elements is known */
} cpb_parameters;

/* Adds elements, bytes and size of a weight, or of a part of one. Sums saturate at 2^64 - 1. */
void cpb_parameters_add(cpb_parameters *p, uint64_t elements, uint64_t bytes, uint64_t size, bool trainable);

/* Writes "parameters", with "partial": true if some have an unknown number of elements. */
void cpb_parameters_write(const cpb_parameters *p, cpb_json_writer *answer);

#endif
