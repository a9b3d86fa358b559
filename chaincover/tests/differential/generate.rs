//! A generator of random C step functions over integers, floats, structs, arrays, pointers and all statements.

use super::program::{Expr, Function, Place, Program, Stmt};
use super::support::Random;
use std::fmt::Write;

const INTEGERS: &[&str] = &[
    "_Bool",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
];

/// Functions of math.h with one argument that IEEE 754 defines exactly.
pub(crate) const ONE: &[&str] = &["fabs", "floor", "ceil", "trunc", "round", "rint", "nearbyint", "sqrt"];

/// Those with two arguments.
pub(crate) const TWO: &[&str] = &["fmin", "fmax", "copysign", "fdim"];

/// The exact remainders, whose circuits are large; those for `double` have millions of gates.
pub(crate) const REMAINDERS: &[&str] = &["fmod", "remainder"];

/// What programs may contain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Floats, functions of math.h, bit-fields, unions, pointer variables.
    pub(crate) rich: bool,
    /// Whether bit-fields are wider than `int`: gcc and the tool give their expressions exactly their width.
    pub(crate) wide: bool,
    /// Whether values of assignments are used, and places depend on what they hold.
    pub(crate) effects: bool,
}

/// How a variable is reached: pieces of text, with the number of elements where an index follows; and whether it is a float.
#[derive(Clone, Debug)]
struct Variable {
    pieces: Vec<(String, Option<usize>)>,
    float: Option<u32>,
    writable: bool,
    /// Whether its address may be taken.
    addressable: bool,
    ty: String,
}

struct Generator<'r> {
    random: &'r mut Random,
    prefix: String,
    options: Options,
    declarations: String,
    variables: Vec<Variable>,
    states: Vec<(String, Option<u32>)>,
    inputs: Vec<String>,
    /// Helper functions: name, types of parameters (`*` marks pointers), type of the result.
    helpers: Vec<(String, Vec<String>, String)>,
    locals: usize,
    labels: usize,
    /// Struct variables of the one struct type, to be copied.
    records: Vec<String>,
    /// Pointer variables with what they may point to.
    pointers: Vec<(String, Vec<String>)>,
    /// The union, if there is one.
    union: Option<String>,
    /// The tag of the structs that point to each other, a place that leads through two pointers,
    /// and what it may point to.
    ring: Option<(String, String, Vec<String>)>,
    loops: usize,
    /// How many indexes stand around what is generated now.
    indexes: usize,
}

/// Most indexes within indexes: where every variable is an array, they would never end.
const MOST_INDEXES: usize = 12;

/// A random program; all its names begin with `prefix`.
pub(crate) fn generate(random: &mut Random, prefix: &str, options: Options) -> Program {
    let mut generator = Generator {
        random,
        prefix: prefix.to_owned(),
        options,
        declarations: String::new(),
        variables: Vec::new(),
        states: Vec::new(),
        inputs: Vec::new(),
        helpers: Vec::new(),
        locals: 0,
        labels: 0,
        records: Vec::new(),
        pointers: Vec::new(),
        union: None,
        ring: None,
        loops: 0,
        indexes: 0,
    };
    generator.declare();
    let mut functions = Vec::new();
    for _ in 0..generator.random.below(3) {
        functions.push(generator.helper());
    }
    let step = format!("{prefix}_step");
    let body = generator.function_body(3, 10);
    functions.push(Function { head: format!("void {step}(void)"), body, result: None });
    Program {
        declarations: generator.declarations,
        functions,
        step,
        inputs: generator.inputs,
        states: generator.states,
    }
}

fn float_bits(ty: &str) -> Option<u32> {
    match ty {
        "float" => Some(32),
        "double" => Some(64),
        _ => None,
    }
}

impl Generator<'_> {
    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.random.below(list.len())]
    }

    fn scalar_type(&mut self) -> String {
        if self.options.rich && self.random.chance(25) {
            return (*self.pick(&["float", "double"])).to_owned();
        }
        (*self.pick(INTEGERS)).to_owned()
    }

    // ---- declarations ----

    fn declare(&mut self) {
        for index in 0..1 + self.random.below(4) {
            let (ty, name) = (self.scalar_type(), format!("{}_in{index}", self.prefix));
            let _ = writeln!(self.declarations, "{ty} {name};");
            self.add(vec![(name.clone(), None)], &ty, false, false);
            self.inputs.push(name);
        }
        for index in 0..1 + self.random.below(4) {
            let (ty, name) = (self.scalar_type(), format!("{}_s{index}", self.prefix));
            let start = self.random.below(20);
            let _ = writeln!(self.declarations, "{ty} {name} = {start};");
            self.state(vec![(name, None)], &ty, true);
        }
        for index in 0..self.random.below(3) {
            let (ty, name) = (self.scalar_type(), format!("{}_a{index}", self.prefix));
            let count = 2 + self.random.below(5);
            let _ = writeln!(self.declarations, "{ty} {name}[{count}] = {{ 1, 2 }};");
            self.state(vec![(name, Some(count))], &ty, true);
        }
        if self.random.chance(50) {
            let (ty, name) = (self.scalar_type(), format!("{}_t", self.prefix));
            let count = 3 + self.random.below(14);
            let values: Vec<String> = (0..count).map(|_| self.constant(float_bits(&ty).is_some())).collect();
            let _ = writeln!(
                self.declarations,
                "static const {ty} {name}[{count}] = {{ {} }};",
                values.join(", ")
            );
            self.add(vec![(name, Some(count))], &ty, false, false);
        }
        if self.random.chance(30) {
            let (ty, name) = (self.scalar_type(), format!("{}_m", self.prefix));
            let (rows, columns) = (2 + self.random.below(2), 2 + self.random.below(2));
            let _ = writeln!(self.declarations, "static {ty} {name}[{rows}][{columns}] = {{ {{ 3 }} }};");
            self.state(vec![(name, Some(rows)), (String::new(), Some(columns))], &ty, true);
        }
        if self.random.chance(70) {
            self.declare_records();
        }
        if self.options.rich {
            self.declare_union();
            self.declare_pointers();
        }
    }

    /// A union of a float, its bytes and its halves.
    fn declare_union(&mut self) {
        if !self.random.chance(50) {
            return;
        }
        let name = format!("{}_u", self.prefix);
        let extra = if self.random.chance(50) { " long long w;" } else { "" };
        let _ = writeln!(
            self.declarations,
            "static union {{ float f; unsigned char b[4]; short h[2];{extra} }} {name} = {{ 2.5f }};"
        );
        self.state(vec![(format!("{name}.f"), None)], "float", true);
        self.state(vec![(format!("{name}.b"), Some(4))], "unsigned char", true);
        self.state(vec![(format!("{name}.h"), Some(2))], "short", true);
        if !extra.is_empty() {
            self.state(vec![(format!("{name}.w"), None)], "long long", true);
        }
        self.union = Some(name);
    }

    /// Pointers to some of the variables, and a ring of structs that point to each other.
    fn declare_pointers(&mut self) {
        for index in 0..self.random.below(3) {
            let found: Vec<usize> =
                (0..self.variables.len()).filter(|&index| self.can_be_pointed_to(index)).collect();
            if found.is_empty() {
                return;
            }
            let ty = self.variables[found[self.random.below(found.len())]].ty.clone();
            let same: Vec<usize> =
                found.into_iter().filter(|&index| self.variables[index].ty == ty).collect();
            let targets: Vec<String> = same.iter().map(|&index| self.address(index)).collect();
            let name = format!("{}_p{index}", self.prefix);
            let _ = writeln!(self.declarations, "static {ty} *{name} = {};", targets[0]);
            self.add(vec![(format!("(*{name})"), None)], &ty, true, true);
            self.pointers.push((name, targets));
        }
        if self.random.chance(40) {
            let ty = self.scalar_type();
            let (tag, [one, two, all]) = (
                format!("{}_node", self.prefix),
                ["x", "y", "z"].map(|end| format!("{}_{end}", self.prefix)),
            );
            let _ = writeln!(
                self.declarations,
                "struct {tag} {{ {ty} v; struct {tag} *next; }};\nstatic struct {tag} {one}, {two} = {{ 3, &{one} }}, {all}[2] = {{ {{ 1, &{two} }}, {{ 2, &{all}[0] }} }};\nstatic struct {tag} {one} = {{ 4, &{all}[1] }};"
            );
            self.state(vec![(format!("{one}.v"), None)], &ty, true);
            self.state(vec![(all.clone(), Some(2)), (".v".to_owned(), None)], &ty, true);
            self.add(vec![(format!("{two}.next->v"), None)], &ty, true, true);
            self.add(vec![(format!("{one}.next->next->v"), None)], &ty, true, true);
            let targets = [one.clone(), two.clone(), format!("{all}[1]")];
            let targets = targets.map(|target| format!("&{target}")).to_vec();
            self.ring = Some((tag, format!("{one}.next->next"), targets.clone()));
            self.pointers.push((format!("{two}.next"), targets.clone()));
            self.pointers.push((format!("{all}[0].next"), targets));
        }
    }

    /// Whether a variable outlives a step and its address does not depend on anything.
    fn can_be_pointed_to(&self, index: usize) -> bool {
        let variable = &self.variables[index];
        variable.addressable && variable.writable && variable.pieces[0].0.starts_with(&self.prefix)
    }

    /// The address of a variable, or of one of its elements.
    fn address(&mut self, index: usize) -> String {
        let mut text = String::from("&");
        for (piece, count) in self.variables[index].pieces.clone() {
            text.push_str(&piece);
            if let Some(count) = count {
                let _ = write!(text, "[{}]", self.random.below(count));
            }
        }
        text
    }

    fn declare_records(&mut self) {
        let tag = format!("{}_rec", self.prefix);
        let mut members = Vec::new();
        let mut text = format!("struct {tag} {{\n");
        for index in 0..2 + self.random.below(4) {
            let ty = self.scalar_type();
            let name = format!("f{index}");
            if self.options.rich && self.random.chance(35) {
                let (ty, least, most) = match self.options.wide {
                    false => *self.pick(&[
                        ("int", 1, 15),
                        ("unsigned int", 1, 16),
                        ("unsigned char", 1, 8),
                        ("_Bool", 1, 1),
                    ]),
                    true => *self.pick(&[("long long", 33, 63), ("unsigned long long", 33, 63)]),
                };
                let width = least + self.random.below(most + 1 - least);
                let _ = writeln!(text, "    {ty} {name} : {width};");
                members.push((vec![(format!(".{name}"), None)], ty.to_owned(), false));
            } else if self.random.chance(25) {
                let count = 2 + self.random.below(3);
                let _ = writeln!(text, "    {ty} {name}[{count}];");
                members.push((vec![(format!(".{name}"), Some(count))], ty, true));
            } else {
                let _ = writeln!(text, "    {ty} {name};");
                members.push((vec![(format!(".{name}"), None)], ty, true));
            }
        }
        if self.random.chance(40) {
            text.push_str("    struct { short x; unsigned char y; } in;\n");
            members.push((vec![(".in.x".to_owned(), None)], "short".to_owned(), true));
            members.push((vec![(".in.y".to_owned(), None)], "unsigned char".to_owned(), true));
        }
        text.push_str("};\n");
        self.declarations.push_str(&text);
        let (one, many) = (format!("{}_r", self.prefix), format!("{}_q", self.prefix));
        let _ = writeln!(self.declarations, "static struct {tag} {one}, {many}[3];");
        for (pieces, ty, addressable) in members {
            let mut single = pieces.clone();
            single[0].0.insert_str(0, &one);
            self.state(single, &ty, addressable);
            let mut element = pieces;
            element.insert(0, (many.clone(), Some(3)));
            self.state(element, &ty, addressable);
        }
        self.records = vec![one, format!("{many}[0]"), format!("{many}[2]")];
    }

    fn add(&mut self, pieces: Vec<(String, Option<usize>)>, ty: &str, writable: bool, addressable: bool) {
        self.variables.push(Variable {
            pieces,
            float: float_bits(ty),
            writable,
            addressable,
            ty: ty.to_owned(),
        });
    }

    /// A variable that keeps its value, with all its elements.
    fn state(&mut self, pieces: Vec<(String, Option<usize>)>, ty: &str, addressable: bool) {
        let mut names = vec![String::new()];
        for (piece, count) in &pieces {
            names = names.into_iter().map(|name| name + piece).collect();
            if let Some(count) = count {
                let indexed = |name: String| (0..*count).map(move |index| format!("{name}[{index}]"));
                names = names.into_iter().flat_map(indexed).collect();
            }
        }
        self.states.extend(names.into_iter().map(|name| (name, float_bits(ty))));
        self.add(pieces, ty, true, addressable);
    }

    fn helper(&mut self) -> Function {
        let name = format!("{}_f{}", self.prefix, self.helpers.len());
        let mut parameters = Vec::new();
        let mut texts = Vec::new();
        let known = self.variables.len();
        for index in 0..1 + self.random.below(3) {
            let ty = self.scalar_type();
            let parameter = format!("p{index}");
            if self.random.chance(35) {
                texts.push(format!("{ty} *{parameter}"));
                parameters.push(format!("{ty}*"));
                self.add(vec![(format!("(*{parameter})"), None)], &ty, true, false);
            } else {
                texts.push(format!("{ty} {parameter}"));
                parameters.push(ty.clone());
                self.add(vec![(parameter, None)], &ty, true, false);
            }
        }
        let result = self.scalar_type();
        let body = self.function_body(2, 4);
        let end = self.expr(2, float_bits(&result).is_some());
        self.variables.truncate(known);
        let head = format!("static {result} {name}({})", texts.join(", "));
        self.helpers.push((name, parameters, result));
        // A `return` inside the body needs a value: any will do.
        Function { head, body: with_results(body), result: Some(end) }
    }

    fn function_body(&mut self, depth: usize, statements: usize) -> Vec<Stmt> {
        let known = self.variables.len();
        let mut body = Vec::new();
        if self.random.chance(30) {
            // The same name in several functions.
            let ty = self.scalar_type();
            let start = self.random.below(9);
            body.push(Stmt::Text(format!("static {ty} kept = {start};")));
            self.add(vec![("kept".to_owned(), None)], &ty, true, true);
        }
        for _ in 0..self.random.below(3) {
            body.push(self.local());
        }
        body.extend(self.block(depth, statements));
        self.variables.truncate(known);
        body
    }

    fn local(&mut self) -> Stmt {
        let (ty, name) = (self.scalar_type(), format!("l{}", self.locals));
        self.locals += 1;
        let value = self.expr(2, float_bits(&ty).is_some());
        self.add(vec![(name.clone(), None)], &ty, true, true);
        Stmt::Local(format!("{ty} {name}"), value)
    }

    // ---- statements ----

    fn block(&mut self, depth: usize, most: usize) -> Vec<Stmt> {
        let known = self.variables.len();
        let count = 1 + self.random.below(most);
        let mut block = Vec::new();
        for _ in 0..count {
            self.statement(depth, &mut block);
        }
        self.variables.truncate(known);
        block
    }

    fn statement(&mut self, depth: usize, block: &mut Vec<Stmt>) {
        if self.options.effects && self.random.chance(15) {
            return self.effects(block);
        }
        let choice = self.random.below(if depth == 0 { 55 } else { 100 });
        let stmt = match choice {
            0..=34 => self.assignment(),
            35..=39 => self.local(),
            40..=44 => self.increment(),
            45..=49 => self.helper_call(),
            50 => self.copy(),
            51 => self.pointer_assignment(),
            52..=53 if self.loops > 0 => Stmt::If(
                self.expr(1, false),
                vec![Stmt::Text((*self.pick(&["break;", "continue;"])).to_owned())],
                Vec::new(),
            ),
            54 => Stmt::If(self.expr(1, false), vec![Stmt::Return(None)], Vec::new()),
            55..=74 => {
                let condition = self.expr(2, false);
                let then = self.block(depth - 1, 3);
                let otherwise = if self.random.chance(50) { self.block(depth - 1, 3) } else { Vec::new() };
                Stmt::If(condition, then, otherwise)
            }
            75..=84 => self.switch(depth),
            85..=94 => self.repeat(depth),
            95..=97 => return self.jump(depth, block),
            _ => self.assignment(),
        };
        block.push(stmt);
    }

    fn assignment(&mut self) -> Stmt {
        let writable: Vec<usize> =
            (0..self.variables.len()).filter(|&index| self.variables[index].writable).collect();
        let index = writable[self.random.below(writable.len())];
        let float = self.variables[index].float.is_some();
        let place = self.place(index);
        let plain = self.random.chance(50);
        let op = match (plain, float) {
            (true, _) => "=",
            (_, true) => *self.pick(&["+=", "-=", "*=", "/="]),
            (_, false) => *self.pick(&["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="]),
        };
        let value = if matches!(op, "<<=" | ">>=") {
            Expr::Infix("&", Box::new(self.expr(1, false)), Box::new(Expr::Text("7".to_owned())))
        } else {
            let wants_float =
                float && self.random.chance(70) || op == "=" && self.random.chance(10) && self.options.rich;
            self.expr(3, wants_float)
        };
        Stmt::Assign(place, op, value)
    }

    /// Statements that use the value of an assignment, to a place that may depend on what it holds.
    /// Nothing else in them depends on the object that is written: C leaves the order open.
    fn effects(&mut self, block: &mut Vec<Stmt>) {
        match self.random.below(10) {
            0 => block.push(self.copied_member()),
            1 => block.push(self.moved_pointer()),
            2 => self.late_value(block),
            _ => block.push(self.assigned_value()),
        }
    }

    /// A variable that gets the value of an assignment, of `++` or `--`.
    fn assigned_value(&mut self) -> Stmt {
        let found: Vec<usize> = (0..self.variables.len())
            .filter(|&index| self.variables[index].writable && self.variables[index].ty != "_Bool")
            .collect();
        if found.is_empty() {
            return self.assignment();
        }
        let index = found[self.random.below(found.len())];
        let (ty, float) = (self.variables[index].ty.clone(), self.variables[index].float.is_some());
        let place = self.place_in_itself(index);
        let value = match self.random.below(6) {
            0 => Expr::Step("++", place, ""),
            1 => Expr::Step("", place, "--"),
            2 => Expr::Assign(place, "+=", Box::new(Expr::Text("1".to_owned()))),
            3 if !float => {
                let op = *self.pick(&["-=", "*=", "&=", "|=", "^="]);
                Expr::Assign(place, op, Box::new(self.expr(1, false)))
            }
            _ => Expr::Assign(place, "=", Box::new(self.expr(2, float))),
        };
        let known = if self.random.chance(50) { ty } else { "long long".to_owned() };
        let known = if float { self.variables[index].ty.clone() } else { known };
        self.named(&known, value)
    }

    /// A place one index of which, where there is one, is what another element of the variable
    /// holds.
    fn place_in_itself(&mut self, index: usize) -> Place {
        let mut place = self.place(index);
        if self.variables[index].float.is_some() || self.random.chance(30) {
            return place;
        }
        let mut other = self.place(index);
        for (_, index) in &mut other.pieces {
            if let Some((index, count)) = index {
                **index = Expr::Text(self.random.below(*count).to_string());
            }
        }
        if let Some((index, _)) = place.pieces.iter_mut().find_map(|(_, index)| index.as_mut()) {
            **index = Expr::Place(other);
        }
        place
    }

    /// A new local variable with a value.
    fn named(&mut self, ty: &str, value: Expr) -> Stmt {
        let name = format!("l{}", self.locals);
        self.locals += 1;
        self.add(vec![(name.clone(), None)], ty, true, true);
        Stmt::Local(format!("{ty} {name}"), value)
    }

    /// A member of what a struct assignment yields.
    fn copied_member(&mut self) -> Stmt {
        let Some(one) = self.records.first().cloned() else { return self.assigned_value() };
        let members: Vec<(String, String)> = self
            .variables
            .iter()
            .filter(|variable| matches!(variable.pieces.as_slice(), [(_, None)]))
            .filter_map(|variable| {
                let member = variable.pieces[0].0.strip_prefix(&one)?.strip_prefix('.')?;
                Some((member.to_owned(), variable.ty.clone()))
            })
            .collect();
        if members.is_empty() {
            return self.assigned_value();
        }
        let (member, ty) = self.pick(&members).clone();
        let (to, from) = (self.pick(&self.records.clone()).clone(), self.pick(&self.records.clone()).clone());
        let value = Expr::Text(format!("({to} = {from}).{member}"));
        self.named(&ty, value)
    }

    /// Writes through a pointer that the same statement sets.
    fn moved_pointer(&mut self) -> Stmt {
        if let Some((tag, place, targets)) = self.ring.clone()
            && self.random.chance(50)
        {
            let target = self.pick(&targets).clone();
            return Stmt::Text(format!("{{ struct {tag} *k = ({place} = {target}); k->v = 1 - k->v; }}"));
        }
        let plain = |(name, _): &&(String, Vec<String>)| !name.contains('.');
        let pointers: Vec<(String, Vec<String>)> = self.pointers.iter().filter(plain).cloned().collect();
        if pointers.is_empty() {
            return self.assigned_value();
        }
        let (name, targets) = self.pick(&pointers).clone();
        let target = self.pick(&targets).clone();
        Stmt::Text(format!("*({name} = {target}) += 1;"))
    }

    /// A variable without an initialiser that gets its value on every path.
    fn late_value(&mut self, block: &mut Vec<Stmt>) {
        let (ty, name) = (self.scalar_type(), format!("l{}", self.locals));
        let float = float_bits(&ty).is_some();
        self.locals += 1;
        let place = || Place { pieces: vec![(name.clone(), None)] };
        let (condition, then, otherwise) = (self.expr(1, false), self.expr(1, float), self.expr(1, float));
        let then = vec![Stmt::Assign(place(), "=", then)];
        let otherwise = vec![Stmt::Assign(place(), "=", otherwise)];
        block.push(Stmt::Text(format!("{ty} {name};")));
        block.push(Stmt::If(condition, then, otherwise));
        self.add(vec![(name, None)], &ty, true, true);
    }

    fn increment(&mut self) -> Stmt {
        let found: Vec<usize> = (0..self.variables.len())
            .filter(|&index| self.variables[index].writable && self.variables[index].ty != "_Bool")
            .collect();
        if found.is_empty() {
            return self.assignment();
        }
        let index = found[self.random.below(found.len())];
        let place = self.place(index);
        let op = *self.pick(&["+=", "-="]);
        Stmt::Assign(place, op, Expr::Text("1".to_owned()))
    }

    /// A call in a statement of its own: what order operands with effects are evaluated in, C leaves open.
    fn helper_call(&mut self) -> Stmt {
        match self.call() {
            Some((call, ty)) => {
                let name = format!("l{}", self.locals);
                self.locals += 1;
                self.add(vec![(name.clone(), None)], &ty, true, true);
                Stmt::Local(format!("{ty} {name}"), call)
            }
            None => self.assignment(),
        }
    }

    fn copy(&mut self) -> Stmt {
        if self.records.is_empty() {
            return self.assignment();
        }
        let (to, from) = (self.pick(&self.records.clone()).clone(), self.pick(&self.records.clone()).clone());
        if to == from {
            return self.assignment();
        }
        match self.random.below(3) {
            0 => Stmt::Text(format!("memcpy(&{to}, &{from}, sizeof {to});")),
            1 if self.random.chance(30) => Stmt::Text(format!("memset(&{to}, 0, sizeof {to});")),
            _ => Stmt::Text(format!("{to} = {from};")),
        }
    }

    /// Sets a pointer, or copies the bytes of a variable into the union.
    fn pointer_assignment(&mut self) -> Stmt {
        if let Some(union) = &self.union
            && self.random.chance(30)
        {
            let source = self.states[self.random.below(self.states.len())].0.clone();
            if !source.contains("f") && !source.contains("in.") && !source.contains(union.as_str()) {
                return Stmt::Text(format!(
                    "memcpy(&{union}, &{source}, sizeof {source} < sizeof {union} ? sizeof {source} : sizeof {union});"
                ));
            }
        }
        if self.pointers.is_empty() {
            return self.copy();
        }
        let (name, targets) = self.pick(&self.pointers.clone()).clone();
        let (one, two) = (self.pick(&targets).clone(), self.pick(&targets).clone());
        let place = Place { pieces: vec![(name, None)] };
        let condition = self.expr(1, false);
        let [one, two] = [one, two].map(|target| Box::new(Expr::Text(target)));
        Stmt::Assign(place, "=", Expr::Choice(Box::new(condition), one, two))
    }

    fn switch(&mut self, depth: usize) -> Stmt {
        let value = self.expr(2, false);
        let loops = std::mem::take(&mut self.loops);
        let mut arms = Vec::new();
        let mut next = -2i32;
        for _ in 0..1 + self.random.below(4) {
            let low = next + self.random.below(3) as i32;
            let label = if self.random.chance(20) {
                next = low + 4;
                format!("case {low} ... {}", low + 2)
            } else {
                next = low + 1;
                format!("case {low}")
            };
            arms.push((label, self.block(depth - 1, 2), self.random.chance(70)));
        }
        if self.random.chance(60) {
            let position = self.random.below(arms.len() + 1);
            arms.insert(position, ("default".to_owned(), self.block(depth - 1, 2), self.random.chance(70)));
        }
        self.loops = loops;
        let value = Expr::Infix("%", Box::new(value), Box::new(Expr::Text("9".to_owned())));
        Stmt::Switch(Expr::Prefix("(int)".to_owned(), Box::new(value)), arms)
    }

    fn repeat(&mut self, depth: usize) -> Stmt {
        let name = format!("i{}", self.locals);
        self.locals += 1;
        let rounds = 1 + self.random.below(5);
        let known = self.variables.len();
        self.add(vec![(name.clone(), None)], "int", false, false);
        self.loops += 1;
        let mut body = self.block(depth - 1, 3);
        self.loops -= 1;
        self.variables.truncate(known);
        match self.random.below(4) {
            0 => {
                body.insert(0, Stmt::Text(format!("{name}++;")));
                Stmt::Loop(format!("int {name} = 0; do"), body, format!(" while ({name} < {rounds});"))
            }
            1 => {
                body.insert(0, Stmt::Text(format!("if ({name}++ >= {rounds}) break;")));
                Stmt::Loop(format!("for (int {name} = 0; ; )"), body, String::new())
            }
            _ => {
                Stmt::Loop(format!("for (int {name} = 0; {name} < {rounds}; {name}++)"), body, String::new())
            }
        }
    }

    /// A forward jump over some statements.
    fn jump(&mut self, depth: usize, block: &mut Vec<Stmt>) {
        let label = format!("out{}", self.labels);
        self.labels += 1;
        let condition = self.expr(1, false);
        block.push(Stmt::If(condition, vec![Stmt::Text(format!("goto {label};"))], Vec::new()));
        let over = self.block(depth - 1, 2);
        block.push(Stmt::If(Expr::Text("1".to_owned()), over, Vec::new()));
        block.push(Stmt::Text(format!("{label}: ;")));
    }

    // ---- expressions ----

    fn place(&mut self, index: usize) -> Place {
        let pieces = self.variables[index].pieces.clone();
        let pieces = pieces.into_iter().map(|(text, count)| {
            let index = count.map(|count| {
                let index = if self.random.chance(40) || self.indexes >= MOST_INDEXES {
                    Expr::Text(self.random.below(count).to_string())
                } else {
                    self.indexes += 1;
                    let index = self.expr(1, false);
                    self.indexes -= 1;
                    index
                };
                (Box::new(index), count)
            });
            (text, index)
        });
        Place { pieces: pieces.collect() }
    }

    fn variable(&mut self, float: bool) -> Expr {
        let found: Vec<usize> = (0..self.variables.len())
            .filter(|&index| self.variables[index].float.is_some() == float)
            .collect();
        if found.is_empty() {
            return Expr::Text(self.constant(float));
        }
        let index = found[self.random.below(found.len())];
        Expr::Place(self.place(index))
    }

    fn constant(&mut self, float: bool) -> String {
        if float {
            let number = self.random.below(64) as f64 / 8.0 - 3.0;
            return if self.random.chance(50) { format!("{number:?}f") } else { format!("{number:?}") };
        }
        match self.random.below(9) {
            0..=4 => self.random.below(10).to_string(),
            5 => format!("{}u", self.random.below(300)),
            6 => (*self.pick(&["-1", "127", "128", "255", "32767", "0x8000", "65535", "-32768"])).to_owned(),
            7 => format!("{}", self.random.below(100_000)),
            _ => {
                (*self.pick(&["0x7fffffff", "0xffffffffu", "1000000007LL", "-5L", "3ULL", "'a'"])).to_owned()
            }
        }
    }

    fn expr(&mut self, depth: usize, float: bool) -> Expr {
        if depth == 0 || self.random.chance(15) {
            return if self.random.chance(70) {
                self.variable(float)
            } else {
                Expr::Text(self.constant(float))
            };
        }
        if float { self.float_expr(depth) } else { self.integer_expr(depth) }
    }

    fn boxed(&mut self, depth: usize, float: bool) -> Box<Expr> {
        Box::new(self.expr(depth, float))
    }

    fn float_expr(&mut self, depth: usize) -> Expr {
        match self.random.below(10) {
            0..=5 => {
                let op = *self.pick(&["+", "-", "*", "/"]);
                let mixed = self.random.chance(80);
                Expr::Infix(op, self.boxed(depth - 1, true), self.boxed(depth - 1, mixed))
            }
            6 => Expr::Prefix("-".to_owned(), self.boxed(depth - 1, true)),
            7 if self.random.chance(60) => self.float_call(depth),
            7 => {
                let ty = *self.pick(&["(float)", "(double)"]);
                let float = self.random.chance(50);
                Expr::Prefix(ty.to_owned(), self.boxed(depth - 1, float))
            }
            _ => Expr::Choice(
                self.boxed(depth - 1, false),
                self.boxed(depth - 1, true),
                self.boxed(depth - 1, true),
            ),
        }
    }

    /// A function of math.h that IEEE 754 defines exactly.
    fn float_call(&mut self, depth: usize) -> Expr {
        let suffix = *self.pick(&["", "f"]);
        let (name, count) = match self.random.below(20) {
            0..=10 => (*self.pick(ONE), 1),
            11..=17 => (*self.pick(TWO), 2),
            18 => ("fma", 3),
            _ => {
                let name = format!("{}f", self.pick(REMAINDERS));
                return Expr::Call(name, vec![self.expr(depth - 1, true), self.expr(depth - 1, true)]);
            }
        };
        let arguments = (0..count).map(|_| self.expr(depth - 1, true)).collect();
        Expr::Call(format!("{name}{suffix}"), arguments)
    }

    fn integer_expr(&mut self, depth: usize) -> Expr {
        let text = |text: &str| Box::new(Expr::Text(text.to_owned()));
        match self.random.below(20) {
            0..=5 => {
                let op = *self.pick(&["+", "-", "*", "&", "|", "^"]);
                Expr::Infix(op, self.boxed(depth - 1, false), self.boxed(depth - 1, false))
            }
            6 => {
                let op = *self.pick(&["/", "%"]);
                let divisor = Expr::Infix("|", self.boxed(depth - 1, false), text("1"));
                Expr::Infix(op, self.boxed(depth - 1, false), Box::new(divisor))
            }
            7 => {
                let op = *self.pick(&["<<", ">>"]);
                let amount = Expr::Infix("&", self.boxed(depth - 1, false), text("15"));
                Expr::Infix(op, self.boxed(depth - 1, false), Box::new(amount))
            }
            8..=10 => {
                let op = *self.pick(&["==", "!=", "<", "<=", ">", ">="]);
                let float = self.options.rich && self.random.chance(30);
                Expr::Infix(op, self.boxed(depth - 1, float), self.boxed(depth - 1, float))
            }
            11..=12 => {
                let op = *self.pick(&["&&", "||"]);
                Expr::Infix(op, self.boxed(depth - 1, false), self.boxed(depth - 1, false))
            }
            13..=14 => {
                let op = *self.pick(&["-", "~", "!"]);
                Expr::Prefix(op.to_owned(), self.boxed(depth - 1, false))
            }
            15..=16 => {
                let ty = format!("({})", self.pick(INTEGERS));
                let float = self.options.rich && self.random.chance(30);
                Expr::Prefix(ty, self.boxed(depth - 1, float))
            }
            17 if self.options.rich && self.random.chance(30) => {
                let name = *self.pick(&["isnan", "isinf", "isfinite", "signbit"]);
                let call = Expr::Call(name.to_owned(), vec![self.expr(depth - 1, true)]);
                Expr::Infix("!=", Box::new(call), text("0"))
            }
            17 => Expr::Choice(
                self.boxed(depth - 1, false),
                self.boxed(depth - 1, false),
                self.boxed(depth - 1, false),
            ),
            _ => self.variable(false),
        }
    }

    /// A call of a helper, and the type of its result.
    fn call(&mut self) -> Option<(Expr, String)> {
        let found = self.helpers.clone();
        if found.is_empty() {
            return None;
        }
        let (name, parameters, result) = found[self.random.below(found.len())].clone();
        let mut arguments = Vec::new();
        for parameter in &parameters {
            arguments.push(match parameter.strip_suffix('*') {
                Some(ty) => self.pointer_argument(ty)?,
                None => self.expr(1, float_bits(parameter).is_some()),
            });
        }
        Some((Expr::Call(name, arguments), result))
    }

    fn pointer_argument(&mut self, ty: &str) -> Option<Expr> {
        let found: Vec<usize> = (0..self.variables.len())
            .filter(|&index| {
                self.variables[index].addressable
                    && self.variables[index].writable
                    && self.variables[index].ty == ty
            })
            .collect();
        if found.is_empty() {
            return None;
        }
        let index = found[self.random.below(found.len())];
        let place = self.place(index);
        Some(Expr::Prefix("&".to_owned(), Box::new(Expr::Place(place))))
    }
}

/// Gives every `return` in a helper a value.
fn with_results(block: Vec<Stmt>) -> Vec<Stmt> {
    let change = |stmt: Stmt| match stmt {
        Stmt::Return(None) => Stmt::Return(Some(Expr::Text("2".to_owned()))),
        Stmt::If(condition, then, otherwise) => {
            Stmt::If(condition, with_results(then), with_results(otherwise))
        }
        Stmt::Switch(value, arms) => Stmt::Switch(
            value,
            arms.into_iter().map(|(label, body, breaks)| (label, with_results(body), breaks)).collect(),
        ),
        Stmt::Loop(head, body, tail) => Stmt::Loop(head, with_results(body), tail),
        other => other,
    };
    block.into_iter().map(change).collect()
}
