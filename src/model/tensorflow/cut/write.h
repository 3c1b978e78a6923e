/* The messages of a SavedModel that is cut down. */
#ifndef CPB_MODEL_TENSORFLOW_CUT_WRITE_H
#define CPB_MODEL_TENSORFLOW_CUT_WRITE_H

#include "model/common/pieces.h"
#include "model/tensorflow/cut/cut.h"

/* The SavedModel, which then has one meta graph; and the rest of keras_metadata.pb. */
void cpb_cut_write(const cpb_cut *cut, cpb_pieces *out);
void cpb_cut_write_keras(const cpb_cut *cut, cpb_span metadata, cpb_pieces *out);

#endif
