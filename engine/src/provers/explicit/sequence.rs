//! Runs that pass goals in a given order, by breadth-first search over (state, progress).

use super::distances::{Space, StateSet};
use super::transitions::Transition;
use super::windows::{Active, compact};
use crate::knowledge::vertex::Vertex;
use crate::search::breadth_first::FAR;
use rustc_hash::FxHashMap;

/// A point of the search.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Point {
    state: u32,
    /// Number of goals that have begun.
    begun: u16,
    active: Active,
}

/// Where a point was reached from, and by which transition.
type Origin = Option<(u32, Transition)>;

/// A sequence to look for.
pub(crate) struct Request<'a> {
    /// Goals in order.
    pub(crate) goals: &'a [Vertex],
    /// Where it may start.
    pub(crate) from: &'a StateSet,
    /// Whether the first goal must begin at once.
    pub(crate) at_once: bool,
    /// Whether it must end in Final, within `steps`; otherwise the last goal must begin within
    /// `steps`.
    pub(crate) to_end: bool,
    /// Greatest number of steps.
    pub(crate) steps: u32,
}

/// A path: the first state and the inputs of its transitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) start: u32,
    pub(crate) inputs: Vec<u32>,
}

/// Bounds that cut the search: for each number of goals begun, fewest steps from a state to the
/// beginning of the next goal (or to Final), and fewest steps from there to the last event.
pub(crate) struct Guide<'a> {
    pub(crate) next: Vec<&'a [u32]>,
    pub(crate) rest: Vec<u32>,
}

impl Space<'_> {
    /// Looks for a path as requested.
    pub(crate) fn path(&self, request: &Request<'_>, guide: &Guide<'_>) -> Option<Path> {
        let mut points: Vec<(Point, Origin)> = Vec::new();
        let mut known: FxHashMap<Point, ()> = FxHashMap::default();
        for state in (0..self.states.len() as u32).filter(|&state| request.from[state as usize]) {
            let point = Point { state, begun: 0, active: Vec::new() };
            if self.is_hopeful(&point, 0, request, guide) {
                known.insert(point.clone(), ());
                points.push((point, None));
            }
        }
        let (mut layer, mut time) = (0, 0);
        while layer < points.len() {
            let end = points.len();
            for index in layer..end {
                let point = &points[index].0;
                let finished = usize::from(point.begun) == request.goals.len() && point.active.is_empty();
                if finished && (!request.to_end || self.states.ends(point.state)) {
                    return Some(trail(&points, index));
                }
            }
            for index in layer..end {
                let point = points[index].0.clone();
                for &transition in self.states.from(point.state) {
                    for next in self.successors(&point, transition, time, request) {
                        if self.is_hopeful(&next, time + 1, request, guide)
                            && known.insert(next.clone(), ()).is_none()
                        {
                            points.push((next, Some((index as u32, transition))));
                        }
                    }
                }
            }
            (layer, time) = (end, time + 1);
        }
        None
    }

    /// The points after one transition: goals of one step begin as soon as they can, others may.
    fn successors(
        &self,
        point: &Point,
        transition: Transition,
        time: u32,
        request: &Request<'_>,
    ) -> Vec<Point> {
        let Some(mut active) = self.advance(&point.active, transition) else { return Vec::new() };
        let mut begun = point.begun;
        let mut points = Vec::new();
        while let Some(&goal) = request.goals.get(usize::from(begun)) {
            if !self.may_begin(goal, transition) || (!request.to_end && time > request.steps) {
                break;
            }
            if self.task.steps(goal) > 1 {
                points.push(Point { state: transition.to, begun, active: active.clone() });
                active.push((compact(goal), 1));
            }
            begun += 1;
        }
        points.push(Point { state: transition.to, begun, active });
        if request.at_once && time == 0 {
            points.retain(|point| point.begun > 0);
        }
        points
    }

    fn is_hopeful(&self, point: &Point, time: u32, request: &Request<'_>, guide: &Guide<'_>) -> bool {
        let begun = usize::from(point.begun);
        if begun == request.goals.len() && !request.to_end {
            return true;
        }
        let next = guide.next[begun][point.state as usize];
        next != FAR && time.saturating_add(next).saturating_add(guide.rest[begun]) <= request.steps
    }
}

fn trail(points: &[(Point, Origin)], last: usize) -> Path {
    let (mut index, mut inputs) = (last, Vec::new());
    while let Some((before, transition)) = points[index].1 {
        inputs.push(transition.input);
        index = before as usize;
    }
    inputs.reverse();
    Path { start: points[index].0.state, inputs }
}
