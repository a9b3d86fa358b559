/* Simulink Coder: signals recorded for MAT files. Nothing that a step function computes depends on them, so recording does nothing. */
#ifndef __chaincover_rt_logging_h
#define __chaincover_rt_logging_h
#include "builtin_typeid_types.h"

/* How numbers are converted when they are recorded. */
typedef struct {
  int_T conv;
  BuiltInDTypeId dataTypeIdOriginal, dataTypeIdLoggingTo;
  int_T bitsPerChunk, numOfChunk;
  uint_T isSigned;
  real_T fracSlope;
  int_T fixedExp;
  real_T bias;
} RTWLogDataTypeConvert;

typedef void (*RTWPreprocessingFcnPtr)(void *, void *);
typedef enum { FRAME_DATA_OFF, FRAME_DATA_ON } FrameData;
typedef const void *LogSignalPtr;
typedef LogSignalPtr *LogSignalPtrsType;

/* What a group of signals is called and looks like. */
typedef struct RTWLogSignalInfo_tag {
  int_T numSignals;
  int_T *numCols, *numDims, *dims;
  boolean_T *isVarDims;
  void **currSigDims;
  int_T *currSigDimsSize;
  BuiltInDTypeId *dataTypes;
  int_T *complexSignals;
  FrameData *frameData;
  RTWPreprocessingFcnPtr *preprocessingPtrs;
  union { const char_T **cptr; char_T **ptr; } labels;
  char_T *titles;
  int_T *titleLengths, *plotStyles;
  union { const char_T **cptr; char_T **ptr; } blockNames, stateNames;
  boolean_T *crossMdlRef;
  const RTWLogDataTypeConvert *dataTypeConvert;
} RTWLogSignalInfo;

typedef struct RTWLogInfo_tag { void *loggingInterval; } RTWLogInfo;

#define rtliSetLogXSignalInfo(rtli, info) ((void)0)
#define rtliSetLogXSignalPtrs(rtli, pointers) ((void)0)
#define rtliSetLogYSignalInfo(rtli, info) ((void)0)
#define rtliSetLogYSignalPtrs(rtli, pointers) ((void)0)
#define rtliSetLogT(rtli, name) ((void)0)
#define rtliSetLogX(rtli, name) ((void)0)
#define rtliSetLogXFinal(rtli, name) ((void)0)
#define rtliSetLogY(rtli, name) ((void)0)
#define rtliSetLogVarNameModifier(rtli, name) ((void)0)
#define rtliSetLogFormat(rtli, format) ((void)0)
#define rtliSetLogMaxRows(rtli, rows) ((void)0)
#define rtliSetLogDecimation(rtli, decimation) ((void)0)
#define rtliSetMMI(rtli, mmi) ((void)0)

/* Recorded variables: code goes on only where it gets one. */
typedef struct LogVar_Tag { int_T unused; } LogVar;
typedef struct StructLogVar_Tag { int_T unused; } StructLogVar;
static LogVar __chaincover_log_var;
static StructLogVar __chaincover_struct_log_var;
#define rt_CreateLogVar(...) (&__chaincover_log_var)
#define rt_CreateLogVarWithConvert(...) (&__chaincover_log_var)
#define rt_CreateStructLogVar(...) (&__chaincover_struct_log_var)
#define rt_UpdateLogVar(...) ((void)0)
#define rt_UpdateStructLogVar(...) ((void)0)
#define rt_UpdateTXYLogVars(...) ((void)0)
#define rt_UpdateTXXFYLogVars(...) ((void)0)
#define rt_StartDataLogging(...) ((void)0)
#define rt_StartDataLoggingWithStartTime(...) ((void)0)
#define rt_StopDataLogging(...) ((void)0)
#endif
