//! Limits on the values of inputs: those that the configuration states, and those that their types
//! tell.
//!
//! C lets an input of type `boolean_T` hold any byte, and code generators take for granted that
//! nobody does that: they compare it with 1, or add it to a counter. Such inputs are 0 or 1 unless
//! the configuration says otherwise. So are enumerations held to their enumerators: a rig has no
//! others to offer; but for those that look like sets of flags.

use crate::code::Code;
use crate::exec::initial_memory::{InputOrigin, Role};
use crate::exec::layout::{Kind, Scalar};
use crate::exec::{Machine, Outcome};
use crate::ir::types::{Type, TypeId};
use crate::translate::setup::{Task, constant, designated_cells};
use frontend::{InputOption, Location, TextRole};
use model::sort::{FloatFormat, Sort};
use model::system::InputId;
use model::term::{BinaryOp, TermId};
use model::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A limit on the values of one input, in every step.
pub(crate) struct Limit {
    /// The input.
    pub(crate) input: InputId,
    /// The truth that it is kept.
    pub(crate) condition: TermId,
    /// What it says.
    pub(crate) text: String,
    /// Where it was written; `None`: its type tells it.
    pub(crate) place: Option<Location>,
    /// What the type tells of the values, where that is the reason.
    pub(crate) by_type: Option<&'static str>,
}

/// An input and how its values are to be read.
#[derive(Clone, Copy)]
struct Limited {
    input: InputId,
    term: TermId,
    scalar: Scalar,
}

/// All limits: one for each entry of the configuration that has a range or values, and one for each
/// other input whose type tells what it holds.
pub(crate) fn input_limits(task: &Task<'_>, machine: &mut Machine<'_>) -> Outcome<Vec<Limit>> {
    let (mut found, mut stated) = (Vec::new(), BTreeSet::new());
    for index in 0..task.request.input_options.len() {
        let option = &task.request.input_options[index];
        for limited in optional_inputs(task, machine, index)? {
            if option.range.is_none() && option.values.is_none() {
                continue;
            }
            stated.insert(limited.input);
            let conditions = stated_limits(task, machine, index, limited)?;
            let condition = machine.system.terms.conjunction(conditions);
            if machine.system.terms.as_const(condition).is_none_or(|value| !value.is_true()) {
                let first = if option.range.is_some() {
                    TextRole::RangeLow(index)
                } else {
                    TextRole::AllowedValue(index, 0)
                };
                let place = task.request.place(first).cloned();
                let text = stated_text(option);
                found.push(Limit { input: limited.input, condition, text, place, by_type: None });
            }
        }
    }
    found.extend(limits_by_type(machine, &stated));
    Ok(found)
}

/// The inputs that an entry of the configuration speaks of: one, or all elements of an array.
fn optional_inputs(task: &Task<'_>, machine: &mut Machine<'_>, index: usize) -> Outcome<Vec<Limited>> {
    let option = &task.request.input_options[index];
    let advice = "list it under inputs in the section [model] if the environment writes it";
    let Some((number, place)) = task.condition(TextRole::OptionPlace(index)) else {
        let name = option.lvalue.replace("->", ".");
        let known = machine.initial_memory.inputs.iter().find(|known| known.lvalue == name);
        if let Some((input, ty)) = known.map(|known| (known.input, known.ty))
            && let Some(scalar) = machine.layouts.scalar(ty, None)
        {
            return Ok(vec![Limited { input, term: machine.system.input_term(input), scalar }]);
        }
        let names = machine
            .initial_memory
            .inputs
            .iter()
            .filter(|known| known.cell.is_none() && known.read_again.is_none());
        let names: Vec<String> = names.map(|known| format!("`{}`", known.lvalue)).collect();
        let message = format!("`{}` is no input", option.lvalue);
        let error = machine.diagnostics.error(Code::NoInput, None, message);
        if !names.is_empty() {
            error.advice(format!("inputs that come from functions without a body: {}", names.join(", ")));
        }
        return Err(crate::exec::Stop::Failed);
    };
    let cells = designated_cells(machine, number, place)?;
    if cells.is_empty() || cells.len() > 1 && !is_array(machine, place.value.ty) {
        let message = format!("`{}` is neither a number nor an array of numbers", option.lvalue);
        return Err(machine.fail(Code::NoScalar, place.value.span, message));
    }
    let mut found = Vec::new();
    for cell in cells {
        if machine.initial_memory.role(cell) != Role::Input {
            let message = format!("`{}` is no input", option.lvalue);
            return Err(machine.fail_with(Code::NoInput, place.value.span, message, advice));
        }
        let symbol = machine.cell_symbol(cell);
        let term = machine.system.terms.symbol_term(symbol);
        let known = machine.initial_memory.inputs.iter().find(|known| known.cell == Some(cell));
        let input = known.expect("an input with a symbol should be known").input;
        let scalar = machine.objects.cell(cell).scalar;
        found.push(Limited { input, term, scalar });
        let again = machine.initial_memory.inputs.iter().filter(|known| known.read_again == Some(cell));
        let again: Vec<InputId> = again.map(|known| known.input).collect();
        let limited =
            again.into_iter().map(|input| Limited { input, term: machine.system.input_term(input), scalar });
        found.extend(limited);
    }
    Ok(found)
}

/// Whether a type is an array of numbers, or of arrays of them.
fn is_array(machine: &Machine<'_>, ty: TypeId) -> bool {
    match *machine.layouts.type_of(ty) {
        Type::Array { element, .. } => {
            is_array(machine, element) || machine.layouts.scalar(element, None).is_some()
        }
        _ => false,
    }
}

/// What the range and the values of an entry demand.
fn stated_limits(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    index: usize,
    limited: Limited,
) -> Outcome<Vec<TermId>> {
    let option = &task.request.input_options[index];
    let place = (limited.term, limited.scalar);
    let mut found = Vec::new();
    if option.range.is_some() {
        let low = bound(task, machine, TextRole::RangeLow(index))?;
        let high = bound(task, machine, TextRole::RangeHigh(index))?;
        found.extend(low.map(|low| at_most(machine, low, place, true)));
        found.extend(high.map(|high| at_most(machine, high, place, false)));
    }
    if let Some(values) = &option.values {
        let mut any = machine.system.terms.truth(false);
        for value in 0..values.len() {
            if let Some(allowed) = bound(task, machine, TextRole::AllowedValue(index, value))? {
                let not_below = at_most(machine, allowed, place, true);
                let not_above = at_most(machine, allowed, place, false);
                let equal = machine.system.terms.and(not_below, not_above);
                any = machine.system.terms.or(any, equal);
            }
        }
        found.push(any);
    }
    Ok(found)
}

/// What the configuration says of the values of an input.
fn stated_text(option: &InputOption) -> String {
    let bare = |text: &str| text.trim_start_matches('(').trim_end_matches(')').to_owned();
    let range = option.range.as_ref().map(|(low, high)| format!("in [{}, {}]", bare(low), bare(high)));
    let values = option.values.as_ref().map(|values| {
        format!("one of {}", values.iter().map(|value| bare(value)).collect::<Vec<_>>().join(", "))
    });
    let limits: Vec<String> = [range, values].into_iter().flatten().collect();
    format!("{} is {}", option.lvalue, limits.join(" and "))
}

/// Inputs hold what their types mean.
fn limits_by_type(machine: &mut Machine<'_>, stated: &BTreeSet<InputId>) -> Vec<Limit> {
    let mut found = Vec::new();
    for known in machine.initial_memory.inputs.clone() {
        if stated.contains(&known.input) {
            continue;
        }
        let term = machine.system.input_term(known.input);
        let Some((condition, values)) = meant_values(machine, term, known.ty) else { continue };
        let text = format!(
            "{} is {values}, as its type {} says",
            known.lvalue,
            machine.program.types.name(known.ty)
        );
        found.push(Limit { input: known.input, condition, text, place: None, by_type: Some(values) });
    }
    found
}

/// The truth that a value is one that its type is meant to hold, and which these are, if the type
/// tells and the value has all bits of it.
pub(crate) fn meant_values(
    machine: &mut Machine<'_>,
    value: TermId,
    ty: TypeId,
) -> Option<(TermId, &'static str)> {
    let types = &machine.program.types;
    let scalar = machine.layouts.scalar(ty, None)?;
    let terms = &mut machine.system.terms;
    if terms.sort(value) != scalar.sort() || scalar.extent == 1 {
        return None;
    }
    if types.boolean_name(ty).is_some() {
        let one = terms.word(scalar.extent, 1);
        return Some((terms.binary(BinaryOp::ULe, value, one), "0 or 1"));
    }
    let Type::Enum(id) = types.types[ty] else { return None };
    let numbers: BTreeSet<i128> = types.enums[id].enumerators.iter().map(|&(_, number)| number).collect();
    if numbers.len() < 2 || are_flags(&numbers) {
        return None;
    }
    let (low, high) = (*numbers.first()?, *numbers.last()?);
    let condition = if high - low == numbers.len() as i128 - 1 {
        let low = at_most(machine, Bound::Integer(low), (value, scalar), true);
        let high = at_most(machine, Bound::Integer(high), (value, scalar), false);
        machine.system.terms.and(low, high)
    } else {
        let mut any = terms.truth(false);
        for number in numbers {
            let number = terms.word(scalar.extent, number as u128);
            let equal = terms.equal(value, number);
            any = terms.or(any, equal);
        }
        any
    };
    Some((condition, "one of its enumerators"))
}

/// Lower and upper end of the values of each input that is a number, as configured, as its type
/// tells, or as it can hold; floats without a range have none.
pub(crate) fn input_ends(task: &Task<'_>, machine: &mut Machine<'_>) -> Outcome<Vec<(InputId, [Value; 2])>> {
    let mut stated: BTreeMap<InputId, [Value; 2]> = BTreeMap::new();
    for index in 0..task.request.input_options.len() {
        for Limited { input, scalar, .. } in optional_inputs(task, machine, index)? {
            if let Some(ends) = stated_ends(task, machine, index, scalar)? {
                stated.insert(input, ends);
            }
        }
    }
    let ends = |known: &InputOrigin| {
        let ends = stated.get(&known.input).copied().or_else(|| ends_by_type(machine, known.input, known.ty));
        Some((known.input, ends?))
    };
    Ok(machine.initial_memory.inputs.iter().filter_map(ends).collect())
}

/// The ends of the range and the values of an entry; `None` where it has neither.
fn stated_ends(
    task: &Task<'_>,
    machine: &mut Machine<'_>,
    index: usize,
    scalar: Scalar,
) -> Outcome<Option<[Value; 2]>> {
    let option = &task.request.input_options[index];
    let mut range = [None, None];
    if option.range.is_some() {
        range = [
            bound(task, machine, TextRole::RangeLow(index))?,
            bound(task, machine, TextRole::RangeHigh(index))?,
        ];
    }
    let mut allowed = Vec::new();
    for value in 0..option.values.as_ref().map_or(0, Vec::len) {
        allowed.extend(bound(task, machine, TextRole::AllowedValue(index, value))?);
    }
    allowed.sort_by(|left, right| left.number().total_cmp(&right.number()));
    let within = |value: &Bound| {
        range[0].is_none_or(|low| low.number() <= value.number())
            && range[1].is_none_or(|high| value.number() <= high.number())
    };
    allowed.retain(within);
    let low = allowed.first().copied().or(range[0]);
    let high = allowed.last().copied().or(range[1]);
    Ok(low.zip(high).map(|(low, high)| [low.value(scalar, true), high.value(scalar, false)]))
}

/// The ends of what a type tells of the values of an input, or of what it can hold.
fn ends_by_type(machine: &Machine<'_>, input: InputId, ty: TypeId) -> Option<[Value; 2]> {
    let types = &machine.program.types;
    let scalar = machine.layouts.scalar(ty, None)?;
    let sort = machine.system.terms.symbol(machine.system.inputs[input].symbol).sort;
    if scalar.kind != Kind::Word {
        return None;
    }
    // A bit-field has fewer bits than its type.
    let narrow = Scalar { extent: sort.width(), ..scalar };
    let both = |low: i128, high: i128| {
        Some([Bound::Integer(low), Bound::Integer(high)].map(|end| end.value(narrow, true)))
    };
    if types.boolean_name(ty).is_some() {
        return both(0, 1);
    }
    if let Type::Enum(id) = types.types[ty]
        && sort == scalar.sort()
    {
        let numbers: BTreeSet<i128> = types.enums[id].enumerators.iter().map(|&(_, number)| number).collect();
        if numbers.len() >= 2 && !are_flags(&numbers) {
            return both(*numbers.first()?, *numbers.last()?);
        }
    }
    let (least, most) = extremes(narrow);
    both(least, most)
}

/// Whether enumerators are meant to be joined by `|`: three or more powers of two and nothing else
/// but zero.
fn are_flags(numbers: &BTreeSet<i128>) -> bool {
    let mut others = numbers.iter().filter(|&&number| number != 0);
    let is_power = |number: &i128| *number > 0 && number.count_ones() == 1;
    numbers.iter().filter(|&&number| number != 0).count() >= 3 && others.all(is_power)
}

/// A constant of a configured range.
#[derive(Clone, Copy)]
enum Bound {
    Integer(i128),
    Real(f64),
}

impl Bound {
    /// The number, as near as a double has it.
    fn number(self) -> f64 {
        match self {
            Self::Integer(number) => number as f64,
            Self::Real(number) => number,
        }
    }

    /// The value of an input that is at the bound, or next to it within what it can hold.
    fn value(self, scalar: Scalar, is_low: bool) -> Value {
        if let Kind::Float(format) = scalar.kind {
            return match format {
                FloatFormat::Single => Value::single(self.number() as f32),
                FloatFormat::Double => Value::double(self.number()),
            };
        }
        let (least, most) = extremes(scalar);
        Value::new(scalar.sort(), self.whole(is_low).clamp(least, most) as u128)
    }

    /// The whole number that is not outside of the bound.
    fn whole(self, is_low: bool) -> i128 {
        match self {
            Self::Integer(number) => number,
            Self::Real(number) if is_low => number.ceil() as i128,
            Self::Real(number) => number.floor() as i128,
        }
    }
}

/// Least and greatest number of an integer type.
const fn extremes(scalar: Scalar) -> (i128, i128) {
    match (scalar.signed, scalar.extent) {
        (true, extent) => (-(1i128 << (extent - 1)), (1i128 << (extent - 1)) - 1),
        (false, extent) => (0, (1i128 << extent) - 1),
    }
}

fn bound(task: &Task<'_>, machine: &mut Machine<'_>, role: TextRole) -> Outcome<Option<Bound>> {
    let Some((index, condition)) = task.condition(role) else { return Ok(None) };
    let value = constant(machine, index, condition)?;
    let value = machine.system.terms.as_const(value).expect("a constant should be constant");
    let signed = machine.is_signed(condition.value.ty);
    Ok(Some(match value.sort() {
        Sort::Word(_) if signed => Bound::Integer(value.signed()),
        Sort::Word(_) => Bound::Integer(value.bits() as i128),
        Sort::Float(FloatFormat::Single) => Bound::Real(f64::from(f32::from_bits(value.bits() as u32))),
        Sort::Float(FloatFormat::Double) => Bound::Real(f64::from_bits(value.bits() as u64)),
    }))
}

/// Truth: the bound is at most the input (`is_low`), or the input at most the bound; as
/// mathematical numbers.
fn at_most(
    machine: &mut Machine<'_>,
    bound: Bound,
    (input, scalar): (TermId, Scalar),
    is_low: bool,
) -> TermId {
    let terms = &mut machine.system.terms;
    if let Kind::Float(format) = scalar.kind {
        debug_assert_eq!(terms.sort(input), Sort::Float(format), "an input should have the sort of its type");
        let value = terms.constant(bound.value(scalar, is_low));
        let (left, right) = if is_low { (value, input) } else { (input, value) };
        return terms.binary(BinaryOp::FloatLe, left, right);
    }
    let number = bound.whole(is_low);
    let (least, most) = extremes(scalar);
    if (is_low && number <= least) || (!is_low && number >= most) {
        return terms.truth(true);
    }
    if !(least..=most).contains(&number) {
        return terms.truth(false);
    }
    let value = terms.word(scalar.extent, number as u128);
    let op = if scalar.signed { BinaryOp::SLe } else { BinaryOp::ULe };
    let (left, right) = if is_low { (value, input) } else { (input, value) };
    terms.binary(op, left, right)
}
