/* Simulink Coder: numbers of the built-in types, for models that come without this generated header. */
#ifndef BUILTIN_TYPEID_TYPES_H
#define BUILTIN_TYPEID_TYPES_H
#include "rtwtypes.h"
#ifndef BUILTIN_TYPEID_TYPES
#define BUILTIN_TYPEID_TYPES
typedef enum {
  SS_DOUBLE, SS_SINGLE, SS_INT8, SS_UINT8, SS_INT16, SS_UINT16, SS_INT32, SS_UINT32, SS_BOOLEAN
} BuiltInDTypeId;
#define SS_NUM_BUILT_IN_DTYPE ((int_T)SS_BOOLEAN + 1)
typedef int_T DTypeId;
#endif
#endif
