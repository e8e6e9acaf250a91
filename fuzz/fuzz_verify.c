/* fuzz_verify.c - any bytes as a problem and a certificate, apart at the first
 * empty line: ashlar-verify must end, with an answer or a complaint. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  static verify v;
  size_t at = 0;
  while (at + 1 < count && !(bytes[at] == '\n' && bytes[at + 1] == '\n'))
    at++;
  if (at + 2 >= count || at == 0 || count > 20000)
    return 0;
  char *copy = malloc(count); /* streams want bytes that may be written */
  if (!copy)
    return 0;
  memcpy(copy, bytes, count);
  source in = {.file = fmemopen(copy, at + 1, "rb"), .name = "problem"};
  v = (verify){
      .certificate = {.file = fmemopen(copy + at + 2, count - at - 2, "rb"),
                      .name = "certificate",
                      .line = 1}};
  if (in.file && v.certificate.file) {
    const int code = verify_packing(&v, &in, NULL);
    if (code != VERIFIED && code != BROKEN && code != MALFORMED)
      abort();
  }
  if (in.file)
    (void)fclose(in.file);
  if (v.certificate.file)
    (void)fclose(v.certificate.file);
  free(copy);
  return 0;
}
