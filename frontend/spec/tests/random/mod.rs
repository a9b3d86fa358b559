//! Random syntax trees, without regard to types.

use frontend::source::{SourceMap, Span};
use rand::Rng;
use rand::rngs::SmallRng;
use spec::lexer::Extent;
use spec::syntax::{BinaryOp, Cast, Expr, ExprKind, Function, Level, Link, Set, TypeExpr, TypeKind, UnaryOp};
use std::path::Path;

/// A place; all are equal.
fn somewhere() -> Extent {
    let file = SourceMap::default().add_text(Path::new("text"), "");
    Extent { span: Span { file, line: 1, column: 1 }, from: 0, to: 0 }
}

fn pick<T: Copy>(random: &mut SmallRng, all: &[T]) -> T {
    all[random.random_range(0..all.len())]
}

/// An expression of at most that depth.
pub(crate) fn tree(random: &mut SmallRng, depth: u32) -> Expr {
    let kind = match if depth == 0 { random.random_range(0..3) } else { random.random_range(0..12) } {
        0 => ExprKind::Bool(random.random()),
        1 => ExprKind::Number(
            pick(random, &["0", "7", "12", "0.5", "3.25", "170141183460469231731687303715884105727"])
                .to_owned(),
        ),
        2 => {
            let name = pick(random, &["x", "größe", "view", "when", "do", "SYS-1 \"a\\b\"", "step", "_1"]);
            ExprKind::Name { name: name.to_owned(), primed: random.random() }
        }
        3 => ExprKind::Unary { op: pick(random, UnaryOp::ALL), arg: Box::new(tree(random, depth - 1)) },
        4..=7 => chain(random, depth - 1),
        8 => ExprKind::In { arg: Box::new(tree(random, depth - 1)), set: set(random, depth - 1) },
        9 => ExprKind::If {
            condition: Box::new(tree(random, depth - 1)),
            then: Box::new(tree(random, depth - 1)),
            otherwise: Box::new(tree(random, depth - 1)),
        },
        10 => ExprKind::Call { function: pick(random, Function::ALL), args: trees(random, depth - 1) },
        _ => ExprKind::Cast {
            cast: pick(random, Cast::ALL),
            ty: written_type(random, depth - 1),
            arg: Box::new(tree(random, depth - 1)),
        },
    };
    Expr { kind, extent: somewhere() }
}

fn trees(random: &mut SmallRng, depth: u32) -> Vec<Expr> {
    (0..random.random_range(1..4)).map(|_| tree(random, depth)).collect()
}

/// Operators of one level that may stand side by side.
fn chain(random: &mut SmallRng, depth: u32) -> ExprKind {
    let op = pick(random, BinaryOp::ALL);
    let same: Vec<BinaryOp> = match op {
        BinaryOp::Less | BinaryOp::LessEqual => vec![BinaryOp::Less, BinaryOp::LessEqual],
        BinaryOp::Greater | BinaryOp::GreaterEqual => vec![BinaryOp::Greater, BinaryOp::GreaterEqual],
        _ => BinaryOp::ALL.iter().copied().filter(|other| other.level() == op.level()).collect(),
    };
    let is_single = matches!(op.level(), Level::Implies | Level::Iff)
        || matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
    let count = if is_single { 1 } else { random.random_range(1..4) };
    let first = Box::new(tree(random, depth));
    let link = |random: &mut SmallRng, op| Link { op, place: somewhere(), operand: tree(random, depth) };
    let mut rest = vec![link(random, op)];
    for _ in 1..count {
        let op = pick(random, &same);
        rest.push(link(random, op));
    }
    ExprKind::Chain { first, rest }
}

fn set(random: &mut SmallRng, depth: u32) -> Set {
    if random.random() {
        Set::Values(trees(random, depth))
    } else {
        Set::Range(Box::new(tree(random, depth)), Box::new(tree(random, depth)))
    }
}

fn written_type(random: &mut SmallRng, depth: u32) -> TypeExpr {
    let kind = match random.random_range(0..4) {
        0 => TypeKind::Word(pick(random, &["bool", "u8", "i64", "f32", "rational"])),
        1 => TypeKind::Named(pick(random, &["Mode", "view", "A B"]).to_owned()),
        2 => TypeKind::Braces(trees(random, depth)),
        _ => TypeKind::Range {
            lo: Box::new(tree(random, depth)),
            hi: Box::new(tree(random, depth)),
            step: random.random::<bool>().then(|| Box::new(tree(random, depth))),
        },
    };
    TypeExpr { kind, extent: somewhere() }
}
