//! From lines to a transition system.

use crate::ReadError;
use crate::lines::Line;
use crate::operators::{binary, refused, unary};
use model::id::Id;
use model::sort::Sort;
use model::system::{
    Assumption, Goal, InitialInputId, InputId, InputRole, OriginId, Output, StateId, TransitionSystem,
};
use model::term::{BinaryOp, TermId, UnaryOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Elements of one array, and of all arrays of a file: each is a word of its own.
pub const MOST_ELEMENTS: usize = 4096;

/// Bits of all arrays of a file.
pub const MOST_ARRAY_BITS: u64 = 1 << 16;

/// Why arrays of this size are refused.
fn too_large(elements: usize, bits: u64) -> String {
    format!(
        "arrays of {elements} elements with {bits} bits together are not supported; \
         {MOST_ELEMENTS} elements with {MOST_ARRAY_BITS} bits are"
    )
}

/// Widest word of the term language.
const WIDEST: u32 = 128;

/// A BTOR2 model as a transition system, with the way back to its lines.
#[derive(Clone)]
pub struct Model {
    /// The system; goals are the `bad` lines in their order.
    pub system: TransitionSystem,
    /// The lines by [`OriginId`]: place in the file, from 1.
    pub origins: Vec<usize>,
    /// The states of the file in their order: where their values come from.
    pub states: Vec<Origin>,
    /// The inputs of the file in their order.
    pub inputs: Vec<(String, InputId)>,
}

/// Where the values of a state of the file stand in the system; arrays have one entry for each
/// element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A state with an `init` and a `next`: nothing is chosen.
    Determined,
    /// A state without `init`: these initial inputs are its value in the first step.
    Initial {
        /// Name in the file.
        name: String,
        /// By element.
        inputs: Vec<InitialInputId>,
        /// Whether it is an array.
        is_array: bool,
    },
    /// A state without `init` that starts with zero, since that was asked for.
    Zero {
        /// Name in the file.
        name: String,
        /// Bits of an element.
        width: u32,
        /// Number of elements.
        elements: usize,
        /// Whether it is an array.
        is_array: bool,
    },
    /// A state with an `init` and without `next`: these inputs are its value in the step behind
    /// theirs.
    Begun {
        /// Name in the file.
        name: String,
        /// By element.
        inputs: Vec<InputId>,
        /// Whether it is an array.
        is_array: bool,
    },
    /// A state without `next` and `init`: these inputs are its value in each step.
    Free {
        /// Name in the file.
        name: String,
        /// By element.
        inputs: Vec<InputId>,
        /// Whether it is an array.
        is_array: bool,
    },
}

/// Reads a model.
///
/// # Errors
/// The first line that is malformed or not supported.
///
/// ```
/// let text = "1 sort bitvec 4\n2 zero 1\n3 state 1 count\n4 init 1 3 2\n5 one 1\n6 add 1 3 5\n7 next 1 3 6\n\
///             8 constd 1 9\n9 sort bitvec 1\n10 eq 9 3 8\n11 bad 10 nine\n";
/// let model = btor2::read(text).expect("a model");
/// assert_eq!(model.system.goals.values().next().map(|goal| goal.name.as_str()), Some("nine"));
/// ```
pub fn read(text: &str) -> Result<Model, ReadError> {
    read_with(text, Begin::default())
}

/// What states without an `init` line begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Begin {
    /// Any value, as BTOR2 has it.
    #[default]
    Free,
    /// Zero.
    Zero,
}

/// Reads a model whose states without an `init` line begin as told.
///
/// # Errors
/// As for [`read`].
pub fn read_with(text: &str, begin: Begin) -> Result<Model, ReadError> {
    let lines = Line::all(text).collect::<Result<Vec<_>, _>>()?;
    let mut reader = Reader::new(&lines, begin);
    for line in &lines {
        reader.declare(line)?;
    }
    reader.find_initial_only(&lines);
    let mut last = 0;
    for line in &lines {
        if line.number <= last {
            return Err(line.error(format!("line numbers should ascend, but {} precedes it", last)));
        }
        last = line.number;
        reader.define(line)?;
    }
    reader.finish()
}

/// A sort of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileSort {
    Word(u32),
    Array { index: u32, element: u32 },
}

impl FileSort {
    const fn element(self) -> u32 {
        match self {
            Self::Word(width) => width,
            Self::Array { element, .. } => element,
        }
    }
    const fn elements(self) -> usize {
        match self {
            Self::Word(_) => 1,
            Self::Array { index, .. } => 1 << index,
        }
    }
}

/// The value of a line: one term, or one for each element of an array.
#[derive(Clone, Debug)]
struct Value {
    sort: FileSort,
    terms: Vec<TermId>,
}

/// A state line and what other lines say of it.
struct FileState<'t> {
    name: String,
    line: Line<'t>,
    sort: FileSort,
    init: Option<(i64, Line<'t>)>,
    next: Option<(i64, Line<'t>)>,
}

/// What symbols stand for while terms are made.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Time {
    /// State before a step and inputs of the step.
    Step,
    /// The initial state.
    Initial,
}

struct Reader<'t> {
    system: TransitionSystem,
    lines: FxHashMap<i64, Line<'t>>,
    sorts: FxHashMap<i64, FileSort>,
    values: FxHashMap<(Time, i64), Value>,
    states: Vec<FileState<'t>>,
    /// By line number: the position in `states`.
    state_lines: FxHashMap<i64, usize>,
    /// States that nothing but `init` lines depend on: Yosys lets memories with initial contents begin
    /// as such a state with some elements written.
    initial_only: FxHashSet<i64>,
    /// By position of the state: the words that keep it; none where it is an input.
    words: Vec<Vec<StateId>>,
    origins: Vec<usize>,
    places: Vec<Origin>,
    inputs: Vec<(String, InputId)>,
    elements: usize,
    bits: u64,
    start: Begin,
}

impl<'t> Reader<'t> {
    fn new(lines: &[Line<'t>], start: Begin) -> Self {
        Self {
            system: TransitionSystem::default(),
            lines: lines.iter().map(|line| (line.number, *line)).collect(),
            sorts: FxHashMap::default(),
            values: FxHashMap::default(),
            states: Vec::new(),
            state_lines: FxHashMap::default(),
            initial_only: FxHashSet::default(),
            words: Vec::new(),
            origins: Vec::new(),
            places: Vec::new(),
            inputs: Vec::new(),
            elements: 0,
            bits: 0,
            start,
        }
    }

    /// Enters sorts and states, and which lines say how states begin and go on.
    fn declare(&mut self, line: &Line<'t>) -> Result<(), ReadError> {
        match line.keyword {
            "sort" => {
                let sort = self.read_sort(line)?;
                self.sorts.insert(line.number, sort);
            }
            "state" => {
                let sort = self.sort(line, 0)?;
                self.count_elements(line, sort)?;
                let name = line.name(1).map_or_else(|| format!("state_{}", line.number), str::to_owned);
                self.state_lines.insert(line.number, self.states.len());
                self.states.push(FileState { name, line: *line, sort, init: None, next: None });
            }
            "init" | "next" => {
                let number: i64 = line.argument(1)?;
                let value: i64 = line.argument(2)?;
                let Some(&position) = self.state_lines.get(&number) else {
                    return Err(line.error(format!("{number} is no state above this line")));
                };
                let state = &mut self.states[position];
                let entry = if line.keyword == "init" { &mut state.init } else { &mut state.next };
                if entry.replace((value, *line)).is_some() {
                    return Err(line.error(format!("state {number} has a second `{}`", line.keyword)));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Finds the states without `init` and `next` on whose values nothing but initial values depend.
    fn find_initial_only(&mut self, lines: &[Line<'t>]) {
        let arguments = |line: &Line<'t>| -> Vec<i64> {
            let places = match line.keyword {
                "init" | "next" => 2..3,
                "bad" | "constraint" | "output" => 0..1,
                keyword => value_arguments(keyword),
            };
            places.filter_map(|index| line.argument::<i64>(index).ok()).map(i64::saturating_abs).collect()
        };
        let mut depending: FxHashMap<i64, Vec<i64>> = FxHashMap::default();
        let (mut initial, mut other) = (FxHashSet::default(), FxHashSet::default());
        for line in lines {
            let states: Vec<i64> = match self.state_lines.get(&line.number) {
                Some(&position) => {
                    let state = &self.states[position];
                    let is_free = state.init.is_none() && state.next.is_none();
                    is_free.then_some(line.number).into_iter().collect()
                }
                None => arguments(line)
                    .iter()
                    .filter_map(|argument| depending.get(argument))
                    .flatten()
                    .copied()
                    .collect(),
            };
            match line.keyword {
                "init" => initial.extend(states),
                "next" | "bad" | "constraint" | "output" => other.extend(states),
                _ if !states.is_empty() => {
                    depending.insert(line.number, states);
                }
                _ => {}
            }
        }
        self.initial_only = initial.difference(&other).copied().collect();
    }

    fn read_sort(&self, line: &Line<'t>) -> Result<FileSort, ReadError> {
        match line.word(0)? {
            "bitvec" => match line.argument::<u32>(1)? {
                width @ 1..=WIDEST => Ok(FileSort::Word(width)),
                0 => Err(line.error("a word has at least one bit")),
                _ => Err(line.error(format!("words beyond {WIDEST} bits are not supported"))),
            },
            "array" => {
                let (index, element) = (self.sort(line, 1)?, self.sort(line, 2)?);
                let (FileSort::Word(index), FileSort::Word(element)) = (index, element) else {
                    return Err(line.error("arrays of arrays, or with arrays as indices, are not supported"));
                };
                let elements = 1_usize.checked_shl(index).unwrap_or(usize::MAX);
                let bits = (elements as u64).saturating_mul(element.into());
                if elements > MOST_ELEMENTS || bits > MOST_ARRAY_BITS {
                    return Err(line.error(too_large(elements, bits)));
                }
                Ok(FileSort::Array { index, element })
            }
            other => Err(line.error(format!("`{other}` is no sort: `bitvec` or `array`"))),
        }
    }

    fn sort(&self, line: &Line<'t>, argument: usize) -> Result<FileSort, ReadError> {
        let number: i64 = line.argument(argument)?;
        let sort = self.sorts.get(&number).copied();
        sort.ok_or_else(|| line.error(format!("{number} is no sort above this line")))
    }

    fn count_elements(&mut self, line: &Line<'t>, sort: FileSort) -> Result<(), ReadError> {
        if matches!(sort, FileSort::Array { .. }) {
            self.elements += sort.elements();
            self.bits += sort.elements() as u64 * u64::from(sort.element());
            if self.elements > MOST_ELEMENTS || self.bits > MOST_ARRAY_BITS {
                return Err(line.error(too_large(self.elements, self.bits)));
            }
        }
        Ok(())
    }

    /// Makes what a line stands for.
    fn define(&mut self, line: &Line<'t>) -> Result<(), ReadError> {
        match line.keyword {
            "sort" | "init" | "next" => Ok(()),
            "state" => self.define_state(self.state_lines[&line.number]),
            "input" => self.define_input(line),
            "constraint" => {
                let condition = self.truth(line, 0)?;
                let origin = Some(self.origin(line));
                self.system.assumptions.push(Assumption { condition, origin });
                Ok(())
            }
            "bad" => self.define_goal(line),
            "output" => {
                let value = self.operand(Time::Step, line, 0)?;
                let name = line.name(1).map_or_else(|| format!("output_{}", line.number), str::to_owned);
                let names = (0..value.terms.len()).map(|index| element_name(&name, value.sort, index));
                let named: Vec<Output> =
                    names.zip(&value.terms).map(|(name, &value)| Output { name, value }).collect();
                self.system.outputs.extend(named);
                Ok(())
            }
            "fair" | "justice" => Err(line.error(format!("`{}` lines are not supported", line.keyword))),
            _ => self.define_value(Time::Step, line),
        }
    }

    fn origin(&mut self, line: &Line<'t>) -> OriginId {
        self.origins.push(line.place);
        OriginId::new(self.origins.len() - 1)
    }

    fn define_input(&mut self, line: &Line<'t>) -> Result<(), ReadError> {
        let FileSort::Word(width) = self.sort(line, 0)? else {
            return Err(line.error("inputs that are arrays are not supported"));
        };
        let name = line.name(1).map_or_else(|| format!("input_{}", line.number), str::to_owned);
        let input = self.system.add_input(&name, Sort::word(width), InputRole::Stimulus);
        let term = self.system.input_term(input);
        self.inputs.push((name, input));
        self.enter(Time::Step, line, Value { sort: FileSort::Word(width), terms: vec![term] });
        Ok(())
    }

    /// Declares the words of a state; what comes before and after is entered at the end, when all
    /// lines have values.
    fn define_state(&mut self, position: usize) -> Result<(), ReadError> {
        let state = &self.states[position];
        let (line, sort, name) = (state.line, state.sort, state.name.clone());
        let is_array = matches!(sort, FileSort::Array { .. });
        let names = (0..sort.elements()).map(|index| element_name(&name, sort, index));
        let names: Vec<String> = names.collect();
        let word = Sort::word(sort.element());
        let system = &mut self.system;
        let (words, terms, origin) = if self.initial_only.contains(&line.number) {
            let add =
                |name: &String| system.add_initial_input(&format!("{name}#0"), word, InputRole::Stimulus);
            let inputs = names.iter().map(add).collect();
            // Nothing asks for its value in a step.
            let terms = vec![system.terms.word(sort.element(), 0); names.len()];
            (Vec::new(), terms, Origin::Initial { name, inputs, is_array })
        } else if state.next.is_none() && state.init.is_none() {
            let add = |name: &String| system.add_input(name, word, InputRole::Stimulus);
            let inputs: Vec<InputId> = names.iter().map(add).collect();
            let terms = inputs.iter().map(|&input| system.input_term(input)).collect();
            (Vec::new(), terms, Origin::Free { name, inputs, is_array })
        } else {
            let words: Vec<StateId> = names.iter().map(|name| system.add_state(name, word)).collect();
            let terms = words.iter().map(|&word| system.state_term(word)).collect();
            let origin = match state.init {
                Some(_) => Origin::Determined,
                None if self.start == Begin::Zero => {
                    Origin::Zero { name, width: sort.element(), elements: sort.elements(), is_array }
                }
                None => {
                    let add = |name: &String| {
                        system.add_initial_input(&format!("{name}#0"), word, InputRole::Stimulus)
                    };
                    Origin::Initial { inputs: names.iter().map(add).collect(), name, is_array }
                }
            };
            (words, terms, origin)
        };
        self.words.push(words);
        self.places.push(origin);
        self.enter(Time::Step, &line, Value { sort, terms });
        Ok(())
    }

    fn define_goal(&mut self, line: &Line<'t>) -> Result<(), ReadError> {
        let antecedent = self.truth(line, 0)?;
        let name = line.name(1).map_or_else(|| format!("bad_{}", self.system.goals.len()), str::to_owned);
        let is_taken = |name: &str| self.system.goals.values().any(|goal| goal.name == name);
        let name = if is_taken(&name) { format!("{name}#{}", line.number) } else { name };
        let origin = Some(self.origin(line));
        self.system.goals.push(Goal {
            name,
            requirement: None,
            text: None,
            origin,
            steps: 1,
            antecedent,
            expectation: None,
        });
        Ok(())
    }

    fn enter(&mut self, time: Time, line: &Line<'t>, value: Value) {
        self.values.insert((time, line.number), value);
    }

    /// The value of an argument; a negative number stands for the inverted word.
    fn operand(&mut self, time: Time, line: &Line<'t>, index: usize) -> Result<Value, ReadError> {
        let number: i64 = line.argument(index)?;
        let known = number.checked_abs().and_then(|positive| self.values.get(&(time, positive)).cloned());
        let Some(mut value) = known else {
            let what =
                if time == Time::Initial { "has no value in the initial state" } else { "is no value above" };
            return Err(line.error(format!("{number} {what}")));
        };
        if number < 0 {
            if matches!(value.sort, FileSort::Array { .. }) {
                return Err(line.error("an array cannot be inverted"));
            }
            value.terms[0] = self.system.terms.unary(UnaryOp::Not, value.terms[0]);
        }
        Ok(value)
    }

    fn word(&mut self, time: Time, line: &Line<'t>, index: usize) -> Result<TermId, ReadError> {
        let value = self.operand(time, line, index)?;
        match value.sort {
            FileSort::Word(_) => Ok(value.terms[0]),
            FileSort::Array { .. } => Err(line.error(format!("argument {} is an array", index + 1))),
        }
    }

    fn truth(&mut self, line: &Line<'t>, index: usize) -> Result<TermId, ReadError> {
        let word = self.word(Time::Step, line, index)?;
        match self.system.terms.width(word) {
            1 => Ok(word),
            width => Err(line.error(format!("a truth has one bit, not {width}"))),
        }
    }

    /// Makes the value of a line that computes one.
    fn define_value(&mut self, time: Time, line: &Line<'t>) -> Result<(), ReadError> {
        let sort = self.sort(line, 0)?;
        let terms = self.computed(time, line, sort)?;
        let fits = terms.len() == sort.elements()
            && terms.iter().all(|&term| self.system.terms.width(term) == sort.element());
        if !fits {
            return Err(line.error("the value does not have the sort of the line"));
        }
        self.enter(time, line, Value { sort, terms });
        Ok(())
    }

    fn computed(&mut self, time: Time, line: &Line<'t>, sort: FileSort) -> Result<Vec<TermId>, ReadError> {
        if let Some(bits) = constant(line, sort)? {
            return Ok(vec![self.system.terms.word(sort.element(), bits)]);
        }
        if let Some(function) = unary(line.keyword) {
            let a = self.word(time, line, 1)?;
            return Ok(vec![function(&mut self.system.terms, a)]);
        }
        match line.keyword {
            "uext" | "sext" => self.extended(time, line),
            "slice" => self.sliced(time, line),
            "ite" => self.chosen(time, line),
            "read" => self.element_read(time, line),
            "write" => self.element_written(time, line),
            keyword => self.combined(time, line, keyword),
        }
    }

    fn combined(&mut self, time: Time, line: &Line<'t>, keyword: &str) -> Result<Vec<TermId>, ReadError> {
        let Some((may_differ, function)) = binary(keyword) else {
            return Err(line.error(format!("`{keyword}` is not supported")));
        };
        let (left, right) = (self.operand(time, line, 1)?, self.operand(time, line, 2)?);
        if left.sort != right.sort && !may_differ {
            return Err(line.error("the operands should have one sort"));
        }
        let terms = &mut self.system.terms;
        if let (FileSort::Array { .. }, "eq" | "neq") = (left.sort, keyword) {
            let pairs = left.terms.iter().zip(&right.terms);
            let equal: Vec<TermId> = pairs.map(|(&a, &b)| terms.equal(a, b)).collect();
            let all = terms.conjunction(equal);
            return Ok(vec![if keyword == "eq" { all } else { terms.not(all) }]);
        }
        let (FileSort::Word(width), FileSort::Word(other)) = (left.sort, right.sort) else {
            return Err(line.error(format!("`{keyword}` is not for arrays")));
        };
        if may_differ && width + other > WIDEST {
            return Err(line.error(format!("words beyond {WIDEST} bits are not supported")));
        }
        if let Some(why) = refused(keyword, width) {
            return Err(line.error(why));
        }
        if matches!(keyword, "implies" | "iff") && width != 1 {
            return Err(line.error(format!("`{keyword}` is for truths")));
        }
        Ok(vec![function(terms, left.terms[0], right.terms[0])])
    }

    fn extended(&mut self, time: Time, line: &Line<'t>) -> Result<Vec<TermId>, ReadError> {
        let (a, more) = (self.word(time, line, 1)?, line.argument::<u32>(2)?);
        let width = self.system.terms.width(a).saturating_add(more);
        if width > WIDEST {
            return Err(line.error(format!("words beyond {WIDEST} bits are not supported")));
        }
        Ok(vec![self.system.terms.resize(a, width, line.keyword == "sext")])
    }

    fn sliced(&mut self, time: Time, line: &Line<'t>) -> Result<Vec<TermId>, ReadError> {
        let (a, high, low) = (self.word(time, line, 1)?, line.argument::<u32>(2)?, line.argument::<u32>(3)?);
        if high >= self.system.terms.width(a) || low > high {
            return Err(line.error("the bits are not within the word"));
        }
        Ok(vec![self.system.terms.extract(a, high, low)])
    }

    fn chosen(&mut self, time: Time, line: &Line<'t>) -> Result<Vec<TermId>, ReadError> {
        let condition = self.word(time, line, 1)?;
        let (then, otherwise) = (self.operand(time, line, 2)?, self.operand(time, line, 3)?);
        if then.sort != otherwise.sort || self.system.terms.width(condition) != 1 {
            return Err(line.error("`ite` takes a truth and two values of one sort"));
        }
        let pairs = then.terms.into_iter().zip(otherwise.terms);
        Ok(pairs.map(|(then, otherwise)| self.system.terms.ite(condition, then, otherwise)).collect())
    }

    /// The array and the index of a `read` or `write`.
    fn place(&mut self, time: Time, line: &Line<'t>) -> Result<(Vec<TermId>, TermId, u32), ReadError> {
        let array = self.operand(time, line, 1)?;
        let index = self.word(time, line, 2)?;
        match array.sort {
            FileSort::Array { index: width, element } if self.system.terms.width(index) == width => {
                Ok((array.terms, index, element))
            }
            FileSort::Array { .. } => {
                Err(line.error("the index does not have the width that the array asks for"))
            }
            FileSort::Word(_) => Err(line.error("argument 2 should be an array")),
        }
    }

    /// A balanced tree of choices over the bits of the index, from the lowest bit on.
    fn element_read(&mut self, time: Time, line: &Line<'t>) -> Result<Vec<TermId>, ReadError> {
        let (mut elements, index, _) = self.place(time, line)?;
        let mut bit = 0;
        while elements.len() > 1 {
            let is_odd = self.system.terms.extract(index, bit, bit);
            let pairs = elements.chunks(2);
            elements = pairs.map(|pair| self.system.terms.ite(is_odd, pair[1], pair[0])).collect();
            bit += 1;
        }
        Ok(elements)
    }

    fn element_written(&mut self, time: Time, line: &Line<'t>) -> Result<Vec<TermId>, ReadError> {
        let (elements, index, width) = self.place(time, line)?;
        let value = self.word(time, line, 3)?;
        if self.system.terms.width(value) != width {
            return Err(line.error("the value does not have the width of an element"));
        }
        let index_width = self.system.terms.width(index);
        let mut changed = Vec::with_capacity(elements.len());
        for (number, element) in elements.into_iter().enumerate() {
            let terms = &mut self.system.terms;
            let number = terms.word(index_width, number as u128);
            let is_meant = terms.binary(BinaryOp::Eq, index, number);
            changed.push(terms.ite(is_meant, value, element));
        }
        Ok(changed)
    }

    /// Enters how states begin and go on.
    fn finish(mut self) -> Result<Model, ReadError> {
        for position in 0..self.states.len() {
            self.begin(position)?;
        }
        for position in 0..self.states.len() {
            self.go_on(position)?;
        }
        Ok(Model { system: self.system, origins: self.origins, states: self.places, inputs: self.inputs })
    }

    /// Enters the initial value of a state: states with smaller numbers have theirs already.
    fn begin(&mut self, position: usize) -> Result<(), ReadError> {
        let state = &self.states[position];
        let (line, sort) = (state.line, state.sort);
        let terms = match (state.init, &self.places[position]) {
            (Some((_, init)), _) => self.initial_terms(&init, sort)?,
            (None, Origin::Initial { inputs, .. }) => {
                let symbols = inputs.iter().map(|&input| self.system.initial_inputs[input].symbol);
                let symbols: Vec<_> = symbols.collect();
                symbols.into_iter().map(|symbol| self.system.terms.symbol_term(symbol)).collect()
            }
            (None, Origin::Zero { .. }) => {
                vec![self.system.terms.word(sort.element(), 0); sort.elements()]
            }
            (None, _) => return Ok(()),
        };
        for (&word, &term) in self.words[position].iter().zip(&terms) {
            self.system.states[word].init = term;
        }
        self.enter(Time::Initial, &line, Value { sort, terms });
        Ok(())
    }

    /// The value behind `init`, over initial inputs. A word behind the `init` of an array is the
    /// value of all elements.
    fn initial_terms(&mut self, init: &Line<'t>, sort: FileSort) -> Result<Vec<TermId>, ReadError> {
        let number: i64 = init.argument(2)?;
        let mut needed = FxHashSet::from_iter([number.saturating_abs()]);
        let mut open = vec![number.saturating_abs()];
        while let Some(number) = open.pop() {
            let Some(line) = self.lines.get(&number).filter(|_| !self.state_lines.contains_key(&number))
            else {
                continue;
            };
            for argument in value_arguments(line.keyword) {
                let number = line.argument::<i64>(argument)?.saturating_abs();
                if needed.insert(number) {
                    open.push(number);
                }
            }
        }
        let mut needed: Vec<i64> = needed.into_iter().collect();
        needed.sort_unstable();
        for number in needed {
            let Some(line) = self.lines.get(&number).copied() else { continue };
            let is_known = self.values.contains_key(&(Time::Initial, number));
            match line.keyword {
                "input" => return Err(init.error("an initial value cannot depend on an input")),
                "state" if !is_known => {
                    return Err(init.error(format!("state {number} has no initial value above this line")));
                }
                _ if is_known => {}
                _ => self.define_value(Time::Initial, &line)?,
            }
        }
        let value = self.operand(Time::Initial, init, 2)?;
        match (value.sort, sort) {
            (found, wanted) if found == wanted => Ok(value.terms),
            (FileSort::Word(width), FileSort::Array { element, .. }) if width == element => {
                Ok(vec![value.terms[0]; sort.elements()])
            }
            _ => Err(init.error("the value does not have the sort of the state")),
        }
    }

    fn go_on(&mut self, position: usize) -> Result<(), ReadError> {
        let state = &self.states[position];
        let (sort, name) = (state.sort, state.name.clone());
        let terms = match (state.next, state.init) {
            (Some((_, next)), _) => {
                let value = self.operand(Time::Step, &next, 2)?;
                if value.sort != sort {
                    return Err(next.error("the value does not have the sort of the state"));
                }
                value.terms
            }
            (None, Some(_)) => {
                let inputs = self.any_values(&name, sort);
                let terms = inputs.iter().map(|&input| self.system.input_term(input)).collect();
                let is_array = matches!(sort, FileSort::Array { .. });
                self.places[position] = Origin::Begun { name, inputs, is_array };
                terms
            }
            (None, None) => return Ok(()),
        };
        for (&word, term) in self.words[position].iter().zip(terms) {
            self.system.states[word].next = term;
        }
        Ok(())
    }

    /// An input for each element: the next value of a state that nothing determines.
    fn any_values(&mut self, name: &str, sort: FileSort) -> Vec<InputId> {
        let names = (0..sort.elements()).map(|index| format!("{}'", element_name(name, sort, index)));
        let names: Vec<String> = names.collect();
        let word = Sort::word(sort.element());
        names.iter().map(|name| self.system.add_input(name, word, InputRole::Stimulus)).collect()
    }
}

/// Positions of the arguments that name values.
fn value_arguments(keyword: &str) -> std::ops::Range<usize> {
    match keyword {
        "uext" | "sext" | "slice" => 1..2,
        "ite" | "write" => 1..4,
        "read" => 1..3,
        _ if unary(keyword).is_some() => 1..2,
        _ if binary(keyword).is_some() => 1..3,
        _ => 0..0,
    }
}

fn element_name(name: &str, sort: FileSort, index: usize) -> String {
    match sort {
        FileSort::Word(_) => name.to_owned(),
        FileSort::Array { .. } => format!("{name}[{index}]"),
    }
}

/// The bits of a line that is a constant; `None`: it is none.
fn constant(line: &Line<'_>, sort: FileSort) -> Result<Option<u128>, ReadError> {
    let radix = match line.keyword {
        "zero" | "one" | "ones" => 0,
        "const" => 2,
        "constd" => 10,
        "consth" => 16,
        _ => return Ok(None),
    };
    let FileSort::Word(width) = sort else { return Err(line.error("a constant is a word")) };
    let mask = u128::MAX >> (u128::BITS - width);
    let bits = match line.keyword {
        "zero" => 0,
        "one" => 1,
        "ones" => mask,
        _ => {
            let word = line.word(1)?;
            let (is_negative, digits) = match word.strip_prefix('-') {
                Some(digits) if radix == 10 => (true, digits),
                _ => (false, word),
            };
            let number = u128::from_str_radix(digits, radix).map_err(|_| {
                line.error(format!("`{word}` is no number to base {radix} of up to 128 bits"))
            })?;
            let limit = if is_negative { mask / 2 + 1 } else { mask };
            if number > limit {
                return Err(line.error(format!("`{word}` does not fit {width} bits")));
            }
            if is_negative { number.wrapping_neg() & mask } else { number }
        }
    };
    Ok(Some(bits))
}
