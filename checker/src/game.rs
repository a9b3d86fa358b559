//! Certificates of games of safety: the environment gives *stimuli*, the system answers by
//! *choices*, and loses where it has no allowed answer.
//!
//! A certificate names positions by *cubes*: values of some state bits. Four claims are shown by
//! it, each together with queries that have no model. A query is about one step from a free state.
//!
//! * `kept`: the system answers for ever. The cubes are positions that it avoids. The query: from
//!   outside all cubes, by stimuli that occur, no listed move leads outside all cubes.
//! * `kept N`: it answers N steps. The cubes are positions that it avoids, with ranks. A query for
//!   each J from 1 to N: from outside the cubes of ranks up to J no listed move leads outside those
//!   of ranks below J.
//! * `lost N`: it answers fewer than N steps, whatever it does. The cubes are lost positions, each
//!   with a rank and the stimuli that win. A query for each rank: from a cube of that rank, by its
//!   stimuli, these do not occur or an answer leads outside all cubes of lower ranks.
//! * `lost`: it does not answer for ever. The queries are those of `lost N`, but ranks are no
//!   steps, and a cube may name bits that *fall*, lowest first, inverted ones with a dash: they are
//!   a number. Answers may lead back into such a cube, too, if that number is smaller there.
//!
//! *Outside* means in addition that the state is the initial one or a *position*, a state that
//! passes a test which the system provides; a move has to lead to a position, so the test is shown
//! to be an invariant. The claims follow by induction: over steps, or over ranks and numbers (R.
//! Ehlers, R. Koenighofer, G. Hofferek, FMCAD 2012, for the winning region as an inductive set).
//!
//! The text has one line for the claim, one for each cube and each move:
//!
//! ```text
//! lost
//! cube 2 0=1 4=0 falls 1 2 -3 by 101
//! move 0110
//! ```

use std::collections::BTreeSet;
use std::fmt::Write;

/// Most steps of a claim, each of which may take a query.
const MOST_STEPS: u64 = 10_000;

/// What a certificate shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// The system can answer for ever.
    Kept,
    /// The system can answer so many steps.
    KeptFor(u64),
    /// The environment can bring the system to a step without answer, which is one of so many.
    LostWithin(u64),
    /// The environment can bring the system to a step without answer.
    Lost,
}

/// Positions in which some state bits have some values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cube {
    /// In how many steps, at least 1, the environment wins at most; see the module text.
    pub rank: u64,
    /// State bits and their values.
    pub literals: Vec<(usize, bool)>,
    /// The bits of a number, lowest first, and whether they count inverted: answers may lead back
    /// into the cube where this number falls. None where they may not.
    pub falls: Option<Vec<(usize, bool)>>,
    /// The stimuli by which it does, bit by bit; none where the system avoids the cube.
    pub stimuli: Option<Vec<bool>>,
}

/// Numbers of bits: all words one after the other, lowest bits first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many bits the state has.
    pub states: usize,
    /// How many bits the environment gives.
    pub stimuli: usize,
    /// How many bits the system chooses.
    pub choices: usize,
}

/// See the module text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// What it shows.
    pub claim: Claim,
    /// Sets of positions.
    pub cubes: Vec<Cube>,
    /// Choices of the system, bit by bit.
    pub moves: Vec<Vec<bool>>,
}

/// A question about one step that must have no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// From outside the cubes of ranks up to `from`, which is the initial state or a position, by
    /// stimuli that occur, no move is allowed and leads to a position outside the cubes of ranks up
    /// to `into`.
    Unanswered {
        /// Greatest rank that is avoided before the step.
        from: u64,
        /// Greatest rank that is avoided behind it.
        into: u64,
    },
    /// From a cube of this rank, by its stimuli, these do not occur or an allowed answer leads
    /// outside all cubes of lower ranks, and not back into the cube with a number that falls.
    Escape {
        /// The rank.
        rank: u64,
    },
}

/// Why a text is no certificate of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// A line is not in the format.
    #[error("line {line}: {why}")]
    Line {
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// The initial state is not where the claim needs it.
    #[error("{0}")]
    Initial(&'static str),
}

impl Cube {
    /// Whether a state lies in it.
    pub fn contains(&self, state: &[bool]) -> bool {
        self.literals.iter().all(|&(bit, is_set)| state.get(bit) == Some(&is_set))
    }
}

impl Claim {
    /// Whether another claim follows from this one.
    pub fn implies(self, other: Self) -> bool {
        match (self, other) {
            (Self::Kept, Self::Kept | Self::KeptFor(_)) => true,
            (Self::KeptFor(steps), Self::KeptFor(fewer)) => fewer <= steps,
            (Self::LostWithin(steps), Self::LostWithin(more)) => steps <= more,
            (Self::LostWithin(_) | Self::Lost, Self::Lost) => true,
            _ => false,
        }
    }
}

impl Certificate {
    /// Reads a certificate for a game of that shape whose play begins in a state.
    ///
    /// # Errors
    /// The first thing that is wrong. Where there is none, the claim holds if no query of
    /// [`queries`](Self::queries) has a model.
    pub fn read(text: &str, shape: Shape, initial: &[bool]) -> Result<Self, Rejection> {
        let mut lines = text.lines().enumerate();
        let wrong = |why| move |line: usize| Rejection::Line { line: line + 1, why };
        let claim = lines.next().and_then(|(_, line)| read_claim(line));
        let claim = claim.ok_or_else(|| wrong("no claim about a game")(0))?;
        let mut certificate = Self { claim, cubes: Vec::new(), moves: Vec::new() };
        for (number, line) in lines {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["cube", rank, ref rest @ ..] => {
                    let cube = read_cube(rank, rest, shape, claim);
                    certificate.cubes.push(cube.ok_or_else(|| wrong("no cube of this game")(number))?);
                }
                ["move", choices] => {
                    let choices = read_bits(choices, shape.choices);
                    certificate.moves.push(choices.ok_or_else(|| wrong("no move of this game")(number))?);
                }
                _ => return Err(wrong("neither a cube nor a move")(number)),
            }
        }
        certificate.look_at_start(initial)?;
        Ok(certificate)
    }

    fn look_at_start(&self, initial: &[bool]) -> Result<(), Rejection> {
        let lies_in = |most: u64| self.cubes.iter().any(|cube| cube.rank <= most && cube.contains(initial));
        match self.claim {
            Claim::Kept if lies_in(u64::MAX) => Err(Rejection::Initial("the initial state is to be avoided")),
            Claim::KeptFor(steps) if lies_in(steps) => {
                Err(Rejection::Initial("the initial state is to be avoided"))
            }
            Claim::LostWithin(steps) if !lies_in(steps) => {
                Err(Rejection::Initial("no cube of such a rank holds the initial state"))
            }
            Claim::Lost if !lies_in(u64::MAX) => Err(Rejection::Initial("no cube holds the initial state")),
            _ => Ok(()),
        }
    }

    /// The queries that the claim needs, in a fixed order.
    pub fn queries(&self) -> Vec<Query> {
        match self.claim {
            Claim::Kept => vec![Query::Unanswered { from: u64::MAX, into: u64::MAX }],
            Claim::KeptFor(steps) => {
                (1..=steps).map(|step| Query::Unanswered { from: step, into: step - 1 }).collect()
            }
            Claim::LostWithin(steps) => self.escapes(steps),
            Claim::Lost => self.escapes(u64::MAX),
        }
    }

    fn escapes(&self, most: u64) -> Vec<Query> {
        let ranks: BTreeSet<u64> = self.cubes.iter().map(|cube| cube.rank).collect();
        ranks.into_iter().filter(|&rank| rank <= most).map(|rank| Query::Escape { rank }).collect()
    }

    /// The text of the certificate.
    pub fn print(&self) -> String {
        let mut text = match self.claim {
            Claim::Kept => "kept\n".to_owned(),
            Claim::KeptFor(steps) => format!("kept {steps}\n"),
            Claim::LostWithin(steps) => format!("lost {steps}\n"),
            Claim::Lost => "lost\n".to_owned(),
        };
        for cube in &self.cubes {
            let _ = write!(text, "cube {}", cube.rank);
            for &(bit, is_set) in &cube.literals {
                let _ = write!(text, " {bit}={}", u8::from(is_set));
            }
            if let Some(falls) = &cube.falls {
                text.push_str(" falls");
                for &(bit, is_inverted) in falls {
                    let _ = write!(text, " {}{bit}", if is_inverted { "-" } else { "" });
                }
            }
            if let Some(stimuli) = &cube.stimuli {
                let _ = write!(text, " by {}", print_bits(stimuli));
            }
            text.push('\n');
        }
        for choices in &self.moves {
            let _ = writeln!(text, "move {}", print_bits(choices));
        }
        text
    }
}

/// No bits are a dash, so that a word stands there.
fn print_bits(bits: &[bool]) -> String {
    match bits {
        [] => "-".to_owned(),
        bits => bits.iter().map(|&bit| if bit { '1' } else { '0' }).collect(),
    }
}

fn read_bits(text: &str, count: usize) -> Option<Vec<bool>> {
    let text = if count == 0 && text == "-" { "" } else { text };
    let bits: Option<Vec<bool>> = text.chars().map(read_bit).collect();
    bits.filter(|bits| bits.len() == count)
}

fn read_bit(text: char) -> Option<bool> {
    match text {
        '0' => Some(false),
        '1' => Some(true),
        _ => None,
    }
}

fn read_claim(line: &str) -> Option<Claim> {
    let number = |text: &str| text.parse().ok().filter(|steps| *steps <= MOST_STEPS);
    match line.split_once(' ') {
        None if line == "kept" => Some(Claim::Kept),
        None if line == "lost" => Some(Claim::Lost),
        Some(("kept", steps)) => number(steps).map(Claim::KeptFor),
        Some(("lost", steps)) => number(steps).map(Claim::LostWithin),
        _ => None,
    }
}

fn read_cube(rank: &str, rest: &[&str], shape: Shape, claim: Claim) -> Option<Cube> {
    let (literals, stimuli) = match (rest, claim) {
        ([literals @ .., "by", stimuli], Claim::LostWithin(_) | Claim::Lost) => {
            (literals, Some(read_bits(stimuli, shape.stimuli)?))
        }
        (_, Claim::LostWithin(_) | Claim::Lost) => return None,
        (literals, _) => (literals, None),
    };
    let (literals, falls) = match literals.iter().position(|word| *word == "falls") {
        Some(place) if claim == Claim::Lost => (&literals[..place], Some(&literals[place + 1..])),
        Some(_) => return None,
        None => (literals, None),
    };
    let inverted = |text: &&str| {
        let (bit, is_inverted) = text.strip_prefix('-').map_or((*text, false), |bit| (bit, true));
        let bit: usize = bit.parse().ok()?;
        (bit < shape.states).then_some((bit, is_inverted))
    };
    let falls = falls.map(|bits| bits.iter().map(inverted).collect::<Option<Vec<_>>>());
    let falls = match falls {
        Some(bits) => Some(bits?),
        None => None,
    };
    let literal = |text: &&str| {
        let (bit, value) = text.split_once('=')?;
        let bit: usize = bit.parse().ok()?;
        let mut value = value.chars();
        let is_set = read_bit(value.next()?)?;
        (bit < shape.states && value.next().is_none()).then_some((bit, is_set))
    };
    let rank = rank.parse().ok().filter(|rank| *rank > 0)?;
    Some(Cube { rank, literals: literals.iter().map(literal).collect::<Option<_>>()?, falls, stimuli })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { states: 2, stimuli: 1, choices: 2 };

    #[test]
    fn a_text_is_printed_as_it_was_read() {
        for text in [
            "kept\nmove 01\n",
            "kept 2\ncube 1 1=1\nmove 01\nmove 11\n",
            "lost 2\ncube 1 1=1 by 0\ncube 2 by 1\n",
            "lost\ncube 1 1=1 by 0\ncube 2 1=0 falls 0 -1 by 1\n",
        ] {
            let read = Certificate::read(text, SHAPE, &[false, false]);
            assert_eq!(read.map(|certificate| certificate.print()).as_deref(), Ok(text));
        }
        let bare = Shape { states: 1, stimuli: 0, choices: 0 };
        let read = Certificate::read("lost 1\ncube 1 by -\nmove -\n", bare, &[false]).expect("a certificate");
        assert_eq!((read.cubes[0].stimuli.as_deref(), &read.moves[0][..]), (Some(&[][..]), &[][..]));
    }

    #[test]
    fn each_claim_has_its_queries() {
        let queries = |text: &str| Certificate::read(text, SHAPE, &[true, true]).expect(text).queries();
        assert_eq!(queries("kept\n"), [Query::Unanswered { from: u64::MAX, into: u64::MAX }]);
        assert_eq!(queries("kept 0\n"), []);
        let two = [Query::Unanswered { from: 1, into: 0 }, Query::Unanswered { from: 2, into: 1 }];
        assert_eq!(queries("kept 2\n"), two);
        // A cube of a greater rank is not needed.
        let text = "lost 2\ncube 2 1=1 by 0\ncube 1 1=0 by 0\ncube 3 by 1\n";
        assert_eq!(queries(text), [Query::Escape { rank: 1 }, Query::Escape { rank: 2 }]);
        let text = "lost\ncube 7 falls 0 by 0\n";
        assert_eq!(queries(text), [Query::Escape { rank: 7 }]);
    }

    #[test]
    fn anything_else_is_refused_with_the_reason() {
        let cases = [
            ("", "line 1: no claim about a game"),
            ("won\n", "line 1: no claim about a game"),
            ("kept -1\n", "line 1: no claim about a game"),
            ("kept 10001\n", "line 1: no claim about a game"),
            ("lost 99999999999999999999\n", "line 1: no claim about a game"),
            ("kept\ncube 0 1=1\n", "line 2: no cube of this game"),
            ("kept\ncube 1 2=1\n", "line 2: no cube of this game"),
            ("kept\ncube 1 1=2\n", "line 2: no cube of this game"),
            ("kept\ncube 1 1=11\n", "line 2: no cube of this game"),
            ("kept\ncube 1 1=1 by 0\n", "line 2: no cube of this game"),
            ("lost 1\ncube 1 1=1\n", "line 2: no cube of this game"),
            ("lost 1\ncube 1 1=1 by 00\n", "line 2: no cube of this game"),
            ("lost 1\ncube 1 falls 0 by 0\n", "line 2: no cube of this game"),
            ("kept\ncube 1 1=1 falls 0\n", "line 2: no cube of this game"),
            ("lost\ncube 1 falls 2 by 0\n", "line 2: no cube of this game"),
            ("lost\ncube 1 falls --1 by 0\n", "line 2: no cube of this game"),
            ("lost\ncube 1 1=1 by 0\n", "no cube holds the initial state"),
            ("kept\nmove 0\n", "line 2: no move of this game"),
            ("kept\nmove 0x\n", "line 2: no move of this game"),
            ("kept\n\nmove 00\n", "line 2: neither a cube nor a move"),
            ("kept\ncube 1 1=0\n", "the initial state is to be avoided"),
            ("kept 1\ncube 1\n", "the initial state is to be avoided"),
            ("lost 1\ncube 2 by 0\n", "no cube of such a rank holds the initial state"),
            ("lost 1\n", "no cube of such a rank holds the initial state"),
        ];
        for (text, why) in cases {
            let found = Certificate::read(text, SHAPE, &[false, false]).map(|found| found.claim);
            assert_eq!(found.map_err(|error| error.to_string()), Err(why.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn claims_follow_from_stronger_ones() {
        let all = [
            Claim::Kept,
            Claim::KeptFor(1),
            Claim::KeptFor(3),
            Claim::LostWithin(1),
            Claim::LostWithin(3),
            Claim::Lost,
        ];
        let followed = |claim: Claim| all.iter().filter(|other| claim.implies(**other)).count();
        assert_eq!(all.map(followed), [3, 1, 2, 3, 2, 1]);
    }
}
