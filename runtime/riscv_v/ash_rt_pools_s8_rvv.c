/* ash_rt_pools_s8_rvv.c - average and maximum over windows, int8, with RISC-V
 * vectors. */
#include "ash_rt_rvv.h"

#if ASH_RT_HAS_RVV
/* %[x] is the next row of a pane: after the one before, or where a table says.
 */
#define ASH_RT_RVV_ROW                                                         \
  "mv %[x], %[from]\n"                                                         \
  "add %[from], %[from], %[step]\n"
#define ASH_RT_RVV_LINE                                                        \
  "lhu %[x], 0(%[at])\n"                                                       \
  "addi %[at], %[at], 2\n"                                                     \
  "mul %[x], %[x], %[step]\n"                                                  \
  "add %[x], %[x], %[from]\n"

/* Where the rows of a pane are, for these two. */
typedef struct ash_rt_rvv_rows {
  const int8_t *from;
  const uint16_t *at;
  long step;
} ash_rt_rvv_rows;

ASH_RT_INLINE ash_rt_rvv_rows ash_rt_rvv_rows_of(const ash_rt_lines *in,
                                                 int32_t c) {
  ash_rt_rvv_rows r;
  r.from = (const int8_t *)in->base + c;
  r.at = in->at;
  r.step = in->at ? in->unit : (long)in->pitch;
  return r;
}
#endif

/* kernels average_pool_2d_s8_rvv, average_pool_2d_s8_rvv_lines: windows of at
 * most 255 pixels, 32 channels at once, summed up in 16 bits. */
#if ASH_RT_HAS_RVV
/* clang-format off */
#define ASH_RT_RVV_AVERAGE(next)                                               \
  __asm__ volatile(                                                            \
      ASH_RT_RVV_16                                                            \
      "vmv.v.i v8, 0\n"                                                        \
      ASH_RT_RVV_8                                                             \
      "beqz %[rows], 3f\n"                                                     \
      "1:\n"                                                                   \
      next                                                                     \
      "mv %[k], %[columns]\n"                                                  \
      "2:\n"                                                                   \
      "vle8.v v2, (%[x])\n"                                                    \
      "add %[x], %[x], %[column]\n"                                            \
      "addi %[k], %[k], -1\n"                                                  \
      "vwadd.wv v8, v8, v2\n"                                                  \
      "bnez %[k], 2b\n"                                                        \
      "addi %[rows], %[rows], -1\n"                                            \
      "bnez %[rows], 1b\n"                                                     \
      "3:\n"                                                                   \
      ASH_RT_RVV_16                                                            \
      "vsra.vi v16, v8, 15\n"                                                  \
      "vand.vx v16, v16, %[ties]\n"                                            \
      "vadd.vv v8, v8, v16\n"                                                  \
      "vadd.vx v8, v8, %[up]\n"                                                \
      ASH_RT_RVV_32                                                            \
      "vzext.vf2 v16, v8\n"                                                    \
      "vmulhu.vx v8, v16, %[inverse]\n"                                        \
      "vadd.vx v8, v8, %[offset]\n"                                            \
      ASH_RT_RVV_STORE                                                         \
      : [from] "+&r"(s.from), [at] "+&r"(s.at), [rows] "+&r"(rows),            \
        [x] "=&r"(x), [k] "=&r"(k), [t] "=&r"(t)                               \
      : [n] "r"((long)n), [columns] "r"((long)b->pane.columns),                \
        [step] "r"(s.step), [column] "r"(b->pane.column),                      \
        [ties] "r"((long)r->ties), [up] "r"((long)r->up),                      \
        [inverse] "r"((long)b->inverse), [offset] "r"(-128l),                  \
        [low] "r"((long)p->act_min), [high] "r"((long)p->act_max),             \
        [out] "r"(out + c)                                                     \
      : ASH_RT_RVV_CLOBBERS)
/* clang-format on */

ASH_RT_INLINE void ash_rt_average_group_rvv(const ash_rt_pool_2d_s8_params *p,
                                            const ash_rt_average *b,
                                            const ash_rt_average_round *r,
                                            int32_t c, int32_t n, int8_t *out) {
  ash_rt_rvv_rows s = ash_rt_rvv_rows_of(&b->pane.in, c);
  const int8_t *x;
  long rows = b->pane.rows, k, t;
  if (s.at)
    ASH_RT_RVV_AVERAGE(ASH_RT_RVV_LINE);
  else
    ASH_RT_RVV_AVERAGE(ASH_RT_RVV_ROW);
}

ASH_RT_INLINE void ash_rt_average_pixel_rvv(const ash_rt_pool_2d_s8_params *p,
                                            const ash_rt_average *b,
                                            int8_t *out) {
  const ash_rt_average_round r = ash_rt_average_round_of(b->count);
  const int32_t channels = p->window.in_c;
  for (int32_t c = 0; c < channels; c += ASH_RT_RVV_GROUP)
    ash_rt_average_group_rvv(p, b, &r, c, ash_rt_group_rvv(channels - c), out);
}
#else
ASH_RT_INLINE void ash_rt_average_pixel_rvv(const ash_rt_pool_2d_s8_params *p,
                                            const ash_rt_average *b,
                                            int8_t *out) {
  ash_rt_average_plain(p, b, out);
}
#endif

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_average_core_rvv(const ash_rt_pool_2d_s8_params *p,
                                           const ash_rt_lines *in,
                                           const ash_rt_lines *out,
                                           int32_t from, int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      const ash_rt_average b = ash_rt_average_of(w, in, y, x);
      ash_rt_average_pixel_rvv(p, &b, pixel);
    }
  }
}

/* kernel average_pool_2d_s8_rvv */
void ash_rt_average_pool_2d_s8_rvv(const ash_rt_pool_2d_s8_params *p,
                                   const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_average_core_rvv(p, &i, &o, 0, w->out_h);
  }
}

/* kernel average_pool_2d_s8_rvv_lines */
void ash_rt_average_pool_2d_s8_rvv_lines(const ash_rt_pool_2d_s8_params *p,
                                         const ash_rt_lines *in,
                                         const ash_rt_lines *out, int32_t from,
                                         int32_t to) {
  ash_rt_average_core_rvv(p, in, out, from, to);
}

/* kernels max_pool_2d_s8_rvv, max_pool_2d_s8_rvv_lines: as many channels at
 * once as eight registers hold. */
#if ASH_RT_HAS_RVV
/* clang-format off */
#define ASH_RT_RVV_MAX(next)                                                   \
  __asm__ volatile(                                                            \
      "vsetvli %[done], %[count], e8, m8, ta, ma\n"                            \
      "vmv.v.x v8, %[low]\n"                                                   \
      "beqz %[rows], 3f\n"                                                     \
      "1:\n"                                                                   \
      next                                                                     \
      "mv %[k], %[columns]\n"                                                  \
      "2:\n"                                                                   \
      "vle8.v v16, (%[x])\n"                                                   \
      "add %[x], %[x], %[column]\n"                                            \
      "addi %[k], %[k], -1\n"                                                  \
      "vmax.vv v8, v8, v16\n"                                                  \
      "bnez %[k], 2b\n"                                                        \
      "addi %[rows], %[rows], -1\n"                                            \
      "bnez %[rows], 1b\n"                                                     \
      "3:\n"                                                                   \
      "vmin.vx v8, v8, %[high]\n"                                              \
      "vse8.v v8, (%[out])\n"                                                  \
      : [done] "=&r"(done), [rows] "+&r"(rows), [from] "+&r"(s.from),          \
        [at] "+&r"(s.at), [x] "=&r"(x), [k] "=&r"(k)                           \
      : [count] "r"((long)count), [columns] "r"((long)b->columns),             \
        [step] "r"(s.step), [column] "r"(b->column), [low] "r"((long)low),     \
        [high] "r"((long)high), [out] "r"(out + c)                             \
      : ASH_RT_RVV_CLOBBERS)
/* clang-format on */
#endif

/* Up to `count` channels from c on; returns how many. `low` is the
 * activation's, and what a window without elements gives. */
ASH_RT_INLINE int32_t ash_rt_max_some_rvv(const ash_rt_pane *b, int32_t c,
                                          int32_t count, int32_t low,
                                          int32_t high, int8_t *out) {
#if ASH_RT_HAS_RVV
  ash_rt_rvv_rows s = ash_rt_rvv_rows_of(&b->in, c);
  const int8_t *x;
  long rows = b->rows, k, done;
  if (s.at)
    ASH_RT_RVV_MAX(ASH_RT_RVV_LINE);
  else
    ASH_RT_RVV_MAX(ASH_RT_RVV_ROW);
  return (int32_t)done;
#else
  ash_rt_max_plain(b, c, count, low, high, out);
  return count;
#endif
}

/* Output lines [from, to). */
ASH_RT_INLINE void ash_rt_max_core_rvv(const ash_rt_pool_2d_s8_params *p,
                                       const ash_rt_lines *in,
                                       const ash_rt_lines *out, int32_t from,
                                       int32_t to) {
  const ash_rt_window *w = &p->window;
  for (int32_t y = from; y < to; y++) {
    int8_t *pixel = ash_rt_line_out(out, y);
    for (int32_t x = 0; x < w->out_w; x++, pixel += w->in_c) {
      const ash_rt_pane b = ash_rt_pane_of(w, in, y, x, 1);
      for (int32_t c = 0; c < w->in_c;)
        c += ash_rt_max_some_rvv(&b, c, w->in_c - c, p->act_min, p->act_max,
                                 pixel);
    }
  }
}

/* kernel max_pool_2d_s8_rvv */
void ash_rt_max_pool_2d_s8_rvv(const ash_rt_pool_2d_s8_params *p,
                               const int8_t *in, int8_t *out) {
  const ash_rt_window *w = &p->window;
  for (int32_t n = 0; n < w->batches; n++) {
    const ash_rt_lines i = ash_rt_image_in(w, in, n, sizeof *in);
    const ash_rt_lines o = ash_rt_image_out(w, out, n, sizeof *out);
    ash_rt_max_core_rvv(p, &i, &o, 0, w->out_h);
  }
}

/* kernel max_pool_2d_s8_rvv_lines */
void ash_rt_max_pool_2d_s8_rvv_lines(const ash_rt_pool_2d_s8_params *p,
                                     const ash_rt_lines *in,
                                     const ash_rt_lines *out, int32_t from,
                                     int32_t to) {
  ash_rt_max_core_rvv(p, in, out, from, to);
}
