/* The object graph: the objects of the Python object that was saved, as a tree of the shortest paths from its root. */
#ifndef CPB_MODEL_TENSORFLOW_OBJECTS_H
#define CPB_MODEL_TENSORFLOW_OBJECTS_H

#include "base/meter.h"
#include "model/common/cursor.h"
#include "model/common/links.h"
#include "model/common/names.h"
#include "model/common/part.h"
#include "model/common/problems.h"

#define CPB_NO_OBJECT UINT32_MAX

typedef struct cpb_object {
  cpb_span message;  /* SavedObject */
  cpb_span value;    /* of the field of SavedObject.kind that is set */
  uint32_t kind;     /* its number, or 0 */
  uint32_t children; /* number of references to children */
} cpb_object;

typedef struct cpb_objects {
  cpb_allocator allocator;
  cpb_object *items; /* by node id */
  cpb_link *links;   /* by node id: the shortest paths; a node without a parent cannot be reached */
  size_t count, capacity;
  cpb_span *concrete; /* SavedConcreteFunctions */
  size_t num_concrete, concrete_capacity;
  cpb_names functions; /* their names, sorted; numbers: indices of `concrete` */
  cpb_names owners;    /* names of functions again; numbers: an object that has the function */
  cpb_span *assets;    /* AssetFileDefs */
  size_t num_assets, assets_capacity;
} cpb_objects;

void cpb_objects_init(cpb_objects *objects, const cpb_allocator *a);
void cpb_objects_free(cpb_objects *objects);

/* Built from the MetaGraphDef `meta` of `part`. False with the error set. */
bool cpb_objects_build(cpb_objects *objects, const cpb_part *part, cpb_span meta, cpb_problems *problems,
                       cpb_meter *meter, cpb_error *error);

/* The kind of the object, and its value. */
uint32_t cpb_object_kind(const cpb_object *object, cpb_span *value);
/* Such as "variable"; "none" for 0. */
const char *cpb_object_kind_name(uint32_t kind);

/* The child of that name, or CPB_NO_OBJECT. */
uint32_t cpb_objects_child(const cpb_objects *objects, uint32_t node, cpb_span name);

/* "root.child.call", or "#12" for the object with that node id. */
uint32_t cpb_objects_find(const cpb_objects *objects, cpb_span path);
/* Appends the path (model/common/links.h). False if memory is short. */
bool cpb_objects_path(const cpb_objects *objects, uint32_t node, cpb_buffer *out);

/* The SavedConcreteFunction with this name, or NULL data. */
cpb_span cpb_objects_concrete(const cpb_objects *objects, cpb_span function);

#endif
