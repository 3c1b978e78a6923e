#include "model/coreml/model.h"

#include "model/common/cursor.h"
#include "model/common/view.h"
#include "model/coreml/fields.h"

/* Each line says what the outline keeps of a message, whatever its size; other fields are kept if they are short.
 * Types, blocks, networks and models nest in themselves, so some are declared before they are defined. */

CPB_VIEW_ENTRY(text_entry, CPB_KEEP(MAP_KEY))

/* --- The description --------------------------------------------------------------- */

static const cpb_message_type no_fields; /* is opened, and nothing long in it is kept */

CPB_VIEW(list, CPB_ENTER(1, no_fields)) /* of shapes, sizes and ranges */
CPB_VIEW(image, CPB_ENTER(IMAGE_SIZES, list), CPB_ENTER(IMAGE_RANGE, no_fields))
CPB_VIEW(array, CPB_KEEP(ARRAY_SHAPE), CPB_ENTER(ARRAY_SHAPES, list), CPB_ENTER(ARRAY_RANGE, list))
CPB_VIEW(state, CPB_ENTER(1, array))
CPB_VIEW(feature_type, CPB_ENTER(FEATURE_IMAGE, image), CPB_ENTER(FEATURE_ARRAY, array),
         CPB_ENTER(FEATURE_STATE, state))
CPB_VIEW(feature, CPB_KEEP(FEATURE_NAME), CPB_ENTER(FEATURE_TYPE, feature_type))
CPB_VIEW(of_function, CPB_KEEP(OF_FUNCTION_NAME), CPB_ENTER(OF_FUNCTION_INPUT, feature),
         CPB_ENTER(OF_FUNCTION_OUTPUT, feature), CPB_ENTER(OF_FUNCTION_STATE, feature))
CPB_VIEW(metadata, CPB_ENTER(METADATA_USER, text_entry))
CPB_VIEW_DIVISIBLE(description, ANYWHERE, CPB_ENTER(DESCRIPTION_INPUT, feature), CPB_ENTER(DESCRIPTION_OUTPUT, feature),
                   CPB_ENTER(DESCRIPTION_STATE, feature), CPB_ENTER(DESCRIPTION_FUNCTION, of_function),
                   CPB_ENTER(DESCRIPTION_TRAINING_INPUT, feature), CPB_ENTER(DESCRIPTION_METADATA, metadata))

/* --- Programs ------------------------------------------------------------------------ */

static const cpb_message_type mil_type, block;
CPB_VIEW(dimension, CPB_ENTER(DIMENSION_CONSTANT, no_fields))
CPB_VIEW(tensor_type, CPB_ENTER(TENSOR_DIMENSION, dimension))
CPB_VIEW(wrapping_type, CPB_ENTER(1, mil_type), CPB_ENTER(2, mil_type)) /* of lists, tuples, dictionaries, states */
CPB_VIEW(mil_type, CPB_ENTER(MIL_TENSOR, tensor_type), CPB_ENTER(MIL_LIST, wrapping_type),
         CPB_ENTER(MIL_TUPLE, wrapping_type), CPB_ENTER(MIL_DICTIONARY, wrapping_type),
         CPB_ENTER(MIL_STATE, wrapping_type))
CPB_VIEW(named, CPB_KEEP(NAMED_NAME), CPB_ENTER(NAMED_TYPE, mil_type))
CPB_VIEW(tensor_value, CPB_ENTER(VALUES_FLOATS, no_fields), CPB_ENTER(VALUES_INTS, no_fields),
         CPB_ENTER(VALUES_BOOLS, no_fields), CPB_ENTER(VALUES_STRINGS, no_fields),
         CPB_ENTER(VALUES_LONG_INTS, no_fields), CPB_ENTER(VALUES_DOUBLES, no_fields),
         CPB_ENTER(VALUES_BYTES, no_fields))
CPB_VIEW(immediate, CPB_ENTER(IMMEDIATE_TENSOR, tensor_value), CPB_ENTER(IMMEDIATE_TUPLE, list),
         CPB_ENTER(IMMEDIATE_LIST, list), CPB_ENTER(IMMEDIATE_DICTIONARY, list))
static const cpb_field value_fields[] = {CPB_ENTER(VALUE_TYPE, mil_type), CPB_ENTER(VALUE_IMMEDIATE, immediate),
                                         CPB_ENTER(VALUE_BLOB, no_fields)};
const cpb_message_type cpb_view_coreml_value = {.fields = value_fields, .num_fields = 3};
CPB_VIEW_MAP_OF(value_entry, cpb_view_coreml_value)
CPB_VIEW(binding, CPB_KEEP(BINDING_NAME), CPB_ENTER(BINDING_VALUE, cpb_view_coreml_value))
CPB_VIEW(argument, CPB_ENTER(ARGUMENT_BINDING, binding))
CPB_VIEW_MAP_OF(argument_entry, argument)
CPB_VIEW(operation, CPB_KEEP(OPERATION_TYPE), CPB_ENTER(OPERATION_INPUT, argument_entry),
         CPB_ENTER(OPERATION_OUTPUT, named), CPB_ENTER(OPERATION_BLOCK, block),
         CPB_ENTER(OPERATION_ATTRIBUTE, value_entry))
CPB_VIEW_DIVISIBLE(block, ANYWHERE, CPB_ENTER(BLOCK_INPUT, named), CPB_KEEP(BLOCK_OUTPUT),
                   CPB_ENTER(BLOCK_OPERATION, operation))
static const cpb_field block_entry_fields[] = {CPB_KEEP(MAP_KEY), CPB_ENTER(MAP_VALUE, block)};
static const cpb_message_type block_entry = {
    .fields = block_entry_fields, .num_fields = 2, .map_entry = 1, .divisible = CPB_DIVISIBLE_ANYWHERE};
CPB_VIEW_DIVISIBLE(function, ANYWHERE, CPB_ENTER(FUNCTION_INPUT, named), CPB_ENTER(FUNCTION_BLOCK, block_entry))
static const cpb_field function_entry_fields[] = {CPB_KEEP(MAP_KEY), CPB_ENTER(MAP_VALUE, function)};
static const cpb_message_type function_entry = {
    .fields = function_entry_fields, .num_fields = 2, .map_entry = 1, .divisible = CPB_DIVISIBLE_ANYWHERE};
CPB_VIEW_DIVISIBLE(program, ANYWHERE, CPB_ENTER(PROGRAM_FUNCTION, function_entry))

/* --- Neural networks: the layers that have weights or networks -------------------------- */

static const cpb_message_type network;
CPB_VIEW(quantization, CPB_ENTER(QUANTIZATION_LINEAR, no_fields), CPB_ENTER(QUANTIZATION_TABLE, no_fields))
CPB_VIEW(weights, CPB_ENTER(WEIGHTS_QUANTIZATION, quantization))
/* For most layers. */
CPB_VIEW(parameters, CPB_ENTER_LONG(2, weights), CPB_ENTER_LONG(3, weights), CPB_ENTER_LONG(4, weights),
         CPB_ENTER_LONG(5, weights), CPB_ENTER_LONG(8, weights), CPB_ENTER_LONG(9, weights),
         CPB_ENTER_LONG(15, weights), CPB_ENTER_LONG(16, weights), CPB_ENTER_LONG(17, weights),
         CPB_ENTER_LONG(18, weights), CPB_ENTER_LONG(20, weights), CPB_ENTER_LONG(21, weights),
         CPB_ENTER_LONG(30, weights), CPB_ENTER_LONG(31, weights), CPB_ENTER_LONG(32, weights),
         CPB_ENTER_LONG(50, weights), CPB_ENTER_LONG(51, weights), CPB_ENTER_LONG(52, weights),
         CPB_ENTER_LONG(60, weights), CPB_ENTER_LONG(61, weights), CPB_ENTER_LONG(70, weights),
         CPB_ENTER_LONG(71, weights), CPB_ENTER_LONG(72, weights), CPB_ENTER_LONG(90, weights),
         CPB_ENTER_LONG(91, weights))
CPB_VIEW(alpha_beta, CPB_ENTER(1, weights), CPB_ENTER(2, weights))
CPB_VIEW(activation, CPB_ENTER(25, alpha_beta), CPB_ENTER(71, alpha_beta))
CPB_VIEW(lstm_weights, CPB_ENTER(1, weights), CPB_ENTER(2, weights), CPB_ENTER(3, weights), CPB_ENTER(4, weights),
         CPB_ENTER(20, weights), CPB_ENTER(21, weights), CPB_ENTER(22, weights), CPB_ENTER(23, weights),
         CPB_ENTER(40, weights), CPB_ENTER(41, weights), CPB_ENTER(42, weights), CPB_ENTER(43, weights),
         CPB_ENTER(60, weights), CPB_ENTER(61, weights), CPB_ENTER(62, weights))
CPB_VIEW(lstm, CPB_ENTER(20, lstm_weights))
CPB_VIEW(branch, CPB_ENTER(BRANCH_IF, network), CPB_ENTER(BRANCH_ELSE, network))
CPB_VIEW(loop, CPB_ENTER(LOOP_CONDITION, network), CPB_ENTER(LOOP_BODY, network))
CPB_VIEW(layer, CPB_KEEP(LAYER_NAME), CPB_KEEP(LAYER_INPUT), CPB_KEEP(LAYER_OUTPUT), CPB_ENTER(100, parameters),
         CPB_ENTER(130, activation), CPB_ENTER(140, parameters), CPB_ENTER(150, parameters), CPB_ENTER(160, parameters),
         CPB_ENTER(245, parameters), CPB_ENTER(250, parameters), CPB_ENTER(290, parameters), CPB_ENTER(400, parameters),
         CPB_ENTER(410, parameters), CPB_ENTER(420, lstm), CPB_ENTER(430, lstm), CPB_ENTER(500, parameters),
         CPB_ENTER(LAYER_BRANCH, branch), CPB_ENTER(LAYER_LOOP, loop), CPB_ENTER(1040, parameters),
         CPB_ENTER(1045, parameters), CPB_ENTER(1070, parameters), CPB_ENTER(1350, parameters),
         CPB_ENTER(1471, parameters))
CPB_VIEW_DIVISIBLE(network, ANYWHERE, CPB_ENTER(NETWORK_LAYER, layer), CPB_KEEP(NETWORK_TEXT_LABELS),
                   CPB_KEEP(NETWORK_NUMBER_LABELS))

/* --- Models --------------------------------------------------------------------------------- */

static const cpb_message_type model;
CPB_VIEW_DIVISIBLE(pipeline, ANYWHERE, CPB_ENTER(PIPELINE_MODEL, model), CPB_KEEP(PIPELINE_NAME))
CPB_VIEW_DIVISIBLE(pipeline_of, ANYWHERE, CPB_ENTER(PIPELINE_OF, pipeline))
static const cpb_field model_fields[] = {CPB_ENTER(MODEL_DESCRIPTION, description),
                                         CPB_ENTER(TYPE_PIPELINE_CLASSIFIER, pipeline_of),
                                         CPB_ENTER(TYPE_PIPELINE_REGRESSOR, pipeline_of),
                                         CPB_ENTER(TYPE_PIPELINE, pipeline),
                                         CPB_ENTER(TYPE_NETWORK_REGRESSOR, network),
                                         CPB_ENTER(TYPE_NETWORK_CLASSIFIER, network),
                                         CPB_ENTER(TYPE_NETWORK, network),
                                         CPB_ENTER(TYPE_PROGRAM, program)};
#define NUM_FIELDS (sizeof model_fields / sizeof *model_fields)
static const cpb_message_type model = {
    .fields = model_fields, .num_fields = NUM_FIELDS, .divisible = CPB_DIVISIBLE_ANYWHERE};
const cpb_message_type cpb_view_coreml = {
    .fields = model_fields, .num_fields = NUM_FIELDS, .divisible = CPB_DIVISIBLE_ANYWHERE};
