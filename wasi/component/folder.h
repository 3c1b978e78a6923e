/* The place of a model: host.c opens its other files there. */
#ifndef CPB_COMPONENT_FOLDER_H
#define CPB_COMPONENT_FOLDER_H

#include "component.h"

typedef struct place {
  char *name; /* of the model's file */
  lent *own;  /* that file */
  bool has_folder;
  folder_own_folder_t folder;
} place;

/* Files next to a model are opened in this place from now on. Each export must call this, as there may be several
 * models. */
void folder_be_in(const place *here);

#endif
