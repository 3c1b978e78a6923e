#include "base/budget.h"

#include <stdalign.h>

#include "base/checked.h"

/* Precedes each block, because cpb_allocator.release does not get the block's size. */
typedef struct {
  alignas(max_align_t) size_t size; /* includes the header */
} header;

void cpb_budget_init(cpb_budget *b, const cpb_allocator *inner, size_t limit) {
  *b = (cpb_budget){.inner = *inner, .limit = limit};
}

bool cpb_budget_charge(cpb_budget *b, uint64_t size) {
  if (size > b->limit - b->used) {
    if (!cpb_add_u64(b->used, size, &b->needed)) b->needed = UINT64_MAX;
    return false;
  }
  b->used += (size_t)size;
  b->peak = cpb_max_size(b->peak, b->used);
  return true;
}

void cpb_budget_credit(cpb_budget *b, size_t size) { b->used -= size; }

bool cpb_budget_fits(cpb_budget *b, uint64_t size) {
  size_t peak = b->peak;
  if (!cpb_budget_charge(b, size)) return false;
  cpb_budget_credit(b, (size_t)size);
  b->peak = peak;
  return true;
}

static void *allocate(void *user, size_t size) {
  cpb_budget *b = user;
  size_t total;
  if (!cpb_add_size(size, sizeof(header), &total) || !cpb_budget_charge(b, total)) return NULL;
  header *block = cpb_alloc(&b->inner, total);
  if (!block) {
    cpb_budget_credit(b, total);
    return NULL;
  }
  block->size = total;
  return block + 1;
}

static void *resize(void *user, void *block, size_t old_size, size_t new_size) {
  cpb_budget *b = user;
  header *old = (header *)block - 1;
  size_t total, before = old->size;
  (void)old_size;
  if (!cpb_add_size(new_size, sizeof(header), &total)) return NULL;
  if (total > before && !cpb_budget_charge(b, total - before)) return NULL;
  header *moved = cpb_realloc(&b->inner, old, before, total);
  if (!moved) {
    if (total > before) cpb_budget_credit(b, total - before);
    return NULL;
  }
  if (total < before) cpb_budget_credit(b, before - total);
  moved->size = total;
  return moved + 1;
}

static void release(void *user, void *block) {
  cpb_budget *b = user;
  header *old = (header *)block - 1;
  cpb_budget_credit(b, old->size);
  cpb_release(&b->inner, old);
}

cpb_allocator cpb_budget_allocator(cpb_budget *b) { return (cpb_allocator){b, allocate, resize, release}; }
