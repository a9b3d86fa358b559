//! The words of each language: one table each, which the lexer, the printer and the grammar for
//! editors read.

/// A specification language: its name, the ending of its files, and the words that it adds to those
/// of the common core.
#[derive(Debug)]
pub struct Language {
    /// The name, for messages.
    pub name: &'static str,
    /// The ending of its files, without the dot.
    pub ending: &'static str,
    /// Words that begin a declaration. The parser recovers at the next one of them.
    pub declarations: &'static [&'static str],
    /// Words within declarations that are no names.
    pub keywords: &'static [&'static str],
    /// Words that mean something in some places and are names elsewhere.
    pub contextual: &'static [&'static str],
}

/// Requirement interfaces.
pub static CONTRACTS: Language = Language {
    name: "requirement interfaces",
    ending: "ri",
    declarations: &["interface", "input", "output", "hidden", "view", "req", "purpose", "environment"],
    keywords: &["initially", "always", "assume", "guarantee"],
    contextual: &[],
};

/// Action systems.
pub static ACTIONS: Language = Language {
    name: "action systems",
    ending: "as",
    declarations: &["system", "var", "ctr", "obs", "int", "do"],
    keywords: &["when", "is", "skip", "od"],
    contextual: &[],
};

/// Timed symbolic systems.
pub static TIMED: Language = Language {
    name: "timed symbolic systems",
    ending: "tio",
    declarations: &[
        "timed", "param", "var", "clock", "input", "output", "initial", "final", "edge", "purpose", "goal",
        "timeout", "tick",
    ],
    keywords: &["when", "reset", "do", "int", "uncontrollable"],
    contextual: &["transitions", "pairs", "states", "purposes"],
};

/// All languages.
pub static LANGUAGES: [&Language; 3] = [&CONTRACTS, &ACTIONS, &TIMED];

/// Words of the common core that begin a declaration.
pub static DECLARATIONS: [&str; 4] = ["const", "type", "define", "include"];

/// Words of the common core within expressions.
pub static OPERATOR_WORDS: [&str; 11] =
    ["and", "or", "xor", "not", "in", "div", "mod", "if", "then", "else", "step"];

/// Words of the common core that are values.
pub static VALUES: [&str; 2] = ["true", "false"];

/// Words of the common core that are types.
pub static TYPES: [&str; 12] =
    ["bool", "rational", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64"];

/// Words of the common core that are functions.
pub static FUNCTIONS: [&str; 15] = [
    "min", "max", "abs", "count", "rises", "falls", "changed", "wrap", "clamp", "bitand", "bitor", "bitxor",
    "bitnot", "shl", "shr",
];

/// Operators and punctuation, those first that others begin with. The last ten belong to C and are
/// tokens for the sake of their messages.
pub static SYMBOLS: [&str; 41] = [
    "<->", ":=", "->", "=>", "..", "<=", ">=", "!=", "[]", "//", "&&", "||", "==", "<<", ">>", "(", ")", "{",
    "}", "[", "]", ",", ";", ":", ".", "=", "<", ">", "+", "-", "*", "/", "'", "?", "!", "&", "|", "^", "~",
    "%", "@",
];

impl Language {
    /// The word as the tables have it, where it is a keyword of this language.
    pub fn keyword(&self, word: &str) -> Option<&'static str> {
        let tables: [&[&'static str]; 7] =
            [&DECLARATIONS, &OPERATOR_WORDS, &VALUES, &TYPES, &FUNCTIONS, self.declarations, self.keywords];
        tables.into_iter().flatten().find(|known| **known == word).copied()
    }
    /// Whether a word begins a declaration.
    pub fn begins_declaration(&self, word: &str) -> bool {
        DECLARATIONS.contains(&word) || self.declarations.contains(&word)
    }
}

/// Advice where a name is none of those that are known: the nearest one, else all.
pub fn known_names(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("there are {}", known.join(", ")),
    }
}

/// The nearest of some names, where one is near enough to be a slip of the keys.
pub fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let most = match name.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    let rated = names.into_iter().map(|known| {
        let is_other_case = known.eq_ignore_ascii_case(name);
        let distance = if is_other_case { 0 } else { strsim::damerau_levenshtein(name, known) };
        (distance, known)
    });
    // A distance of the whole length says only that the other name is as short.
    let near = rated.filter(|&(distance, _)| distance <= most && distance < name.chars().count());
    near.min().map(|(_, known)| known)
}
