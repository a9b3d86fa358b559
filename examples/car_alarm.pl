% The car alarm system of Aichernig and Jöbstl (MBT 2012) in their notation: car_alarm.as says where
% it comes from. Which actions are the tester's the notation does not say:
%   chaincover import examples/car_alarm.pl --input Lock,Unlock,Close,Open -o car_alarm.as
type(state, X) :- X in 0..7.
type(todo, X) :- X in 0..4.
type(bit, X) :- X in 0..1.
type(time, X) :- X in 0..270.

var([a], state).
var([off, on], todo).
var([arm, flash, sound], bit).

state_def([a, off, on, arm, flash, sound]).
init([6, 0, 0, 0, 0, 0]).

as :-
  actions (
    'after'(W)::(true) => (
      ((W #= 20 #/\ a #= 3) => (a := 2; arm := 1))
      []
      ((W #= 30 #/\ a #= 1 #/\ on #= 4) => (a := 0; off := 4; on := 0))
      []
      ((W #= 270 #/\ a #= 0 #/\ off #= 2) => (a := 7; off := 1; on := 0))
    ),
    'Lock'::(true) => (
      ((a #= 6 #/\ off #= 0) => (a := 5))
      []
      ((a #= 4 #/\ on #\= 1) => (a := 3; on := 0))
    ),
    'Unlock'::(true) => (
      (a #= 5 => a := 6)
      []
      (a #= 3 => a := 4)
      []
      ((a #= 2 #/\ arm #\= 1) => (a := 4; on := 1; arm := 0))
      []
      ((a #= 1 #/\ on #= 4) => (a := 6; off := 1; on := 0))
      []
      ((a #= 0 #/\ off #= 2) => (a := 6; off := 1; on := 0))
      []
      ((a #= 7 #/\ off #= 0) => (a := 6; off := 0))
    ),
    'Close'::(true) => (
      ((a #= 6 #/\ off #= 0) => (a := 4))
      []
      (a #= 5 => a := 3)
      []
      ((a #= 7 #/\ off #= 0) => (a := 2; arm := 1; off := 0))
    ),
    'Open'::(true) => (
      ((a #= 4 #/\ on #\= 1) => (a := 6; on := 0))
      []
      (a #= 3 => a := 5)
      []
      ((a #= 2 #/\ arm #\= 1) => (a := 1; on := 1; arm := 0))
    ),
    'ArmedOn'::(a #= 2 #/\ arm #= 1) => (arm := 0),
    'ArmedOff'::(on #= 1) => ((a #= 1 => on := 2) [] (a #= 4 => on := 0)),
    'FlashOn'::(a #= 1 #/\ flash #= 0) => (
      (on #= 2 => (flash := 1; on := 3)) [] (on #= 3 => (flash := 1; on := 4))
    ),
    'SoundOn'::(a #= 1 #/\ sound #= 0) => (
      (on #= 2 => (sound := 1; on := 3)) [] (on #= 3 => (sound := 1; on := 4))
    ),
    'FlashOff'::(off #= 1) => (
      ((flash #= 1 #/\ sound #= 1) => flash := 0) [] ((flash #= 1 #/\ sound #= 0) => (flash := 0; off := 0))
    ),
    'SoundOff'::(sound #= 1) => (
      (off #= 4 => (sound := 0; off := 2))
      []
      ((off #= 1 #/\ flash #= 1) => sound := 0)
      []
      ((off #= 1 #/\ flash #= 0) => (sound := 0; off := 0))
    )
  ),
  dood (
    [X:time]:'after'(X)
    [] 'Lock' [] 'Unlock' [] 'Close' [] 'Open'
    [] 'ArmedOn' [] 'ArmedOff' [] 'FlashOn' [] 'SoundOn' [] 'FlashOff' [] 'SoundOff'
  ).
