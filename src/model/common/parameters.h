/* What tensors are to a model, and how many parameters it has: the same in the answers of every kind. */
#ifndef CPB_MODEL_COMMON_PARAMETERS_H
#define CPB_MODEL_COMMON_PARAMETERS_H

#include "base/json_writer.h"

/* Parameters are the weights. */
typedef enum cpb_tensor_use {
  CPB_TENSOR_WEIGHT,
  CPB_TENSOR_CONSTANT,     /* another value that the graph holds */
  CPB_TENSOR_QUANTIZATION, /* scales, zero points, palettes, masks */
  CPB_TENSOR_OPTIMIZER,    /* what training keeps beside the weights */
  CPB_TENSOR_STATE,        /* what running keeps: metrics, averages of weights, random seeds */
  CPB_TENSOR_UNKNOWN,      /* of what is damaged */
  CPB_NUM_TENSOR_USES
} cpb_tensor_use;

/* "weight" and so on; NULL for one that is not known. */
const char *cpb_tensor_use_name(cpb_tensor_use use);

typedef struct cpb_parameters {
  uint64_t total, trainable; /* elements */
  uint64_t tensors;
  uint64_t bytes;       /* by shape and type */
  uint64_t size;        /* as stored */
  bool partial;         /* the elements of some are not known */
  bool knows_trainable; /* the model says which are */
  bool lacks_tensors;   /* it is only known how many elements there are */
} cpb_parameters;

/* Elements, bytes and size of a weight, or of a part of one. Sums that are too large stay at 2^64 - 1. */
void cpb_parameters_add(cpb_parameters *p, uint64_t elements, uint64_t bytes, uint64_t size, bool trainable);

/* "parameters", with "partial": true where some are not known. */
void cpb_parameters_write(const cpb_parameters *p, cpb_json_writer *answer);

#endif
