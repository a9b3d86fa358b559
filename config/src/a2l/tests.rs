//! Whole files: what becomes of a configuration.

use super::*;
use crate::file::ConfigFile;
use crate::resolve::{Model, complete, from_file};
use frontend::limit::Reason;
use frontend::{InputOption, InputSignal, Signal, SignalKind, Signals};
use model::id::Id;
use std::time::Instant;

/// A file with these contents of its module.
fn file(module: &str) -> String {
    format!(
        "ASAP2_VERSION 1 71\n/begin PROJECT p \"\"\n/begin MODULE m \"\"\n{module}\n/end MODULE\n/end PROJECT\n"
    )
}

fn read_text(text: &str) -> Result<Description, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.a2l");
    std::fs::write(&path, text).expect("a file");
    let whole = format!("{}/", folder.path().display());
    let mut found = read(&path, &Limit::default()).map_err(|error| error.to_string().replace(&whole, ""))?;
    for entry in &mut found.entries {
        entry.place.file = "m.a2l".into();
    }
    found.warnings.iter_mut().for_each(|warning| *warning = warning.replace(&whole, ""));
    Ok(found)
}

#[test]
fn reading_ends_where_the_time_is_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.a2l");
    std::fs::write(&path, file("")).expect("a file");
    let limit = Limit { deadline: Some(Instant::now()), ..Limit::default() };
    let found = read(&path, &limit);
    let is_stopped = matches!(&found, Err(ConfigError::Stopped { reason: Reason::Deadline, .. }));
    assert!(is_stopped, "{found:?}");
}

fn signal(lvalue: &str, kind: SignalKind, bits: u32) -> Signal {
    let name = lvalue.rsplit(['.', ':']).next().unwrap_or_default().to_owned();
    Signal { name, lvalue: lvalue.to_owned(), type_name: "t".to_owned(), bits, kind }
}

fn signals() -> Signals {
    let byte = |lvalue: &str| signal(lvalue, SignalKind::Unsigned, 8);
    let inputs = [
        byte("U.speed"),
        byte("U.a[0]"),
        byte("U.a[1]"),
        byte("one.c::twin"),
        byte("two.c::twin"),
        signal("U.word", SignalKind::Unsigned, 32),
        byte("step::only"),
    ];
    let input = |signal: Signal| InputSignal {
        option: InputOption::default(),
        signal,
        input: Id::new(0),
        by_type: None,
        limit: None,
    };
    Signals {
        inputs: inputs.into_iter().map(input).collect(),
        outputs: vec![(byte("Y.level"), 0)],
        states: vec![(byte("DW.count"), Id::new(0))],
    }
}

/// What becomes of a configuration, and the account.
fn described(config: &str, module: &str, ranges: bool) -> (String, Model) {
    let text = format!("[model]\nsources = ['m.c']\n{config}");
    let file_: ConfigFile = toml::from_str(&text).expect("a configuration");
    let model = from_file(&file_, Path::new(""), Path::new("chaincover.toml")).expect("a model");
    let description = read_text(&file(module)).expect("a description");
    let wanted = A2lRequest { file: "m.a2l".into(), ranges };
    let found = describe(&model, &wanted, &description, &signals(), &["P.gain"]);
    let written = complete(&found, &found.request).to_toml().expect("TOML");
    let sections = written.find("[input").or_else(|| written.find("[output"));
    (sections.map_or_else(String::new, |at| written[at..].to_owned()), found)
}

fn account(model: &Model) -> &Account {
    model.described.as_deref().expect("an account")
}

fn measurement(name: &str, rest: &str) -> String {
    format!("/begin MEASUREMENT {name} \"\" UBYTE NO_COMPU_METHOD 0 0 {rest}\n/end MEASUREMENT\n")
}

const METHODS: &str = r#"
/begin COMPU_METHOD km "" RAT_FUNC "%5.1" "km/h" COEFFS 0 2 0 0 0 1 /end COMPU_METHOD
/begin COMPU_METHOD temp "" LINEAR "%5.1" "degC" COEFFS_LINEAR 0.5 -40 /end COMPU_METHOD
/begin COMPU_METHOD modes "" TAB_VERB "%1.0" "" COMPU_TAB_REF names /end COMPU_METHOD
/begin COMPU_VTAB names "" TAB_VERB 4 0 "off" 1 "on now" 2 "spare" 3 "spare" DEFAULT_VALUE "?" /end COMPU_VTAB
"#;

#[test]
fn entries_become_defaults() {
    let module = METHODS.to_owned()
        + "/begin MEASUREMENT U.speed \"speed of\n the car\" UBYTE km 0 0 0 100 /end MEASUREMENT\n"
        + "/begin MEASUREMENT Y.level \"\" UBYTE modes 0 0 0 3 /end MEASUREMENT\n";
    let (text, found) = described("", &module, true);
    assert_eq!(
        text,
        "[input.\"U.speed\"]\nrange = [0, 200]\nunit = \"0.5 km/h\"\ntext = \"speed of the car\"\n\n\
         [output.\"Y.level\".labels]\n0 = \"off\"\n1 = \"on now\"\n2 = \"spare (2)\"\n3 = \"spare (3)\"\n"
    );
    let taken: Vec<String> = account(&found).matched.iter().map(|found| found.taken.join("; ")).collect();
    assert_eq!(
        taken,
        [
            "unit 0.5 km/h; text speed of the car; range 0 to 200",
            "names 0 = off, 1 = on now, 2 = spare (2), 3 = spare (3)"
        ]
    );
    assert_eq!(account(&found).matched[1].not_taken, ["the name of all other values (DEFAULT_VALUE)"]);
    let range = found.request.places.iter().find(|(role, _)| *role == frontend::TextRole::RangeLow(0));
    assert_eq!(range.map(|(_, place)| place.line), Some(9));
    // Limits change the model, so they are taken only where that is asked for.
    assert!(!described("", &module, false).0.contains("range"));
}

#[test]
fn the_configuration_wins() {
    let module = METHODS.to_owned()
        + "/begin MEASUREMENT U.speed \"of the file\" UBYTE km 0 0 0 100 /end MEASUREMENT\n"
        + "/begin MEASUREMENT Y.level \"level\" UBYTE km 0 0 0 100 /end MEASUREMENT\n";
    let config = "[input.'U.speed']\nunit = 'm/s'\nvalues = [1, 2]\nlabels = { 1 = 'one' }\n\
                  [input.'U.word']\nrange = [3, 4]\n[output.level]\nunit = 'l'\nabs = 0.5\n";
    let (text, found) = described(config, &module, true);
    assert_eq!(
        text,
        "[input.\"U.speed\"]\nvalues = [1, 2]\nunit = \"m/s\"\ntext = \"of the file\"\n\n\
         [input.\"U.speed\".labels]\n1 = \"one\"\n\n[input.\"U.word\"]\nrange = [3, 4]\n\n\
         [output.level]\nunit = \"l\"\nabs = 0.5\ntext = \"level\"\n"
    );
    let left: Vec<String> = account(&found).matched.iter().map(|found| found.not_taken.join("; ")).collect();
    assert_eq!(
        left,
        [
            "its unit: the configuration says otherwise; its limits: the configuration says otherwise",
            "its unit: the configuration says otherwise"
        ]
    );
    // What was taken once is not read again as something else.
    let (again, _) = described(&text, &module, true);
    assert_eq!(again, text);
}

#[test]
fn elements_come_before_arrays_and_the_configuration_before_both() {
    let module = "/begin MEASUREMENT U.a \"all\" UBYTE NO_COMPU_METHOD 0 0 0 9 MATRIX_DIM 2 PHYS_UNIT \"A\" /end MEASUREMENT\n\
                  /begin MEASUREMENT U.a._1_ \"one\" UBYTE NO_COMPU_METHOD 0 0 0 5 /end MEASUREMENT\n";
    let (text, _) = described("", module, true);
    assert_eq!(
        text,
        "[input.\"U.a\"]\nrange = [0, 9]\nunit = \"A\"\ntext = \"all\"\n\n\
         [input.\"U.a[1]\"]\nrange = [0, 5]\nunit = \"A\"\ntext = \"one\"\n"
    );
    let (text, _) = described("[input.'U.a']\nrange = [1, 2]\nname = 'all'\n", module, true);
    assert_eq!(
        text,
        "[input.\"U.a\"]\nrange = [1, 2]\nunit = \"A\"\nname = \"all\"\ntext = \"all\"\n\n\
         [input.\"U.a[1]\"]\nrange = [1, 2]\nunit = \"A\"\ntext = \"one\"\n"
    );
}

#[test]
fn names_are_matched_and_never_guessed() {
    let reads = |rest: &str| measurement("X", &format!("0 9 PHYS_UNIT \"A\" {rest}"));
    let table = [
        (measurement("U.speed", "0 9 PHYS_UNIT \"A\""), "U.speed"),
        (measurement("U.a[1]", "0 9 PHYS_UNIT \"A\""), "U.a[1]"),
        (measurement("U.a._1_", "0 9 PHYS_UNIT \"A\""), "U.a[1]"),
        (measurement("only", "0 9 PHYS_UNIT \"A\""), "step::only"),
        // A linker's symbol is authoritative; an offset is that of a member, which its name tells.
        (reads("SYMBOL_LINK \"U.speed\" 0"), "U.speed"),
        (reads("SYMBOL_LINK \"other\" 0"), "no variable"),
        (reads("SYMBOL_LINK \"U.speed\" 4"), "no variable"),
        (measurement("U.speed", "0 9 PHYS_UNIT \"A\" SYMBOL_LINK \"U\" 0"), "U.speed"),
        (measurement("U.speed", "0 9 PHYS_UNIT \"A\" SYMBOL_LINK \"U\" 4"), "U.speed"),
        (measurement("U.speed", "0 9 PHYS_UNIT \"A\" SYMBOL_LINK \"V\" 4"), "no variable"),
        // Parts of names and short names are no names.
        (measurement("speed", "0 9 PHYS_UNIT \"A\""), "no variable"),
        (measurement("speed.U", "0 9"), "no variable"),
        (measurement("U.a", "0 9"), "left: it says a number, and U.a is an array"),
        (measurement("U.speed", "0 9 MATRIX_DIM 3"), "left: it says an array, and U.speed is a number"),
        (measurement("DW.count", "0 9"), "left: DW.count is part of the state, and no input or output"),
        (measurement("P.gain", "0 9"), "left: P.gain is a constant, and no input or output"),
        (measurement("U.speed", "0 9 BIT_MASK 3"), "left: it is about some bits of the variable (BIT_MASK 0x3)"),
        (measurement("U.speed", "0 9 /begin BIT_OPERATION /end BIT_OPERATION"), "left: its bits are moved"),
        (measurement("twin", "0 9"), "ambiguous: it may be about one.c::twin or two.c::twin"),
        (measurement("U.word", "0 9"), "type: it says an unsigned integer of 8 bits, and U.word is `t` of 32"),
        (
            measurement("U.speed", "0 9 PHYS_UNIT \"A\"") + &measurement("Y", "0 8 SYMBOL_LINK \"U.speed\" 0"),
            "ambiguous: entries say different things of U.speed: U.speed (m.a2l:4), Y (m.a2l:6)",
        ),
        (
            measurement("U.speed", "0 9 PHYS_UNIT \"A\"")
                + &measurement("Y", "0 9 PHYS_UNIT \"A\" SYMBOL_LINK \"U.speed\" 0"),
            "U.speed",
        ),
        (
            "/begin CHARACTERISTIC U.speed \"\" CURVE 0 l 0 NO_COMPU_METHOD 0 9 /end CHARACTERISTIC".to_owned(),
            "left: it is a curve or map",
        ),
        (
            "/begin CHARACTERISTIC U.speed \"\" VALUE 0 l 0 NO_COMPU_METHOD 0 9 PHYS_UNIT \"A\" /end CHARACTERISTIC"
                .to_owned(),
            "U.speed",
        ),
        (
            "/begin RECORD_LAYOUT l FNC_VALUES 1 SWORD COLUMN_DIR DIRECT /end RECORD_LAYOUT\n\
             /begin CHARACTERISTIC U.speed \"\" VALUE 0 l 0 NO_COMPU_METHOD 0 9 /end CHARACTERISTIC"
                .to_owned(),
            "type: it says a signed integer of 16 bits",
        ),
    ];
    for (module, expected) in table {
        let (text, found) = described("", &module, false);
        let account = account(&found);
        let mut told: Vec<String> = account.matched.iter().map(|found| found.variable.clone()).collect();
        for left in &account.left {
            let code = account.warnings.iter().find(|(_, warning)| warning.contains(&left.reason));
            let kind = match code {
                Some((Code::Ambiguous, _)) => "ambiguous",
                Some((Code::Type, _)) => "type",
                _ => "left",
            };
            told.push(format!("{kind}: {}", left.reason));
        }
        told.extend(account.unmatched.iter().map(|_| "no variable".to_owned()));
        assert!(told[0].starts_with(expected), "{module}: {told:?}");
        assert_eq!(
            text.contains("unit = \"A\""),
            expected.chars().all(|letter| letter != ' '),
            "{module}: {text}"
        );
    }
}

#[test]
fn instances_stand_for_their_members() {
    let types = "/begin TYPEDEF_MEASUREMENT byte \"a byte\" UBYTE NO_COMPU_METHOD 0 0 0 9 PHYS_UNIT \"A\" /end TYPEDEF_MEASUREMENT\n\
                 /begin TYPEDEF_STRUCTURE pair \"\" 2\n\
                 /begin STRUCTURE_COMPONENT speed byte 0 /end STRUCTURE_COMPONENT\n\
                 /begin STRUCTURE_COMPONENT a byte 1 MATRIX_DIM 2 /end STRUCTURE_COMPONENT\n\
                 /end TYPEDEF_STRUCTURE\n";
    let table = [
        ("/begin INSTANCE U \"\" pair 0 /end INSTANCE", vec!["U.a", "U.speed"]),
        ("/begin INSTANCE X \"\" pair 0 SYMBOL_LINK \"U\" 0 /end INSTANCE", vec!["U.a", "U.speed"]),
        ("/begin INSTANCE X \"\" pair 0 SYMBOL_LINK \"V\" 0 /end INSTANCE", vec![]),
        ("/begin INSTANCE V \"\" pair 0 /end INSTANCE", vec![]),
        ("/begin INSTANCE U \"\" pair 0 MATRIX_DIM 3 /end INSTANCE", vec![]),
        ("/begin INSTANCE U.speed \"\" byte 0 /end INSTANCE", vec!["U.speed"]),
        (
            "/begin INSTANCE U \"\" pair 0 /begin OVERWRITE speed 0 PHYS_UNIT \"B\" /end OVERWRITE /end INSTANCE",
            vec!["U.a"],
        ),
    ];
    for (instance, expected) in table {
        let (text, found) = described("", &(types.to_owned() + instance), false);
        let names: Vec<&str> = account(&found).matched.iter().map(|found| found.variable.as_str()).collect();
        assert_eq!(names, expected, "{instance}: {:?}", account(&found));
        assert!(!text.contains("\"B\""), "{text}");
    }
    let endless = "/begin TYPEDEF_STRUCTURE s \"\" 2\n\
                   /begin STRUCTURE_COMPONENT s s 0 /end STRUCTURE_COMPONENT\n/end TYPEDEF_STRUCTURE\n\
                   /begin INSTANCE U \"\" s 0 /end INSTANCE";
    let message = read_text(&file(endless)).expect_err("an error");
    assert!(message.starts_with("m.a2l:7: the instance U.s.s"), "{message}");
}

#[test]
fn what_is_broken_has_a_place() {
    let table = [
        ("", "m.a2l:1: the file holds"),
        ("/* only */", "m.a2l:1: "),
        ("hello", "m.a2l:1: "),
        (&file("/begin MEASUREMENT x \"\" UBYTE"), "m.a2l:5: "),
        (&file("/begin MEASUREMENT x \"\" UBYTE NO_COMPU_METHOD 0 0 zero 1\n/end MEASUREMENT"), "m.a2l:4: "),
        (&file("/begin MEASUREMENT x \"\"\nUBITE NO_COMPU_METHOD 0 0 0 1 /end MEASUREMENT"), "m.a2l:5: "),
        (&file("/begin MEASUREMENT x \"\" UBYTE NO_COMPU_METHOD 0 0 0 1 /end MEASURMENT"), "m.a2l:4: "),
        (&file("$"), "m.a2l:4: "),
    ];
    for (text, expected) in table {
        let message = read_text(text).expect_err(text);
        assert!(message.starts_with(expected) && message.len() > expected.len(), "{text}: {message}");
    }
    let found = read_text(&file("NONSENSE 1 2")).expect("a description");
    let places: Vec<&str> = found.warnings.iter().map(|warning| &warning[..9]).collect();
    assert_eq!(places, ["m.a2l:4: "], "{:?}", found.warnings);
}

/// Broken files end in a message: texts with parts thrown about never end in a panic.
#[test]
fn many_mutations() {
    let module = METHODS.to_owned()
        + "/begin RECORD_LAYOUT l FNC_VALUES 1 SWORD COLUMN_DIR DIRECT /end RECORD_LAYOUT\n"
        + "/begin IF_DATA X /begin Y 1 /end Y /end IF_DATA /begin A2ML block \"X\" { }; /end A2ML\n"
        + "/begin MEASUREMENT U.a \"all \\\" \" UBYTE km 0 0 0 9 MATRIX_DIM 2 SYMBOL_LINK \"U\" 3 BIT_MASK 0xff /end MEASUREMENT\n"
        + "/begin TYPEDEF_STRUCTURE pair \"\" 2 /begin STRUCTURE_COMPONENT a pair 0 /end STRUCTURE_COMPONENT /end TYPEDEF_STRUCTURE\n"
        + "/begin INSTANCE U \"\" pair 0 MATRIX_DIM 3 2 /end INSTANCE // end\n";
    let whole = file(&module);
    let words: Vec<&str> = whole.split_inclusive(char::is_whitespace).collect();
    let rounds = std::env::var("CHAINCOVER_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(300);
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..rounds {
        let mut mutated = words.clone();
        for _ in 0..=next(3) {
            if mutated.is_empty() {
                break;
            }
            let (one, other) = (next(mutated.len()), next(mutated.len()));
            match next(4) {
                0 => drop(mutated.remove(one)),
                1 => mutated.swap(one, other),
                2 => mutated[one] = mutated[other],
                _ => mutated.truncate(one.max(1)),
            }
        }
        let mut text: String = mutated.concat();
        if !text.is_empty() && next(2) == 0 {
            text.remove(next(text.len()));
        }
        let _ = read_text(&text);
    }
}
