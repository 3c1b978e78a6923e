/* The board: where its memory begins and ends, what of it was used, and how long it took. */
#ifndef CPB_BOARD_H
#define CPB_BOARD_H

#include <stddef.h>
#include <stdint.h>

/* From board.ld; their addresses count. */
extern uint32_t stack_begin[], stack_end[], data_begin[], data_end[], data_in_flash[], bss_begin[], bss_end[],
    heap_begin[], heap_end[];

/* The most bytes of stack that were used at once so far. */
size_t board_stack_used(void);

/* Ticks of the processor's clock since the start; on QEMU with -icount shift=0 so many
 * nanoseconds of them are instructions. */
uint64_t board_ticks(void);

/* From now on unaligned access is not trapped, where the processor has it. */
void board_allow_unaligned(void);

/* What to do, given by startup.c: returns 0, or the exit status. */
int board_main(void);

#endif
