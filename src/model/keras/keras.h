/* Reads Keras's description of a model's objects: layers, models and metrics.
 *
 *     cpb_keras *keras = cpb_keras_new(a, objects, count, &graph, max_memory, problems, meter, error);
 *     cpb_json_writer_open(answer, NULL, '{');
 *     cpb_keras_layers(keras, question, answer, error);
 *     cpb_json_writer_close(answer, '}');
 *     cpb_keras_free(keras);
 *
 * Metadata that cannot be understood is added to `problems` once, by cpb_keras_new. */
#ifndef CPB_MODEL_KERAS_KERAS_H
#define CPB_MODEL_KERAS_KERAS_H

#include "model/keras/layers.h"

/* Copies `objects`; the targets of their spans, and `graph` (may be NULL), must outlive the result. The parsed JSON
 * metadata takes at most `max_memory` bytes; otherwise the error is CPB_E_LIMIT. NULL with the error set. */
cpb_keras *cpb_keras_new(const cpb_allocator *a, const cpb_keras_object *objects, size_t count,
                         const cpb_keras_graph *graph, uint64_t max_memory, cpb_problems *problems, cpb_meter *meter,
                         cpb_error *error);
void cpb_keras_free(cpb_keras *keras);

#endif
