/* crc32.h - CRC-32 as Ethernet, zip and PNG compute it. */
#ifndef ASH_BASE_CRC32_H
#define ASH_BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t ash_crc32(const void *bytes, size_t count);

#endif
