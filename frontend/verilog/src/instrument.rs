//! Sources that a simulator can read: Icarus Verilog 11 has no covers and no labels of assertions.
//!
//! A cover that is executed at a clock's edge becomes a statement that prints its hits; the other
//! statements for formal tools go. Lines keep their numbers.

use crate::bench::Names;
use frontend::source::decode;
use model::id::Id;
use model::system::GoalId;
use std::path::{Path, PathBuf};

/// A formal statement of the source.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) file: PathBuf,
    /// Line and column at or before the keyword, from 1.
    pub(crate) begin: (u32, usize),
    /// Line and column behind it.
    pub(crate) end: (u32, usize),
    pub(crate) keyword: &'static str,
    pub(crate) is_procedural: bool,
    pub(crate) has_label: bool,
    /// The goal whose hits the statement can print.
    pub(crate) goal: Option<GoalId>,
}

/// Functions and attributes that only formal tools know.
const FORMAL_ALONE: [&str; 13] = [
    "$past",
    "$stable",
    "$rose",
    "$fell",
    "$changed",
    "$initstate",
    "$anyconst",
    "$anyseq",
    "$allconst",
    "$allseq",
    "anyconst",
    "anyseq",
    "$global_clock",
];

/// Whether a source uses what simulators do not know.
pub(crate) fn needs_formal_tool(text: &str) -> bool {
    let mut scanner = Scanner::new(text);
    while let Some(token) = scanner.next() {
        if FORMAL_ALONE.contains(&token.text) {
            return true;
        }
    }
    false
}

/// Whether a source calls functions that simulators do not know, also where no macro asks for the
/// part for formal tools.
pub(crate) fn calls_formal_tool(text: &str) -> bool {
    let mut scanner = Scanner::new(text);
    // For each open condition whether its macro must be defined.
    let mut open: Vec<bool> = Vec::new();
    while let Some(token) = scanner.next() {
        match token.text {
            "`ifdef" => open.push(true),
            "`ifndef" => open.push(false),
            "`elsif" => open.last_mut().into_iter().for_each(|needs| *needs = true),
            "`else" => open.last_mut().into_iter().for_each(|needs| *needs = !*needs),
            "`endif" => drop(open.pop()),
            name if name.starts_with('$') && FORMAL_ALONE.contains(&name) && !open.contains(&true) => {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// A source for a simulator, and the goals whose hits it prints.
pub(crate) fn instrumented(
    text: &str,
    path: &Path,
    statements: &[Statement],
    (names, reset_steps): (&Names, u32),
) -> (String, Vec<GoalId>) {
    let Names { module, tag } = names;
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let own: Vec<&Statement> = statements.iter().filter(|statement| statement.file == whole).collect();
    let (mut result, mut goals) = (String::with_capacity(text.len()), Vec::new());
    let (mut copied, mut label) = (0, None);
    let mut scanner = Scanner::new(text);
    let mut before: [Option<Token<'_>>; 2] = [None, None];
    while let Some(token) = scanner.next() {
        if matches!(token.text, "cover" | "assert" | "assume" | "restrict")
            && let Some(call) = scanner.statement()
        {
            if let [Some(name), Some(colon)] = before
                && colon.text == ":"
                && is_name(name.text)
            {
                label = Some(name.start);
            }
            let found = matching(&own, token, text);
            let is_labelled = found.first().is_some_and(|statement| statement.has_label);
            let start = label.filter(|_| is_labelled).unwrap_or(token.start);
            result.push_str(&text[copied..start]);
            let goal = match found[..] {
                [statement] => statement.goal,
                _ => None,
            };
            let replaced = &text[start..call.end];
            let new = match goal {
                Some(goal) => {
                    goals.push(goal);
                    let condition = one_line(&text[call.condition.0..call.condition.1]);
                    format!(
                        "begin if (({condition}) && {module}.is_edge && {module}.step >= {reset_steps}) \
                         $display(\"{tag} G %0d {}\", {module}.step); end",
                        goal.index()
                    )
                }
                None if found.iter().any(|statement| !statement.is_procedural) => String::new(),
                None => "begin end".to_owned(),
            };
            result.push_str(&new);
            result.extend(replaced.chars().filter(|&character| character == '\n'));
            copied = call.end;
            scanner.at = call.end;
        }
        label = None;
        before = [before[1], Some(token)];
    }
    result.push_str(&text[copied..]);
    (result, goals)
}

/// The statements of the netlist that stand at a keyword: several where the module has several
/// instances.
fn matching<'s>(own: &[&'s Statement], token: Token<'_>, text: &str) -> Vec<&'s Statement> {
    let before = &text[..token.start];
    let line = u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX).saturating_add(1);
    let column = before.rfind('\n').map_or(token.start, |newline| token.start - newline - 1) + 1;
    let stands = |statement: &&&Statement| {
        statement.keyword == token.text
            && statement.begin <= (line, column)
            && (line, column) <= statement.end
    };
    let found: Vec<&Statement> = own.iter().filter(stands).copied().collect();
    let nearest = found.iter().map(|statement| statement.begin).max();
    found.into_iter().filter(|statement| Some(statement.begin) == nearest).collect()
}

fn one_line(text: &str) -> String {
    // A comment to the end of the line would swallow what follows.
    let mut result = String::new();
    let (mut scanner, mut last) = (Scanner::new(text), 0);
    while let Some(token) = scanner.next() {
        if token.start > last {
            result.push(' ');
        }
        result.push_str(token.text);
        last = token.start + token.text.len();
    }
    result
}

fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// A word, number, string, or single character.
#[derive(Clone, Copy, Debug)]
struct Token<'t> {
    text: &'t str,
    start: usize,
}

/// `cover (condition);` behind its keyword.
struct Call {
    /// Begin and end of the condition.
    condition: (usize, usize),
    /// Behind the semicolon.
    end: usize,
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    const fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The condition and end of a statement whose keyword has been read; `None` where it is another
    /// one.
    fn statement(&self) -> Option<Call> {
        let mut ahead = Self { text: self.text, at: self.at };
        let mut open = ahead.next()?;
        if open.text == "property" {
            open = ahead.next()?;
        }
        if open.text != "(" {
            return None;
        }
        let mut depth = 1;
        loop {
            let token = ahead.next()?;
            match token.text {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let end = ahead.next().filter(|token| token.text == ";")?;
                return Some(Call { condition: (open.start + 1, token.start), end: end.start + 1 });
            }
        }
    }

    /// The next token that is no comment.
    fn next(&mut self) -> Option<Token<'t>> {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            self.at += blank;
            let rest = &self.text[self.at..];
            let first = rest.chars().next()?;
            let skipped = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                let length = match first {
                    '"' => string_length(rest),
                    '\\' => rest.find(char::is_whitespace).unwrap_or(rest.len()),
                    _ if is_word(first) => rest.find(|character| !is_word(character)).unwrap_or(rest.len()),
                    _ => first.len_utf8(),
                };
                let token = Token { text: &rest[..length], start: self.at };
                self.at += length;
                return Some(token);
            };
            self.at += skipped;
        }
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$' | '`' | '\'')
}

fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (index, character) in text.char_indices().skip(1) {
        match character {
            '"' if !is_escaped => return index + 1,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}

/// The text of a source as the other readers take it.
pub(crate) fn read(path: &Path) -> Option<String> {
    std::fs::read(path).ok().map(|bytes| decode(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(
        keyword: &'static str,
        begin: (u32, usize),
        end: (u32, usize),
        goal: Option<usize>,
    ) -> Statement {
        Statement {
            file: "/m.sv".into(),
            begin,
            end,
            keyword,
            is_procedural: true,
            has_label: begin.1 == 3,
            goal: goal.map(GoalId::new),
        }
    }

    #[test]
    fn covers_print_and_the_rest_goes() {
        let text = "always @(posedge clk) begin\n  hit: cover (a && // cover (no);\n   (b));\n  if (c) assert (d); else e <= 1;\n\
                    // cover (x);\n  s = \"cover (y);\"; assume(z);\nend\n";
        let statements = [
            statement("cover", (2, 3), (3, 8), Some(4)),
            statement("assert", (4, 10), (4, 21), None),
            statement("assume", (6, 22), (6, 32), None),
        ];
        let names = Names { module: "bench".to_owned(), tag: "5e".to_owned() };
        let (new, goals) = instrumented(text, Path::new("/m.sv"), &statements, (&names, 2));
        let expected = "always @(posedge clk) begin\n  begin if ((a && (b)) && bench.is_edge && \
            bench.step >= 2) $display(\"5e G %0d 4\", bench.step); end\n\n  \
            if (c) begin end else e <= 1;\n// cover (x);\n  s = \"cover (y);\"; begin end\nend\n";
        assert_eq!(new, expected);
        assert_eq!(goals, [GoalId::new(4)]);
        let twice = [statements[0].clone(), statements[0].clone()];
        assert!(
            instrumented(text, Path::new("/m.sv"), &twice, (&names, 2)).1.is_empty(),
            "two instances share a statement"
        );
    }

    #[test]
    fn formal_functions_are_noticed_outside_comments() {
        for (text, expected) in
            [("x = $past(y);", true), ("(* anyconst *) reg a;", true), ("// $past", false)]
        {
            assert_eq!(needs_formal_tool(text), expected, "{text}");
        }
    }

    #[test]
    fn formal_functions_outside_the_formal_part_are_noticed() {
        for (text, expected) in [
            ("x = $past(y);", true),
            ("`ifdef FORMAL\n cover ($past(y));\n`endif", false),
            ("`ifdef FORMAL\n`else\n x = $past(y);\n`endif", true),
            ("`ifndef FORMAL\n x = y;\n`else\n cover ($stable(y));\n`endif", false),
            ("`ifdef FORMAL\n`ifndef A\n cover ($past(y));\n`endif\n`endif", false),
            ("`ifdef FORMAL\n`endif\n cover ($past(y));", true),
            ("(* anyconst *) reg a;", false),
        ] {
            assert_eq!(calls_formal_tool(text), expected, "{text}");
        }
    }
}
