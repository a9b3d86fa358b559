//! Covers, assertions and assumptions of a netlist, made alike for BTOR2.
//!
//! Yosys writes covers *instead of* assertions as `bad` lines, and names neither dependably. So its
//! own text of the netlist (RTLIL) is changed: each of these cells gets a name by its number, and
//! each assertion a cover beside it that says when it is reached. A map of yosys's then turns covers
//! into assertions of the contrary, and all of them are `bad` lines of one file.

use std::fmt::Write;

/// What a cell states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Cover,
    Assert,
    Assume,
}

impl Kind {
    /// The keyword of the language.
    pub(crate) const fn keyword(self) -> &'static str {
        match self {
            Self::Cover => "cover",
            Self::Assert => "assert",
            Self::Assume => "assume",
        }
    }
}

/// A cover, assertion or assumption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Formal {
    pub(crate) kind: Kind,
    /// The name of the cell in the netlist.
    pub(crate) cell: String,
    /// `FILE:LINE.COLUMN-LINE.COLUMN`, as yosys writes places; several behind `|`.
    pub(crate) place: String,
}

impl Formal {
    /// The label in the source, with the instances that it lies in; `None` where it has none.
    pub(crate) fn label(&self) -> Option<&str> {
        (!self.cell.starts_with('$')).then_some(self.cell.as_str())
    }
    /// The instances that a cell without a label lies in: `u1.u2`.
    pub(crate) fn instance(&self) -> Option<&str> {
        let path = self.cell.strip_prefix("$flatten\\")?;
        path.split_once(".$").map(|(instance, _)| instance)
    }
}

/// The name of the `bad` line of a cell: that a cover is hit, or that an assertion fails.
pub(crate) fn bad_name(number: usize) -> String {
    format!("chaincover_{number}")
}

/// The name of the `bad` line that says that an assertion is reached.
pub(crate) fn reached_name(number: usize) -> String {
    format!("chaincover_{number}_reached")
}

/// The map that turns covers into assertions.
pub(crate) const COVERS_TO_ASSERTIONS: &str = "(* techmap_celltype = \"$cover\" *)\n\
    module chaincover_cover(input A, input EN);\n\
    \x20 $assert _TECHMAP_REPLACE_ (.A(!A), .EN(EN));\n\
    endmodule\n";

/// The cells of a netlist in RTLIL, and the text with their new names.
pub(crate) fn rename(rtlil: &str) -> (String, Vec<Formal>) {
    let (mut text, mut found) = (String::with_capacity(rtlil.len()), Vec::new());
    let mut lines = rtlil.lines();
    let mut place = String::new();
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["attribute", "\\src", ..] => {
                place = line.split_once('"').map_or("", |(_, rest)| rest.trim_end_matches('"')).to_owned();
            }
            ["cell", kind @ ("$cover" | "$assert" | "$assume"), name] => {
                let kind = match kind {
                    "$cover" => Kind::Cover,
                    "$assert" => Kind::Assert,
                    _ => Kind::Assume,
                };
                let number = found.len();
                let cell = name.strip_prefix('\\').unwrap_or(name).to_owned();
                found.push(Formal { kind, cell, place: std::mem::take(&mut place) });
                let body: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "end").collect();
                write_cell(&mut text, kind, &bad_name(number), &body.join("\n"));
                if kind == Kind::Assert {
                    let enabled = body.iter().find_map(|line| line.trim().strip_prefix("connect \\EN "));
                    // Yosys keeps both back by a step where they are alike, so that
                    // `chformal -early` brings both forward again.
                    let enabled = enabled.unwrap_or("1'1");
                    let body = format!("    connect \\A {enabled}\n    connect \\EN {enabled}");
                    write_cell(&mut text, Kind::Cover, &reached_name(number), &body);
                }
                continue;
            }
            ["attribute", ..] => {}
            _ => place.clear(),
        }
        text.push_str(line);
        text.push('\n');
    }
    (text, found)
}

fn write_cell(text: &mut String, kind: Kind, name: &str, body: &str) {
    let _ = writeln!(text, "  cell ${} \\{name}\n{body}\n  end", kind.keyword());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_get_names_by_their_numbers() {
        let rtlil = "module \\m\n  attribute \\src \"m.sv:3.4-3.9\"\n  cell $assert \\u.safe\n    connect \\A \\a\n    \
                     connect \\EN \\e\n  end\n  cell $cover $flatten\\u.$cover$m.sv:4$1\n    connect \\A \\a\n    \
                     connect \\EN 1'1\n  end\n  cell $not $n\n    connect \\A \\a\n  end\nend\n";
        let (text, found) = rename(rtlil);
        let labels: Vec<_> =
            found.iter().map(|formal| (formal.kind, formal.label(), formal.instance())).collect();
        assert_eq!(labels, [(Kind::Assert, Some("u.safe"), None), (Kind::Cover, None, Some("u"))]);
        assert_eq!((found[0].place.as_str(), found[1].place.as_str()), ("m.sv:3.4-3.9", ""));
        for part in [
            "cell $assert \\chaincover_0\n    connect \\A \\a\n    connect \\EN \\e\n  end",
            "cell $cover \\chaincover_0_reached\n    connect \\A \\e\n    connect \\EN \\e\n  end",
            "cell $cover \\chaincover_1\n    connect \\A \\a\n    connect \\EN 1'1\n  end",
            "cell $not $n\n    connect \\A \\a\n  end\nend",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
}
