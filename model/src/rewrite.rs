//! Rewrite rules: what [`TermPool::make`] applies before it interns a term.
//!
//! One rule is one named function from a node to a simpler equal term; its comment gives the
//! pattern and the result. Rules are local: they look two or three operators deep and make a
//! handful of terms. The first rule that applies decides; the terms it builds are rewritten in
//! turn. Results are remembered, so building the same term again costs a look-up.
//!
//! # Normal forms that rules rely on
//! * Constants stand on the right of commutative operators, else the operand with the smaller id
//!   stands on the left.
//! * `<=` does not occur, `<` has constants on the right only: the rest is negation.
//! * Words of one bit have no arithmetic, comparisons or `ite` with constant branches, only `not`,
//!   `and`, `or`, `xor`.
//! * Shifts, products and quotients by constants are `extract`, `concat` and extensions where
//!   possible.
//! * Zeros above a word are a zero extension, not a concatenation.
//!
//! Float rules hold for all of NaN, infinities and signed zeros. A term that can be a NaN with
//! payload (a symbol, a move) must not be mixed up with one that is canonical by construction (see
//! the rules for floats).

mod bitwise;
mod branch;
mod compare;
mod divide;
mod floats;
mod general;
mod shape;
mod sum;
mod view;

use crate::id::Id;
use crate::term::{BinaryOp, Term, TermId, TermPool, UnaryOp};
use rustc_hash::FxHashMap;

/// Nesting of rule applications beyond which terms stay as they are; it keeps the stack small.
const MAX_NESTING: u32 = 100;

/// A simpler term equal to the node, where the rule applies.
type Rule = fn(&mut TermPool, Term) -> Option<TermId>;

macro_rules! rule_tables {
    ($($table:ident: $($module:ident::$rule:ident),+;)+) => {
        /// Positions of the rules in the tables of names and hits.
        #[allow(non_camel_case_types, reason = "each variant is named like the rule's function")]
        #[derive(Clone, Copy)]
        enum Position { $($($rule,)+)+ }

        const NAMES: &[&str] = &[$($(stringify!($rule),)+)+];

        $(const $table: &[(Position, Rule)] = &[$((Position::$rule, $module::$rule as Rule),)+];)+
    };
}

rule_tables! {
    ALL: general::fold_constants, general::apply_to_constant_branches;
    COMMUTATIVE: general::order_operands;
    NOT: bitwise::double_negation, bitwise::negated_xor_constant, sum::not_of_negative;
    NEG: sum::double_negative, sum::negative_truth, sum::negative_difference, sum::negative_complement,
        sum::negative_scaled, sum::negative_offset;
    BITWISE: bitwise::neutral_operand, bitwise::same_operands, bitwise::complement_operands,
        bitwise::merge_constants, bitwise::both_extended;
    LATTICE: bitwise::absorbing_operand, bitwise::contradiction, bitwise::both_negated,
        bitwise::absorbed_operand, bitwise::repeated_operand, bitwise::reduced_operand,
        bitwise::reduced_negated_operand, bitwise::implied_equality;
    AND: bitwise::masked_extension, bitwise::contiguous_mask;
    XOR: bitwise::xor_all_ones, bitwise::xor_negated;
    ADD: sum::truth_sum, sum::add_zero, sum::add_constants, sum::add_negative, sum::add_same,
        sum::add_complement, sum::add_difference, sum::add_sign_extended;
    SUB: sum::truth_difference, sum::subtract_same, sum::subtract_constant, sum::subtract_from_zero,
        sum::subtract_negative, sum::subtract_from_sum, sum::subtract_sum, sum::subtract_sign_extended;
    MUL: sum::truth_product, sum::multiply_by_special, sum::multiply_by_power, sum::multiply_constants,
        sum::multiply_by_truth, sum::multiply_sign_extended;
    DIVISION: divide::truth_division, divide::remainder_of_same, divide::divide_by_special,
        divide::unsigned_by_power, divide::signed_of_nonnegative, divide::signed_by_power,
        divide::divide_extended, divide::divide_sign_extended;
    SHIFT: shape::truth_shift, shape::shift_by_constant, shape::shift_of_special, shape::shift_of_nonnegative,
        shape::shift_extended;
    EQ: compare::equal_same, compare::equal_truths, compare::equal_out_of_range, compare::equal_extended,
        compare::equal_constant_moved, compare::equal_to_zero, compare::equal_negations,
        compare::equal_never, compare::equal_concatenation, compare::compare_constant_branch;
    LESS: compare::less_same, compare::less_truths, compare::less_or_equal, compare::constant_less,
        compare::less_extreme, compare::less_extended, compare::less_constant_branch;
    CONCAT: shape::zeros_above, shape::adjacent_extracts, shape::adjacent_constants, shape::extended_above;
    EXTRACT: shape::extract_all, shape::extract_of_extract, shape::extract_of_concat,
        shape::extract_of_extend, shape::extract_of_branches, shape::extract_of_arithmetic;
    EXTEND: shape::extend_extended;
    ITE: branch::constant_condition, branch::same_branches, branch::negated_condition, branch::truth_branches,
        branch::extended_condition, branch::decided_branch, branch::join_conditions,
        branch::equality_selects, branch::extended_branches;
    FLOAT_UNARY: floats::bits_round_trip, floats::double_float_negation, floats::absolute_of_sign_change,
        floats::exact_conversion, floats::integer_round_trip, floats::round_integral, floats::classify_integer;
    FLOAT_SUM: floats::add_negated_float, floats::neutral_float_operand;
    FLOAT_COMPARE: floats::compare_with_nan, floats::compare_same_float, floats::compare_integers;
}

/// The rules for a node, in the order in which they are tried.
fn tables(term: &Term) -> &'static [&'static [(Position, Rule)]] {
    match term {
        Term::Symbol(_) | Term::Const(_) => &[],
        Term::Unary { op: UnaryOp::Not, .. } => &[ALL, NOT],
        Term::Unary { op: UnaryOp::Neg, .. } => &[ALL, NEG],
        Term::Unary { .. } => &[ALL, FLOAT_UNARY],
        Term::Binary { op, .. } => binary_tables(*op),
        Term::Ite { .. } => &[ALL, ITE],
        Term::Extract { .. } => &[ALL, EXTRACT],
        Term::Extend { .. } => &[ALL, EXTEND],
        Term::FloatFma { .. } => &[ALL],
    }
}

fn binary_tables(op: BinaryOp) -> &'static [&'static [(Position, Rule)]] {
    match op {
        BinaryOp::And => &[ALL, COMMUTATIVE, BITWISE, LATTICE, AND],
        BinaryOp::Or => &[ALL, COMMUTATIVE, BITWISE, LATTICE],
        BinaryOp::Xor => &[ALL, COMMUTATIVE, BITWISE, XOR],
        BinaryOp::Add => &[ALL, COMMUTATIVE, ADD],
        BinaryOp::Sub => &[ALL, SUB],
        BinaryOp::Mul => &[ALL, COMMUTATIVE, MUL],
        BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem => &[ALL, DIVISION],
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => &[ALL, SHIFT],
        BinaryOp::Eq => &[ALL, COMMUTATIVE, EQ],
        BinaryOp::ULt | BinaryOp::ULe | BinaryOp::SLt | BinaryOp::SLe => &[ALL, LESS],
        BinaryOp::Concat => &[ALL, CONCAT],
        BinaryOp::FloatAdd => &[ALL, COMMUTATIVE, FLOAT_SUM],
        BinaryOp::FloatMul => &[ALL, COMMUTATIVE, FLOAT_SUM],
        BinaryOp::FloatSub | BinaryOp::FloatDiv => &[ALL, FLOAT_SUM],
        BinaryOp::FloatFmod | BinaryOp::FloatRemainder => &[ALL],
        BinaryOp::FloatEq => &[ALL, COMMUTATIVE, FLOAT_COMPARE],
        BinaryOp::FloatLt | BinaryOp::FloatLe => &[ALL, FLOAT_COMPARE],
    }
}

/// What a pool remembers about rewriting.
#[derive(Clone, Default)]
pub(crate) struct Rewriting {
    hits: Vec<u64>,
    /// Results of rules. Normal terms are not listed.
    results: FxHashMap<Term, TermId>,
    /// By id: no rule applied to the term when it was made.
    normal: Vec<bool>,
    nesting: u32,
    /// How often a term was left as it is because of `MAX_NESTING`.
    cut: u64,
}

impl Rewriting {
    /// Names of all rules with the number of their applications, in the order of the tables.
    pub(crate) fn hits(&self) -> Vec<(&'static str, u64)> {
        let count = |position| self.hits.get(position).copied().unwrap_or(0);
        NAMES.iter().enumerate().map(|(position, &name)| (name, count(position))).collect()
    }
    /// How often rewriting stopped at its nesting limit.
    #[cfg(test)]
    pub(crate) fn cut(&self) -> u64 {
        self.cut
    }
    /// Whether no rule applied when the term was made.
    pub(crate) fn is_normal(&self, term: TermId) -> bool {
        self.normal.get(term.index()).copied().unwrap_or(false)
    }
    pub(crate) fn mark_normal(&mut self, term: TermId) {
        if self.normal.len() <= term.index() {
            self.normal.resize(term.index() + 1, false);
        }
        self.normal[term.index()] = true;
    }
    fn count(&mut self, position: Position) {
        if self.hits.is_empty() {
            self.hits = vec![0; NAMES.len()];
        }
        self.hits[position as usize] += 1;
    }
}

/// What rewriting says of a node.
pub(crate) enum Rewritten {
    /// It is equal to this term.
    To(TermId),
    /// No rule applies.
    Normal,
    /// Rules were not tried: the nesting limit is reached.
    Untried,
}

/// Applies the first rule that fits.
pub(crate) fn rewrite(pool: &mut TermPool, term: Term) -> Rewritten {
    if let Some(&known) = pool.rewriting.results.get(&term) {
        return Rewritten::To(known);
    }
    if pool.rewriting.nesting == MAX_NESTING {
        pool.rewriting.cut += 1;
        return Rewritten::Untried;
    }
    pool.rewriting.nesting += 1;
    let applied = tables(&term)
        .iter()
        .flat_map(|table| table.iter())
        .find_map(|&(position, rule)| rule(pool, term).map(|result| (position, result)));
    pool.rewriting.nesting -= 1;
    match applied {
        Some((position, result)) => {
            pool.rewriting.count(position);
            pool.rewriting.results.insert(term, result);
            Rewritten::To(result)
        }
        None => Rewritten::Normal,
    }
}

#[cfg(test)]
mod tests;
