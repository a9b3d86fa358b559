#ifndef __chaincover_rtw_solver_h
#define __chaincover_rtw_solver_h
#include "rtw_continuous.h"
typedef struct _ssSolverInfo_tag {
  void *rtModelPtr;
  SimTimeStep *simTimeStepPtr;
  void *solverData;
  const char_T *solverName;
  boolean_T isVariableStepSolver;
  time_T **tPtr;
  time_T *stepSizePtr;
  real_T **dXPtr;
  real_T **contStatesPtr;
  int_T *numContStatesPtr;
  const char_T **errStatusPtr;
  time_T solverStopTime;
  time_T fixedStepSize;
  int_T solverMode;
  int_T **periodicContStateIndicesPtr;
  real_T **periodicContStateRangesPtr;
  int_T *numPeriodicContStatesPtr;
  boolean_T *contStateDisabledPtr;
  boolean_T isMinorTimeStepWithModeChange;
  boolean_T isMinorOutputWithModeChange;
  boolean_T isContModeFrozen;
  boolean_T isComputingJacobian;
  boolean_T isOutputComputed;
  boolean_T blkStateChange;
} RTWSolverInfo;
#define SOLVER_MODE_AUTO 0
#define SOLVER_MODE_SINGLETASKING 1
#define SOLVER_MODE_MULTITASKING 2
#define rtsiSetSolverStopTime(S, v) ((S)->solverStopTime = (v))
#define rtsiGetSolverStopTime(S) (S)->solverStopTime
#define rtsiSetFixedStepSize(S, v) ((S)->fixedStepSize = (v))
#define rtsiGetFixedStepSize(S) (S)->fixedStepSize
#define rtsiSetSolverMode(S, v) ((S)->solverMode = (v))
#define rtsiGetSolverMode(S) (S)->solverMode
#define rtsiSetPeriodicContStateIndicesPtr(S, p) ((S)->periodicContStateIndicesPtr = (p))
#define rtsiSetPeriodicContStateRangesPtr(S, p) ((S)->periodicContStateRangesPtr = (p))
#define rtsiSetNumPeriodicContStatesPtr(S, p) ((S)->numPeriodicContStatesPtr = (p))
#define rtsiGetNumPeriodicContStates(S) *((S)->numPeriodicContStatesPtr)
#define rtsiIsVariableStepSolver(S) (S)->isVariableStepSolver
#define rtsiSetSimTimeStepPtr(S, p) ((S)->simTimeStepPtr = (p))
#define rtsiGetSimTimeStepPtr(S) ((S)->simTimeStepPtr)
#define rtsiGetSimTimeStep(S) *((S)->simTimeStepPtr)
#define rtsiSetSimTimeStep(S, v) (*((S)->simTimeStepPtr) = (v))
#define rtsiSetSolverData(S, p) ((S)->solverData = (void *)(p))
#define rtsiGetSolverData(S) (S)->solverData
#define rtsiSetSolverName(S, p) ((S)->solverName = (p))
#define rtsiGetSolverName(S) (S)->solverName
#define rtsiSetVariableStepSolver(S, v) ((S)->isVariableStepSolver = (v))
#define rtsiSetTPtr(S, p) ((S)->tPtr = (p))
#define rtsiGetT(S) ((*((S)->tPtr))[0])
#define rtsiSetT(S, v) ((*((S)->tPtr))[0] = (v))
#define rtsiSetStepSizePtr(S, p) ((S)->stepSizePtr = (p))
#define rtsiGetStepSize(S) *((S)->stepSizePtr)
#define rtsiSetdXPtr(S, p) ((S)->dXPtr = (p))
#define rtsiSetdX(S, p) (*((S)->dXPtr) = (p))
#define rtsiGetdX(S) *((S)->dXPtr)
#define rtsiSetContStatesPtr(S, p) ((S)->contStatesPtr = (p))
#define rtsiGetContStates(S) *((S)->contStatesPtr)
#define rtsiSetNumContStatesPtr(S, p) ((S)->numContStatesPtr = (p))
#define rtsiSetErrorStatusPtr(S, p) ((S)->errStatusPtr = (p))
#define rtsiSetErrorStatus(S, v) (*((S)->errStatusPtr) = (v))
#define rtsiGetErrorStatus(S) *((S)->errStatusPtr)
#define rtsiSetRTModelPtr(S, p) ((S)->rtModelPtr = (void *)(p))
#define rtsiGetRTModelPtr(S) (S)->rtModelPtr
#define rtsiGetNumContStates(S) *((S)->numContStatesPtr)
#define rtsiSetStepSize(S, v) (*((S)->stepSizePtr) = (v))
#define rtsiSetContStateDisabledPtr(S, p) ((S)->contStateDisabledPtr = (p))
#define rtsiGetContStateDisabledPtr(S) (S)->contStateDisabledPtr
#define rtsiSetIsMinorTimeStepWithModeChange(S, v) ((S)->isMinorTimeStepWithModeChange = (v))
#define rtsiGetIsMinorTimeStepWithModeChange(S) (S)->isMinorTimeStepWithModeChange
#define rtsiSetIsMinorOutputWithModeChange(S, v) ((S)->isMinorOutputWithModeChange = (v))
#define rtsiGetIsMinorOutputWithModeChange(S) (S)->isMinorOutputWithModeChange
#define rtsiSetIsContModeFrozen(S, v) ((S)->isContModeFrozen = (v))
#define rtsiGetIsContModeFrozen(S) (S)->isContModeFrozen
#define rtsiIsModeUpdateTimeStep(S) (*((S)->simTimeStepPtr) == MAJOR_TIME_STEP || (S)->isMinorTimeStepWithModeChange)
#define rtsiGetIsOkayToUpdateMode(S) (*((S)->simTimeStepPtr) == MAJOR_TIME_STEP || (S)->isMinorOutputWithModeChange)
#define rtsiSetSolverComputingJacobian(S, v) ((S)->isComputingJacobian = (v))
#define rtsiIsSolverComputingJacobian(S) (S)->isComputingJacobian
#define rtsiSetSolverOutputComputed(S, v) ((S)->isOutputComputed = (v))
#define rtsiIsSolverOutputComputed(S) (S)->isOutputComputed
#define rtsiSetBlkStateChange(S, v) ((S)->blkStateChange = (v))
#define rtsiGetBlkStateChange(S) (S)->blkStateChange
#define rtsiSetMinStepSize(S, v)
#define rtsiSetMaxStepSize(S, v)
#define rtsiSetMaxNumMinSteps(S, v)
#define rtsiSetSolverMaxOrder(S, v)
#define rtsiSetSolverRelTol(S, v)
#define rtsiSetSolverMassMatrixType(S, v)
#define rtsiSetSolverMassMatrixNzMax(S, v)
#define rtsiSetSolverMassMatrixIr(S, v)
#define rtsiSetSolverMassMatrixJc(S, v)
#define rtsiSetSolverMassMatrixPr(S, v)
#define rtsiSetSolverNeedsReset(S, v)
#define rtsiSetSolverRefineFactor(S, v)
#define rtsiSetContTimeOutputInconsistentWithStateAtMajorStep(S, v)
#define rtsiSetSolverExtrapolationOrder(S, v)
#define rtsiSetSolverNumberNewtonIterations(S, v)
#define rtsiSetModelMethodsPtr(S, p)
#define rtsiSetBlockStateForSolverChangedAtMajorStep(S, v)
#endif
