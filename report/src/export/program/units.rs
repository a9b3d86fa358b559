//! Which sources may stand in one translation unit, and which are compiled beside the program.
//!
//! The program includes the sources, so that it reaches their `static` objects. In one unit, things
//! of two files that have the same name become one, or do not compile: then only those files are
//! included without which the program cannot do, and the others are linked. What a file declares is
//! read from its text without headers: declarations at file scope, tags, enumerators, macros.

use std::collections::{BTreeMap, BTreeSet};

/// What a file declares at file scope.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Unit {
    /// Names that other files may use for something else: `static` ones, tags, types, enumerators.
    private: BTreeSet<String>,
    /// All names, those declared `extern` included.
    declared: BTreeSet<String>,
    /// Names of objects and functions that are defined here.
    defined: BTreeSet<String>,
    /// Types that are other names of types, with the text that says so: C11 (6.7) allows the same
    /// one twice.
    aliases: BTreeMap<String, String>,
    /// Macros with their text.
    macros: BTreeMap<String, String>,
}

impl Unit {
    /// Reads a text without comments.
    pub(super) fn read(text: &str) -> Self {
        let mut unit = Self::default();
        let code = unit.directives(text);
        let mut rest = code.as_str();
        while !rest.trim().is_empty() {
            let declaration = Declaration::read(rest);
            let (text, behind) = rest.split_at(declaration.length);
            rest = behind;
            unit.enter(declaration, text);
        }
        unit
    }

    /// Whether an object or a function of this name is defined here.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.defined.contains(name)
    }

    /// Takes the macros; what is left when all directives are left out.
    fn directives(&mut self, text: &str) -> String {
        let mut code = String::new();
        let joined = text.replace("\\\r\n", " ").replace("\\\n", " ");
        for line in joined.lines() {
            let Some(directive) = line.trim_start().strip_prefix('#') else {
                code.push_str(line);
                code.push('\n');
                continue;
            };
            if let Some(definition) = directive.trim_start().strip_prefix("define ") {
                let definition = definition.trim();
                let end = definition.find(|letter| !is_word(letter)).unwrap_or(definition.len());
                self.macros.insert(definition[..end].to_owned(), dense(&definition[end..]));
            }
        }
        code
    }

    fn enter(&mut self, declaration: Declaration, text: &str) {
        let has = |word: &str| declaration.specifiers.iter().any(|known| known == word);
        let is_private = has("static") || has("typedef");
        let alias = (has("typedef") && !text.contains('{')).then(|| dense(text));
        for name in declaration.names {
            self.aliases.extend(alias.clone().map(|alias| (name.clone(), alias)));
            if is_private {
                self.private.insert(name.clone());
            }
            if !has("extern") && !has("typedef") && !declaration.is_prototype {
                self.defined.insert(name.clone());
            }
            self.declared.insert(name);
        }
        self.private.extend(declaration.inner.iter().cloned());
        self.declared.extend(declaration.inner);
    }
}

/// Names that keep files from standing in one translation unit.
pub(super) fn conflicts<'u>(units: impl IntoIterator<Item = &'u Unit>) -> BTreeSet<String> {
    let units: Vec<&Unit> = units.into_iter().collect();
    let mut found = BTreeSet::new();
    for (index, one) in units.iter().enumerate() {
        for (_, other) in units.iter().enumerate().filter(|(position, _)| *position != index) {
            let is_same_alias = |name: &&String| {
                one.aliases.get(*name).is_some_and(|alias| other.aliases.get(*name) == Some(alias))
            };
            let shared = one.private.intersection(&other.declared);
            found.extend(shared.filter(|name| !is_same_alias(name)).cloned());
            let differs = |(name, text): &(&String, &String)| {
                other.macros.get(*name).is_some_and(|known| known != *text) || other.declared.contains(*name)
            };
            found.extend(one.macros.iter().filter(differs).map(|(name, _)| name.clone()));
        }
    }
    found
}

/// A text with single blanks.
fn dense(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// One declaration at file scope.
#[derive(Debug, Default)]
struct Declaration {
    /// Characters of the text that it takes, its end included.
    length: usize,
    /// Whether it is the definition of a function.
    has_body: bool,
    /// Whether it only says that there is a function.
    is_prototype: bool,
    /// Words before the first name.
    specifiers: Vec<String>,
    /// What it declares.
    names: Vec<String>,
    /// Tags and enumerators that it defines.
    inner: Vec<String>,
}

impl Declaration {
    /// Reads up to the semicolon, or the brace that closes a function's body.
    fn read(text: &str) -> Self {
        let mut declaration = Self::default();
        // What stands outside of all brackets, `;` between declarators.
        let (mut outer, mut depth, mut is_function, mut is_value) = (String::new(), 0usize, false, false);
        let mut inside = String::new();
        for (at, letter) in text.char_indices() {
            declaration.length = at + letter.len_utf8();
            match letter {
                '{' | '(' | '[' => {
                    if depth == 0 && letter == '{' && !is_value {
                        declaration.open(&outer, &mut is_function);
                        inside.clear();
                    }
                    is_function |= depth == 0 && letter == '(' && !is_value;
                    depth += 1;
                    outer.push(if letter == '{' { '{' } else { ' ' });
                }
                '}' | ')' | ']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && letter == '}' {
                        declaration.close(&outer, &inside);
                        if is_function && !is_value {
                            declaration.has_body = true;
                            break;
                        }
                    }
                }
                ';' if depth == 0 => break,
                _ if depth > 0 => inside.push(letter),
                '=' => is_value = true,
                ',' => {
                    is_value = false;
                    outer.push(',');
                }
                letter if !is_value => outer.push(letter),
                _ => {}
            }
        }
        declaration.is_prototype = is_function && !declaration.has_body;
        declaration.split(&outer);
        declaration
    }

    /// A brace opens behind this text: of a tag, or of a function's body.
    fn open(&mut self, outer: &str, is_function: &mut bool) {
        let words: Vec<&str> =
            outer.split(|letter| !is_word(letter)).filter(|word| !word.is_empty()).collect();
        let is_kind = |word: &&str| ["struct", "union", "enum"].contains(word);
        if let [.., kind, tag] = words.as_slice()
            && is_kind(kind)
        {
            self.inner.push((*tag).to_owned());
            *is_function = false;
        } else if words.last().is_some_and(is_kind) {
            *is_function = false;
        }
    }

    /// It closes: the names of enumerators are those in front of `,` and `=`.
    fn close(&mut self, outer: &str, inside: &str) {
        if outer.split(|letter| !is_word(letter)).any(|word| word == "enum") {
            let names = inside.split(',').filter_map(|part| part.split('=').next());
            let names = names.map(str::trim).filter(|name| !name.is_empty() && name.chars().all(is_word));
            self.inner.extend(names.map(str::to_owned));
        }
    }

    /// The last word of each declarator is its name.
    fn split(&mut self, outer: &str) {
        for (position, declarator) in outer.split(',').enumerate() {
            let mut words: Vec<&str> =
                declarator.split(|letter| !is_word(letter)).filter(|word| !word.is_empty()).collect();
            let name = words.pop();
            if position == 0 {
                self.specifiers = words.iter().map(|word| (*word).to_owned()).collect();
                // Behind the braces of a type without a tag, the name is that of an object.
                let is_behind = name.is_some_and(|name| declarator.rfind('{') < declarator.rfind(name));
                let is_behind = is_behind && declarator.contains('{');
                let is_kind = words.last().is_some_and(|word| ["struct", "union", "enum"].contains(word));
                if (is_kind && !is_behind) || words.is_empty() {
                    continue;
                }
            }
            self.names.extend(name.map(str::to_owned));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(set: &BTreeSet<String>) -> String {
        set.iter().cloned().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn declarations_at_file_scope_are_read() {
        let text = "#define LIM 2\nstruct priv { int a; };\nstatic struct priv p = { 3, { 4 } };\nint a, *b[3] = { 0, 1 }, c;\n\
            extern int far;\ntypedef unsigned char u8;\nenum mode { OFF, ON = 3 };\nstatic int f(int x, int y)\n{ int inner; return x; }\n\
            void step(void) { f(1, 2); }\nint proto(int);\nstatic const enum { X, Y } z = X;\n";
        let unit = Unit::read(text);
        assert_eq!(names(&unit.private), "OFF ON X Y f mode p priv u8 z");
        assert_eq!(names(&unit.defined), "a b c f p step z");
        assert!(unit.declared.contains("far") && unit.macros["LIM"] == "2");
    }

    #[test]
    fn names_of_two_files_conflict_where_one_is_private() {
        let table = [
            ("static int state;", "static int state;", "state"),
            ("struct s { int a; };", "struct s { char b; };", "s"),
            ("int common;", "int common; extern int far;", ""),
            ("typedef unsigned char u8;", "typedef  unsigned char\nu8;", ""),
            ("typedef unsigned char u8;", "typedef signed char u8;", "u8"),
            ("typedef struct { int a; } s;", "typedef struct { int a; } s;", "s"),
            ("typedef unsigned char u8;", "int u8;", "u8"),
            ("static int far;", "extern int far;", "far"),
            ("#define N 1\nint a;", "#define N 2\nint b;", "N"),
            ("#define N 1\nint a;", "#define N  1\nint b;", ""),
            ("void f(void) { int x; }", "static int x; void g(void) { f(); }", ""),
        ];
        for (one, other, expected) in table {
            let units = [Unit::read(one), Unit::read(other)];
            assert_eq!(names(&conflicts(&units)), expected, "{one} / {other}");
        }
    }
}
