/* files.h - whole files for commands. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* False after saying on stderr what is wrong. */
bool read_whole(const char *path, char **bytes, size_t *count);
void free_whole(char *bytes);
bool write_whole(const char *path, const void *bytes, size_t count);

#endif
