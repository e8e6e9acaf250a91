/* ash_rt_pools_s8_rvv.c - average and maximum over windows, int8, with RISC-V
 * vectors. */
#include "ash_rt_rvv.h"

/* kernel average_pool_2d_s8_rvv: windows of at most 255 pixels, 32 channels at
 * once, summed up in 16 bits. */
#if ASH_RT_HAS_RVV
static void ash_rt_average_group_rvv(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_average *b,
                                     const ash_rt_average_round *r, int32_t c,
                                     int32_t n, int8_t *out) {
  const int8_t *x, *from = b->in + c;
  long rows = b->pane.rows, k, t;
  /* clang-format off */
  __asm__ volatile(
      ASH_RT_RVV_16
      "vmv.v.i v8, 0\n"
      ASH_RT_RVV_8
      "beqz %[rows], 3f\n"
      "1:\n"
      "mv %[x], %[from]\n"
      "mv %[k], %[columns]\n"
      "2:\n"
      "vle8.v v2, (%[x])\n"
      "add %[x], %[x], %[column]\n"
      "addi %[k], %[k], -1\n"
      "vwadd.wv v8, v8, v2\n"
      "bnez %[k], 2b\n"
      "add %[from], %[from], %[row]\n"
      "addi %[rows], %[rows], -1\n"
      "bnez %[rows], 1b\n"
      "3:\n"
      ASH_RT_RVV_16
      "vsra.vi v16, v8, 15\n"
      "vand.vx v16, v16, %[ties]\n"
      "vadd.vv v8, v8, v16\n"
      "vadd.vx v8, v8, %[up]\n"
      ASH_RT_RVV_32
      "vzext.vf2 v16, v8\n"
      "vmulhu.vx v8, v16, %[inverse]\n"
      "vadd.vx v8, v8, %[offset]\n"
      ASH_RT_RVV_STORE
                    /* clang-format on */
                    : [from] "+&r"(from), [rows] "+&r"(rows), [x] "=&r"(x),
                      [k] "=&r"(k), [t] "=&r"(t)
                    : [n] "r"((long)n), [columns] "r"((long)b->pane.columns),
                      [row] "r"(b->pane.row), [column] "r"(b->pane.column),
                      [ties] "r"((long)r->ties), [up] "r"((long)r->up),
                      [inverse] "r"((long)b->inverse), [offset] "r"(-128l),
                      [low] "r"((long)p->act_min), [high] "r"((long)p->act_max),
                      [out] "r"(out + c)
                    : ASH_RT_RVV_CLOBBERS);
}

static void ash_rt_average_pixel_rvv(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_average *b, int8_t *out) {
  const ash_rt_average_round r = ash_rt_average_round_of(b->count);
  const int32_t channels = p->window.in_c;
  for (int32_t c = 0; c < channels; c += ASH_RT_RVV_GROUP)
    ash_rt_average_group_rvv(p, b, &r, c, ash_rt_group_rvv(channels - c), out);
}
#else
static void ash_rt_average_pixel_rvv(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_average *b, int8_t *out) {
  ash_rt_average_plain(p, b, out);
}
#endif

void ash_rt_average_pool_2d_s8_rvv(const ash_rt_pool_2d_s8_params *p,
                                   const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  ASH_RT_POOL_PIXELS(w, in, out, {
    const ash_rt_average b = ash_rt_average_of(w, in, y, x);
    ash_rt_average_pixel_rvv(p, &b, out);
  })
}

/* kernel max_pool_2d_s8_rvv: as many channels at once as eight registers hold.
 */

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
  ASH_RT_POOL_PIXELS(w, in, out, {
    const ash_rt_pane b = ash_rt_pane_of(w, y, x);
    for (int32_t c = 0; c < w->in_c;)
      c += ash_rt_max_some_rvv(&b, in + b.first + c, w->in_c - c, p->act_min,
                               p->act_max, out + c);
  })
}
