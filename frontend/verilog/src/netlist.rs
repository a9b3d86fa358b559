//! What a flat netlist says: ports, clocks, registers, latches. It is yosys's JSON (`write_json`).

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value as Json;

/// A port of the top module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) is_input: bool,
    pub(crate) width: usize,
    pub(crate) is_signed: bool,
}

/// How the design is clocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Clocking {
    /// Nothing is clocked.
    None,
    /// One edge of one input that is nothing but a clock.
    Single { port: String, is_rising: bool },
    /// Anything else: a step is one tick. The inputs that are clocks, and whether all clocks are
    /// inputs.
    Several { ports: Vec<String>, all_inputs: bool },
}

/// The facts of a netlist.
#[derive(Clone, Debug)]
pub(crate) struct Netlist {
    /// The top module's name in the source.
    pub(crate) top: String,
    /// Ports in the order of the source.
    pub(crate) ports: Vec<Port>,
    pub(crate) clocking: Clocking,
    /// Names of the source for wires and memories; of memories first address and size.
    pub(crate) names: FxHashMap<String, Option<(usize, usize)>>,
    /// Names of the source that are signed.
    pub(crate) signed: FxHashSet<String>,
    /// Names of the source that stand for the same bits, by each of these names.
    pub(crate) aliases: FxHashMap<String, Vec<String>>,
    /// Places (`FILE:LINE.COLUMN-...`) of latches.
    pub(crate) latches: Vec<String>,
    /// Whether a register with an asynchronous reset has no initial value: yosys puts it behind a
    /// multiplexer, and no name of the source is left for what it begins with.
    pub(crate) has_nameless_start: bool,
    /// Registers of which some bits have an initial value and others have none: name and place.
    pub(crate) partly_initial: Vec<(String, String)>,
    /// Formal cells whose condition is sampled at a clock's edge: by name.
    pub(crate) sampled: FxHashSet<String>,
    /// Formal cells in an `always` block, by name.
    pub(crate) procedural: FxHashSet<String>,
}

/// A bit of a netlist: the number of a net; constants have none.
fn nets(bits: &Json) -> impl Iterator<Item = u64> + '_ {
    bits.as_array().into_iter().flatten().filter_map(Json::as_u64)
}

fn text<'j>(json: &'j Json, key: &str) -> &'j str {
    json[key].as_str().unwrap_or_default()
}

/// Whether a parameter, which is written in binary, is not 0.
fn is_set(cell: &Json, parameter: &str) -> bool {
    text(&cell["parameters"], parameter).contains('1')
}

fn entries(json: &Json) -> impl Iterator<Item = (&String, &Json)> {
    json.as_object().into_iter().flatten()
}

impl Netlist {
    /// Reads the JSON of a flat design; `None` where it is none.
    pub(crate) fn read(json: &str) -> Option<Self> {
        let json: Json = serde_json::from_str(json).ok()?;
        let modules = || entries(&json["modules"]);
        let is_top = |(_, module): &(&String, &Json)| !module["attributes"]["top"].is_null();
        let (name, module) = modules().find(is_top).or_else(|| modules().next())?;
        let hdlname = text(&module["attributes"], "hdlname").trim_start_matches('\\');
        let top = if hdlname.is_empty() { name.as_str() } else { hdlname };
        let mut names: FxHashMap<String, Option<(usize, usize)>> = FxHashMap::default();
        let (mut signed, mut partly_initial) = (FxHashSet::default(), Vec::new());
        let mut by_bits: FxHashMap<String, Vec<String>> = FxHashMap::default();
        let registers = |is_meant: fn(&str) -> bool| -> FxHashSet<u64> {
            let meant = entries(&module["cells"]).filter(|(_, cell)| is_meant(text(cell, "type")));
            meant.flat_map(|(_, cell)| nets(&cell["connections"]["Q"])).collect()
        };
        let all = registers(|kind| kind.contains("dff"));
        let mut begun: FxHashSet<u64> = FxHashSet::default();
        for (name, wire) in entries(&module["netnames"]) {
            let initial = text(&wire["attributes"], "init");
            let bits = wire["bits"].as_array().into_iter().flatten();
            // The text begins with the last bit. Constants, which yosys makes of bits that never
            // change, have lost their initial value.
            let begins: Vec<(u64, bool)> = bits
                .zip(initial.chars().rev())
                .filter_map(|(bit, begin)| Some((bit.as_u64()?, begin != 'x')))
                .filter(|(net, _)| all.contains(net))
                .collect();
            begun.extend(begins.iter().filter(|(_, begins)| *begins).map(|(net, _)| net));
            if begins.iter().any(|(_, begins)| *begins) && begins.iter().any(|(_, begins)| !begins) {
                partly_initial.push((name.clone(), text(&wire["attributes"], "src").to_owned()));
            }
            if wire["hide_name"].as_u64() == Some(0) {
                names.insert(name.clone(), None);
                by_bits.entry(wire["bits"].to_string()).or_default().push(name.clone());
                if wire["signed"].as_u64() == Some(1) {
                    signed.insert(name.clone());
                }
            }
        }
        for (name, memory) in entries(&module["memories"]) {
            let number = |key: &str| memory[key].as_u64().and_then(|number| usize::try_from(number).ok());
            names.insert(name.clone(), number("start_offset").zip(number("size")));
        }
        let aliases = by_bits
            .into_values()
            .flat_map(|all| all.iter().map(|name| (name.clone(), all.clone())).collect::<Vec<_>>());
        let port = |(name, port): (&String, &Json)| Port {
            name: name.clone(),
            is_input: text(port, "direction") == "input",
            width: port["bits"].as_array().map_or(0, Vec::len),
            is_signed: signed.contains(name),
        };
        let (sampled, procedural) = formal_cells(module);
        Some(Self {
            top: top.to_owned(),
            ports: entries(&module["ports"]).map(port).collect(),
            clocking: clocking(module),
            aliases: aliases.collect(),
            latches: entries(&module["cells"])
                .filter(|(_, cell)| {
                    matches!(text(cell, "type"), "$dlatch" | "$adlatch" | "$dlatchsr" | "$sr")
                })
                .map(|(_, cell)| text(&cell["attributes"], "src").to_owned())
                .collect(),
            has_nameless_start: registers(is_asynchronous).iter().any(|net| !begun.contains(net)),
            names,
            signed,
            partly_initial,
            sampled,
            procedural,
        })
    }
}

/// Whether a cell is a register that is set without its clock.
fn is_asynchronous(kind: &str) -> bool {
    matches!(kind, "$adff" | "$adffe" | "$dffsr" | "$dffsre" | "$aldff" | "$aldffe")
}

/// The clock pin of a cell and whether its rising edge counts; `None` where it has no clock.
fn clock(cell: &Json) -> Option<(&'static str, bool)> {
    match text(cell, "type") {
        "$dff" | "$dffe" | "$adff" | "$adffe" | "$sdff" | "$sdffe" | "$sdffce" | "$dffsr" | "$dffsre"
        | "$aldff" | "$aldffe" => Some(("CLK", is_set(cell, "CLK_POLARITY"))),
        "$memwr" | "$memwr_v2" | "$memrd" | "$memrd_v2" if is_set(cell, "CLK_ENABLE") => {
            Some(("CLK", is_set(cell, "CLK_POLARITY")))
        }
        _ => None,
    }
}

fn clocking(module: &Json) -> Clocking {
    let (mut clocks, mut data): (FxHashSet<(u64, bool)>, FxHashSet<u64>) = Default::default();
    for (_, cell) in entries(&module["cells"]) {
        let clock = clock(cell);
        for (pin, bits) in entries(&cell["connections"]) {
            match clock {
                Some((clock, is_rising)) if clock == pin => {
                    clocks.extend(nets(bits).map(|net| (net, is_rising)));
                }
                // The pin of an asynchronous port is unconnected.
                _ if pin == "CLK" => {}
                _ => data.extend(nets(bits)),
            }
        }
    }
    let mut owners: FxHashMap<u64, &String> = FxHashMap::default();
    for (name, port) in entries(&module["ports"]) {
        match text(port, "direction") {
            "input" => owners.extend(nets(&port["bits"]).map(|net| (net, name))),
            _ => data.extend(nets(&port["bits"])),
        }
    }
    let width = |name: &str| module["ports"][name]["bits"].as_array().map_or(0, Vec::len);
    let mut found: Vec<(u64, bool)> = clocks.into_iter().collect();
    found.sort_unstable();
    match found[..] {
        [] => Clocking::None,
        [(net, is_rising)]
            if !data.contains(&net) && owners.get(&net).is_some_and(|port| width(port) == 1) =>
        {
            Clocking::Single { port: owners[&net].clone(), is_rising }
        }
        _ => {
            let mut ports: Vec<String> =
                found.iter().filter_map(|(net, _)| owners.get(net).map(|&name| name.clone())).collect();
            let all_inputs = ports.len() == found.len() && ports.iter().all(|port| width(port) == 1);
            ports.sort_unstable();
            ports.dedup();
            Clocking::Several { ports, all_inputs }
        }
    }
}

/// Formal cells whose condition yosys has put into registers, and those that stand in `always`
/// blocks at all: their conditions have names that yosys makes for these.
fn formal_cells(module: &Json) -> (FxHashSet<String>, FxHashSet<String>) {
    let made = entries(&module["netnames"]).filter(|(name, _)| name.contains("$formal$"));
    let made: FxHashSet<u64> = made.flat_map(|(_, wire)| nets(&wire["bits"])).collect();
    let registers = entries(&module["cells"]).filter(|(_, cell)| clock(cell).is_some());
    let registers: FxHashSet<u64> = registers
        .flat_map(|(_, cell)| nets(&cell["connections"]["Q"]))
        .filter(|net| made.contains(net))
        .collect();
    let (mut sampled, mut procedural) = (FxHashSet::default(), FxHashSet::default());
    for (name, cell) in entries(&module["cells"]) {
        if !matches!(text(cell, "type"), "$cover" | "$assert" | "$assume") {
            continue;
        }
        let pins = || ["A", "EN"].into_iter().flat_map(|pin| nets(&cell["connections"][pin]));
        if pins().any(|net| registers.contains(&net)) {
            sampled.insert(name.clone());
        }
        if pins().any(|net| made.contains(&net)) {
            procedural.insert(name.clone());
        }
    }
    (sampled, procedural)
}
