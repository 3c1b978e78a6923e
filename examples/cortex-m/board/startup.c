/* What runs before board_main(): memory as C expects it, the stack painted, unaligned access
 * trapped as on processors that have none. A fault ends the program. */
#include "board.h"

#include "semihosting.h"

#define PAINT 0xa5a5a5a5u

/* Registers of the processor. */
#define SYSTICK ((volatile uint32_t *)0xe000e010) /* control, reload, value */
#define CONFIGURATION (*(volatile uint32_t *)0xe000ed14)
#define CPACR (*(volatile uint32_t *)0xe000ed88)
enum { TRAP_UNALIGNED = 1 << 3, SYSTICK_ON = 7, SYSTICK_SPAN = 1 << 24 };

static volatile uint32_t spans;

static void tick(void) { spans++; }

uint64_t board_ticks(void) {
  uint32_t before, value;
  do {
    before = spans;
    value = SYSTICK[2];
  } while (before != spans);
  return ((uint64_t)before + 1) * SYSTICK_SPAN - value;
}

size_t board_stack_used(void) {
  const uint32_t *at = stack_begin;
  while (at < stack_end && *at == PAINT) at++;
  return (size_t)(stack_end - at) * sizeof *at;
}

void board_allow_unaligned(void) {
#if __ARM_ARCH >= 7
  CONFIGURATION &= ~(uint32_t)TRAP_UNALIGNED;
#endif
}

static void fault(void) {
  semihosting_print("a fault of the processor, such as unaligned access or no stack left\n");
  semihosting_exit(3);
}

/* Not inlined: what it leaves on the stack lies above what is painted. */
static __attribute__((noinline)) void prepare_memory(void) {
  uint32_t *here = __builtin_frame_address(0);
  for (uint32_t *at = stack_begin; at < here - 16; at++) *at = PAINT;
  const uint32_t *from = data_in_flash;
  for (uint32_t *at = data_begin; at < data_end; at++) *at = *from++;
  for (uint32_t *at = bss_begin; at < bss_end; at++) *at = 0;
}

__attribute__((noreturn)) void reset(void);
void reset(void) {
  prepare_memory();
#if __ARM_ARCH >= 7
  CONFIGURATION |= TRAP_UNALIGNED;
#  ifdef __ARM_FP
  CPACR |= 0xf << 20;
#  endif
#endif
  SYSTICK[1] = SYSTICK_SPAN - 1;
  SYSTICK[2] = 0;
  SYSTICK[0] = SYSTICK_ON;
  semihosting_exit(board_main());
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))stack_end, reset, fault, fault, fault, fault, fault, [15] = tick};
