#ifndef STANDIN_FF_H
#define STANDIN_FF_H

typedef struct FATFS {
  int unused;
} FATFS;

#endif
