/* embed.c - a host tool of the build: turns files into a C array.
 *
 *   embed OUT.c SYMBOL FILE...
 *
 * writes `const ash_embedded SYMBOL[]` (src/base/embedded.h), one element a
 * file in the given order and a last one of zeros. Bytes are written as
 * numbers: C99 promises string literals of only 4095 characters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Returns the number of bytes, -1 when the file cannot be read. */
static long put_bytes(FILE *out, const char *path, int index) {
  FILE *in = fopen(path, "rb");
  if (!in)
    return -1;
  long count = 0;
  fprintf(out, "static const unsigned char file_%d[] = {", index);
  for (int c = fgetc(in); c != EOF; c = fgetc(in), count++)
    fprintf(out, "%s%d,", count % 16 ? "" : "\n    ", c);
  fprintf(out, "%s0};\n", count % 16 ? "" : "\n    ");
  const int failed = ferror(in);
  fclose(in);
  return failed ? -1 : count;
}

static int embed(FILE *out, const char *symbol, char **paths, int count) {
  long *bytes = calloc((size_t)count + 1, sizeof *bytes);
  if (!bytes)
    return 1;
  fputs("/* Made by tools/embed.c. */\n#include \"base/embedded.h\"\n\n", out);
  for (int i = 0; i < count; i++) {
    bytes[i] = put_bytes(out, paths[i], i);
    if (bytes[i] < 0) {
      fprintf(stderr, "embed: cannot read %s\n", paths[i]);
      free(bytes);
      return 1;
    }
  }
  fprintf(out, "\nextern const ash_embedded %s[];\n", symbol);
  fprintf(out, "const ash_embedded %s[] = {\n", symbol);
  for (int i = 0; i < count; i++)
    fprintf(out, "    {\"%s\", (const char *)file_%d, %ld},\n",
            name_of(paths[i]), i, bytes[i]);
  fputs("    {0, 0, 0}};\n", out);
  free(bytes);
  return ferror(out) != 0;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fputs("usage: embed OUT.c SYMBOL FILE...\n", stderr);
    return 64;
  }
  FILE *out = fopen(argv[1], "wb");
  if (!out) {
    fprintf(stderr, "embed: cannot write %s\n", argv[1]);
    return 74;
  }
  const int failed = embed(out, argv[2], argv + 3, argc - 3);
  if (fclose(out) == 0 && !failed)
    return 0;
  remove(argv[1]); /* a half-written file would look up to date */
  return 74;
}
