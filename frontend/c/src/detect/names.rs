//! The names that code generators give to the parts of their code.

/// Ends of the names of step functions, most telling first; `_run__` is that of MATIEC.
pub(super) const STEP_ENDINGS: &[&str] = &[
    "_step",
    "_compute",
    "_Step",
    "_Compute",
    "_runCycle",
    "_run",
    "_tick",
    "_cycle",
    "_update",
    "_main",
    "_run__",
];
/// How many of [`STEP_ENDINGS`] tell a step function even where other code calls it.
pub(super) const CERTAIN: usize = 4;
/// Names of step functions that stand alone.
pub(super) const STEP_NAMES: &[&str] = &["step", "compute", "Step", "cycle", "tick"];
/// Ends of the names of initialisation functions, most telling first; the last ones are those of
/// Lustre V6 and MATIEC.
const INIT_ENDINGS: &[&str] = &[
    "_initialize",
    "_init",
    "_Init",
    "_reset",
    "_Initialize",
    "_start",
    "_INIT",
    "_ctx_init",
    "_ctx_reset",
    "_init__",
];
/// Beginnings of the names of initialisation functions, most telling first (TargetLink).
const INIT_BEGINNINGS: &[&str] = &["RESTART_", "INIT_", "Init_", "init_", "initialize_"];
/// Names of initialisation functions that stand alone.
pub(super) const INIT_NAMES: &[&str] = &["init", "initialize", "reset", "Init"];
/// Functions of the frames around generated code, which call the step function as a task of an
/// operating system would.
const FRAMES: &[&str] = &["main", "rt_OneStep", "rt_oneStep"];
/// Those of them that are meant to be called by a timer.
const TIMERS: &[&str] = &["rt_OneStep", "rt_oneStep"];

/// Whether a function of the name drives step functions.
pub(crate) fn is_frame(name: &str) -> bool {
    FRAMES.contains(&name)
}

/// Whether a function of the name is meant to be called by a timer.
pub(super) fn is_timer(name: &str) -> bool {
    TIMERS.contains(&name)
}

/// The name of a step function without what says that it is one; the whole name where nothing says
/// so.
pub(crate) fn stem(step: &str) -> &str {
    STEP_ENDINGS.iter().find_map(|ending| step.strip_suffix(ending)).unwrap_or(step)
}

/// How telling a name is as that of the initialisation that goes with a stem, 0 most; `None`: it is
/// not.
///
/// `X_init`, `RESTART_X`; and KCG's `X_init_package` for the operator `X_package`.
pub(super) fn init_rank(name: &str, stem: &str) -> Option<usize> {
    let ending = |ending: &&str| name.strip_suffix(*ending) == Some(stem);
    let beginning = |beginning: &&str| name.strip_prefix(*beginning) == Some(stem);
    let infix = |infix: &&str| {
        let mut places = name.match_indices(*infix).map(|(place, found)| (place, place + found.len()));
        places.any(|(from, to)| {
            name[to..].starts_with('_') && stem.strip_prefix(&name[..from]) == Some(&name[to..])
        })
    };
    let endings = INIT_ENDINGS.iter().position(ending);
    let beginnings = || INIT_BEGINNINGS.iter().position(beginning).map(|rank| rank + INIT_ENDINGS.len());
    let infixes = || {
        let rank = INIT_ENDINGS.iter().position(infix);
        rank.map(|rank| rank + INIT_ENDINGS.len() + INIT_BEGINNINGS.len())
    };
    endings.or_else(beginnings).or_else(infixes)
}

/// Whether [`init_rank`] may find a stem for which the name is telling.
pub(super) fn may_initialise(name: &str) -> bool {
    INIT_ENDINGS.iter().any(|ending| name.contains(ending))
        || INIT_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

/// What a function initialises, by its name: `lock` for `lock_init`, `Lock` for `LockInit`.
pub(super) fn initialised(name: &str) -> Option<&str> {
    // A start or a reset may as well be a command.
    let says_so = |ending: &&&str| ending.to_ascii_lowercase().contains("init");
    let endings = INIT_ENDINGS.iter().filter(says_so).chain(["Init", "Initialize"].iter());
    endings
        .filter_map(|ending| name.strip_suffix(*ending))
        .chain(INIT_BEGINNINGS.iter().filter_map(|beginning| name.strip_prefix(*beginning)))
        .find(|object| !object.is_empty())
}

/// Whether a function is one of an object, by its name: `lock_tick` of `lock`, `LockTick` of
/// `Lock`.
pub(super) fn is_function_of(name: &str, object: &str) -> bool {
    let rest = name.strip_prefix(object);
    rest.is_some_and(|rest| {
        rest.starts_with(|first: char| first == '_' || first.is_ascii_uppercase()) && rest.len() > 1
    })
}

/// The number of a rate in the name of a step function of several rates (`X_step0`, `X_step1`), and
/// what stands before it.
pub(super) fn rate(name: &str) -> Option<(&str, u32)> {
    let stem = name.trim_end_matches(|character: char| character.is_ascii_digit());
    let number = name[stem.len()..].parse().ok()?;
    (stem.ends_with("step") || stem.ends_with("Step")).then_some((stem, number))
}

/// Whether a type's name is that of the input structure or of the context of an operator of KCG.
pub(super) fn is_kcg_context(record: &str) -> bool {
    is_kcg_input(record) || has_word(record, "outC_")
}

/// Whether a type's name is that of the input structure of an operator of KCG: only those that are
/// not part of others have one.
pub(super) fn is_kcg_input(record: &str) -> bool {
    has_word(record, "inC_")
}

/// Whether a variable's name or its type's say that it holds the inputs of a model.
pub(crate) fn is_input(variable: &str, record: &str) -> bool {
    matches!(variable, "rtU" | "inC")
        || variable.ends_with("_U")
        || variable.starts_with("rtu_")
        || record.starts_with("ExtU")
        || record.starts_with("ExternalInputs")
        || is_kcg_input(record)
}

/// Whether a variable's name or its type's say that it holds the outputs of a model.
pub(crate) fn is_output(variable: &str, record: &str) -> bool {
    matches!(variable, "rtY" | "_out")
        || variable.ends_with("_Y")
        || variable.starts_with("rty_")
        || record.starts_with("ExtY")
        || record.starts_with("ExternalOutputs")
}

/// Whether a variable's name or its type's say that it holds calibration.
pub(crate) fn is_calibration(variable: &str, record: &str) -> bool {
    matches!(variable, "rtP" | "defaultParam")
        || variable.ends_with("_P")
        || record.starts_with("P_")
        || record.starts_with("Parameters_")
}

/// Whether a variable's name or its type's say that it holds what blocks compute for one another,
/// or their memory.
pub(crate) fn is_work(variable: &str, record: &str) -> bool {
    matches!(variable, "rtB" | "rtDW" | "rtDWork")
        || ["_B", "_DW", "_DWork"].iter().any(|ending| variable.ends_with(ending))
        || matches!(record, "B" | "DW")
        || ["B_", "DW_", "BlockIO", "D_Work"].iter().any(|beginning| record.starts_with(beginning))
}

/// Whether a type's name is that of what a model knows of its execution: times, errors, and where
/// its parts are.
pub(crate) fn is_model_data(record: &str) -> bool {
    record.starts_with("RT_MODEL") || record.starts_with("tag_RTM")
}

/// Whether a type's name is that of everything in a chart of SCCharts, signals raised from outside
/// among it.
pub(crate) fn is_tick_data(record: &str) -> bool {
    record.ends_with("TickData")
}

/// Whether an lvalue is the time that has passed since the last tick of a chart of SCCharts: its
/// frame sets that.
pub(crate) fn is_elapsed_time(lvalue: &str) -> bool {
    lvalue.ends_with("->deltaT") || lvalue.ends_with(".deltaT")
}

/// Whether a word stands at the beginning of a name or behind an underscore.
fn has_word(name: &str, word: &str) -> bool {
    name.starts_with(word) || name.match_indices(word).any(|(at, _)| name[..at].ends_with('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initialisations_are_told_by_their_names() {
        for (name, stem, expected) in [
            ("x_initialize", "x", Some(0)),
            ("x_init", "x", Some(1)),
            ("x_ctx_reset", "x", Some(8)),
            ("config_init__", stem("config_run__"), Some(9)),
            ("RESTART_x", "x", Some(10)),
            ("x_reset_pack", "x_pack", Some(18)),
            ("x_y_init", "x", None),
            ("init", "x", None),
        ] {
            assert_eq!(init_rank(name, stem), expected, "{name} of {stem}");
        }
    }

    #[test]
    fn objects_have_functions() {
        for (init, step, expected) in [
            ("lock_init", "lock_tick", true),
            ("LockInit", "LockTick", true),
            ("init_lock", "lock_10ms", true),
            ("lock_init", "locker_tick", false),
            ("lock_init", "lock_", false),
            ("initial", "initial_tick", false),
            ("lock_start", "lock_tick", false),
        ] {
            let fits = initialised(init).is_some_and(|object| is_function_of(step, object));
            assert_eq!(fits, expected, "{init} for {step}");
        }
    }

    #[test]
    fn rates_are_numbers_behind_step() {
        assert_eq!(rate("x_step0"), Some(("x_step", 0)));
        assert_eq!(rate("x_step12"), Some(("x_step", 12)));
        assert_eq!(rate("x_step"), None);
        assert_eq!(rate("stop1"), None);
    }

    #[test]
    fn words_of_types_are_whole() {
        for (record, expected) in
            [("inC_a", true), ("lib_outC_a", true), ("pinC_a", false), ("routC_x", false), ("in", false)]
        {
            assert_eq!(is_kcg_context(record), expected, "{record}");
        }
    }

    /// What the names of variables and their types say in code of each generator; a name that only
    /// looks like one says nothing.
    #[test]
    fn parts_are_told_by_names_of_variables_and_types() {
        let part = |variable, record| {
            let told = [
                (is_input(variable, record), "input"),
                (is_output(variable, record), "output"),
                (is_calibration(variable, record), "calibration"),
                (is_work(variable, record), "work"),
            ];
            let told: Vec<&str> = told.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
            told.join(" ")
        };
        for (variable, record, expected) in [
            ("fan_U", "", "input"),
            ("rtU", "ExtU", "input"),
            ("rtu_speed", "", "input"),
            ("in", "ExternalInputs_fan", "input"),
            ("inC", "inC_Main", "input"),
            ("context", "lib_inC_Main", "input"),
            ("fan_Y", "", "output"),
            ("_out", "Fan__step_out", "output"),
            ("rty_torque", "", "output"),
            ("out", "ExtY_fan_T", "output"),
            ("fan_P", "", "calibration"),
            ("defaultParam", "", "calibration"),
            ("values", "Parameters_fan", "calibration"),
            ("fan_B", "", "work"),
            ("rtDW", "DW_fan_T", "work"),
            ("memory", "D_Work_fan", "work"),
            ("signals", "BlockIO_fan", "work"),
            ("U", "", ""),
            ("fan_UP", "", ""),
            ("output", "", ""),
            ("outC", "outC_Main", ""),
            ("P", "PI_controller", ""),
            ("rtuned", "pinC_Main", ""),
            ("fan_DWELL", "Bus", ""),
        ] {
            assert_eq!(part(variable, record), expected, "{variable} of type {record}");
        }
    }

    #[test]
    fn steps_are_told_by_their_endings() {
        for (name, expected) in [
            ("fan_step", "fan"),
            ("fan_Compute", "fan"),
            ("fan_main", "fan"),
            ("fan_steps", "fan_steps"),
            ("step", "step"),
            ("fan_step_run", "fan_step"),
        ] {
            assert_eq!(stem(name), expected);
        }
        for (name, expected) in
            [("main", true), ("rt_OneStep", true), ("fan_step", false), ("mainline", false)]
        {
            assert_eq!(is_frame(name), expected, "{name}");
        }
    }
}
