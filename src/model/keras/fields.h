/* Numbers of the fields of a SavedMetadata (third_party.tensorflow.python.keras.protobuf, later
 * third_party.py.tf_keras.protobuf). */
#ifndef CPB_MODEL_KERAS_FIELDS_H
#define CPB_MODEL_KERAS_FIELDS_H

enum { METADATA_NODES = 1 };
enum { OBJECT_NODE_ID = 2, OBJECT_NODE_PATH = 3, OBJECT_IDENTIFIER = 4, OBJECT_METADATA = 5, OBJECT_VERSION = 6 };
enum { VERSION_PRODUCER = 1, VERSION_MIN_CONSUMER = 2 };

#endif
