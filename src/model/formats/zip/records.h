/* The records of a zip archive: their signatures, and the sizes of their fixed parts (APPNOTE.TXT 4.3). */
#ifndef CPB_MODEL_FORMATS_ZIP_RECORDS_H
#define CPB_MODEL_FORMATS_ZIP_RECORDS_H

enum {
  LOCAL_SIGNATURE = 0x04034b50,
  DESCRIPTOR_SIGNATURE = 0x08074b50,
  ENTRY_SIGNATURE = 0x02014b50,
  END_SIGNATURE = 0x06054b50,
  END64_SIGNATURE = 0x06064b50,
  LOCATOR_SIGNATURE = 0x07064b50
};
enum { LOCAL_SIZE = 30, ENTRY_SIZE = 46, END_SIZE = 22, END64_SIZE = 56, LOCATOR_SIZE = 20 };

#define SIZES_FOLLOW 0x0008u /* flag: sizes are in a data descriptor, and in the central directory */
#define ALL16 0xffffu        /* the number is in the Zip64 field instead */
#define ALL32 0xffffffffu

#endif
