/* zone.c - bump allocation. See zone.h for the contract. */
#include "base/zone.h"

#include <assert.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASH_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ASH_ASAN 1
#endif
#ifdef ASH_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n)   __asan_poison_memory_region((p), (n))
#define UNPOISON(p, n) __asan_unpoison_memory_region((p), (n))
enum { REDZONE_BYTES = 32 };
#else
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
enum { REDZONE_BYTES = 0 };
#endif

enum { BLOCK_BYTES = 16 * 1024 };

struct ash_block {
  ash_block *older;
  size_t capacity, used;
  alignas(max_align_t) unsigned char bytes[];
};

void ash_zone_init(ash_zone *z, const ash_allocator *mem) {
  *z = (ash_zone){.mem = mem};
}

static void drop_newest(ash_zone *z) {
  ash_block *block = z->newest;
  z->newest = block->older;
  UNPOISON(block->bytes, block->capacity);
  (void)z->mem->resize(z->mem->user, block, sizeof *block + block->capacity, 0);
}

void ash_zone_drop(ash_zone *z) {
  while (z->newest)
    drop_newest(z);
}

static void *fail(ash_zone *z) {
  z->failed = true;
  return NULL;
}

/* Blocks double up to a limit: few blocks for large work, little waste for
 * small. */
static size_t block_capacity(const ash_zone *z, size_t need) {
  size_t capacity = z->newest ? z->newest->capacity * 2 : BLOCK_BYTES;
  if (capacity > (size_t)64 * BLOCK_BYTES)
    capacity = (size_t)64 * BLOCK_BYTES;
  return need > capacity ? need : capacity;
}

static ash_block *push_block(ash_zone *z, size_t need) {
  const size_t capacity = block_capacity(z, need);
  ash_block *block =
      z->mem->resize(z->mem->user, NULL, 0, sizeof *block + capacity);
  if (!block)
    return NULL;
  *block = (ash_block){.older = z->newest, .capacity = capacity};
  POISON(block->bytes, capacity);
  z->newest = block;
  return block;
}

void *ash_zone_alloc(ash_zone *z, size_t count, size_t size, size_t align) {
  assert(size > 0);
  assert(align > 0 && (align & (align - 1)) == 0);
  assert(align <= alignof(max_align_t));
  if (count > (SIZE_MAX / 2 - REDZONE_BYTES - sizeof(ash_block)) / size)
    return fail(z);
  const size_t bytes = count * size + REDZONE_BYTES;
  ash_block *block = z->newest;
  size_t start = block ? (block->used + align - 1) & ~(align - 1) : 0;
  if (!block || start > block->capacity || bytes > block->capacity - start) {
    block = push_block(z, bytes);
    if (!block)
      return fail(z);
    start = 0;
  }
  block->used = start + bytes;
  UNPOISON(block->bytes + start, count * size);
  return memset(block->bytes + start, 0, count * size);
}

ash_mark ash_zone_mark(const ash_zone *z) {
  return (ash_mark){.block = z->newest,
                    .used = z->newest ? z->newest->used : 0};
}

void ash_zone_rewind(ash_zone *z, ash_mark mark) {
  while (z->newest != mark.block)
    drop_newest(z);
  if (!z->newest)
    return;
  assert(mark.used <= z->newest->used);
  POISON(z->newest->bytes + mark.used, z->newest->capacity - mark.used);
  z->newest->used = mark.used;
}

void *ash_zone_copy(ash_zone *z, const void *bytes, size_t count) {
  if (!bytes)
    return NULL;
  void *copy = ash_zone_alloc(z, count ? count : 1, 1, alignof(max_align_t));
  return copy && count ? memcpy(copy, bytes, count) : copy;
}

char *ash_zone_string(ash_zone *z, const char *text) {
  return text ? ash_zone_copy(z, text, strlen(text) + 1) : NULL;
}

char *ash_zone_format(ash_zone *z, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  const int need = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  const size_t bytes = need < 0 ? 1 : (size_t)need + 1;
  char *text = ASH_NEW_ARRAY(z, char, bytes);
  if (!text)
    return NULL;
  va_start(ap, fmt);
  (void)vsnprintf(text, bytes, fmt, ap);
  va_end(ap);
  return text;
}

bool ash_zone_grow(ash_zone *z, void **items, size_t *capacity, size_t count,
                   size_t size) {
  if (count < *capacity)
    return true;
  const size_t larger = *capacity ? *capacity * 2 : 8;
  void *moved = ash_zone_alloc(z, larger, size, alignof(max_align_t));
  if (!moved)
    return false;
  if (count)
    memcpy(moved, *items, count * size);
  *items = moved;
  *capacity = larger;
  return true;
}
