/* What Keras says of a model's objects: its layers, models and metrics.
 *
 *     cpb_keras *keras = cpb_keras_new(a, objects, count, &graph, max_memory, problems, meter, error);
 *     cpb_json_writer_open(answer, NULL, '{');
 *     cpb_keras_layers(keras, question, answer, error);
 *     cpb_json_writer_close(answer, '}');
 *     cpb_keras_free(keras);
 *
 * What cannot be made out of the metadata is added to `problems` once, by cpb_keras_new. */
#ifndef CPB_MODEL_KERAS_KERAS_H
#define CPB_MODEL_KERAS_KERAS_H

#include "model/keras/layers.h"

/* `objects` is copied; what its spans point to, and `graph` (NULL: none), must outlive
 * the result. The metadata as JSON that is read takes at most `max_memory` bytes, else
 * CPB_E_LIMIT. NULL with the error set. */
cpb_keras *cpb_keras_new(const cpb_allocator *a, const cpb_keras_object *objects, size_t count,
                         const cpb_keras_graph *graph, uint64_t max_memory, cpb_problems *problems, cpb_meter *meter,
                         cpb_error *error);
void cpb_keras_free(cpb_keras *keras);

#endif
