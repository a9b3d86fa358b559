//! Random C step functions as trees, so that a failing one can be made smaller.

use std::fmt::Write;

/// An expression.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    /// Text that stands for itself: constants, variables without index.
    Text(String),
    /// A variable with indices.
    Place(Place),
    /// A prefix operator or cast.
    Prefix(String, Box<Expr>),
    /// An infix operator.
    Infix(&'static str, Box<Expr>, Box<Expr>),
    /// `a ? b : c`.
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A call.
    Call(String, Vec<Expr>),
    /// An assignment whose value is used, with its operator.
    Assign(Place, &'static str, Box<Expr>),
    /// `++` or `--` of a place: what stands before and behind it.
    Step(&'static str, Place, &'static str),
}

/// An index and the number of elements.
pub(crate) type Index = (Box<Expr>, usize);

/// An lvalue: pieces of text with indices between them.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// Text, and the index behind it with the number of elements.
    pub(crate) pieces: Vec<(String, Option<Index>)>,
}

/// A statement.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    /// An assignment with its operator.
    Assign(Place, &'static str, Expr),
    /// Text without parts: increments, `break`, jumps.
    Text(String),
    /// A local variable: declaration without initialiser, and its value.
    Local(String, Expr),
    /// `if`.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `switch`: labels, statements and whether a `break` ends them.
    Switch(Expr, Vec<(String, Vec<Stmt>, bool)>),
    /// A loop: its head, body, and what follows the body (for `do`).
    Loop(String, Vec<Stmt>, String),
    /// `return`.
    Return(Option<Expr>),
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// Everything before the body.
    pub(crate) head: String,
    /// The body.
    pub(crate) body: Vec<Stmt>,
    /// What is returned at its end.
    pub(crate) result: Option<Expr>,
}

/// A program.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// Types and variables.
    pub(crate) declarations: String,
    /// Helper functions, then the step function.
    pub(crate) functions: Vec<Function>,
    /// Name of the step function.
    pub(crate) step: String,
    /// Scalars that the environment sets before each step: lvalues.
    pub(crate) inputs: Vec<String>,
    /// All scalars that the step may write: lvalues, and whether they are floats (32 or 64 bits).
    pub(crate) states: Vec<(String, Option<u32>)>,
}

impl Program {
    /// The C text.
    pub(crate) fn text(&self) -> String {
        let mut text = self.declarations.clone();
        for function in &self.functions {
            let _ = writeln!(text, "{} {{", function.head);
            print_block(&mut text, &function.body, 1);
            if let Some(result) = &function.result {
                let _ = writeln!(text, "    return {};", print(result));
            }
            text.push_str("}\n");
        }
        text
    }
}

fn print(expr: &Expr) -> String {
    match expr {
        Expr::Text(text) => text.clone(),
        Expr::Place(place) => print_place(place),
        Expr::Prefix(op, operand) => format!("({op} {})", print(operand)),
        Expr::Infix(op, left, right) => format!("({} {op} {})", print(left), print(right)),
        Expr::Choice(condition, then, otherwise) => {
            format!("({} ? {} : {})", print(condition), print(then), print(otherwise))
        }
        Expr::Call(name, arguments) => {
            format!("{name}({})", arguments.iter().map(print).collect::<Vec<_>>().join(", "))
        }
        Expr::Assign(place, op, value) => format!("({} {op} {})", print_place(place), print(value)),
        Expr::Step(before, place, behind) => format!("({before}{}{behind})", print_place(place)),
    }
}

fn print_place(place: &Place) -> String {
    let mut text = String::new();
    for (piece, index) in &place.pieces {
        text.push_str(piece);
        if let Some((index, count)) = index {
            match &**index {
                Expr::Text(constant) if constant.parse().is_ok_and(|constant: usize| constant < *count) => {
                    let _ = write!(text, "[{constant}]");
                }
                index => {
                    let _ = write!(text, "[(unsigned)({}) % {count}u]", print(index));
                }
            }
        }
    }
    text
}

fn print_block(text: &mut String, block: &[Stmt], depth: usize) {
    for stmt in block {
        let indent = "    ".repeat(depth);
        match stmt {
            Stmt::Assign(place, op, value) => {
                let _ = writeln!(text, "{indent}{} {op} {};", print_place(place), print(value));
            }
            Stmt::Text(line) => {
                let _ = writeln!(text, "{indent}{line}");
            }
            Stmt::Local(declaration, value) => {
                let _ = writeln!(text, "{indent}{declaration} = {};", print(value));
            }
            Stmt::If(condition, then, otherwise) => {
                let _ = writeln!(text, "{indent}if ({}) {{", print(condition));
                print_block(text, then, depth + 1);
                if !otherwise.is_empty() {
                    let _ = writeln!(text, "{indent}}} else {{");
                    print_block(text, otherwise, depth + 1);
                }
                let _ = writeln!(text, "{indent}}}");
            }
            Stmt::Switch(value, arms) => {
                let _ = writeln!(text, "{indent}switch ({}) {{", print(value));
                for (label, body, breaks) in arms {
                    let _ = writeln!(text, "{indent}{label}: {{");
                    print_block(text, body, depth + 1);
                    let end = if *breaks { " break;" } else { "" };
                    let _ = writeln!(text, "{indent}}}{end}");
                }
                let _ = writeln!(text, "{indent}}}");
            }
            Stmt::Loop(head, body, tail) => {
                let _ = writeln!(text, "{indent}{head} {{");
                print_block(text, body, depth + 1);
                let _ = writeln!(text, "{indent}}}{tail}");
            }
            Stmt::Return(value) => {
                let value = value.as_ref().map_or(String::new(), |value| format!(" {}", print(value)));
                let _ = writeln!(text, "{indent}return{value};");
            }
        }
    }
}

/// Makes a failing program smaller while it fails, in at most `budget` trials.
pub(crate) fn shrink(program: &Program, budget: usize, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut trials = 0;
    loop {
        let mut position = 0;
        let mut helped = false;
        while let Some(smaller) = nth_change(&best, position) {
            trials += 1;
            if trials > budget {
                return best;
            }
            if fails(&smaller) {
                best = smaller;
                helped = true;
            } else {
                position += 1;
            }
        }
        if !helped {
            return best;
        }
    }
}

/// The program after its `n`-th possible change.
fn nth_change(program: &Program, n: usize) -> Option<Program> {
    let mut program = program.clone();
    let mut rest = n;
    for function in (0..program.functions.len()).rev() {
        if change_block(&mut program.functions[function].body, &mut rest) {
            return Some(program);
        }
        if let Some(result) = &mut program.functions[function].result
            && change_expr(result, &mut rest)
        {
            return Some(program);
        }
    }
    None
}

/// Removes a statement, replaces it by what stands in it, or simplifies an expression in it.
fn change_block(block: &mut Vec<Stmt>, rest: &mut usize) -> bool {
    for index in 0..block.len() {
        if take(rest) {
            block.remove(index);
            return true;
        }
        let inner: Option<Vec<Stmt>> = match &block[index] {
            Stmt::If(_, then, otherwise) => Some(then.iter().chain(otherwise).cloned().collect()),
            Stmt::Loop(_, body, _) => Some(body.clone()),
            _ => None,
        };
        if let Some(inner) = inner
            && take(rest)
        {
            block.splice(index..=index, inner);
            return true;
        }
        if change_stmt(&mut block[index], rest) {
            return true;
        }
    }
    false
}

fn change_stmt(stmt: &mut Stmt, rest: &mut usize) -> bool {
    match stmt {
        Stmt::Assign(place, _, value) => change_place(place, rest) || change_expr(value, rest),
        Stmt::Local(_, value) | Stmt::Return(Some(value)) => change_expr(value, rest),
        Stmt::If(condition, then, otherwise) => {
            change_expr(condition, rest) || change_block(then, rest) || change_block(otherwise, rest)
        }
        Stmt::Switch(value, arms) => {
            change_expr(value, rest) || arms.iter_mut().any(|(_, body, _)| change_block(body, rest))
        }
        Stmt::Loop(_, body, _) => change_block(body, rest),
        Stmt::Text(_) | Stmt::Return(None) => false,
    }
}

/// Whether this is the change that is wanted; else counts it.
fn take(rest: &mut usize) -> bool {
    let is_wanted = *rest == 0;
    *rest = rest.wrapping_sub(1);
    is_wanted
}

fn change_place(place: &mut Place, rest: &mut usize) -> bool {
    place.pieces.iter_mut().any(|(_, index)| match index {
        Some((index, _)) => change_expr(index, rest),
        None => false,
    })
}

fn change_expr(expr: &mut Expr, rest: &mut usize) -> bool {
    let operands: Vec<Expr> = match expr {
        Expr::Text(_) => return false,
        Expr::Place(place) => {
            if take(rest) {
                *expr = Expr::Text("1".to_owned());
                return true;
            }
            return change_place(place, rest);
        }
        Expr::Prefix(_, operand) => vec![(**operand).clone()],
        Expr::Infix(_, left, right) => vec![(**left).clone(), (**right).clone()],
        Expr::Choice(a, b, c) => vec![(**a).clone(), (**b).clone(), (**c).clone()],
        Expr::Assign(_, _, value) => vec![(**value).clone()],
        Expr::Step(_, place, _) => vec![Expr::Place(place.clone())],
        Expr::Call(..) => Vec::new(),
    };
    for operand in operands.into_iter().chain([Expr::Text("1".to_owned())]) {
        if take(rest) {
            *expr = operand;
            return true;
        }
    }
    match expr {
        Expr::Prefix(_, operand) => change_expr(operand, rest),
        Expr::Infix(_, left, right) => change_expr(left, rest) || change_expr(right, rest),
        Expr::Choice(a, b, c) => change_expr(a, rest) || change_expr(b, rest) || change_expr(c, rest),
        Expr::Call(_, arguments) => arguments.iter_mut().any(|argument| change_expr(argument, rest)),
        Expr::Assign(place, _, value) => change_place(place, rest) || change_expr(value, rest),
        Expr::Step(_, place, _) => change_place(place, rest),
        Expr::Text(_) | Expr::Place(_) => false,
    }
}
