//! What can be wrong in an expression: relations, signs, constants off by one, truths negated,
//! parts of conjunctions and disjunctions left out, primes.

use spec::syntax::{BinaryOp, Expr, ExprKind, Level, Link, UnaryOp};

/// An expression with one fault.
pub(super) struct Variant {
    /// The operator that made it.
    pub(super) operator: &'static str,
    /// The expression with the fault.
    pub(super) whole: Expr,
    /// The part that was changed.
    pub(super) old: Expr,
    /// What stands in its place; none where it is left out.
    pub(super) new: Option<Expr>,
}

/// All faults of an expression.
pub(super) fn variants(expr: &Expr) -> Vec<Variant> {
    let mut found = own(expr);
    let is_negated = matches!(expr.kind, ExprKind::Unary { op: UnaryOp::Not, .. });
    let mut inside = |part: &Expr, put: &dyn Fn(Expr) -> ExprKind| {
        for (index, variant) in variants(part).into_iter().enumerate() {
            // The negation of what is negated is the fault that leaves the negation out.
            if is_negated && variant.operator == "negation" && index < own(part).len() {
                continue;
            }
            let whole = Expr { kind: put(variant.whole), extent: expr.extent };
            found.push(Variant { whole, ..variant });
        }
    };
    match &expr.kind {
        ExprKind::Unary { op, arg } => {
            inside(arg, &|arg| ExprKind::Unary { op: *op, arg: Box::new(arg) });
        }
        ExprKind::Chain { first, rest } => {
            inside(first, &|first| ExprKind::Chain { first: Box::new(first), rest: rest.clone() });
            for index in 0..rest.len() {
                inside(&rest[index].operand, &|operand| {
                    let mut changed = rest.clone();
                    changed[index].operand = operand;
                    ExprKind::Chain { first: first.clone(), rest: changed }
                });
            }
        }
        ExprKind::In { arg, set } => {
            inside(arg, &|arg| ExprKind::In { arg: Box::new(arg), set: set.clone() });
        }
        ExprKind::If { condition, then, otherwise } => {
            inside(condition, &|condition| ExprKind::If {
                condition: Box::new(condition),
                then: then.clone(),
                otherwise: otherwise.clone(),
            });
            inside(then, &|then| ExprKind::If {
                condition: condition.clone(),
                then: Box::new(then),
                otherwise: otherwise.clone(),
            });
            inside(otherwise, &|otherwise| ExprKind::If {
                condition: condition.clone(),
                then: then.clone(),
                otherwise: Box::new(otherwise),
            });
        }
        ExprKind::Call { function, args } => {
            for index in 0..args.len() {
                inside(&args[index], &|arg| {
                    let mut changed = args.clone();
                    changed[index] = arg;
                    ExprKind::Call { function: *function, args: changed }
                });
            }
        }
        ExprKind::Cast { cast, ty, arg } => {
            inside(arg, &|arg| ExprKind::Cast { cast: *cast, ty: ty.clone(), arg: Box::new(arg) });
        }
        ExprKind::Bool(_) | ExprKind::Number(_) | ExprKind::Name { .. } => {}
    }
    found
}

/// Faults of the outermost operator.
fn own(expr: &Expr) -> Vec<Variant> {
    let changed = |operator: &'static str, kind: ExprKind| {
        let new = Expr { kind, extent: expr.extent };
        Variant { operator, whole: new.clone(), old: expr.clone(), new: Some(new) }
    };
    let mut found = Vec::new();
    match &expr.kind {
        ExprKind::Bool(value) => found.push(changed("negation", ExprKind::Bool(!value))),
        ExprKind::Number(text) => {
            if let Ok(number) = text.parse::<u64>() {
                let off = [number.checked_add(1), number.checked_sub(1)].into_iter().flatten();
                found.extend(off.map(|number| changed("constant", ExprKind::Number(number.to_string()))));
            }
        }
        ExprKind::Name { name, primed } => {
            found.push(changed("prime", ExprKind::Name { name: name.clone(), primed: !primed }));
        }
        ExprKind::Unary { op: UnaryOp::Not, arg } => found.push(changed("negation", arg.kind.clone())),
        ExprKind::Unary { op: UnaryOp::Negate, arg } => found.push(changed("sign", arg.kind.clone())),
        ExprKind::Chain { first, rest } => chain(first, rest, &changed, &mut found),
        _ => {}
    }
    let is_truth = matches!(expr.level(), Level::Compare)
        || matches!(&expr.kind, ExprKind::Name { .. } | ExprKind::Call { .. });
    if is_truth {
        let negated = ExprKind::Unary { op: UnaryOp::Not, arg: Box::new(expr.clone()) };
        found.push(changed("negation", negated));
    }
    found
}

fn chain(
    first: &Expr,
    rest: &[Link],
    changed: &dyn Fn(&'static str, ExprKind) -> Variant,
    found: &mut Vec<Variant>,
) {
    for (index, link) in rest.iter().enumerate() {
        for &op in replacements(link.op) {
            let mut other = rest.to_vec();
            other[index].op = op;
            let operator = if link.op.level() == Level::Compare { "relation" } else { "operator" };
            found.push(changed(operator, ExprKind::Chain { first: Box::new(first.clone()), rest: other }));
        }
    }
    let is_gathered = |op: BinaryOp| rest.iter().all(|link| link.op == op);
    let operator = match () {
        () if is_gathered(BinaryOp::And) => "drop conjunct",
        () if is_gathered(BinaryOp::Or) => "drop disjunct",
        () => return,
    };
    for index in 0..=rest.len() {
        let (first, kept) = match index {
            0 => (&rest[0].operand, rest[1..].to_vec()),
            _ => (
                first,
                rest.iter()
                    .enumerate()
                    .filter(|(at, _)| at + 1 != index)
                    .map(|(_, link)| link.clone())
                    .collect(),
            ),
        };
        let kind = match kept.is_empty() {
            true => first.kind.clone(),
            false => ExprKind::Chain { first: Box::new(first.clone()), rest: kept },
        };
        found.push(changed(operator, kind));
    }
}

/// Operators that are taken for each other.
fn replacements(op: BinaryOp) -> &'static [BinaryOp] {
    use BinaryOp::*;
    match op {
        Equal => &[LessEqual, GreaterEqual],
        NotEqual => &[Equal],
        Less => &[LessEqual],
        LessEqual => &[Less],
        Greater => &[GreaterEqual],
        GreaterEqual => &[Greater],
        Add => &[Sub],
        Sub => &[Add],
        And => &[Or],
        Or => &[And],
        _ => &[],
    }
}
