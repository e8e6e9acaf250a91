/* files.h - whole files for commands. */
#ifndef CLI_FILES_H
#define CLI_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* False after saying on stderr what is wrong. */
bool read_whole(const char *path, char **bytes, size_t *count);
void free_whole(char *bytes);
/* What a file is by its first bytes. */
typedef enum file_kind { FILE_OTHER, FILE_TFLITE, FILE_ONNX } file_kind;
file_kind kind_of(const char *bytes, size_t count);
/* A plan is wanted: says so, and how to make one, if this is a model. */
bool refuse_model(const char *path, const char *bytes, size_t count);
/* Do both names mean one file that exists? */
bool same_file(const char *a, const char *b);
bool write_whole(const char *path, const void *bytes, size_t count);

#endif
