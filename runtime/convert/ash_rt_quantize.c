/* ash_rt_quantize.c - between float32 and quantised integers, and from one
 * scale to another. */
#include "ash_rt_quantize.h"

/* kernel quantize_f32_s8 */
void ash_rt_quantize_f32_s8(const ash_rt_affine_params *p, const float *in,
                            int8_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t y = ash_rt_round_f32(in[i] / p->scale, -128 - p->zero_point,
                                       127 - p->zero_point);
    out[i] = (int8_t)(y + p->zero_point);
  }
}

/* kernel quantize_f32_u8 */
void ash_rt_quantize_f32_u8(const ash_rt_affine_params *p, const float *in,
                            uint8_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t y = ash_rt_round_f32(in[i] / p->scale, 0 - p->zero_point,
                                       255 - p->zero_point);
    out[i] = (uint8_t)(y + p->zero_point);
  }
}

/* kernel quantize_f32_s16 */
void ash_rt_quantize_f32_s16(const ash_rt_affine_params *p, const float *in,
                             int16_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t y = ash_rt_round_f32(in[i] / p->scale, -32768 - p->zero_point,
                                       32767 - p->zero_point);
    out[i] = (int16_t)(y + p->zero_point);
  }
}

/* kernel quantize_s8_s8 */
void ash_rt_quantize_s8_s8(const ash_rt_requantize_params *p, const int8_t *in,
                           int8_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t y =
        ash_rt_rescale(in[i] + p->in_offset, p->multiplier, p->shift);
    out[i] = (int8_t)ash_rt_finish(y, p->out_offset, -128, 127);
  }
}

/* kernel quantize_u8_s8 */
void ash_rt_quantize_u8_s8(const ash_rt_requantize_params *p, const uint8_t *in,
                           int8_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t y =
        ash_rt_rescale(in[i] + p->in_offset, p->multiplier, p->shift);
    out[i] = (int8_t)ash_rt_finish(y, p->out_offset, -128, 127);
  }
}

/* kernel quantize_s8_u8 */
void ash_rt_quantize_s8_u8(const ash_rt_requantize_params *p, const int8_t *in,
                           uint8_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t y =
        ash_rt_rescale(in[i] + p->in_offset, p->multiplier, p->shift);
    out[i] = (uint8_t)ash_rt_finish(y, p->out_offset, 0, 255);
  }
}

/* kernel quantize_u8_u8 */
void ash_rt_quantize_u8_u8(const ash_rt_requantize_params *p, const uint8_t *in,
                           uint8_t *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t y =
        ash_rt_rescale(in[i] + p->in_offset, p->multiplier, p->shift);
    out[i] = (uint8_t)ash_rt_finish(y, p->out_offset, 0, 255);
  }
}

/* kernel convert: from one scale and integer type to another. */
void ash_rt_convert(const ash_rt_convert_params *p, const void *in, void *out) {
  for (int32_t i = 0; i < p->count; i++) {
    const int32_t x = (int32_t)((uint32_t)ash_rt_load(in, p->from, i) +
                                (uint32_t)p->in_offset);
    ash_rt_store(out, p->to, i,
                 ash_rt_finish(ash_rt_rescale(x, p->multiplier, p->shift),
                               p->out_offset, p->low, p->high));
  }
}

/* kernel dequantize_s8_f32 */
void ash_rt_dequantize_s8_f32(const ash_rt_affine_params *p, const int8_t *in,
                              float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = p->scale * (float)(in[i] - p->zero_point);
}

/* kernel dequantize_u8_f32 */
void ash_rt_dequantize_u8_f32(const ash_rt_affine_params *p, const uint8_t *in,
                              float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = p->scale * (float)(in[i] - p->zero_point);
}

/* kernel dequantize_s16_f32 */
void ash_rt_dequantize_s16_f32(const ash_rt_affine_params *p, const int16_t *in,
                               float *out) {
  for (int32_t i = 0; i < p->count; i++)
    out[i] = p->scale * (float)(in[i] - p->zero_point);
}
