/* ash_rt_max_pool_2d_s8_rvv.c - maximum over windows, int8, with RISC-V
 * vectors: as many channels at once as eight registers hold. */
#include "ash_rt_rvv.h"

/* Up to `count` channels; returns how many. `low` is the activation's, and what
 * a window without elements gives. */
static int32_t ash_rt_max_some_rvv(const ash_rt_pane *b, const int8_t *from,
                                   int32_t count, int32_t low, int32_t high,
                                   int8_t *out) {
#if ASH_RT_HAS_RVV
  const int8_t *x;
  long rows = b->rows, k, done;
  __asm__ volatile(
      "vsetvli %[done], %[count], e8, m8, ta, ma\n"
      "vmv.v.x v8, %[low]\n"
      "beqz %[rows], 3f\n"
      "1:\n"
      "mv %[x], %[from]\n"
      "mv %[k], %[columns]\n"
      "2:\n"
      "vle8.v v16, (%[x])\n"
      "add %[x], %[x], %[column]\n"
      "addi %[k], %[k], -1\n"
      "vmax.vv v8, v8, v16\n"
      "bnez %[k], 2b\n"
      "add %[from], %[from], %[row]\n"
      "addi %[rows], %[rows], -1\n"
      "bnez %[rows], 1b\n"
      "3:\n"
      "vmin.vx v8, v8, %[high]\n"
      "vse8.v v8, (%[out])\n"
      : [done] "=&r"(done), [rows] "+&r"(rows), [from] "+&r"(from),
        [x] "=&r"(x), [k] "=&r"(k)
      : [count] "r"((long)count), [columns] "r"((long)b->columns),
        [row] "r"(b->row), [column] "r"(b->column), [low] "r"((long)low),
        [high] "r"((long)high), [out] "r"(out)
      : ASH_RT_RVV_CLOBBERS);
  return (int32_t)done;
#else
  ash_rt_max_plain(b, from, count, low, high, out);
  return count;
#endif
}

void ash_rt_max_pool_2d_s8_rvv(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    for (int32_t y = 0; y < w->out_h; y++)
      for (int32_t x = 0; x < w->out_w; x++, out += w->in_c) {
        const ash_rt_pane b = ash_rt_pane_of(w, y, x);
        for (int32_t c = 0; c < w->in_c;)
          c += ash_rt_max_some_rvv(&b, in + b.first + c, w->in_c - c,
                                   p->act_min, p->act_max, out + c);
      }
    in += (ptrdiff_t)w->in_h * w->in_w * w->in_c;
  }
}
