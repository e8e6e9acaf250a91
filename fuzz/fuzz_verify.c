/* fuzz_verify.c - any bytes as a problem, or a plan if they begin with '{', and
 * a certificate, apart at the first empty line: ashlar-verify must end, with an
 * answer or a complaint. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  static verify v;
  char *text = calloc(1, count + 1);
  char *apart = NULL;
  if (text && count > 0 && count <= 20000) {
    memcpy(text, bytes, count);
    apart = strstr(text, "\n\n");
  }
  if (apart && apart > text) {
    apart[1] = '\0';
    source in = {.at = text, .name = "problem", .line = 1};
    v = (verify){
        .certificate = {.at = apart + 2, .name = "certificate", .line = 1}};
    const int code =
        *text == '{' ? verify_plan(&v, &in) : verify_packing(&v, &in, NULL);
    if (code != VERIFIED && code != BROKEN && code != MALFORMED)
      abort();
  }
  free(text);
  return 0;
}
