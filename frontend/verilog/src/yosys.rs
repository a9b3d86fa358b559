//! Running yosys.

use crate::code::Code;
use frontend::diagnostics::{Diagnostics, Severity};
use frontend::process::{Allowance, Cut, run};
use frontend::source::{SourceMap, Span};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Longest time that one call of yosys may take.
const CALL_LIMIT: Duration = Duration::from_secs(120);

/// Characters that scripts of yosys take literally, beside letters and digits. Others separate words,
/// end commands, or are patterns of file names.
const LITERAL: &str = "_-+=./:,'@%^~()";

/// Whether a word can stand in a script as it is.
pub(crate) fn is_literal(word: &str) -> bool {
    let is_plain = |character: char| character.is_alphanumeric() || LITERAL.contains(character);
    !word.is_empty() && word.chars().all(is_plain)
}

/// A path as a word of a script that is run in another folder; `None` where it has characters that
/// a script cannot hold.
pub(crate) fn script_path(path: &Path) -> Option<String> {
    let whole = std::path::absolute(path).ok()?;
    whole.to_str().filter(|text| is_literal(text)).map(str::to_owned)
}

/// The file in which a call lists the files that it has read and written, as for `make`.
const READ: &str = "read.d";

/// Runs a script in a folder. What yosys says of the sources becomes diagnostics; `None`: it failed,
/// and an error among these says why.
pub(crate) fn call(
    script: &str,
    folder: &Path,
    limit: &frontend::limit::Limit,
    (sources, diagnostics): (&mut SourceMap, &mut Diagnostics),
) -> Option<()> {
    if std::fs::write(folder.join("script.ys"), script).is_err() {
        diagnostics.error(Code::Endless, None, "temporary files for yosys cannot be written");
        return None;
    }
    let mut command = Command::new("yosys");
    command.args(["-Q", "-T", "-q", "-E", READ, "-s", "script.ys"]).current_dir(folder);
    let allowance = Allowance { limit: limit.clone(), ..Allowance::new(CALL_LIMIT) };
    let ended = match run(&mut command, &allowance) {
        Ok(ended) => ended,
        Err(error) => {
            let message = format!("`yosys` cannot be started ({error}), and Verilog is read by it");
            diagnostics.error(Code::NoYosys, None, message).advice("install Debian's package `yosys`");
            return None;
        }
    };
    match ended {
        Ok(ended) => {
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            said.lines().for_each(|line| tell(line, sources, diagnostics));
            if !ended.status.success() && !diagnostics.has_errors() {
                let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("without a word");
                diagnostics.error(Code::Refused, None, format!("yosys ended: {last}"));
            }
        }
        Err(Cut::Stopped) if limit.is_reached(None, diagnostics) => {}
        Err(cut) => {
            let what = match cut {
                Cut::Flood | Cut::Disk => "wrote without end".to_owned(),
                Cut::Memory => format!("took more than {} GiB of memory", allowance.memory >> 30),
                Cut::Late | Cut::Stopped => "took more than 120 s".to_owned(),
            };
            let told = diagnostics.error(Code::Endless, None, format!("yosys {what} and was ended"));
            told.advice(
                "a file that includes itself or a device has no end; a large design takes a smaller --param",
            );
        }
    }
    (!diagnostics.has_errors()).then_some(())
}

/// The files outside of the folder that the last call there has read: sources, what these include,
/// and contents of memories.
pub(crate) fn files_read(folder: &Path) -> Vec<PathBuf> {
    let list = std::fs::read_to_string(folder.join(READ)).unwrap_or_default();
    let Some((_, inputs)) = list.split_once(": ") else { return Vec::new() };
    // A space within a name is escaped.
    let names = inputs.replace("\\ ", "\0");
    let paths = names.split_whitespace().map(|name| PathBuf::from(name.replace('\0', " ")));
    paths.filter(|path| path.is_absolute() && !path.starts_with(folder)).collect()
}

/// A line that yosys printed: `FILE:LINE: ERROR: ...`, `Warning: ...` and the like.
fn tell(line: &str, sources: &mut SourceMap, diagnostics: &mut Diagnostics) {
    let marks = [("ERROR: ", Severity::Error), ("Warning: ", Severity::Warning)];
    let found =
        marks.iter().find_map(|(mark, severity)| line.split_once(mark).map(|parts| (parts, severity)));
    let Some(((before, message), severity)) = found else { return };
    let span = place(before.trim_end().trim_end_matches(':')).map(|(path, line)| {
        let path = shown_path(path, sources);
        Span { file: sources.open(&path), line, column: 0 }
    });
    // `\name` is how yosys writes names of the source.
    let message = message.trim_end_matches('.').replace('\\', "");
    if *severity == Severity::Warning {
        diagnostics.warning(Code::Warned, span, message);
        return;
    }
    if let Some(module) = message.strip_prefix("Module `").and_then(|rest| rest.strip_suffix("' not found!"))
    {
        diagnostics.error(Code::NoTop, None, format!("there is no module `{module}`"));
        return;
    }
    let parameter = message.strip_prefix("Can't find object for defparam `");
    if let Some(parameter) = parameter.and_then(|rest| rest.strip_suffix("`!")) {
        diagnostics.error(Code::NoParameter, None, format!("the top module has no parameter `{parameter}`"));
        return;
    }
    let line = span.and_then(|span| sources.files[span.file].line(span.line)).unwrap_or_default();
    let is_property = ["cover", "assert", "assume"].iter().any(|word| line.contains(word));
    let told = diagnostics.error(Code::Refused, span, format!("yosys refuses the design: {message}"));
    if is_property && message.starts_with("syntax error") {
        told.advice(
            "yosys reads no clocked properties; this form works: \
             `always @(posedge clk) name: cover (condition);`",
        );
    }
    if message.contains("is not part of the design") {
        told.advice("name all files of the design");
    }
}

/// `FILE:LINE`.
fn place(text: &str) -> Option<(&Path, u32)> {
    let (path, line) = text.rsplit_once(':')?;
    Some((Path::new(path), line.parse().ok()?))
}

/// A path as the user may have given it: that of a file known by another path; else relative to the
/// current folder where it is below it, and where sources are named so.
pub(crate) fn shown_path(path: &Path, sources: &SourceMap) -> PathBuf {
    let mut paths = sources.files.values().map(|file| &file.path);
    let is_same = |known: &Path| std::path::absolute(known).is_ok_and(|whole| whole == path);
    if let Some(known) = paths.clone().find(|known| is_same(known)) {
        return known.clone();
    }
    let here = std::env::current_dir().ok().filter(|_| paths.any(|path| path.is_relative()));
    let below = here.as_deref().and_then(|here| path.strip_prefix(here).ok());
    below.map_or_else(|| path.to_owned(), Path::to_owned)
}
