//! Short names of lvalues: tables and files for rigs have no room for `model_DW.bus.level[2]`.

use super::setup::Task;
use crate::exec::Machine;
use crate::ir::CALLED;
use std::collections::{BTreeMap, BTreeSet};

/// A short unique name for every lvalue that is shown: its last component, or as many as it takes,
/// unless the request has one.
pub(super) fn short_names(
    machine: &Machine<'_>,
    task: &Task<'_>,
    shown: &[usize],
) -> BTreeMap<String, String> {
    let mut lvalues: BTreeSet<String> =
        machine.initial_memory.inputs.iter().map(|input| input.lvalue.clone()).collect();
    let cells = machine.initial_memory.states.iter().map(|&(cell, _)| cell).chain(shown.iter().copied());
    lvalues.extend(cells.map(|cell| machine.cell_name(cell)));
    let outputs = || task.request.output_options.iter();
    let given = task.request.input_options.iter().filter_map(|option| option.name.as_deref());
    let taken: BTreeSet<&str> = given.chain(outputs().filter_map(|known| known.name.as_deref())).collect();
    let suffixes: Vec<Vec<&str>> = lvalues.iter().map(|lvalue| suffixes_of(lvalue)).collect();
    let levels = distinct_levels(&suffixes, &taken);
    let short = suffixes.iter().zip(&levels).map(|(parts, &level)| parts[level].to_owned());
    let mut names: BTreeMap<String, String> = lvalues.iter().cloned().zip(short).collect();
    let named = outputs().filter_map(|known| Some((known.lvalue.clone(), known.name.clone()?)));
    names.extend(named);
    names
}

/// For each list of names, shortest first, the first one that nothing else is called by; the last
/// where there is none.
fn distinct_levels(suffixes: &[Vec<&str>], taken: &BTreeSet<&str>) -> Vec<usize> {
    let mut levels = vec![0usize; suffixes.len()];
    loop {
        let mut users: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, parts) in suffixes.iter().enumerate() {
            users.entry(parts[levels[index]]).or_default().push(index);
        }
        let mut is_changed = false;
        let ambiguous = users.into_iter().filter(|(name, indices)| indices.len() > 1 || taken.contains(name));
        for index in ambiguous.flat_map(|(_, indices)| indices) {
            if levels[index] + 1 < suffixes[index].len() {
                levels[index] += 1;
                is_changed = true;
            }
        }
        if !is_changed {
            return levels;
        }
    }
}

/// The ends of an lvalue that start with a name, shortest first; the last one is all of it. Bits
/// without a name, as in `all{4..7}`, stay with what they are bits of.
fn suffixes_of(lvalue: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = vec![0];
    let names = &lvalue[..lvalue.find('{').unwrap_or(lvalue.len())]; // bits of a scalar are `{4..7}`
    for separator in [".", "->", "::"] {
        starts.extend(names.match_indices(separator).map(|(index, found)| index + found.len()));
    }
    starts.sort_unstable();
    starts.dedup();
    // What a function returns goes by the name of the function; so do parameters without a name,
    // and whether it was called.
    let is_number = |suffix: &str| {
        suffix.strip_prefix("arg").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let is_name = |suffix: &&str| {
        !suffix.is_empty() && !suffix.starts_with("return") && *suffix != CALLED && !is_number(suffix)
    };
    let found: Vec<&str> = starts.into_iter().rev().map(|start| &lvalue[start..]).filter(is_name).collect();
    if found.is_empty() { vec![lvalue] } else { found }
}

#[cfg(test)]
mod tests {
    use super::suffixes_of;

    /// The names that an lvalue may be shown by, shortest first.
    #[test]
    fn lvalues_have_names_by_their_ends() {
        for (lvalue, expected) in [
            ("rtU.speed", "speed | rtU.speed"),
            ("step.in->bus.level[2]", "level[2] | bus.level[2] | in->bus.level[2] | step.in->bus.level[2]"),
            ("count", "count"),
            ("filter::last", "last | filter::last"),
            ("file.c::mode", "mode | c::mode | file.c::mode"),
            ("read.return", "read.return"),
            ("read.return.x", "x | read.return.x"),
            ("alarm.called", "alarm.called"),
            ("alarm.arg12", "alarm.arg12"),
            ("alarm.args", "args | alarm.args"),
            ("alarm.level", "level | alarm.level"),
            ("m.act.all{4..7}", "all{4..7} | act.all{4..7} | m.act.all{4..7}"),
        ] {
            assert_eq!(suffixes_of(lvalue).join(" | "), expected);
        }
    }
}
