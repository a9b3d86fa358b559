//! BTOR2 models played word by word, straight from their lines: the judge of witnesses. It shares
//! nothing with the translation into terms but the split of a text into lines.

use crate::ReadError;
use crate::lines::Line;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Widest word that is played.
const WIDEST: u32 = 128;

/// Sort of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Word(u32),
    Array { index: u32, element: u32 },
}

/// A value: bits of a word, or an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Word(u128),
    Array(Rc<Cells>),
}

/// The elements of an array: those that were written, and what all others are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cells {
    pub(crate) other: u128,
    pub(crate) written: BTreeMap<u128, u128>,
}

impl Cells {
    pub(crate) fn at(&self, index: u128) -> u128 {
        self.written.get(&index).copied().unwrap_or(self.other)
    }

    /// Whether two arrays with indices of so many bits are equal.
    fn equals(&self, other: &Self, index_bits: u32) -> bool {
        let indices: BTreeSet<u128> = self.written.keys().chain(other.written.keys()).copied().collect();
        let are_all = index_bits < u128::BITS && indices.len() as u128 == 1 << index_bits;
        indices.iter().all(|&index| self.at(index) == other.at(index))
            && (are_all || self.other == other.other)
    }
}

/// An argument: a line, and whether its bits are inverted.
#[derive(Clone, Copy, Debug)]
struct Argument {
    node: usize,
    is_inverted: bool,
}

/// A line that has a value.
struct Node<'t> {
    line: Line<'t>,
    sort: Sort,
    what: What,
}

/// Where the value of a line comes from.
enum What {
    Constant(u128),
    /// By position among the inputs.
    Input(usize),
    /// By position among the states.
    State(usize),
    /// Arguments, and the numbers behind them.
    Computed(Vec<Argument>, [u32; 2]),
}

/// A state of the file.
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) sort: Sort,
    node: usize,
    init: Option<Argument>,
    next: Option<Argument>,
}

impl State {
    /// Whether its first value is free.
    pub(crate) const fn begins_free(&self) -> bool {
        self.init.is_none()
    }
    /// Whether each later value is free.
    pub(crate) const fn goes_on_free(&self) -> bool {
        self.next.is_none()
    }
}

/// A model that can be played.
pub(crate) struct Player<'t> {
    nodes: Vec<Node<'t>>,
    by_number: FxHashMap<i64, usize>,
    sorts: FxHashMap<i64, Sort>,
    /// In the order of the file.
    pub(crate) states: Vec<State>,
    /// Names and widths in the order of the file.
    pub(crate) inputs: Vec<(String, u32)>,
    constraints: Vec<(usize, Argument)>,
    /// Names in the order of the file.
    pub(crate) bads: Vec<String>,
    bad_values: Vec<Argument>,
}

/// The values of all lines in one step.
pub(crate) struct Row(Vec<Option<Value>>);

impl<'t> Player<'t> {
    /// Reads a model.
    ///
    /// # Errors
    /// The first line that is malformed, or that no step can be played with.
    pub(crate) fn new(text: &'t str) -> Result<Self, ReadError> {
        let mut player = Self {
            nodes: Vec::new(),
            by_number: FxHashMap::default(),
            sorts: FxHashMap::default(),
            states: Vec::new(),
            inputs: Vec::new(),
            constraints: Vec::new(),
            bads: Vec::new(),
            bad_values: Vec::new(),
        };
        let mut last = 0;
        for line in Line::all(text) {
            let line = line?;
            if line.number <= last {
                return Err(line.error("line numbers should ascend"));
            }
            last = line.number;
            player.enter(line)?;
        }
        Ok(player)
    }

    fn enter(&mut self, line: Line<'t>) -> Result<(), ReadError> {
        match line.keyword {
            "sort" => {
                let sort = self.read_sort(&line)?;
                self.sorts.insert(line.number, sort);
            }
            "init" | "next" => self.enter_of_state(&line)?,
            "constraint" => {
                let truth = self.truth(&line)?;
                self.constraints.push((line.place, truth));
            }
            "bad" => {
                let truth = self.truth(&line)?;
                let name = line.name(1).map_or_else(|| format!("bad_{}", self.bads.len()), str::to_owned);
                self.bads.push(name);
                self.bad_values.push(truth);
            }
            "output" => {}
            "fair" | "justice" => return Err(line.error("liveness is not supported")),
            _ => {
                let sort = self.sort(&line, 0)?;
                let what = self.what(&line, sort)?;
                self.by_number.insert(line.number, self.nodes.len());
                self.nodes.push(Node { line, sort, what });
            }
        }
        Ok(())
    }

    fn read_sort(&self, line: &Line<'_>) -> Result<Sort, ReadError> {
        match line.word(0)? {
            "bitvec" => match line.argument::<u32>(1)? {
                width @ 1..=WIDEST => Ok(Sort::Word(width)),
                width => Err(line.error(format!("words of {width} bits are not played"))),
            },
            "array" => match (self.sort(line, 1)?, self.sort(line, 2)?) {
                (Sort::Word(index), Sort::Word(element)) => Ok(Sort::Array { index, element }),
                _ => Err(line.error("arrays of arrays are not played")),
            },
            other => Err(line.error(format!("`{other}` is no sort"))),
        }
    }

    fn sort(&self, line: &Line<'_>, place: usize) -> Result<Sort, ReadError> {
        let number: i64 = line.argument(place)?;
        self.sorts.get(&number).copied().ok_or_else(|| line.error(format!("{number} is no sort above")))
    }

    fn argument(&self, line: &Line<'_>, place: usize) -> Result<Argument, ReadError> {
        let number: i64 = line.argument(place)?;
        let found = self.by_number.get(&number.saturating_abs());
        let node = *found.ok_or_else(|| line.error(format!("{number} is no value above")))?;
        if number < 0 && !matches!(self.nodes[node].sort, Sort::Word(_)) {
            return Err(line.error("an array cannot be inverted"));
        }
        Ok(Argument { node, is_inverted: number < 0 })
    }

    fn truth(&self, line: &Line<'_>) -> Result<Argument, ReadError> {
        let argument = self.argument(line, 0)?;
        match self.nodes[argument.node].sort {
            Sort::Word(1) => Ok(argument),
            _ => Err(line.error("a truth has one bit")),
        }
    }

    fn enter_of_state(&mut self, line: &Line<'_>) -> Result<(), ReadError> {
        let number: i64 = line.argument(1)?;
        let node = self.by_number.get(&number).map(|&node| &self.nodes[node]);
        let Some(&Node { what: What::State(position), sort, .. }) = node else {
            return Err(line.error(format!("{number} is no state above")));
        };
        let value = self.argument(line, 2)?;
        let found = self.nodes[value.node].sort;
        let fills =
            matches!((found, sort), (Sort::Word(width), Sort::Array { element, .. }) if width == element);
        if found != sort && !(line.keyword == "init" && fills) {
            return Err(line.error("the value does not have the sort of the state"));
        }
        let state = &mut self.states[position];
        let entry = if line.keyword == "init" { &mut state.init } else { &mut state.next };
        match entry.replace(value) {
            None => Ok(()),
            Some(_) => Err(line.error("this is said a second time")),
        }
    }

    fn what(&mut self, line: &Line<'_>, sort: Sort) -> Result<What, ReadError> {
        let name = |kind: &str| line.name(1).map_or_else(|| format!("{kind}_{}", line.number), str::to_owned);
        match (line.keyword, sort) {
            ("input", Sort::Word(width)) => {
                self.inputs.push((name("input"), width));
                return Ok(What::Input(self.inputs.len() - 1));
            }
            ("input", Sort::Array { .. }) => return Err(line.error("inputs that are arrays are not played")),
            ("state", _) => {
                let node = self.nodes.len();
                self.states.push(State { name: name("state"), sort, node, init: None, next: None });
                return Ok(What::State(self.states.len() - 1));
            }
            ("zero" | "one" | "ones" | "const" | "constd" | "consth", Sort::Word(width)) => {
                return Ok(What::Constant(constant(line, width)?));
            }
            _ => {}
        }
        let count = match line.keyword {
            "not" | "inc" | "dec" | "neg" | "redand" | "redor" | "redxor" | "slice" | "uext" | "sext" => 1,
            "ite" | "write" => 3,
            _ => 2,
        };
        let arguments: Vec<Argument> =
            (1..=count).map(|place| self.argument(line, place)).collect::<Result<_, _>>()?;
        let numbers = match line.keyword {
            "slice" => [line.argument(2)?, line.argument(3)?],
            "uext" | "sext" => [line.argument(2)?, 0],
            _ => [0, 0],
        };
        let sorts: Vec<Sort> = arguments.iter().map(|argument| self.nodes[argument.node].sort).collect();
        if result(line.keyword, &sorts, numbers) != Some(sort) {
            return Err(line.error(format!(
                "`{}` does not take these operands, or does not give this sort",
                line.keyword
            )));
        }
        Ok(What::Computed(arguments, numbers))
    }

    /// The first values of all states; `given` has the value of those that begin free.
    ///
    /// # Errors
    /// A sentence where a first value depends on an input or on a state further down.
    pub(crate) fn first(&self, given: impl Fn(usize) -> Value) -> Result<Vec<Value>, String> {
        let mut values: Vec<Value> = Vec::with_capacity(self.states.len());
        let mut row = Row(vec![None; self.nodes.len()]);
        for (position, state) in self.states.iter().enumerate() {
            let value = match state.init {
                None => given(position),
                Some(init) => {
                    self.fill_cone(init.node, &mut row).map_err(|place| {
                        format!(
                            "the first value of `{}` needs what line {place} has no value for",
                            state.name
                        )
                    })?;
                    match (self.value(&row, init), state.sort) {
                        (Value::Word(bits), Sort::Array { .. }) => {
                            Value::Array(Rc::new(Cells { other: bits, ..Cells::default() }))
                        }
                        (value, _) => value,
                    }
                }
            };
            row.0[state.node] = Some(value.clone());
            values.push(value);
        }
        Ok(values)
    }

    /// Evaluates what a line depends on, over the states that have their values already.
    fn fill_cone(&self, root: usize, row: &mut Row) -> Result<(), usize> {
        let (mut open, mut cone) = (vec![root], BTreeSet::new());
        while let Some(node) = open.pop() {
            if row.0[node].is_some() || !cone.insert(node) {
                continue;
            }
            match &self.nodes[node].what {
                What::Constant(_) => {}
                What::Computed(arguments, _) => open.extend(arguments.iter().map(|argument| argument.node)),
                What::Input(_) | What::State(_) => return Err(self.nodes[node].line.place),
            }
        }
        for node in cone {
            let value = match &self.nodes[node].what {
                What::Constant(bits) => Value::Word(*bits),
                _ => self.compute(node, row),
            };
            row.0[node] = Some(value);
        }
        Ok(())
    }

    /// The values of all lines in a step.
    pub(crate) fn row(&self, states: &[Value], inputs: &[u128]) -> Row {
        let mut row = Row(Vec::with_capacity(self.nodes.len()));
        for (position, node) in self.nodes.iter().enumerate() {
            let value = match &node.what {
                What::Constant(bits) => Value::Word(*bits),
                What::Input(input) => Value::Word(inputs[*input]),
                What::State(state) => states[*state].clone(),
                What::Computed(..) => self.compute(position, &row),
            };
            row.0.push(Some(value));
        }
        row
    }

    /// The line of the first constraint that does not hold.
    pub(crate) fn violated(&self, row: &Row) -> Option<usize> {
        let broken = self.constraints.iter().find(|(_, truth)| self.value(row, *truth) == Value::Word(0));
        broken.map(|(place, _)| *place)
    }

    /// Whether a `bad` line holds.
    pub(crate) fn is_bad(&self, row: &Row, bad: usize) -> bool {
        self.value(row, self.bad_values[bad]) == Value::Word(1)
    }

    /// The value of a state in the next step; `None` where it is free.
    pub(crate) fn next(&self, row: &Row, state: usize) -> Option<Value> {
        self.states[state].next.map(|next| self.value(row, next))
    }

    fn value(&self, row: &Row, argument: Argument) -> Value {
        let value = row.0[argument.node].clone().expect("arguments should have values before they are used");
        match (value, self.nodes[argument.node].sort) {
            (Value::Word(bits), Sort::Word(width)) if argument.is_inverted => {
                Value::Word(!bits & mask(width))
            }
            (value, _) => value,
        }
    }

    fn compute(&self, node: usize, row: &Row) -> Value {
        let Node { line, sort, what: What::Computed(arguments, numbers) } = &self.nodes[node] else {
            unreachable!("only lines with operands should be computed")
        };
        let sorts = |place: usize| self.nodes[arguments[place].node].sort;
        let values: Vec<Value> = arguments.iter().map(|&argument| self.value(row, argument)).collect();
        match (&values[..], line.keyword) {
            ([Value::Array(cells), Value::Word(index)], "read") => Value::Word(cells.at(*index)),
            ([Value::Array(cells), Value::Word(index), Value::Word(bits)], "write") => {
                let mut cells = Cells::clone(cells);
                cells.written.insert(*index, *bits);
                Value::Array(Rc::new(cells))
            }
            ([Value::Word(truth), then, otherwise], "ite") => {
                if *truth == 1 {
                    then.clone()
                } else {
                    otherwise.clone()
                }
            }
            ([Value::Array(a), Value::Array(b)], keyword) => {
                let Sort::Array { index, .. } = sorts(0) else {
                    unreachable!("arrays should have their sort")
                };
                Value::Word(u128::from(a.equals(b, index) == (keyword == "eq")))
            }
            ([Value::Word(a)], keyword) => Value::Word(unary(keyword, width(sorts(0)), *a, *numbers)),
            ([Value::Word(a), Value::Word(b)], "concat") => {
                let Sort::Word(low) = sorts(1) else { unreachable!("words should have their sort") };
                Value::Word(a.checked_shl(low).unwrap_or(0) | b)
            }
            ([Value::Word(a), Value::Word(b)], keyword) => {
                Value::Word(binary(keyword, width(sorts(0)), *a, *b) & mask(width(*sort)))
            }
            _ => unreachable!("sorts should have been compared"),
        }
    }
}

const fn width(sort: Sort) -> u32 {
    match sort {
        Sort::Word(width) => width,
        Sort::Array { element, .. } => element,
    }
}

pub(crate) const fn mask(width: u32) -> u128 {
    u128::MAX >> (u128::BITS - width)
}

/// The sort that an operator gives for operands of these sorts; `None` where it takes none such.
fn result(keyword: &str, sorts: &[Sort], [first, second]: [u32; 2]) -> Option<Sort> {
    let word = |bits: u32| (1..=WIDEST).contains(&bits).then_some(Sort::Word(bits));
    match (keyword, sorts) {
        ("not" | "inc" | "dec" | "neg", [Sort::Word(bits)]) => word(*bits),
        ("redand" | "redor" | "redxor", [Sort::Word(_)]) => word(1),
        ("slice", [Sort::Word(bits)]) if first < *bits && second <= first => word(first - second + 1),
        ("uext" | "sext", [Sort::Word(bits)]) => word(bits.checked_add(first)?),
        ("concat", [Sort::Word(a), Sort::Word(b)]) => word(a + b),
        ("read", [Sort::Array { index, element }, Sort::Word(bits)]) if bits == index => word(*element),
        ("write", [array @ Sort::Array { index, element }, Sort::Word(at), Sort::Word(bits)])
            if at == index && bits == element =>
        {
            Some(*array)
        }
        ("ite", [Sort::Word(1), a, b]) if a == b => Some(*a),
        ("eq" | "neq", [a, b]) if a == b => word(1),
        ("implies" | "iff", [Sort::Word(1), Sort::Word(1)]) => word(1),
        (
            "ult" | "ulte" | "ugt" | "ugte" | "slt" | "slte" | "sgt" | "sgte" | "saddo" | "uaddo" | "ssubo"
            | "usubo" | "smulo" | "umulo" | "sdivo" | "udivo",
            [Sort::Word(a), Sort::Word(b)],
        ) if a == b => word(1),
        (
            "and" | "nand" | "nor" | "or" | "xor" | "xnor" | "rol" | "ror" | "sll" | "sra" | "srl" | "add"
            | "sub" | "mul" | "udiv" | "urem" | "sdiv" | "srem" | "smod",
            [Sort::Word(a), Sort::Word(b)],
        ) if a == b => word(*a),
        _ => None,
    }
}

fn unary(keyword: &str, width: u32, a: u128, [first, second]: [u32; 2]) -> u128 {
    match keyword {
        "not" => !a & mask(width),
        "inc" => a.wrapping_add(1) & mask(width),
        "dec" => a.wrapping_sub(1) & mask(width),
        "neg" => a.wrapping_neg() & mask(width),
        "redand" => u128::from(a == mask(width)),
        "redor" => u128::from(a != 0),
        "redxor" => u128::from(a.count_ones() % 2 == 1),
        "slice" => a >> second & mask(first - second + 1),
        "sext" => signed(width, a) as u128 & mask(width + first),
        _ => a,
    }
}

/// The number that a word is in two's complement.
const fn signed(width: u32, bits: u128) -> i128 {
    let free = u128::BITS - width;
    (bits << free) as i128 >> free
}

/// A binary operator on words of one width; bits beyond the width of the result do not count.
fn binary(keyword: &str, width: u32, a: u128, b: u128) -> u128 {
    let (x, y) = (signed(width, a), signed(width, b));
    let fits = |number: Option<i128>| {
        number.is_some_and(|number| signed(width, number as u128 & mask(width)) == number)
    };
    match keyword {
        "and" => a & b,
        "nand" => !(a & b),
        "or" => a | b,
        "nor" => !(a | b),
        "xor" => a ^ b,
        "xnor" => !(a ^ b),
        "implies" => !a | b,
        "iff" | "eq" => u128::from(a == b),
        "neq" => u128::from(a != b),
        "ult" => u128::from(a < b),
        "ulte" => u128::from(a <= b),
        "ugt" => u128::from(a > b),
        "ugte" => u128::from(a >= b),
        "slt" => u128::from(x < y),
        "slte" => u128::from(x <= y),
        "sgt" => u128::from(x > y),
        "sgte" => u128::from(x >= y),
        "add" => a.wrapping_add(b),
        "sub" => a.wrapping_sub(b),
        "mul" => a.wrapping_mul(b),
        "udiv" => a.checked_div(b).unwrap_or(u128::MAX),
        "urem" => a.checked_rem(b).unwrap_or(a),
        "sdiv" if y == 0 => {
            if x < 0 {
                1
            } else {
                u128::MAX
            }
        }
        "sdiv" => x.wrapping_div(y) as u128,
        "srem" if y == 0 => a,
        "srem" => x.wrapping_rem(y) as u128,
        "smod" if y == 0 => a,
        "smod" => {
            let rest = x.wrapping_rem(y);
            let is_other = rest != 0 && (rest < 0) != (y < 0);
            (if is_other { rest + y } else { rest }) as u128
        }
        "sll" => {
            if b < width.into() {
                a << b
            } else {
                0
            }
        }
        "srl" => {
            if b < width.into() {
                a >> b
            } else {
                0
            }
        }
        "sra" => (x >> b.min(u128::from(width - 1))) as u128,
        "rol" => rotated(width, a, (b % u128::from(width)) as u32),
        "ror" => rotated(width, a, (u128::from(width) - b % u128::from(width)) as u32 % width),
        "uaddo" => u128::from(a.checked_add(b).is_none_or(|sum| sum > mask(width))),
        "usubo" => u128::from(a < b),
        "umulo" => u128::from(a.checked_mul(b).is_none_or(|product| product > mask(width))),
        "udivo" => 0,
        "saddo" => u128::from(!fits(x.checked_add(y))),
        "ssubo" => u128::from(!fits(x.checked_sub(y))),
        "smulo" => u128::from(!fits(x.checked_mul(y))),
        "sdivo" => u128::from(y != 0 && !fits(x.checked_div(y))),
        _ => unreachable!("operators should have been looked up"),
    }
}

/// A word turned to the left, by less than its width.
const fn rotated(width: u32, a: u128, by: u32) -> u128 {
    if by == 0 { a } else { (a << by | a >> (width - by)) & mask(width) }
}

fn constant(line: &Line<'_>, width: u32) -> Result<u128, ReadError> {
    let radix = match line.keyword {
        "zero" => return Ok(0),
        "one" => return Ok(1),
        "ones" => return Ok(mask(width)),
        "const" => 2,
        "constd" => 10,
        _ => 16,
    };
    let word = line.word(1)?;
    let digits = if radix == 10 { word.strip_prefix('-').unwrap_or(word) } else { word };
    let is_number = digits.bytes().all(|digit| digit.is_ascii_alphanumeric());
    let number = u128::from_str_radix(digits, radix).ok().filter(|_| is_number);
    let most = if digits.len() < word.len() { mask(width) / 2 + 1 } else { mask(width) };
    match number.filter(|&number| number <= most) {
        Some(number) if digits.len() < word.len() => Ok(number.wrapping_neg() & mask(width)),
        Some(number) => Ok(number),
        None => Err(line.error(format!("`{word}` is no number of {width} bits to base {radix}"))),
    }
}
