//! The driver: C code that starts an FMU and steps it.

use crate::description::{Causality, Description, Kind, Variable, Version};
use crate::names::{OBJECT, word};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The function that starts the FMU.
pub(crate) const INIT: &str = "fmu_init";

/// The function that makes a step.
pub(crate) const STEP: &str = "fmu_step";

/// A variable that takes part.
#[derive(Clone, Debug)]
pub(crate) struct Member<'d> {
    pub(crate) variable: &'d Variable,
    /// Its name in the object.
    pub(crate) name: String,
    pub(crate) role: Role,
}

/// What the driver does with a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is set before each step.
    Set,
    /// It is got behind each step.
    Got,
    /// It is set once, before initialisation.
    SetOnce,
    /// It keeps its start value.
    Kept,
}

impl Member<'_> {
    /// How C reaches it.
    pub(crate) fn lvalue(&self) -> String {
        format!("{OBJECT}.{}", self.name)
    }
}

/// The header that declares the object, for the driver and for property files.
pub(crate) fn header(description: &Description, members: &[Member<'_>]) -> String {
    let mut text =
        format!("#ifndef __chaincover_fmu_h\n#define __chaincover_fmu_h\nstruct {OBJECT}_variables {{\n");
    for member in members {
        let ty = member.variable.kind.c_type(description.version);
        let _ = writeln!(text, "    {ty} {};", member.name);
    }
    // An object without members is none in C.
    if members.is_empty() {
        text.push_str("    char chaincover_none;\n");
    }
    let _ = writeln!(text, "}};\nextern struct {OBJECT}_variables {OBJECT};");
    // Where two enumerations have the same name for different values, it stands for neither.
    let mut values: BTreeMap<String, Option<i64>> = BTreeMap::new();
    for (value, name) in members.iter().flat_map(|member| &member.variable.items) {
        let known = values.entry(word(name)).or_insert(Some(*value));
        *known = known.filter(|known| known == value);
    }
    for (name, value) in values.iter().filter_map(|(name, value)| Some((name, (*value)?))) {
        let _ = writeln!(text, "enum {{ {OBJECT}_{name} = {value} }};");
    }
    text + "#endif\n"
}

/// The driver; a step takes `step` seconds.
pub(crate) fn text(description: &Description, members: &[Member<'_>], step: f64) -> String {
    let writer = Writer { description, members, step, fmi: description.version.prefix() };
    let mut text = writer.head();
    text.push_str(&writer.access());
    text.push_str(&match description.version {
        Version::Two => writer.second(),
        Version::Three => writer.third(),
    });
    text
}

struct Writer<'d> {
    description: &'d Description,
    members: &'d [Member<'d>],
    step: f64,
    fmi: &'static str,
}

impl Writer<'_> {
    fn head(&self) -> String {
        let Self { description, fmi, .. } = self;
        let mut text = format!(
            "/* Drives an FMU ({}, Co-Simulation): a step is a communication step of {:?} s. */\n#include \"{fmi}.h\"\n#include \"fmu.h\"\n\nvoid abort(void);\n\nstruct {OBJECT}_variables {OBJECT} = {{\n",
            description.version.name(),
            self.step
        );
        for member in self.members {
            let _ = writeln!(text, "    .{} = {},", member.name, start(member.variable));
        }
        if self.members.is_empty() {
            text.push_str("    .chaincover_none = 0,\n");
        }
        let instance = if description.version == Version::Two { "fmi2Component" } else { "fmi3Instance" };
        let _ = write!(
            text,
            "}};\nstatic {instance} chaincover_instance;\nstatic double chaincover_point = {:?};\n\n\
             /* Behind an error nothing more can be asked of the FMU: the execution ends. */\n\
             static void chaincover_require({fmi}Status status)\n{{\n    if (status != {fmi}OK && status != {fmi}Warning)\n        abort();\n}}\n\n",
            description.start
        );
        text
    }

    /// The functions that get and set values, with one call for each type.
    fn access(&self) -> String {
        let mut text = String::new();
        for (role, function) in [(Role::SetOnce, "prepare"), (Role::Set, "set"), (Role::Got, "get")] {
            let mut by_type: BTreeMap<(&str, &str), Vec<&Member<'_>>> = BTreeMap::new();
            for member in self.members.iter().filter(|member| member.role == role) {
                let version = self.description.version;
                if let Some(access) = member.variable.kind.access(version) {
                    by_type.entry((access, self.value_type(member.variable.kind))).or_default().push(member);
                }
            }
            let _ = writeln!(text, "static void chaincover_{function}(void)\n{{");
            for ((access, ty), members) in by_type {
                self.call(&mut text, (access, ty), role == Role::Got, &members);
            }
            text.push_str("}\n\n");
        }
        text
    }

    /// The type of the standard that functions pass.
    fn value_type(&self, kind: Kind) -> &'static str {
        match (self.description.version, kind) {
            (Version::Two, Kind::Float64) => "fmi2Real",
            (Version::Two, Kind::Boolean) => "fmi2Boolean",
            (Version::Two, _) => "fmi2Integer",
            (Version::Three, Kind::Float64) => "fmi3Float64",
            (Version::Three, Kind::Float32) => "fmi3Float32",
            (Version::Three, Kind::Int8) => "fmi3Int8",
            (Version::Three, Kind::UInt8) => "fmi3UInt8",
            (Version::Three, Kind::Int16) => "fmi3Int16",
            (Version::Three, Kind::UInt16) => "fmi3UInt16",
            (Version::Three, Kind::Int32) => "fmi3Int32",
            (Version::Three, Kind::UInt32) => "fmi3UInt32",
            (Version::Three, Kind::UInt64) => "fmi3UInt64",
            (Version::Three, Kind::Boolean) => "fmi3Boolean",
            (Version::Three, _) => "fmi3Int64",
        }
    }

    fn call(&self, text: &mut String, (access, ty): (&str, &str), gets: bool, members: &[&Member<'_>]) {
        let Self { fmi, .. } = self;
        let list = |part: &dyn Fn(&Member<'_>) -> String| {
            members.iter().map(|member| part(member)).collect::<Vec<_>>().join(", ")
        };
        let references = list(&|member| member.variable.reference.to_string());
        let count = members.len();
        let sized =
            if self.description.version == Version::Three { format!(", {count}") } else { String::new() };
        let _ = writeln!(
            text,
            "    {{\n        static const {fmi}ValueReference references[] = {{ {references} }};"
        );
        if gets {
            let _ = writeln!(text, "        {ty} values[{count}];");
            let _ = writeln!(
                text,
                "        chaincover_require({fmi}Get{access}(chaincover_instance, references, {count}, values{sized}));"
            );
            for (index, member) in members.iter().enumerate() {
                let is_truth = member.variable.kind == Kind::Boolean;
                let value = format!("values[{index}]{}", if is_truth { " != 0" } else { "" });
                let _ = writeln!(text, "        {} = {value};", member.lvalue());
            }
        } else {
            let values = list(&|member| member.lvalue());
            let _ = writeln!(text, "        const {ty} values[] = {{ {values} }};");
            let _ = writeln!(
                text,
                "        chaincover_require({fmi}Set{access}(chaincover_instance, references, {count}, values{sized}));"
            );
        }
        text.push_str("    }\n");
    }

    /// Start and step by FMI 2.0.
    fn second(&self) -> String {
        let Self { description, step, .. } = self;
        format!(
            r#"static void chaincover_log(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                           fmi2String category, fmi2String message, ...)
{{
    (void)environment, (void)instance, (void)status, (void)category, (void)message;
}}

static void *chaincover_allocate(size_t count, size_t size)
{{
    (void)count, (void)size;
    return 0;
}}

static void chaincover_release(void *block)
{{
    (void)block;
}}

static const fmi2CallbackFunctions chaincover_callbacks = {{ chaincover_log, chaincover_allocate, chaincover_release, 0, 0 }};

void {INIT}(void)
{{
    chaincover_instance = fmi2Instantiate("{OBJECT}", fmi2CoSimulation, {token}, "file:///", &chaincover_callbacks, 0, 0);
    if (!chaincover_instance)
        abort();
    chaincover_prepare();
    chaincover_require(fmi2SetupExperiment(chaincover_instance, 0, 0.0, {start:?}, 0, 0.0));
    chaincover_require(fmi2EnterInitializationMode(chaincover_instance));
    chaincover_require(fmi2ExitInitializationMode(chaincover_instance));
    chaincover_get();
}}

void {STEP}(void)
{{
    chaincover_set();
    chaincover_require(fmi2DoStep(chaincover_instance, chaincover_point, {step:?}, 1));
    chaincover_point += {step:?};
    chaincover_get();
}}
"#,
            token = literal(&description.token),
            start = description.start,
        )
    }

    /// Start and step by FMI 3.0.
    fn third(&self) -> String {
        let Self { description, step, .. } = self;
        format!(
            r#"static void chaincover_log(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                           fmi3String message)
{{
    (void)environment, (void)status, (void)category, (void)message;
}}

static _Bool chaincover_ended;

void {INIT}(void)
{{
    chaincover_instance = fmi3InstantiateCoSimulation("{OBJECT}", {token}, 0, 0, 0, 0, 0, 0, 0, 0, chaincover_log, 0);
    if (!chaincover_instance)
        abort();
    chaincover_prepare();
    chaincover_require(fmi3EnterInitializationMode(chaincover_instance, 0, 0.0, {start:?}, 0, 0.0));
    chaincover_require(fmi3ExitInitializationMode(chaincover_instance));
    chaincover_get();
}}

void {STEP}(void)
{{
    fmi3Boolean is_event = 0, is_early = 0, is_end = 0;
    fmi3Float64 reached = chaincover_point;
    if (chaincover_ended)
        abort();
    chaincover_set();
    chaincover_require(fmi3DoStep(chaincover_instance, chaincover_point, {step:?}, 1, &is_event, &is_end, &is_early, &reached));
    chaincover_ended = is_end;
    chaincover_point += {step:?};
    chaincover_get();
}}
"#,
            token = literal(&description.token),
            start = description.start,
        )
    }
}

/// The start value of a variable as a C constant; zero where none is said.
pub(crate) fn start(variable: &Variable) -> String {
    let text = variable.start.as_deref().unwrap_or_default().trim();
    constant(variable.kind, text).unwrap_or_else(|| "0".to_owned())
}

/// A value of a variable as a C constant; `None`: it is none.
pub(crate) fn constant(kind: Kind, text: &str) -> Option<String> {
    let text = text.trim();
    match kind {
        Kind::Float64 | Kind::Float32 => {
            let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
            Some(if number < 0.0 { format!("({number:?})") } else { format!("{number:?}") })
        }
        Kind::Boolean => match text {
            "true" | "1" => Some("1".to_owned()),
            "false" | "0" => Some("0".to_owned()),
            _ => None,
        },
        Kind::String | Kind::Binary | Kind::Clock => None,
        _ => {
            let number: i128 = text.parse().ok()?;
            let (least, most) = kind.extremes().unwrap_or((i64::MIN.into(), i64::MAX.into()));
            (least..=most).contains(&number).then(|| whole(number))
        }
    }
}

/// An integer as a C constant: C has no negative literals, and none for the magnitude of the least.
pub(crate) fn whole(number: i128) -> String {
    match i64::try_from(number) {
        Ok(i64::MIN) => "(-9223372036854775807-1)".to_owned(),
        Ok(number) if number < 0 => format!("({number})"),
        Ok(number) => number.to_string(),
        Err(_) => format!("{number}u"),
    }
}

/// A text as a C string literal.
fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => {
                literal.push('\\');
                literal.push(char::from(byte));
            }
            b' '..=b'~' => literal.push(char::from(byte)),
            _ => {
                let _ = write!(literal, "\\{byte:03o}");
            }
        }
    }
    literal + "\""
}

/// Which of the variables take part, and in which role: inputs, outputs, and what texts of the
/// request speak of (`is_mentioned`) or fix (`is_fixed`).
pub(crate) fn members<'d>(
    description: &'d Description,
    names: &[String],
    is_mentioned: impl Fn(&str) -> bool,
    is_fixed: impl Fn(&str) -> bool,
) -> Vec<Member<'d>> {
    let member = |(variable, name): (&'d Variable, &String)| {
        variable.kind.access(description.version)?;
        let role = match variable.causality {
            Causality::Independent => return None,
            Causality::Input => Role::Set,
            Causality::Output => Role::Got,
            Causality::Parameter if is_fixed(name) => Role::SetOnce,
            Causality::Parameter if is_mentioned(name) => Role::Kept,
            Causality::Other if is_mentioned(name) => Role::Got,
            Causality::Parameter | Causality::Other => return None,
        };
        Some(Member { variable, name: name.clone(), role })
    };
    description.variables.iter().zip(names).filter_map(member).collect()
}
