/* Where a model is: what host.c opens besides its own file. */
#ifndef CPB_COMPONENT_FOLDER_H
#define CPB_COMPONENT_FOLDER_H

#include "component.h"

typedef struct place {
  char *name; /* of the model's file */
  lent *own;  /* that file */
  bool has_folder;
  folder_own_folder_t folder;
} place;

/* Files beside a model are those of this place from now on: to be called by each export, as there may be several
 * models. */
void folder_be_in(const place *here);

#endif
