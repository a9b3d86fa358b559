//! Families of models that grow: one parameter decides how large a member is.
//!
//! | family | what grows | what it is |
//! |---|---|---|
//! | `connected` | goals | a shuttle in a hall of 16 x 16 places with 32 lamps, 40 state bits, everything can be undone |
//! | `oneway` | goals | a plant that is run through in stages without a way back, and two lines that exclude each other |
//! | `multistate` | goals | two dials; every goal holds in many of their positions |
//! | `switches` | state bits | a row of switches, eight goals on patterns of them |
//! | `blocks` | size of the step function | a checksum of so many rounds, six goals on its value |
//!
//! Members are written as C and `chaincover.toml` like every other case; [`write()`] makes the same
//! files for the same member each time.

use super::corpus::Case;
use std::fmt::Write;
use std::path::Path;

/// A member of a family: its C text and its configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// `model.c`.
    pub code: String,
    /// `chaincover.toml`.
    pub configuration: String,
}

/// Names of the families with the sizes that are measured.
pub const FAMILIES: [(&str, &[usize]); 5] = [
    ("connected", &[10, 20, 50, 100, 200]),
    ("oneway", &[10, 20, 50, 100, 200]),
    ("multistate", &[10, 20, 50, 100, 200]),
    ("switches", &[8, 12, 16, 20, 24, 32, 40, 48]),
    ("blocks", &[10, 30, 100, 300, 1000]),
];

/// Names of all measured members of a family, `family-size`; none for an unknown family.
pub fn members(family: &str) -> Vec<String> {
    let sizes = FAMILIES.iter().find(|(name, _)| *name == family).map_or(&[][..], |(_, sizes)| sizes);
    sizes.iter().map(|size| format!("{family}-{size}")).collect()
}

/// The member of that name (any size from 1 on), if there is such a family.
pub fn member(name: &str) -> Option<Member> {
    let (family, size) = name.rsplit_once('-')?;
    let size = size.parse().ok().filter(|&size| size > 0)?;
    match family {
        "connected" => Some(connected(size)),
        "oneway" => Some(oneway(size)),
        "multistate" => Some(multistate(size)),
        "switches" => Some(switches(size)),
        "blocks" => Some(blocks(size)),
        _ => None,
    }
}

/// Writes the member of that name into a folder of its name; `None` if there is no such member.
///
/// # Errors
/// If the files cannot be written.
pub fn write(name: &str, folder: &Path) -> std::io::Result<Option<Case>> {
    let Some(member) = member(name) else { return Ok(None) };
    let folder = folder.join(name);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("model.c"), member.code)?;
    std::fs::write(folder.join("chaincover.toml"), member.configuration)?;
    Ok(Some(Case { name: name.to_owned(), folder }))
}

/// A model under construction: C text and goals.
struct Model {
    name: String,
    code: String,
    goals: String,
}

impl Model {
    fn new(name: &str, size: usize, code: String) -> Self {
        Self { name: format!("{name}-{size}"), code, goals: String::new() }
    }

    fn goal(&mut self, number: usize, when: &str) {
        let _ = write!(self.goals, "\n[[goal]]\nname = \"g{number}\"\nwhen = \"{when}\"\n");
    }

    /// The configuration; `inputs` are written by the environment, `end` describes Final.
    fn member(self, inputs: &[&str], assume: Option<&str>, end: &str) -> Member {
        let inputs: Vec<String> = inputs.iter().map(|name| format!("\"{name}\"")).collect();
        let mut configuration = format!(
            "[model]\nname    = \"{}\"\nsources = [\"model.c\"]\ninit    = \"\"\nstep    = \"step\"\ninputs  = [{}]\n{}",
            self.name,
            inputs.join(", "),
            self.goals
        );
        if let Some(assume) = assume {
            let _ = write!(configuration, "\n[[assume]]\nexpr = \"{assume}\"\n");
        }
        let _ = write!(configuration, "\n[final]\nwhen = \"{end}\"\n");
        Member { code: self.code, configuration }
    }
}

/// Spreads numbers evenly and always in the same way (Knuth's multiplicative hash).
fn spread(number: usize, range: usize) -> usize {
    ((number as u64 + 1).wrapping_mul(2_654_435_761) >> 7) as usize % range
}

fn connected(goals: usize) -> Member {
    let code = "/* A shuttle in a hall of 16 x 16 places; at every place the lamp whose number the place gives can be switched. */\n\
        unsigned char move;\n\
        unsigned char x, y;\n\
        unsigned int lamps;\n\
        void step(void)\n\
        {\n\
        \x20   switch (move) {\n\
        \x20   case 1: if (x < 15) x++; break;\n\
        \x20   case 2: if (x > 0) x--; break;\n\
        \x20   case 3: if (y < 15) y++; break;\n\
        \x20   case 4: if (y > 0) y--; break;\n\
        \x20   case 5: lamps ^= 1u << ((x + 4 * y) & 31); break;\n\
        \x20   default: break;\n\
        \x20   }\n\
        }\n";
    let mut model = Model::new("connected", goals, code.to_owned());
    for goal in 0..goals {
        // Different places while there are enough of them.
        let place = (goal * 97 + 13) % 256;
        let (x, y) = (place % 16, place / 16);
        let lit = if goal % 3 == 0 { "1" } else { "0" };
        model.goal(
            goal,
            &format!("move == 5 && x == {x} && y == {y} && ((lamps >> {}) & 1) == {lit}", (x + 4 * y) & 31),
        );
    }
    model.member(&["move"], Some("move <= 5"), "x == 0 && y == 0")
}

fn oneway(goals: usize) -> Member {
    let code = "/* A plant with eight stages that are run through without a way back, and two lines of which one is chosen at the third stage. */\n\
        unsigned char command;\n\
        unsigned char stage, line, belt, heat;\n\
        void step(void)\n\
        {\n\
        \x20   switch (command) {\n\
        \x20   case 1: belt = (belt + 1) & 15; break;\n\
        \x20   case 2: belt = (belt - 1) & 15; break;\n\
        \x20   case 3: heat = (heat + 1) & 7; break;\n\
        \x20   case 4: if (stage < 7 && belt == 0) { stage++; if (stage == 3) line = (heat & 1) + 1; } break;\n\
        \x20   default: break;\n\
        \x20   }\n\
        }\n";
    let mut model = Model::new("oneway", goals, code.to_owned());
    for goal in 0..goals {
        // Goals of the same stage and line differ in their places on the belt.
        let (stage, belt, heat) = (goal % 8, (5 * (goal / 16) + 3 * goal) % 16, spread(goal + 1000, 8));
        let line = if stage >= 3 { format!(" && line == {}", 1 + goal / 8 % 2) } else { String::new() };
        model.goal(
            goal,
            &format!("stage == {stage}{line} && belt == {belt} && heat == {heat} && command == {}", goal % 4),
        );
    }
    model.member(&["command"], Some("command <= 4"), "1")
}

fn multistate(goals: usize) -> Member {
    let code = "/* Two dials of 64 positions and a gear; each goal holds in many positions. */\n\
        unsigned char turn;\n\
        unsigned char left, right, gear;\n\
        void step(void)\n\
        {\n\
        \x20   switch (turn) {\n\
        \x20   case 1: left = (left + 1 + gear) & 63; break;\n\
        \x20   case 2: right = (right + 1 + 2 * gear) & 63; break;\n\
        \x20   case 3: gear = (gear + 1) & 3; break;\n\
        \x20   case 4: left = (left - 1) & 63; right = (right - 1) & 63; break;\n\
        \x20   default: break;\n\
        \x20   }\n\
        }\n";
    let mut model = Model::new("multistate", goals, code.to_owned());
    for goal in 0..goals {
        let (sum, low, gear) = (goal % 32, (spread(goal % 128, 4) + goal / 128) % 4, goal / 32 % 4);
        model.goal(
            goal,
            &format!(
                "((left + right) & 31) == {sum} && (left & 3) == {low} && gear == {gear} && turn == {}",
                1 + goal % 4
            ),
        );
    }
    model.member(&["turn"], Some("turn <= 4"), "left == 0")
}

fn switches(bits: usize) -> Member {
    let code = format!(
        "/* A row of {bits} switches. Number {bits} of the input toggles none. */\n\
         unsigned char toggle;\n\
         unsigned long long row;\n\
         void step(void)\n\
         {{\n\
         \x20   if (toggle < {bits}) row ^= 1ull << toggle;\n\
         }}\n"
    );
    let mut model = Model::new("switches", bits, code);
    for goal in 0..8 {
        // Three switches up, one down.
        let up: u64 =
            (0..3).map(|part| 1u64 << ((goal * 5 + part * 3) % bits)).fold(0, |mask, bit| mask | bit);
        let down =
            (0..bits).map(|bit| 1u64 << ((goal * 7 + 1 + bit) % bits)).find(|bit| up & bit == 0).unwrap_or(0);
        model.goal(goal, &format!("(row & {}ull) == {up}ull && toggle == {}", up | down, goal % 2));
    }
    model.member(&["toggle"], Some(&format!("toggle <= {bits}")), "1")
}

fn blocks(rounds: usize) -> Member {
    let mut code = "/* A checksum over what was received; the goals look at its value. */\n\
        unsigned char received;\n\
        unsigned char sum;\n\
        void step(void)\n\
        {\n\
        \x20   unsigned char s = sum;\n"
        .to_owned();
    for round in 0..rounds {
        let _ = match round % 3 {
            0 => writeln!(code, "    s = (unsigned char)(s + (received ^ {}));", spread(round, 256)),
            1 => writeln!(code, "    s = (unsigned char)(s ^ (s >> {}));", 1 + spread(round, 7)),
            _ => writeln!(
                code,
                "    s = (unsigned char)(s + (s << {}) + {});",
                1 + spread(round, 7),
                spread(round, 256)
            ),
        };
    }
    code.push_str("    sum = s;\n}\n");
    let mut model = Model::new("blocks", rounds, code);
    for goal in 0..6 {
        model.goal(
            goal,
            &format!("(sum & 15) == {} && received == {}", spread(goal, 16), spread(goal + 10, 256)),
        );
    }
    model.member(&["received"], None, "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_as_many_goals_as_they_say() {
        for (family, sizes) in FAMILIES {
            let names = members(family);
            assert_eq!(names.len(), sizes.len());
            for (name, size) in names.iter().zip(sizes) {
                let member = member(name).unwrap_or_else(|| panic!("{name} should exist"));
                let goals = match family {
                    "switches" => 8,
                    "blocks" => 6,
                    _ => *size,
                };
                assert_eq!(member.configuration.matches("[[goal]]").count(), goals, "{name}");
                let parsed: toml::Table =
                    member.configuration.parse().expect("a configuration should be TOML");
                assert_eq!(parsed["goal"].as_array().map(Vec::len), Some(goals));
                let mut conditions: Vec<&str> =
                    member.configuration.lines().filter(|line| line.starts_with("when")).collect();
                conditions.sort_unstable();
                let count = conditions.len();
                conditions.dedup();
                assert_eq!(conditions.len(), count, "{name}: goals should differ");
            }
        }
        assert_eq!(member("connected-0"), None);
        assert_eq!(member("unknown-5"), None);
    }
}
