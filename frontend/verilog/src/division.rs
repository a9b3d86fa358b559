//! Divisions by zero.
//!
//! In Verilog their result is unknown (x); BTOR2 gives it a value of its own. So in yosys's text of
//! the netlist (RTLIL) a division whose divisor may be zero gets a free choice for that case, as
//! every other unknown value has one.

use std::fmt::Write;

/// Cells that divide.
const DIVISIONS: [&str; 4] = ["$div", "$mod", "$divfloor", "$modfloor"];

/// The netlist in which a division by zero has any result.
pub(crate) fn free_by_zero(rtlil: &str) -> String {
    let mut text = String::with_capacity(rtlil.len());
    let mut lines = rtlil.lines();
    let mut number = 0;
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["cell", kind, _] = words[..] else {
            text.push_str(line);
            text.push('\n');
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "end").collect();
        let division = if DIVISIONS.contains(&kind) { Division::of(&body) } else { None };
        match division {
            Some(division) => {
                division.write(&mut text, line, &body, number);
                number += 1;
            }
            None => {
                let _ = writeln!(text, "{line}");
                body.iter().for_each(|line| {
                    let _ = writeln!(text, "{line}");
                });
                text.push_str("  end\n");
            }
        }
    }
    text
}

/// A division whose divisor may be zero.
struct Division<'a> {
    divisor: &'a str,
    divisor_width: &'a str,
    result: &'a str,
    width: &'a str,
}

impl<'a> Division<'a> {
    fn of(body: &[&'a str]) -> Option<Self> {
        let value = |head: &str| body.iter().find_map(|line| line.trim().strip_prefix(head));
        let divisor = value("connect \\B ")?;
        let is_nonzero = divisor.split_once('\'').is_some_and(|(width, bits)| {
            width.bytes().all(|digit| digit.is_ascii_digit())
                && bits.bytes().all(|bit| b"01".contains(&bit))
                && bits.contains('1')
        });
        if is_nonzero {
            return None;
        }
        Some(Self {
            divisor,
            divisor_width: value("parameter \\B_WIDTH ")?,
            result: value("connect \\Y ")?,
            width: value("parameter \\Y_WIDTH ")?,
        })
    }

    /// The cell with a wire of its own, and the choice between that and any value.
    fn write(&self, text: &mut String, head: &str, body: &[&str], number: usize) {
        let Self { divisor, divisor_width, result, width } = self;
        let (quotient, any, zero) = (
            format!("\\chaincover_quotient_{number}"),
            format!("\\chaincover_by_zero_{number}"),
            format!("\\chaincover_is_zero_{number}"),
        );
        let _ = writeln!(text, "  wire width {width} {quotient}\n  wire width {width} {any}\n  wire {zero}");
        let _ = writeln!(text, "{head}");
        for line in body {
            match line.trim().starts_with("connect \\Y ") {
                true => {
                    let _ = writeln!(text, "    connect \\Y {quotient}");
                }
                false => {
                    let _ = writeln!(text, "{line}");
                }
            }
        }
        let _ = writeln!(
            text,
            "  end\n  cell $anyseq {any}_choice\n    parameter \\WIDTH {width}\n    connect \\Y {any}\n  end\n  \
             cell $logic_not {zero}_test\n    parameter \\A_SIGNED 0\n    parameter \\A_WIDTH {divisor_width}\n    \
             parameter \\Y_WIDTH 1\n    connect \\A {divisor}\n    connect \\Y {zero}\n  end\n  \
             cell $mux {zero}_choice\n    parameter \\WIDTH {width}\n    connect \\A {quotient}\n    \
             connect \\B {any}\n    connect \\S {zero}\n    connect \\Y {result}\n  end"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisors_that_may_be_zero_get_a_choice() {
        let cell = |divisor: &str| {
            format!(
                "module \\m\n  cell $div $d\n    parameter \\A_SIGNED 0\n    parameter \\B_WIDTH 2\n    parameter \\Y_WIDTH 3\n    \
                 connect \\A \\a\n    connect \\B {divisor}\n    connect \\Y \\y\n  end\nend\n"
            )
        };
        assert_eq!(free_by_zero(&cell("2'01")), cell("2'01"));
        for divisor in ["\\b", "2'00", "2'0x", "{ 1'1 \\b }"] {
            let text = free_by_zero(&cell(divisor));
            for part in [
                "connect \\Y \\chaincover_quotient_0\n  end",
                "cell $anyseq \\chaincover_by_zero_0_choice\n    parameter \\WIDTH 3",
                "connect \\S \\chaincover_is_zero_0\n    connect \\Y \\y\n  end",
            ] {
                assert!(text.contains(part), "{divisor}: {part} in {text}");
            }
            assert_eq!(free_by_zero(&text.replace("$div", "$add")).lines().count(), text.lines().count());
        }
    }
}
