//! What the replay program prints; the protocol stands at [`ReplayPlan`](frontend::ReplayPlan).

use rustc_hash::{FxHashMap, FxHashSet};

/// States and outputs as the compiled code had them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    states: FxHashMap<(usize, usize), u128>,
    outputs: FxHashMap<(usize, usize), u128>,
    entered: usize,
    ended: Option<usize>,
    goals: FxHashSet<(usize, usize)>,
    unknown: FxHashSet<(bool, usize, usize)>,
}

/// A line outside the protocol.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the replay program's output is not understood: `{text}`")]
pub struct ProtocolError {
    /// Number of the line, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
}

impl Observation {
    /// Reads the program's output. After a crash, an unfinished last line is passed over. With a
    /// tag, what does not stand behind it in its line is none of this program's.
    ///
    /// # Errors
    /// A line outside the protocol, or one that contradicts an earlier one.
    pub fn parse(text: &str, crashed: bool, tag: Option<&str>) -> Result<Self, ProtocolError> {
        let mut observation = Self::default();
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let Some(told) = tag.map_or(Some(*line), |tag| Some(line.split_once(tag)?.1)) else { continue };
            let unfinished = crashed && index + 1 == lines.len();
            if observation.read(told).is_none() && !unfinished {
                return Err(ProtocolError { line: index + 1, text: told.to_owned() });
            }
        }
        Ok(observation)
    }

    fn read(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match *words.as_slice() {
            ["B", step] => self.entered = step.parse::<usize>().ok()?.checked_add(1)?,
            ["E", step] => self.ended = Some(step.parse().ok()?),
            ["G", step, goal] => {
                self.goals.insert((step.parse().ok()?, goal.parse().ok()?));
            }
            ["X", kind @ ("S" | "O"), step, index] => {
                self.unknown.insert((kind == "S", step.parse().ok()?, index.parse().ok()?));
            }
            [kind @ ("S" | "O"), step, index, bits] => {
                let key = (step.parse().ok()?, index.parse().ok()?);
                let bits = u128::from_str_radix(bits, 16).ok()?;
                let table = if kind == "S" { &mut self.states } else { &mut self.outputs };
                if table.insert(key, bits).is_some_and(|before| before != bits) {
                    return None;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Bits of the shown state word `index` before step `step`.
    pub fn state(&self, step: usize, index: usize) -> Option<u128> {
        self.states.get(&(step, index)).copied()
    }
    /// Bits of output `index` after step `step`.
    pub fn output(&self, step: usize, index: usize) -> Option<u128> {
        self.outputs.get(&(step, index)).copied()
    }
    /// Whether a goal, by its number, was seen in a step.
    pub fn saw_goal(&self, step: usize, goal: usize) -> bool {
        self.goals.contains(&(step, goal))
    }
    /// The first value with unknown bits: whether it is of a state, its step and its index.
    pub fn first_unknown(&self) -> Option<(bool, usize, usize)> {
        // States of a step stand before its outputs.
        self.unknown.iter().copied().min_by_key(|&(is_state, step, index)| (step, !is_state, index))
    }
    /// The step that was seen to end the program before it returned, behind all calls that it was
    /// expected to make.
    pub const fn ended_in(&self) -> Option<usize> {
        self.ended
    }
    /// Number of steps that were entered.
    pub const fn entered_steps(&self) -> usize {
        self.entered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_not_the_protocol() {
        for text in ["X 1", "S 1 2", "S a 0 1", "S 0 0 zz", "B -1", "E", "E x"] {
            let error = Observation::parse(text, false, None).unwrap_err();
            assert_eq!(error, ProtocolError { line: 1, text: text.into() });
        }
    }

    #[test]
    fn an_unfinished_last_line_counts_only_without_a_crash() {
        let text = "B 0\nS 0 0";
        assert!(Observation::parse(text, false, None).is_err());
        assert_eq!(Observation::parse(text, true, None).unwrap().entered_steps(), 1);
    }

    /// Who prints what a replay could print, without its tag or once more, is not believed.
    #[test]
    fn forged_lines_do_not_count() {
        let tagged = "S 0 0 1\nhello 5e S 0 0 2\n5e S 0 0 2\nG 0 0";
        let seen = Observation::parse(tagged, false, Some("5e")).expect("the protocol");
        assert_eq!((seen.state(0, 0), seen.saw_goal(0, 0)), (Some(2), false));
        assert!(Observation::parse("S 0 0 1\nS 0 0 2", false, None).is_err());
    }
}
