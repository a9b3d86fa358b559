//! What is taken from FMUs that can be read.

use crate::support::{packed, three, translate};
use frontend::coverage::{Coverage, Criterion, Site};
use frontend::{InputSignal, Request, Topic};
use std::path::Path;

/// An FMU of FMI 3.0 that hands on what it gets, but for its lock.
const SOURCE: &str = r#"
#include <stdlib.h>
#include "fmi3Functions.h"
typedef struct { double level; float small; int8_t byte; int64_t mode; bool lock; double gain; } Model;
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String path, fmi3Boolean visible,
    fmi3Boolean log, fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference required[], size_t count,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback message, fmi3IntermediateUpdateCallback update)
{
    Model *model = calloc(1, sizeof *model_type());
    return model;
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance m, fmi3Boolean t, fmi3Float64 tolerance, fmi3Float64 start,
    fmi3Boolean s, fmi3Float64 stop) { return fmi3OK; }
fmi3Status fmi3ExitInitializationMode(fmi3Instance m) { return fmi3OK; }
"#;

/// The instance and its accessors.
fn source() -> String {
    let mut text = SOURCE.replace("sizeof *model_type()", "sizeof(Model)");
    for (ty, member, c) in [
        ("Float64", "level", "fmi3Float64"),
        ("Float32", "small", "fmi3Float32"),
        ("Int8", "byte", "fmi3Int8"),
        ("Int64", "mode", "fmi3Int64"),
        ("Boolean", "lock", "fmi3Boolean"),
    ] {
        text.push_str(&format!(
            "fmi3Status fmi3Set{ty}(fmi3Instance m, const fmi3ValueReference r[], size_t n, const {c} v[], size_t k) {{ ((Model *)m)->{member} = v[0]; return fmi3OK; }}\n\
             fmi3Status fmi3Get{ty}(fmi3Instance m, const fmi3ValueReference r[], size_t n, {c} v[], size_t k) {{ v[0] = ((Model *)m)->{member}; return fmi3OK; }}\n"
        ));
    }
    text.push_str(
        "fmi3Status fmi3DoStep(fmi3Instance m, fmi3Float64 point, fmi3Float64 size, fmi3Boolean forget, fmi3Boolean *event,\n\
         fmi3Boolean *end, fmi3Boolean *early, fmi3Float64 *last) { return ((Model *)m)->lock ? fmi3Error : fmi3OK; }\n",
    );
    text
}

const VARIABLES: &str = r#"<Float64 name="tank.level" valueReference="1" causality="input" min="0" max="8.5" unit="m" description="of water"/>
<Float32 name="small" valueReference="2" causality="input" max="1"/>
<Int8 name="byte" valueReference="3" causality="input" min="-3"/>
<Enumeration name="mode" valueReference="4" causality="input" declaredType="Mode"/>
<Boolean name="lock" valueReference="5" causality="input"/>
<String name="remark" valueReference="6" causality="input"/>
<Float64 name="der(level)" valueReference="7" causality="output"/>
<Float64 name="hidden" valueReference="8"/>
<Float64 name="gain" valueReference="9" causality="parameter" start="2"/>
"#;

fn described() -> String {
    let types = "<TypeDefinitions><EnumerationType name=\"Mode\"><Item name=\"slow down\" value=\"-1\"/><Item name=\"go\" value=\"4\"/></EnumerationType></TypeDefinitions>";
    three(VARIABLES).replace("<ModelVariables>", &format!("{types}<ModelVariables>"))
}

#[test]
fn descriptions_become_options_of_inputs_and_outputs() {
    let (folder, path) = packed(&[("modelDescription.xml", &described()), ("sources/m.c", &source())]);
    let request = Request { sources: vec![path], ..Request::default() };
    let found = translate(&request, folder.path()).unwrap_or_else(|text| panic!("{text}"));
    let input = |found: &InputSignal| {
        let option = &found.option;
        let range = option.range.as_ref().map(|(low, high)| format!("{low} .. {high}")).unwrap_or_default();
        let values = option.values.as_ref().map(|values| values.join(" ")).unwrap_or_default();
        format!("{} {} {} {range}{values}", found.signal.name, found.signal.lvalue, found.signal.type_name)
    };
    let inputs: Vec<String> = found.signals.inputs.iter().map(input).collect();
    let expected = [
        "tank.level fmu.tank_level double 0.0 .. 8.5",
        "small fmu.small float (-3.4028234663852886e38) .. 1.0",
        "byte fmu.byte signed char (-3) .. 127",
        "mode fmu.mode long (-1) 4",
        "lock fmu.lock _Bool ",
    ];
    assert_eq!(inputs, expected);
    let level = &found.signals.inputs[0].option;
    assert_eq!((level.unit.as_deref(), level.text.as_deref()), (Some("m"), Some("of water")));
    let mode = &found.signals.inputs[3].option;
    assert_eq!(mode.labels, [(-1, "slow down".to_owned()), (4, "go".to_owned())]);
    let outputs = found.signals.outputs.iter();
    let outputs: Vec<(&str, &str)> = outputs.map(|(signal, _)| (&*signal.name, &*signal.lvalue)).collect();
    assert_eq!(outputs, [("der(level)", "fmu.der_level")]);
    assert_eq!(found.resolved.period, Some(std::time::Duration::from_millis(100)));
    assert_eq!((found.resolved.name.as_str(), &found.resolved.sources), ("m", &request.sources));
    let warnings: Vec<&str> = found.diagnostics.entries.iter().map(|entry| entry.code.text).collect();
    assert_eq!(warnings, ["fmu-left-input"]);
    let left: Vec<&str> = (found.findings.iter())
        .filter(|finding| finding.topic == Topic::Ignored)
        .map(|finding| finding.subject.as_str())
        .collect();
    assert!(left.contains(&"hidden") && left.contains(&"gain"), "{left:?}");
    let own = found.sources.files.values().map(|file| file.path.as_path());
    assert!(own.clone().any(|path| path.ends_with("m.fmu/sources/m.c")));
    let temporary = std::env::temp_dir();
    let is_strange = |path: &Path| path.starts_with(&temporary) && !path.starts_with(folder.path());
    assert!(!own.into_iter().any(is_strange));
}

#[test]
fn goals_draw_in_what_they_speak_of() {
    let (folder, path) = packed(&[("modelDescription.xml", &described()), ("sources/m.c", &source())]);
    let request = Request {
        sources: vec![path],
        constants: vec![("gain".to_owned(), "3.0".to_owned())],
        assumptions: vec!["fmu.mode != fmu_go".to_owned()],
        invariants: vec!["fmu.hidden < 9 || fmu.gain > 0".to_owned()],
        ..Request::default()
    };
    let found = translate(&request, folder.path()).unwrap_or_else(|text| panic!("{text}"));
    let left: Vec<&str> = (found.findings.iter())
        .filter(|finding| finding.topic == Topic::Ignored)
        .map(|finding| finding.subject.as_str())
        .collect();
    assert!(!left.contains(&"hidden") && !left.contains(&"gain"), "{left:?}");
    assert_eq!(found.resolved.constants, [("fmu.gain".to_owned(), "3.0".to_owned())]);
}

#[test]
fn coverage_is_that_of_the_sources() {
    let (folder, path) = packed(&[("modelDescription.xml", &described()), ("sources/m.c", &source())]);
    let mut request = Request { sources: vec![path], ..Request::default() };
    request.coverage.criteria.insert(Criterion::Decision);
    let found = translate(&request, folder.path()).unwrap_or_else(|text| panic!("{text}"));
    let place = |site: &Site| site.place.as_ref().map(|place| place.file.display().to_string());
    let sites = |coverage: &Coverage| coverage.sites.iter().filter_map(place).collect::<Vec<_>>();
    let files = found.source.coverage().map(sites).unwrap_or_default();
    assert!(!files.is_empty() && files.iter().all(|file| file.ends_with("m.fmu/sources/m.c")), "{files:?}");
}
