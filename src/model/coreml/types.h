/* What values are: features of a model and values of a program, in JSON. */
#ifndef CPB_MODEL_COREML_TYPES_H
#define CPB_MODEL_COREML_TYPES_H

#include "base/json_writer.h"
#include "model/view/view.h"

/* Members of an object, of a FeatureType. "dtype" and "shape" of an array or a number; a list of sizes, of which a
 * flexible one is "1..10" or "1..", or null where nothing is said. Of what may be of several sizes "shapes", a list of
 * them, or "ranges", of each size [least, most], where most may be null. Of others "type": {"image": {"color", "width",
 * "height"}}, {"dictionary": {"key"}}, {"sequence": {"dtype"}}, {"state": {"dtype", "shape"}}. "optional": true if it
 * may be left out. */
void cpb_coreml_write_feature_type(cpb_json_writer *answer, cpb_span type);

/* Whether the FeatureType is anything but an array of which no size is said. */
bool cpb_coreml_has_shape(cpb_span type);

/* The same of a MILSpec.ValueType; "type" is {"list": ELEMENT}, {"dictionary": {"key", "value"}}, {"state": TYPE} or
 * {"tuple": how many}, where an element has such members again. */
void cpb_coreml_write_mil_type(cpb_json_writer *answer, cpb_span type);

/* Whichever it has, if any. */
void cpb_coreml_write_value_type(cpb_json_writer *answer, const cpb_view_value *value);

/* An object, of a FeatureDescription: "name", those, or those of the MILSpec.ValueType `made` unless that is NULL, and
 * "doc" if there is one. */
void cpb_coreml_write_feature(cpb_json_writer *answer, cpb_span feature, cpb_span made);

#endif
