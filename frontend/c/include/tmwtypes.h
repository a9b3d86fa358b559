#ifndef __chaincover_tmwtypes_h
#define __chaincover_tmwtypes_h
#include <stddef.h>
#include <limits.h>
typedef __INT8_TYPE__ int8_T;
typedef __UINT8_TYPE__ uint8_T;
typedef __INT16_TYPE__ int16_T;
typedef __UINT16_TYPE__ uint16_T;
typedef __INT32_TYPE__ int32_T;
typedef __UINT32_TYPE__ uint32_T;
typedef __INT64_TYPE__ int64_T;
typedef __UINT64_TYPE__ uint64_T;
typedef float real32_T;
typedef double real64_T;
typedef double real_T;
typedef double time_T;
typedef unsigned char boolean_T;
typedef int int_T;
typedef unsigned int uint_T;
typedef unsigned long ulong_T;
typedef unsigned long long ulonglong_T;
typedef char char_T;
typedef unsigned char uchar_T;
typedef char_T byte_T;
typedef void *pointer_T;
typedef struct { real32_T re; real32_T im; } creal32_T;
typedef struct { real64_T re; real64_T im; } creal64_T;
typedef struct { real_T re; real_T im; } creal_T;
typedef struct { int8_T re; int8_T im; } cint8_T;
typedef struct { uint8_T re; uint8_T im; } cuint8_T;
typedef struct { int16_T re; int16_T im; } cint16_T;
typedef struct { uint16_T re; uint16_T im; } cuint16_T;
typedef struct { int32_T re; int32_T im; } cint32_T;
typedef struct { uint32_T re; uint32_T im; } cuint32_T;
#define MAX_int8_T ((int8_T)(127))
#define MIN_int8_T ((int8_T)(-128))
#define MAX_uint8_T ((uint8_T)(255U))
#define MIN_uint8_T ((uint8_T)(0U))
#define MAX_int16_T ((int16_T)(32767))
#define MIN_int16_T ((int16_T)(-32767 - 1))
#define MAX_uint16_T ((uint16_T)(65535U))
#define MIN_uint16_T ((uint16_T)(0U))
#define MAX_int32_T ((int32_T)(2147483647))
#define MIN_int32_T ((int32_T)(-2147483647 - 1))
#define MAX_uint32_T ((uint32_T)(0xFFFFFFFFU))
#define MIN_uint32_T ((uint32_T)(0U))
#define MAX_int64_T ((int64_T)(9223372036854775807LL))
#define MIN_int64_T ((int64_T)(-9223372036854775807LL - 1LL))
#define MAX_uint64_T ((uint64_T)(0xFFFFFFFFFFFFFFFFULL))
#define MIN_uint64_T ((uint64_T)(0ULL))
#ifndef TRUE
#define TRUE (1U)
#endif
#ifndef FALSE
#define FALSE (0U)
#endif
#ifndef true
#define true (1U)
#endif
#ifndef false
#define false (0U)
#endif
#ifndef UNUSED_PARAMETER
#define UNUSED_PARAMETER(x) (void)(x)
#endif
#define TMW_NAME_LENGTH_MAX 2
#endif
