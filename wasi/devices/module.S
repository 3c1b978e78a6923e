/* The module MODULE, and its data where it is without them (split.py), as constants: they stay in
 * flash. */
  .section .rodata.module, "a"
  .balign 8
  .global module_begin, module_end, data_begin_in_flash, data_end_in_flash
module_begin:
  .incbin MODULE
module_end:
  .balign 4
data_begin_in_flash:
#ifdef DATA
  .incbin DATA
#endif
data_end_in_flash:
