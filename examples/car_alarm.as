# The car alarm system of Aichernig and Jöbstl, "Towards Symbolic Model-Based Mutation Testing:
# Combining Reachability and Refinement Checking" (MBT 2012). Only fragments of the listing are
# published: this model agrees with them, with the statechart and with the numbers of mutants for
# each operator; its inside is reconstructed to fit those.
#
# Locking and closing the car arms it after 20 seconds. Opening it while it is armed starts flash
# and sound: the sound ends after 30 seconds, the flash after 270 more, unless it is unlocked.
system car_alarm
type State = 0..7  # 6 OpenUnlocked 5 OpenLocked 4 ClosedUnlocked 3 ClosedLocked 2 Armed 1 FlashSound 0 Flash 7 SilentOpen
type Todo = 0..4
type Time = 0..270
var a : State := 6
var off : Todo := 0
var on : Todo := 0
var arm : 0..1 := 0
var flash : 0..1 := 0
var sound : 0..1 := 0
obs after(w : Time) is w = 20 and a = 3 => a := 2; arm := 1
  [] w = 30 and a = 1 and on = 4 => a := 0; off := 4; on := 0
  [] w = 270 and a = 0 and off = 2 => a := 7; off := 1; on := 0
ctr Lock is a = 6 and off = 0 => a := 5 [] a = 4 and on != 1 => a := 3; on := 0
ctr Unlock is a = 5 => a := 6 [] a = 3 => a := 4
  [] a = 2 and arm != 1 => a := 4; on := 1; arm := 0
  [] a = 1 and on = 4 => a := 6; off := 1; on := 0
  [] a = 0 and off = 2 => a := 6; off := 1; on := 0
  [] a = 7 and off = 0 => a := 6; off := 0
ctr Close is a = 6 and off = 0 => a := 4 [] a = 5 => a := 3 [] a = 7 and off = 0 => a := 2; arm := 1; off := 0
ctr Open is a = 4 and on != 1 => a := 6; on := 0 [] a = 3 => a := 5 [] a = 2 and arm != 1 => a := 1; on := 1; arm := 0
obs ArmedOn when a = 2 and arm = 1 is arm := 0
obs ArmedOff when on = 1 is a = 1 => on := 2 [] a = 4 => on := 0
obs FlashOn when a = 1 and flash = 0 is on = 2 => flash := 1; on := 3 [] on = 3 => flash := 1; on := 4
obs SoundOn when a = 1 and sound = 0 is on = 2 => sound := 1; on := 3 [] on = 3 => sound := 1; on := 4
obs FlashOff when off = 1 is flash = 1 and sound = 1 => flash := 0
  [] flash = 1 and sound = 0 => flash := 0; off := 0
obs SoundOff when sound = 1 is off = 4 => sound := 0; off := 2
  [] off = 1 and flash = 1 => sound := 0 [] off = 1 and flash = 0 => sound := 0; off := 0
