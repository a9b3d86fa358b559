/* Gas turbine start supervision: seven parallel charts, 38 inputs.  100 ms. */
/* Basic types (rtwtypes) */
typedef signed char int8_T;
typedef unsigned char uint8_T;
typedef short int16_T;
typedef unsigned short uint16_T;
typedef int int32_T;
typedef unsigned int uint32_T;
typedef float real32_T;
typedef double real_T;
typedef unsigned char boolean_T;
#ifndef true
#define true (1U)
#define false (0U)
#endif

typedef struct {
  boolean_T MasterOn;
  boolean_T EStop;
  boolean_T StartCmd;
  boolean_T StopCmd;
  boolean_T AckCmd;
  boolean_T LubePumpFb;
  boolean_T LubePressOk;
  boolean_T LubeTempOk;
  boolean_T LubeFilterOk;
  boolean_T LubeLevelOk;
  boolean_T BarringFb;
  boolean_T BarringTorqueOk;
  boolean_T VentFb;
  boolean_T VentFlowOk;
  boolean_T VentDamperOpen;
  boolean_T GasTripClosed;
  boolean_T GasPressOk;
  boolean_T GasLeakTest;
  boolean_T FuelValveFb;
  boolean_T FlameA;
  boolean_T FlameB;
  boolean_T FlameC;
  boolean_T StarterFb;
  boolean_T StarterTempOk;
  boolean_T ExhaustTempOk;
  boolean_T VibrationOk;
  boolean_T BearingTempOk;
  boolean_T IgvClosed;
  boolean_T IgvOpen;
  boolean_T BleedOpen;
  boolean_T GenBreaker;
  boolean_T GridOk;
  boolean_T SyncOk;
  boolean_T HydPressOk;
  boolean_T DcSupplyOk;
  boolean_T FireOk;
  int16_T Speed;            /* 0.1 percent */
  int16_T Tet;              /* exhaust temperature, K */
} ExtU_gtseq_T;
typedef struct { boolean_T LubeCmd, VentCmd, BarringCmd, StarterCmd, FuelCmd, SparkCmd, Trip, Horn; uint8_T SeqState; uint8_T TripCause; } ExtY_gtseq_T;
typedef struct {
  uint8_T is_active_c1_gtseq;
  uint8_T is_Lube, is_Vent, is_Barring, is_Fuel, is_Ign, is_Seq, is_Horn;
  uint16_T t_Lube, t_Vent, t_Barring, t_Fuel, t_Ign, t_Seq, t_Horn;
  uint8_T Attempts;
  boolean_T TripReq;
  uint8_T TripCause;
} DW_gtseq_T;
ExtU_gtseq_T gtseq_U; ExtY_gtseq_T gtseq_Y; DW_gtseq_T gtseq_DW;

/* Lube */
#define LU_Off 1U
#define LU_Build 2U
#define LU_Ok 3U
/* Vent */
#define VE_Off 1U
#define VE_Purge 2U
#define VE_Done 3U
/* Barring */
#define BA_Rest 1U
#define BA_Turn 2U
#define BA_Free 3U
/* Fuel */
#define FU_Closed 1U
#define FU_Test 2U
#define FU_Ready 3U
#define FU_Open 4U
/* Ignition */
#define IG_Off 1U
#define IG_Spark 2U
#define IG_Lit 3U
/* Sequencer */
#define SQ_Stand 1U
#define SQ_Prep 2U
#define SQ_Crank 3U
#define SQ_Light 4U
#define SQ_Accel 5U
#define SQ_Idle 6U
#define SQ_Load 7U
#define SQ_Cool 8U
#define SQ_Trip 9U

static void gtseq_trip(uint8_T cause)
{
  if (!gtseq_DW.TripReq) {
    gtseq_DW.TripReq = true;
    gtseq_DW.TripCause = cause;
  }
}
static uint16_T inc16(uint16_T t) { return (uint16_T)(t < 60000U ? t + 1U : t); }

static void gtseq_Lube(void)
{
  gtseq_DW.t_Lube = inc16(gtseq_DW.t_Lube);
  switch (gtseq_DW.is_Lube) {
   case LU_Off:
    if (gtseq_DW.is_Seq != SQ_Stand && gtseq_DW.is_Seq != SQ_Trip) { gtseq_DW.is_Lube = LU_Build; gtseq_DW.t_Lube = 0U; }
    break;
   case LU_Build:
    if (!gtseq_U.LubePumpFb || !gtseq_U.LubeLevelOk) {
      if (gtseq_DW.t_Lube > 20U) { gtseq_trip(1U); gtseq_DW.is_Lube = LU_Off; }
    } else if (gtseq_U.LubePressOk && gtseq_U.LubeTempOk && gtseq_U.LubeFilterOk && gtseq_DW.t_Lube >= 150U) {
      gtseq_DW.is_Lube = LU_Ok;
      gtseq_DW.t_Lube = 0U;
    }
    break;
   default:
    if (!gtseq_U.LubePressOk || !gtseq_U.LubePumpFb) { gtseq_trip(2U); gtseq_DW.is_Lube = LU_Off; }
    else if (gtseq_DW.is_Seq == SQ_Stand) { gtseq_DW.is_Lube = LU_Off; }
    break;
  }
}
static void gtseq_Vent(void)
{
  gtseq_DW.t_Vent = inc16(gtseq_DW.t_Vent);
  switch (gtseq_DW.is_Vent) {
   case VE_Off:
    if (gtseq_DW.is_Seq == SQ_Prep && gtseq_U.VentDamperOpen) { gtseq_DW.is_Vent = VE_Purge; gtseq_DW.t_Vent = 0U; }
    break;
   case VE_Purge:
    if (!gtseq_U.VentFb || !gtseq_U.VentFlowOk || !gtseq_U.VentDamperOpen) { gtseq_DW.t_Vent = 0U; }
    else if (gtseq_DW.t_Vent >= 300U) { gtseq_DW.is_Vent = VE_Done; }
    if (gtseq_DW.is_Seq == SQ_Stand || gtseq_DW.is_Seq == SQ_Trip) { gtseq_DW.is_Vent = VE_Off; }
    break;
   default:
    if (!gtseq_U.VentFlowOk && gtseq_DW.is_Seq >= SQ_Crank && gtseq_DW.is_Seq <= SQ_Load) { gtseq_trip(3U); }
    if (gtseq_DW.is_Seq == SQ_Stand || gtseq_DW.is_Seq == SQ_Trip) { gtseq_DW.is_Vent = VE_Off; }
    break;
  }
}
static void gtseq_Barring(void)
{
  gtseq_DW.t_Barring = inc16(gtseq_DW.t_Barring);
  switch (gtseq_DW.is_Barring) {
   case BA_Rest:
    if ((gtseq_DW.is_Lube == LU_Ok) && (gtseq_DW.is_Seq == SQ_Prep || gtseq_DW.is_Seq == SQ_Cool)) { gtseq_DW.is_Barring = BA_Turn; gtseq_DW.t_Barring = 0U; }
    break;
   case BA_Turn:
    if (!gtseq_U.BarringFb || !gtseq_U.BarringTorqueOk) { gtseq_DW.is_Barring = BA_Rest; }
    else if (gtseq_U.Speed > 80) { gtseq_DW.is_Barring = BA_Free; }
    break;
   default:
    if (gtseq_U.Speed < 5) { gtseq_DW.is_Barring = BA_Rest; }
    break;
  }
}
static void gtseq_Fuel(void)
{
  gtseq_DW.t_Fuel = inc16(gtseq_DW.t_Fuel);
  switch (gtseq_DW.is_Fuel) {
   case FU_Closed:
    if (gtseq_DW.is_Vent == VE_Done && gtseq_U.GasTripClosed && gtseq_U.GasPressOk) { gtseq_DW.is_Fuel = FU_Test; gtseq_DW.t_Fuel = 0U; }
    break;
   case FU_Test:
    if (gtseq_U.GasLeakTest || !gtseq_U.GasPressOk) { gtseq_DW.is_Fuel = FU_Closed; gtseq_trip(4U); }
    else if (gtseq_DW.t_Fuel >= 120U) { gtseq_DW.is_Fuel = FU_Ready; }
    break;
   case FU_Ready:
    if (gtseq_DW.is_Ign == IG_Spark) { gtseq_DW.is_Fuel = FU_Open; gtseq_DW.t_Fuel = 0U; }
    else if (gtseq_DW.is_Vent != VE_Done) { gtseq_DW.is_Fuel = FU_Closed; }
    break;
   default:
    if (gtseq_DW.t_Fuel > 15U && !gtseq_U.FuelValveFb) { gtseq_trip(5U); }
    if (gtseq_DW.TripReq || gtseq_DW.is_Ign == IG_Off) { gtseq_DW.is_Fuel = FU_Closed; }
    break;
  }
}
static void gtseq_Ign(void)
{
  uint8_T votes;
  votes = (uint8_T)((gtseq_U.FlameA != 0) + (gtseq_U.FlameB != 0) + (gtseq_U.FlameC != 0));
  gtseq_DW.t_Ign = inc16(gtseq_DW.t_Ign);
  switch (gtseq_DW.is_Ign) {
   case IG_Off:
    if (gtseq_DW.is_Seq == SQ_Light && gtseq_DW.is_Fuel == FU_Ready) { gtseq_DW.is_Ign = IG_Spark; gtseq_DW.t_Ign = 0U; }
    break;
   case IG_Spark:
    if (votes >= 2U && gtseq_DW.t_Ign >= 10U) { gtseq_DW.is_Ign = IG_Lit; gtseq_DW.t_Ign = 0U; }
    else if (gtseq_DW.t_Ign >= 100U) { gtseq_DW.is_Ign = IG_Off; gtseq_DW.Attempts++; }
    break;
   default:
    if (votes < 2U) { gtseq_DW.is_Ign = IG_Off; if (gtseq_DW.is_Seq != SQ_Cool) { gtseq_trip(6U); } }
    else if (gtseq_DW.is_Seq == SQ_Cool || gtseq_DW.is_Seq == SQ_Trip) { gtseq_DW.is_Ign = IG_Off; }
    break;
  }
}
static void gtseq_go(uint8_T s) { gtseq_DW.is_Seq = s; gtseq_DW.t_Seq = 0U; }
static void gtseq_Seq(void)
{
  boolean_T common;
  gtseq_DW.t_Seq = inc16(gtseq_DW.t_Seq);
  common = (boolean_T)(gtseq_U.VibrationOk && gtseq_U.BearingTempOk && gtseq_U.HydPressOk && gtseq_U.DcSupplyOk && gtseq_U.FireOk && !gtseq_U.EStop);
  if (gtseq_DW.is_Seq > SQ_Prep && gtseq_DW.is_Seq < SQ_Trip && (!common || gtseq_U.Tet > 1100)) {
    gtseq_trip(gtseq_U.Tet > 1100 ? 7U : 8U);
  }
  if (gtseq_DW.TripReq && gtseq_DW.is_Seq != SQ_Trip) {
    gtseq_go(SQ_Trip);
    return;
  }
  switch (gtseq_DW.is_Seq) {
   case SQ_Stand:
    if (gtseq_U.MasterOn && gtseq_U.StartCmd && !gtseq_U.StopCmd && common) { gtseq_go(SQ_Prep); gtseq_DW.Attempts = 0U; }
    break;
   case SQ_Prep:
    if (gtseq_U.StopCmd) { gtseq_go(SQ_Stand); }
    else if (gtseq_DW.is_Lube == LU_Ok && gtseq_DW.is_Vent == VE_Done && gtseq_DW.is_Barring == BA_Turn && gtseq_DW.t_Barring >= 200U && gtseq_U.IgvClosed && gtseq_U.BleedOpen && !gtseq_U.GenBreaker) { gtseq_go(SQ_Crank); }
    else if (gtseq_DW.t_Seq >= 1500U) { gtseq_trip(9U); }
    break;
   case SQ_Crank:
    if (gtseq_DW.t_Seq > 10U && (!gtseq_U.StarterFb || !gtseq_U.StarterTempOk)) { gtseq_trip(10U); }
    else if (gtseq_U.Speed >= 180 && gtseq_DW.is_Fuel == FU_Ready && gtseq_DW.t_Seq >= 80U) { gtseq_go(SQ_Light); }
    else if (gtseq_DW.t_Seq >= 600U) { gtseq_trip(11U); }
    break;
   case SQ_Light:
    if (gtseq_DW.is_Ign == IG_Lit) { gtseq_go(SQ_Accel); }
    else if (gtseq_DW.Attempts >= 2U) { gtseq_trip(12U); }
    else if (gtseq_U.Speed < 150) { gtseq_go(SQ_Crank); }
    break;
   case SQ_Accel:
    if (gtseq_DW.t_Seq >= 400U && gtseq_U.Speed >= 950 && gtseq_U.IgvOpen && !gtseq_U.BleedOpen) { gtseq_go(SQ_Idle); }
    else if (gtseq_DW.t_Seq >= 900U) { gtseq_trip(13U); }
    else if (!gtseq_U.ExhaustTempOk || (gtseq_DW.t_Seq > 100U && gtseq_U.Speed < 250)) { gtseq_trip(14U); }
    break;
   case SQ_Idle:
    if (gtseq_U.StopCmd) { gtseq_go(SQ_Cool); }
    else if (gtseq_DW.t_Seq >= 300U && gtseq_U.GridOk && gtseq_U.SyncOk && gtseq_U.GenBreaker) { gtseq_go(SQ_Load); }
    break;
   case SQ_Load:
    if (!gtseq_U.GenBreaker) { gtseq_go(SQ_Idle); }
    else if (gtseq_U.StopCmd && gtseq_DW.t_Seq >= 250U) { gtseq_go(SQ_Cool); }
    break;
   case SQ_Cool:
    if (gtseq_DW.t_Seq >= 600U && gtseq_DW.is_Barring == BA_Turn && gtseq_U.Tet < 400) { gtseq_go(SQ_Stand); }
    break;
   default:
    if (gtseq_U.AckCmd && !gtseq_U.EStop && gtseq_U.Speed < 5 && gtseq_DW.t_Seq >= 200U) { gtseq_DW.TripReq = false; gtseq_DW.TripCause = 0U; gtseq_go(SQ_Stand); }
    break;
  }
}
static void gtseq_Horn(void)
{
  gtseq_DW.t_Horn = inc16(gtseq_DW.t_Horn);
  switch (gtseq_DW.is_Horn) {
   case 1U:
    if (gtseq_DW.TripReq) { gtseq_DW.is_Horn = 2U; gtseq_DW.t_Horn = 0U; }
    break;
   case 2U:
    if (gtseq_U.AckCmd || gtseq_DW.t_Horn >= 300U) { gtseq_DW.is_Horn = 3U; }
    break;
   default:
    if (!gtseq_DW.TripReq) { gtseq_DW.is_Horn = 1U; }
    break;
  }
}
void gtseq_step(void)
{
  if (gtseq_DW.is_active_c1_gtseq == 0U) {
    gtseq_DW.is_active_c1_gtseq = 1U;
    gtseq_DW.is_Lube = LU_Off; gtseq_DW.is_Vent = VE_Off; gtseq_DW.is_Barring = BA_Rest; gtseq_DW.is_Fuel = FU_Closed;
    gtseq_DW.is_Ign = IG_Off; gtseq_DW.is_Seq = SQ_Stand; gtseq_DW.is_Horn = 1U;
  } else {
    gtseq_Lube();
    gtseq_Vent();
    gtseq_Barring();
    gtseq_Fuel();
    gtseq_Ign();
    gtseq_Seq();
    gtseq_Horn();
  }
  gtseq_Y.LubeCmd = (boolean_T)(gtseq_DW.is_Lube >= LU_Build);
  gtseq_Y.VentCmd = (boolean_T)(gtseq_DW.is_Vent >= VE_Purge);
  gtseq_Y.BarringCmd = (boolean_T)(gtseq_DW.is_Barring == BA_Turn);
  gtseq_Y.StarterCmd = (boolean_T)(gtseq_DW.is_Seq >= SQ_Crank && gtseq_DW.is_Seq <= SQ_Accel);
  gtseq_Y.FuelCmd = (boolean_T)(gtseq_DW.is_Fuel == FU_Open);
  gtseq_Y.SparkCmd = (boolean_T)(gtseq_DW.is_Ign == IG_Spark);
  gtseq_Y.Trip = gtseq_DW.TripReq;
  gtseq_Y.Horn = (boolean_T)(gtseq_DW.is_Horn == 2U);
  gtseq_Y.SeqState = gtseq_DW.is_Seq;
  gtseq_Y.TripCause = gtseq_DW.TripCause;
}
void gtseq_initialize(void)
{
  static const DW_gtseq_T zero = { 0U };
  gtseq_DW = zero;
}
