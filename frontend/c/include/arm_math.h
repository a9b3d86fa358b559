/* The scalar functions of CMSIS-DSP. They approximate; whoever needs their exact results adds their source to the model. */
#ifndef __chaincover_arm_math_h
#define __chaincover_arm_math_h
#include <stdint.h>
#include <string.h>
#include <math.h>
#include <float.h>
#include <limits.h>
typedef int8_t q7_t;
typedef int16_t q15_t;
typedef int32_t q31_t;
typedef int64_t q63_t;
typedef float float32_t;
typedef double float64_t;
typedef enum { ARM_MATH_SUCCESS = 0, ARM_MATH_ARGUMENT_ERROR = -1 } arm_status;
#define PI 3.14159265358979f
float32_t arm_sin_f32(float32_t x);
float32_t arm_cos_f32(float32_t x);
q31_t arm_sin_q31(q31_t x);
q31_t arm_cos_q31(q31_t x);
q15_t arm_sin_q15(q15_t x);
q15_t arm_cos_q15(q15_t x);
arm_status arm_sqrt_f32(float32_t in, float32_t *out);
#endif
