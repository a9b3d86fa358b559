//! Headers of the C library that the program needs, beside a model that may use their names.
//!
//! A model that does not include `<string.h>` may call a variable `index`, and one without
//! `<math.h>` another `y0` or `gamma`. In front of such a model the headers would declare them first.
//! So they stand behind it then, and declare what the model has under other names.

use super::own::Taken;
use std::fmt::Write;

/// A header, and what it declares beside names that no model gives to anything else.
const HEADERS: [(&str, &[&str]); 5] = [
    ("math.h", MATH),
    ("signal.h", &["signal", "raise", "kill", "sigset", "sigmask", "sigpause", "siginterrupt", "psignal"]),
    ("stdio.h", STDIO),
    ("stdlib.h", STDLIB),
    ("string.h", STRING),
];

/// Functions of one argument or more; each has one with `f` and one with `l` behind its name.
const MATH: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "drem",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "finite",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gamma",
    "hypot",
    "ilogb",
    "j0",
    "j1",
    "jn",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "modf",
    "nan",
    "nearbyint",
    "nextafter",
    "nexttoward",
    "pow",
    "remainder",
    "remquo",
    "rint",
    "round",
    "scalb",
    "scalbln",
    "scalbn",
    "significand",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "y0",
    "y1",
    "yn",
];

const STDIO: &[&str] = &[
    "clearerr",
    "ctermid",
    "dprintf",
    "fclose",
    "fdopen",
    "feof",
    "ferror",
    "fflush",
    "fgetc",
    "fgetpos",
    "fgets",
    "fileno",
    "flockfile",
    "fopen",
    "fprintf",
    "fputc",
    "fputs",
    "fread",
    "freopen",
    "fscanf",
    "fseek",
    "fseeko",
    "fsetpos",
    "ftell",
    "ftello",
    "fwrite",
    "getc",
    "getchar",
    "getdelim",
    "getline",
    "gets",
    "getw",
    "pclose",
    "perror",
    "popen",
    "printf",
    "putc",
    "putchar",
    "puts",
    "putw",
    "remove",
    "rename",
    "renameat",
    "rewind",
    "scanf",
    "setbuf",
    "setbuffer",
    "setlinebuf",
    "setvbuf",
    "snprintf",
    "sprintf",
    "sscanf",
    "stderr",
    "stdin",
    "stdout",
    "tempnam",
    "tmpfile",
    "tmpnam",
    "ungetc",
    "vprintf",
];

const STDLIB: &[&str] = &[
    "a64l",
    "abort",
    "abs",
    "alloca",
    "atexit",
    "atof",
    "atoi",
    "atol",
    "atoll",
    "bsearch",
    "calloc",
    "clearenv",
    "div",
    "drand48",
    "ecvt",
    "erand48",
    "exit",
    "fcvt",
    "free",
    "gcvt",
    "getenv",
    "getloadavg",
    "getsubopt",
    "initstate",
    "jrand48",
    "l64a",
    "labs",
    "lcong48",
    "ldiv",
    "llabs",
    "lldiv",
    "lrand48",
    "malloc",
    "mblen",
    "mktemp",
    "mrand48",
    "nrand48",
    "putenv",
    "qsort",
    "quick_exit",
    "rand",
    "rand_r",
    "random",
    "realloc",
    "realpath",
    "seed48",
    "select",
    "setenv",
    "setstate",
    "srand",
    "srand48",
    "srandom",
    "strtod",
    "strtol",
    "system",
    "unsetenv",
    "valloc",
];

const STRING: &[&str] = &[
    "bcmp",
    "bcopy",
    "bzero",
    "explicit_bzero",
    "ffs",
    "ffsl",
    "ffsll",
    "index",
    "memccpy",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "rindex",
    "stpcpy",
    "stpncpy",
    "strcasecmp",
    "strcat",
    "strchr",
    "strcmp",
    "strcoll",
    "strcpy",
    "strcspn",
    "strdup",
    "strerror",
    "strlen",
    "strncasecmp",
    "strncat",
    "strncmp",
    "strncpy",
    "strndup",
    "strnlen",
    "strpbrk",
    "strrchr",
    "strsep",
    "strsignal",
    "strspn",
    "strstr",
    "strtok",
    "strxfrm",
    "swab",
];

/// The lines that include headers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Headers {
    /// Those in front of the model.
    pub(super) before: String,
    /// Those behind it.
    pub(super) behind: String,
}

impl Headers {
    /// The lines for these headers beside a model with that text.
    pub(super) fn of(names: &[&str], (text, taken): (&str, &Taken)) -> Self {
        let mut lines = Self::default();
        for name in names {
            let include = format!("#include <{name}>\n");
            let clashing = if text.contains(name) { Vec::new() } else { clashing(name, taken) };
            if clashing.is_empty() {
                lines.before += &include;
                continue;
            }
            for name in &clashing {
                let _ = writeln!(lines.behind, "#define {name} chaincover_library_{name}");
            }
            lines.behind += &include;
            for name in &clashing {
                let _ = writeln!(lines.behind, "#undef {name}");
            }
        }
        lines
    }
}

/// What a header declares under names of the model.
fn clashing(header: &str, taken: &Taken) -> Vec<String> {
    let declared = HEADERS.iter().find(|(name, _)| *name == header).map_or(&[][..], |(_, names)| names);
    let endings: &[&str] = if header == "math.h" { &["", "f", "l"] } else { &[""] };
    let all = declared.iter().flat_map(|name| endings.iter().map(move |ending| format!("{name}{ending}")));
    all.filter(|name| taken.has(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Headers, Taken};

    #[test]
    fn headers_stand_behind_a_model_that_uses_their_names() {
        let lines = |text: &str| Headers::of(&["math.h", "string.h"], (text, &Taken::of(text)));
        let plain = lines("int s; void step(int u) { s += u; }");
        assert_eq!(
            (plain.before.as_str(), plain.behind.as_str()),
            ("#include <math.h>\n#include <string.h>\n", "")
        );
        let named = lines("static int index; void step(int u) { index += u; }");
        assert_eq!(named.before, "#include <math.h>\n");
        let expected = "#define index chaincover_library_index\n#include <string.h>\n#undef index\n";
        assert_eq!(named.behind, expected);
        // What includes a header itself means what that declares.
        let own = lines("#include <string.h>\nvoid step(char *u) { u = index(u, 1); }");
        assert_eq!(own.behind, "");
        assert!(lines("float gammaf; void step(void) {}").behind.contains("chaincover_library_gammaf"));
    }
}
