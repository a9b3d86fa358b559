//! Runs the host's C preprocessor for the chosen target.
//!
//! Nothing of the host takes part but the program `cc -E` itself (`$CC` where set): its own macros
//! are undefined, its headers are not searched. The target's macros and the headers of this tool
//! take their place. Include names that differ from file names only in case (or in the direction of
//! slashes), as they occur in projects that were written on Windows, are found by a second try.

pub(crate) mod compiler;
mod headers;
mod line_directives;
pub(crate) mod line_map;
pub(crate) mod nearby;
pub(crate) mod predefined;

use crate::code::Code;
use crate::ir::target::Target;
use crate::readings::Readings;
use frontend::Kept;
use frontend::code::Common;
use frontend::diagnostics::Diagnostics;
use frontend::limit::Limit;
use frontend::process::{self, Allowance, Cut};
use frontend::source::{FileId, SourceMap, Span, decode};
use line_map::{Preprocessed, strip_markers};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

/// What differs between files.
pub(crate) struct Options<'a> {
    pub(crate) include: &'a [PathBuf],
    pub(crate) define: &'a [String],
    /// Property files keep their assertions even where `NDEBUG` is defined.
    pub(crate) is_property_file: bool,
}

/// The preprocessor of a target.
pub(crate) struct Preprocessor {
    /// The folder of its headers, which is written at the first call.
    folder: OnceLock<std::io::Result<TempDir>>,
    program: Vec<OsString>,
    definitions: Vec<String>,
    /// Definitions that tell which compiler this is.
    versions: Vec<String>,
    limit: Limit,
    kept: Kept,
}

/// Outputs of the preprocessor by call and text, with [`OWN_FOLDER`] for the folder of the headers.
pub(crate) type Outputs = Mutex<HashMap<String, String>>;

/// What is preprocessed.
#[derive(Clone, Copy)]
enum Main<'a> {
    /// A file of the user's.
    File(&'a Path),
    /// A text of our own, before which a file may be included.
    Text(&'a str, Option<&'a Path>),
}

impl<'a> Main<'a> {
    /// Its path, what is included before, and its text where it is one of our own; `own` is the folder
    /// of the headers.
    fn parts(self, own: &Path) -> (PathBuf, Option<&'a Path>, &'a str) {
        match self {
            Self::File(path) => (path.to_owned(), None, ""),
            Self::Text(text, first) => (own.join("expressions.c"), first, text),
        }
    }
}

/// A new folder with the headers of this tool; it goes with what is returned.
fn headers_folder() -> std::io::Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("chaincover-").tempdir()?;
    let include = folder.path().join("include");
    std::fs::create_dir_all(&include)?;
    std::fs::create_dir_all(folder.path().join(FORWARD))?;
    headers::HEADERS.iter().try_for_each(|(name, text)| std::fs::write(include.join(name), text))?;
    Ok(folder)
}

/// The expansion of an expression and where it was written.
pub(crate) struct ExpressionText {
    text: String,
    /// Name of the pseudo file that messages speak of.
    file: PathBuf,
    /// That file.
    pub(crate) id: FileId,
}

/// What preprocessing a file may take.
const LONGEST: Duration = Duration::from_secs(60);

/// Gibibytes of memory that preprocessing a file may take: a hundred times what large projects need.
const MOST_GIBIBYTES: u64 = 1;

/// Include names that are tried a second time at most, per file.
const MAX_FORWARDED: usize = 500;

/// Depth of the folder for forwarding headers, so that `../` in names stays inside of the temporary
/// folder.
const FORWARD: &str = "f/f/f/f";

/// What the user sees instead of the temporary folder.
const OWN_FOLDER: &str = "<chaincover>";

impl Preprocessor {
    /// Its calls end with the limit; what they gave may be kept for further readings.
    pub(crate) fn new(target: Target, limit: Limit, kept: Kept) -> Self {
        let words = std::env::var("CC").unwrap_or_default();
        let mut program: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
        if program.is_empty() {
            program.push("cc".into());
        }
        let versions = compiler::versions(&program, &limit);
        let (folder, definitions) = (OnceLock::new(), predefined::definitions(target));
        Self { folder, program, definitions, versions, limit, kept }
    }

    /// The folder of the headers; none where it cannot be written (diagnosed).
    fn folder(&self, diagnostics: &mut Diagnostics) -> Option<&Path> {
        match self.folder.get_or_init(headers_folder) {
            Ok(folder) => Some(folder.path()),
            Err(error) => {
                let message = format!("a temporary folder for headers cannot be written: {error}");
                diagnostics.error(Code::Preprocessor, None, message);
                None
            }
        }
    }

    /// Preprocesses a file; `None` where that failed (diagnosed).
    pub(crate) fn run(
        &self,
        path: &Path,
        options: &Options,
        sources: &mut SourceMap,
        diagnostics: &mut Diagnostics,
    ) -> Option<Preprocessed> {
        if let Err(error) = std::fs::File::open(path) {
            diagnostics.error(
                Common::UnreadableFile,
                None,
                format!("`{}` cannot be read: {error}", path.display()),
            );
            return None;
        }
        let output = self.kept_output(Main::File(path), path, options, sources, diagnostics)?;
        Some(strip_markers(&output, path, sources, |name| self.shown(name)))
    }

    /// Expands expressions with the macros that hold at the end of a file.
    pub(crate) fn run_expressions(
        &self,
        path: &Path,
        options: &Options,
        expressions: &[ExpressionText],
        sources: &mut SourceMap,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Option<Preprocessed>> {
        let none = || expressions.iter().map(|_| None).collect();
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // Quotes of an `#include` know no escapes; an option takes any path.
        let written = absolute.to_str().filter(|path| !path.contains(|c: char| c == '"' || c.is_control()));
        let mut text = written.map_or_else(String::new, |path| format!("#include \"{path}\"\n"));
        let first = written.is_none().then_some(absolute.as_path());
        for (index, expression) in expressions.iter().enumerate() {
            let line = expression.text.replace(['\n', '\r'], " ");
            let _ = writeln!(text, "# 1 \"<expression {index}>\"\n{line}");
        }
        let told = diagnostics.entries.len();
        let main = Main::Text(&text, first);
        let output = self.kept_output(main, path, options, sources, diagnostics);
        for entry in &mut diagnostics.entries[told..] {
            if let Some(span) = &mut entry.span
                && let Some(index) = expression_number(&sources.files[span.file].path)
            {
                span.file = expressions[index].id;
            }
        }
        let Some(output) = output else { return none() };
        let parts = split_expressions(&output, expressions.len());
        let strip = |(part, expression): (String, &ExpressionText)| {
            Some(strip_markers(&part, &expression.file, sources, |_| expression.file.clone()))
        };
        parts.into_iter().zip(expressions).map(strip).collect()
    }

    /// The name of a file as the user should see it.
    fn shown(&self, name: &str) -> PathBuf {
        let path = Path::new(name);
        let own = self.folder.get().and_then(|folder| folder.as_ref().ok()).map(TempDir::path);
        let inner = path.strip_prefix(OWN_FOLDER).ok();
        let inner = inner.or_else(|| path.strip_prefix(own?).ok());
        match inner {
            Some(inner) => Path::new(OWN_FOLDER).join(inner.file_name().unwrap_or_default()),
            None => path.to_owned(),
        }
    }

    // ---- the program ----

    /// The output of the preprocessor, which may be known from an earlier reading, with
    /// [`OWN_FOLDER`] for the folder of the headers.
    fn kept_output(
        &self,
        main: Main<'_>,
        shown: &Path,
        options: &Options,
        sources: &mut SourceMap,
        diagnostics: &mut Diagnostics,
    ) -> Option<String> {
        let kept = self.kept.get::<Readings>().map(|readings| &readings.outputs);
        let key = || {
            let (path, first, text) = main.parts(Path::new(OWN_FOLDER));
            format!("{:?}\n{text}", self.command(Path::new(OWN_FOLDER), (&path, first), options))
        };
        let known = kept.map(|outputs| (outputs, key()));
        let lock = |outputs: &'_ Outputs, key: &str| {
            outputs.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
        };
        if let Some(output) = known.as_ref().and_then(|(outputs, key)| lock(outputs, key)) {
            return Some(output);
        }
        let own = self.folder(diagnostics)?;
        let (path, first, text) = main.parts(own);
        if let Main::Text(..) = main
            && let Err(error) = std::fs::write(&path, text)
        {
            let message = format!("a temporary file cannot be written: {error}");
            diagnostics.error(Code::Preprocessor, None, message);
            return None;
        }
        let output = self.output(own, (&path, first), shown, options, sources, diagnostics)?;
        let output = output.replace(&*own.to_string_lossy(), OWN_FOLDER);
        if let Some((outputs, key)) = known {
            outputs.lock().unwrap_or_else(PoisonError::into_inner).insert(key, output.clone());
        }
        Some(output)
    }

    /// The output of the preprocessor, with include names forwarded until none is missing that
    /// exists.
    fn output(
        &self,
        own: &Path,
        main: (&Path, Option<&Path>),
        shown: &Path,
        options: &Options,
        sources: &mut SourceMap,
        diagnostics: &mut Diagnostics,
    ) -> Option<String> {
        let (limit, memory) = (self.limit.clone(), MOST_GIBIBYTES << 30);
        let allowance = Allowance { limit, memory, ..Allowance::new(LONGEST) };
        for _ in 0..MAX_FORWARDED {
            let output = match process::run(&mut self.command(own, main, options), &allowance) {
                Ok(Ok(output)) => output,
                Ok(Err(cut)) => {
                    self.report_cut(cut, shown, diagnostics);
                    return None;
                }
                Err(error) => {
                    let program = self.program[0].to_string_lossy();
                    let message = format!("the C preprocessor `{program}` cannot be started: {error}");
                    let advice = "install a C compiler (Debian: `apt-get install gcc`), or name one in the environment variable CC";
                    diagnostics.error(Code::Preprocessor, None, message).advice(advice);
                    return None;
                }
            };
            if output.status.success() {
                return Some(spelled_out(decode_lines(&output.stdout)));
            }
            let errors = decode(&output.stderr).into_owned();
            let is_forwarded = missing_header(&errors)
                .is_some_and(|(includer, header)| self.forward(own, (Path::new(includer), header), options));
            if !is_forwarded {
                self.report(&errors, shown, sources, diagnostics);
                return None;
            }
        }
        diagnostics.error(
            Code::Preprocessor,
            None,
            format!("`{}`: too many include names differ in case", shown.display()),
        );
        None
    }

    /// Says why the preprocessor was ended.
    fn report_cut(&self, cut: Cut, shown: &Path, diagnostics: &mut Diagnostics) {
        if cut == Cut::Stopped && self.limit.is_reached(None, diagnostics) {
            return;
        }
        let (program, shown) = (self.program[0].to_string_lossy(), shown.display());
        let what = match cut {
            Cut::Flood | Cut::Disk => "writes without end".to_owned(),
            Cut::Memory => format!("takes more than {MOST_GIBIBYTES} GiB of memory"),
            Cut::Late | Cut::Stopped => format!("did not end within {} s", LONGEST.as_secs()),
        };
        let message = format!("the C preprocessor `{program}` {what} for `{shown}`");
        let advice = match cut {
            Cut::Memory | Cut::Flood | Cut::Disk => {
                "an included file without an end, such as a device, or macros that multiply themselves are the usual reason"
            }
            Cut::Late | Cut::Stopped => {
                "an included file that is a pipe, or a compiler that waits for something, is the usual reason"
            }
        };
        diagnostics.error(Code::Preprocessor, None, message).advice(advice);
    }

    /// The call for a file, before which another one may be included; `own` is the folder of the
    /// headers.
    fn command(&self, own: &Path, (main, first): (&Path, Option<&Path>), options: &Options) -> Command {
        let mut command = Command::new(&self.program[0]);
        command.args(&self.program[1..]);
        command.args(["-E", "-w", "-x", "c", "-std=gnu11", "-undef", "-nostdinc"]);
        command.args(self.definitions.iter().map(|definition| format!("-D{definition}")));
        let is_gnu = options.define.iter().all(|definition| definition != compiler::NOT_GNU);
        let versions = self.versions.iter().filter(|_| is_gnu);
        command.args(versions.map(|definition| format!("-D{definition}")));
        if options.is_property_file {
            command.arg("-D__CHAINCOVER_PROPERTY_FILE__=1");
        }
        let defined = options.define.iter().filter(|definition| *definition != compiler::NOT_GNU);
        command.args(defined.map(|definition| format!("-D{definition}")));
        for folder in options.include {
            command.arg("-I").arg(folder);
        }
        first.map(|first| command.arg("-include").arg(first));
        command.arg("-isystem").arg(own.join("include"));
        command.arg("-idirafter").arg(own.join(FORWARD));
        // A path that begins with a minus sign would be read as an option.
        let is_option = main.to_string_lossy().starts_with('-');
        command.arg(if is_option { Path::new(".").join(main) } else { main.to_owned() });
        command.env("LC_ALL", "C");
        command
    }

    // ---- include names ----

    /// Writes a header that includes the file a name means if case and slashes are ignored; returns
    /// whether there is one.
    fn forward(&self, folder: &Path, (includer, header): (&Path, &str), options: &Options) -> bool {
        let beside = includer.parent().map(Path::to_owned).unwrap_or_default();
        let own = folder.join("include");
        let folders = std::iter::once(&beside).chain(options.include).chain(std::iter::once(&own));
        let wanted = PathBuf::from(header.replace('\\', "/"));
        let found = folders.map(Path::new).find_map(|folder| find_ignoring_case(folder, &wanted));
        let Some(found) = found.or_else(|| headers::stand_in(&wanted).map(|name| own.join(name))) else {
            return false;
        };
        let target = folder.join(FORWARD).join(header);
        if target.exists() {
            return false; // it was tried before and did not help
        }
        let found = std::path::absolute(&found).unwrap_or(found);
        let text = format!("#include \"{}\"\n", found.display());
        let write = || -> std::io::Result<()> {
            if let Some(parent) = target.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(&target, text)
        };
        write().is_ok()
    }

    // ---- messages ----

    /// Turns the messages of the preprocessor into diagnostics.
    fn report(&self, errors: &str, shown: &Path, sources: &mut SourceMap, diagnostics: &mut Diagnostics) {
        let mut is_reported = false;
        for line in errors.lines() {
            let Some(message) = CompilerMessage::parse(line) else { continue };
            is_reported = true;
            let path = self.shown(message.file);
            let path = if message.file.contains("expressions.c") { shown.to_owned() } else { path };
            let file = sources.open(&path);
            let span = Span { file, line: message.line, column: message.column };
            let entry = diagnostics.error(Code::Preprocessor, Some(span), message.text);
            if let Some((header, _)) = message.text.split_once(": No such file") {
                if let Some(refused) = headers::refused(header) {
                    (entry.code, entry.message) = (refused.0.into(), refused.1.to_owned());
                    continue;
                }
                entry.advice(match nearby::folder_of(header, &path) {
                    Some(folder) => {
                        let folder = folder.display().to_string();
                        let quote = if folder.contains(char::is_whitespace) { "\"" } else { "" };
                        format!(
                            "it lies in `{folder}`: add that with -I {quote}{folder}{quote} (`include` in chaincover.toml)"
                        )
                    }
                    None => "add the folder that holds it with -I (`include` in chaincover.toml)".to_owned(),
                });
            }
        }
        if !is_reported {
            let first = errors.lines().next().unwrap_or("the preprocessor failed without a message");
            diagnostics.error(Code::Preprocessor, None, format!("`{}`: {first}", shown.display()));
        }
    }
}

/// The number of the expression that the preprocessor calls by this path.
fn expression_number(path: &Path) -> Option<usize> {
    path.to_str()?.strip_prefix("<expression ")?.strip_suffix('>')?.parse().ok()
}

impl ExpressionText {
    /// Notes an expression and makes a pseudo file of it, named after its origin and `written`
    /// where it stands.
    pub(crate) fn new(
        text: &str,
        origin: &str,
        written: Option<(PathBuf, u32)>,
        sources: &mut SourceMap,
    ) -> Self {
        let line = text.replace(['\n', '\r'], " ");
        let id = sources.add_expression(origin, &line, written);
        let file = sources.files[id].path.clone();
        Self { text: line, file, id }
    }

    /// The expression as it stands, where there is no preprocessor.
    pub(crate) fn unexpanded(&self, sources: &mut SourceMap) -> Preprocessed {
        strip_markers(&self.text, &self.file, sources, |_| self.file.clone())
    }
}

/// The text of the output. Lines that are no UTF-8 are Latin-1 to the eye, but their literals must
/// keep their bytes: those from 0x80 on become characters U+F780 to U+F7FF, which literals turn
/// back.
fn decode_lines(output: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(output) {
        return text.to_owned();
    }
    let decode = |line: &[u8]| -> String {
        let character = |byte: &u8| match byte {
            0x80.. => {
                char::from_u32(0xf700 + u32::from(*byte)).expect("private characters should be characters")
            }
            byte => char::from(*byte),
        };
        match std::str::from_utf8(line) {
            Ok(text) => text.to_owned(),
            Err(_) => line.iter().map(character).collect(),
        }
    };
    output.split_inclusive(|byte| *byte == b'\n').map(decode).collect()
}

/// The text with letters in place of the universal character names in words (`\U000000f6`), which
/// is how preprocessors spell letters beyond ASCII.
fn spelled_out(text: String) -> String {
    if !text.contains("\\U") && !text.contains("\\u") {
        return text;
    }
    let mut found = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        found.push_str(before);
        let length = match escape.as_bytes().get(1) {
            Some(b'U') => 10,
            Some(b'u') => 6,
            _ => 0,
        };
        let number = escape.get(2..length).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let letter = number.and_then(char::from_u32).filter(|letter| letter.is_alphabetic());
        let length = match letter {
            Some(letter) => {
                found.push(letter);
                length
            }
            None => {
                let length = 1 + escape[1..].chars().next().map_or(0, char::len_utf8);
                found.push_str(&escape[..length]);
                length
            }
        };
        rest = &escape[length..];
    }
    found.push_str(rest);
    found
}

/// The expansions of expressions, each behind its own line marker.
fn split_expressions(output: &str, count: usize) -> Vec<String> {
    let mut parts = vec![String::new(); count];
    let mut current = None;
    for line in output.lines() {
        if line.starts_with("# ") {
            let index = line.split_once("<expression ").and_then(|(_, rest)| rest.split_once('>'));
            current = index.and_then(|(index, _)| index.parse::<usize>().ok()).filter(|index| *index < count);
        } else if let Some(part) = current.map(|index| &mut parts[index]) {
            if !part.is_empty() {
                part.push(' ');
            }
            part.push_str(line);
        }
    }
    parts
}

/// `file:line:column: error: text`.
struct CompilerMessage<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    text: &'a str,
}

impl<'a> CompilerMessage<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (place, text) = line.split_once(" error: ").or_else(|| line.split_once(" fatal error: "))?;
        let place = place.strip_suffix(" fatal").unwrap_or(place);
        let mut parts = place.trim_end_matches(':').rsplitn(3, ':');
        let (last, middle, first) = (parts.next()?, parts.next(), parts.next());
        match (last.parse(), middle.and_then(|middle| middle.parse().ok()), first) {
            (Ok(column), Some(line), Some(file)) => Some(Self { file, line, column, text }),
            (Ok(line), ..) => {
                Some(Self { file: place.trim_end_matches(':').rsplit_once(':')?.0, line, column: 0, text })
            }
            _ => None,
        }
    }
}

/// The file that includes a header that is missing, and the name of the header.
fn missing_header(errors: &str) -> Option<(&str, &str)> {
    let message = errors
        .lines()
        .filter_map(CompilerMessage::parse)
        .find(|message| message.text.contains("No such file"))?;
    Some((message.file, message.text.split_once(": No such file")?.0))
}

/// A file below a folder whose path differs from the wanted one in case alone. The first in
/// alphabetical order, where there are several.
fn find_ignoring_case(folder: &Path, wanted: &Path) -> Option<PathBuf> {
    let mut found: Cow<Path> =
        if folder.as_os_str().is_empty() { Path::new(".").into() } else { folder.into() };
    for component in wanted.components() {
        match component {
            Component::Normal(name) => {
                let name = name.to_string_lossy().to_lowercase();
                let mut entries: Vec<PathBuf> =
                    std::fs::read_dir(&found).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
                entries.sort();
                let is_wanted = |path: &PathBuf| {
                    path.file_name().is_some_and(|file| file.to_string_lossy().to_lowercase() == name)
                };
                found = entries.into_iter().find(is_wanted)?.into();
            }
            Component::ParentDir => found = found.join("..").into(),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    found.is_file().then(|| found.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontend::diagnostics::render;

    #[test]
    fn a_missing_compiler_is_said() {
        let mut preprocessor = Preprocessor::new(Target::default(), Limit::default(), Kept::default());
        preprocessor.program = vec!["/nonexistent/cc".into()];
        let options = Options { include: &[], define: &[], is_property_file: false };
        let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
        let own = preprocessor.folder(&mut diagnostics).expect("a temporary folder should be possible");
        let file = own.join("include/limits.h");
        assert!(preprocessor.run(&file, &options, &mut sources, &mut diagnostics).is_none());
        assert_eq!(
            render(&diagnostics, &sources, false),
            "error[preprocessor]: the C preprocessor `/nonexistent/cc` cannot be started: No such file or directory (os error 2)
  = install a C compiler (Debian: `apt-get install gcc`), or name one in the environment variable CC
"
        );
    }

    #[test]
    fn headers_leave_no_trace() {
        let preprocessor = Preprocessor::new(Target::default(), Limit::default(), Kept::default());
        let own = preprocessor.folder(&mut Diagnostics::default());
        let folder = own.expect("a temporary folder should be possible").to_owned();
        assert!(folder.join("include/stdint.h").exists());
        drop(preprocessor);
        assert!(!folder.exists());
    }

    #[test]
    fn reads_compiler_messages() {
        for (line, expected) in [
            (
                "m.c:3:10: fatal error: x.h: No such file or directory",
                Some(("m.c", 3, 10, "x.h: No such file or directory")),
            ),
            ("C:/m.c:3:1: error: #error a: b", Some(("C:/m.c", 3, 1, "#error a: b"))),
            ("m.c:7: error: text", Some(("m.c", 7, 0, "text"))),
            ("In file included from m.c:1:", None),
            ("compilation terminated.", None),
        ] {
            let found = CompilerMessage::parse(line);
            assert_eq!(
                found.map(|found| (found.file, found.line, found.column, found.text)),
                expected,
                "{line}"
            );
        }
    }
}
