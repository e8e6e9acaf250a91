/* crc32.h - the checksum of zip files. */
#ifndef ASH_CLI_CRC32_H
#define ASH_CLI_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_of(const void *bytes, size_t count);

#endif
