//! The C library, as far as its functions are known by name and type, whether a header declared
//! them or not.
//!
//! The folder `library` holds functions as C texts. Each begins with a line `// name codes`, where
//! the codes stand for the types of the result and the parameters; comment lines in front of it and
//! the empty line behind it belong to no function. A function of the program that no file defines
//! gets the body of the text, if it is declared with these types. The texts see no macros and no
//! headers; `__SIZE_TYPE__` and the like stand for the target's types.
//!
//! | code | type |
//! |---|---|
//! | `v`, `b`, `c`, `C` | `void`, `_Bool`, `char`, `unsigned char` |
//! | `i`, `I`, `l`, `L`, `q`, `Q` | `int`, `long`, `long long`, and their unsigned kin |
//! | `m`, `N`, `z` | `intmax_t`, `uintmax_t`, `size_t` |
//! | `f`, `d` | `float`, `double` |
//! | `p`, `t`, `T` | `void *`, `char *`, `char **` |
//! | `D`, `G`, `H`, `M` | a structure of `quot` and `rem`, which are `int`, `long`, `long long`, `intmax_t` |
//!
//! Functions whose results do not follow from their arguments stand in [`environment`].

use std::sync::LazyLock;

/// A function with its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its types.
    pub(crate) codes: &'static str,
    /// Its definition.
    pub(crate) text: &'static str,
}

const FILES: [&str; 4] = [
    include_str!("../library/characters.c"),
    include_str!("../library/numbers.c"),
    include_str!("../library/texts.c"),
    include_str!("../library/floats.c"),
];

static ENTRIES: LazyLock<Vec<Entry>> =
    LazyLock::new(|| FILES.iter().flat_map(|file| file.split("\n\n").filter_map(entry)).collect());

/// The function of a block of lines; `None` where it is a comment.
fn entry(block: &'static str) -> Option<Entry> {
    let begin = block.lines().take_while(|line| line.starts_with("//")).last()?;
    let (head, text) = block.split_at(block.find(begin)? + begin.len());
    let mut words = head[head.rfind("// ")? + 3..].split(' ');
    let (name, codes) = (words.next()?, words.next()?);
    let is_function = words.next().is_none() && text.trim_start().len() > 1;
    is_function.then_some(Entry { name, codes, text: text.trim_start() })
}

/// The function of a name.
pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// Names that begin thus are the tool's own; nothing outside of the texts of the library should use
/// them.
const OWN: &str = "__chaincover_";

/// Whether a C library has this function, so that compiled code finds it there.
pub(crate) fn is_in_host(name: &str) -> bool {
    !name.starts_with("__CPROVER_") && !name.starts_with(OWN)
}

/// What is known of a function's result that comes from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Range {
    /// An integer between these, both included.
    Integer(i128, i128),
    /// A float from 0 on and below 1.
    Unit,
    /// Anything.
    Any,
}

/// The greatest number that `rand` and `random` return where `int` and `long` hold it: `RAND_MAX`
/// of the tool's own header.
const RANDOM: i128 = 0x7fff_ffff;

/// Functions of the C library whose results come from outside of the program: names, types, and
/// what is known of the result.
///
/// Types are letters of [`signature`](super::exec): `i` `int`, `l` `long`, `n` any integer, `x`
/// double, `p` any pointer.
const ENVIRONMENT: [(&[&str], &str, Range); 16] = [
    (&["rand"], "i", Range::Integer(0, RANDOM)),
    (&["rand_r"], "ip", Range::Integer(0, RANDOM)),
    (&["random", "lrand48"], "l", Range::Integer(0, RANDOM)),
    (&["nrand48"], "lp", Range::Integer(0, RANDOM)),
    (&["mrand48"], "l", Range::Integer(-RANDOM - 1, RANDOM)),
    (&["jrand48"], "lp", Range::Integer(-RANDOM - 1, RANDOM)),
    (&["drand48"], "x", Range::Unit),
    (&["erand48"], "xp", Range::Unit),
    (&["getchar", "getchar_unlocked"], "i", Range::Integer(-1, 255)),
    (&["getc", "fgetc"], "ip", Range::Integer(-1, 255)),
    (&["time"], "np", Range::Integer(-1, i128::MAX)),
    (&["clock"], "n", Range::Integer(-1, i128::MAX)),
    (&["getpid", "getppid"], "i", Range::Integer(0, i128::MAX)),
    (&["sleep"], "nn", Range::Any),
    (&["usleep"], "in", Range::Integer(-1, 0)),
    (&["clock_gettime"], "inp", Range::Integer(-1, 0)),
];

/// What is known of a function's result that comes from outside, and the letters of its types.
pub(crate) fn environment(name: &str) -> Option<(&'static str, Range)> {
    let found = ENVIRONMENT.iter().find(|(names, ..)| names.contains(&name));
    found.map(|&(_, letters, range)| (letters, range))
}

/// Whether a function of the C library has this name.
pub(crate) fn is_known(name: &str) -> bool {
    find(name).is_some() || environment(name).is_some()
}

/// The definitions of functions, for a program that is compiled without the C library or with
/// functions that it does not have.
pub(crate) fn definitions<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut text = String::from(
        "static void __chaincover_requires(_Bool holds) {}\nstatic void __chaincover_rounding(void) { __builtin_trap(); }\n",
    );
    let found: Vec<&Entry> = names.filter_map(find).collect();
    for entry in &found {
        text.push_str(&declaration(entry));
    }
    for entry in &found {
        text.push_str(parts(entry).1);
        text.push('\n');
    }
    text
}

/// The declarations of functions that files may call without one.
pub(crate) fn declarations<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.filter_map(find).map(declaration).collect()
}

/// What stands in front of the body, as a declaration; and the type in front of that, if there is
/// one.
fn declaration(entry: &Entry) -> String {
    let (types, function) = parts(entry);
    let head = function.split(" {").next().unwrap_or_default();
    format!("{types}{head};\n")
}

/// The text in front of the function, and the function.
fn parts(entry: &Entry) -> (&'static str, &'static str) {
    let has_type = entry.text.starts_with("typedef");
    entry.text.split_at(if has_type { entry.text.find('\n').map_or(0, |end| end + 1) } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_defines_the_function_of_its_line() {
        assert!(ENTRIES.len() > 80, "{}", ENTRIES.len());
        for entry in ENTRIES.iter() {
            let head = parts(entry).1.split(") {").next().unwrap_or_default();
            assert!(head.contains(&format!("{}(", entry.name)), "{entry:?}");
            let parameters = entry.codes.len() - 1;
            assert_eq!(head.matches(", ").count() + usize::from(parameters > 0), parameters, "{entry:?}");
            assert!(entry.text.trim_end().ends_with('}'), "{entry:?}");
        }
    }

    #[test]
    fn names_stand_once() {
        for (index, entry) in ENTRIES.iter().enumerate() {
            assert!(ENTRIES[..index].iter().all(|earlier| earlier.name != entry.name), "{}", entry.name);
            assert_eq!(environment(entry.name), None, "{}", entry.name);
        }
    }
}
