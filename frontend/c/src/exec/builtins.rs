//! Functions that mean something without a body: what verifiers provide, and the few library
//! functions this domain uses.

use super::events::Premise;
use super::hazard::HazardKind;
use super::initial_memory::Slot;
use super::math::{Math, math};
use super::place::Content;
use super::scan::{format_position, format_text, stores_count};
use super::state::State;
use super::strings::TextFunction;
use super::{Frame, Machine, Outcome, Stop};
use crate::code::Code;
use crate::goals::wording;
use crate::ir::expr::{BinaryOp as COp, Expr, ExprKind, UnaryOp as CUnary};
use crate::ir::stmt::Place;
use crate::ir::{Function, FunctionId, RESULT, is_compilers_name};
use frontend::Topic;
use frontend::source::Span;
use model::term::TermId;

/// What a function stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Assume,
    Assert,
    AssertFailed,
    Cover,
    Error,
    End,
    Nondet,
    Scan,
    Copy,
    Compare,
    Fill,
    Text(TextFunction),
    Ignored,
    /// What a text of the library demands of its arguments.
    Requires,
    /// Where a text of the library would leave the mode of rounding that the model has.
    Rounding,
    Math(Math),
    Refused(&'static str),
}

/// Functions that print or flush: without effect on the model.
const IGNORED: &[&str] = &[
    "printf",
    "fprintf",
    "vprintf",
    "vfprintf",
    "puts",
    "fputs",
    "putchar",
    "putc",
    "fputc",
    "perror",
    "fflush",
    "__printf_chk",
    "__fprintf_chk",
    "syslog",
    "__CPROVER_input",
    "__CPROVER_output",
];

/// Functions of the C library whose results follow from their arguments, but are not known here.
/// Taken for functions of the environment, they would return what a test cannot make them return.
const UNDESCRIBED: &[&str] = &[
    // string.h, stdio.h, stdlib.h
    "strcat",
    "strncat",
    "strstr",
    "strtok",
    "strtok_r",
    "strpbrk",
    "strspn",
    "strcspn",
    "strcoll",
    "strxfrm",
    "stpcpy",
    "mempcpy",
    "memccpy",
    "memmem",
    "bcopy",
    "bzero",
    "bcmp",
    "sprintf",
    "snprintf",
    "vsprintf",
    "vsnprintf",
    "sscanf",
    "atoi",
    "atol",
    "atoll",
    "atof",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "strtof",
    "strtod",
    "qsort",
    "bsearch",
    "ldiv",
    "lldiv",
    "strsep",
    "strlcpy",
    "strlcat",
    "strerror",
    "memrchr",
    "rawmemchr",
    "strchrnul",
    "strcasestr",
    "strverscmp",
    "swab",
    // arpa/inet.h
    "htons",
    "htonl",
    "ntohs",
    "ntohl",
    "qsort_r",
    // time.h, fenv.h
    "mktime",
    "gmtime",
    "localtime",
    "asctime",
    "ctime",
    "strftime",
    "feclearexcept",
    "feraiseexcept",
    "fetestexcept",
    "fegetexceptflag",
    "fesetexceptflag",
    "fegetenv",
    "fesetenv",
    "feholdexcept",
    "feupdateenv",
];

/// The same of math.h, as they are called for `double`.
const UNDESCRIBED_MATH: &[&str] = &[
    "asinh",
    "acosh",
    "atanh",
    "erf",
    "erfc",
    "tgamma",
    "lgamma",
    "ilogb",
    "logb",
    "remquo",
    "nexttoward",
    "nan",
    "exp10",
    "pow10",
    "sincos",
    "j0",
    "j1",
    "y0",
    "y1",
    "jn",
    "yn",
    "gamma",
    "drem",
    "scalb",
    "significand",
    "llogb",
    "nextup",
    "nextdown",
    "roundeven",
];

fn is_undescribed(name: &str) -> bool {
    let double = name.strip_suffix('f').unwrap_or(name);
    UNDESCRIBED.contains(&name) || UNDESCRIBED_MATH.contains(&name) || UNDESCRIBED_MATH.contains(&double)
}

fn is_printing(function: &Function) -> bool {
    let name = function.name.strip_prefix("__builtin_").unwrap_or(&function.name);
    function.body.is_none() && IGNORED.contains(&name)
}

/// Whether a function of such a name is told where an assertion has failed (text, file and line),
/// and not what to assert: code has functions of its own under these names.
fn tells_of_failure(function: &Function) -> bool {
    !matches!(function.parameters.len(), 1 | 2)
}

fn classify(function: &Function) -> Option<Known> {
    let name = function.name.as_str();
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    match plain {
        "__CPROVER_assume" | "__ESBMC_assume" | "__VERIFIER_assume" => return Some(Known::Assume),
        "assert" | "__chaincover_assert" | "__CPROVER_assert" | "__ESBMC_assert" | "__VERIFIER_assert" => {
            return Some(Known::Assert);
        }
        "__assert_fail" | "__assert" | "__assert_rtn" if tells_of_failure(function) => {
            return Some(Known::AssertFailed);
        }
        "__CPROVER_cover" => return Some(Known::Cover),
        "reach_error" | "__VERIFIER_error" => return Some(Known::Error),
        _ => {}
    }
    if function.body.is_some() {
        return None;
    }
    let is_nondet = ["nondet_", "__VERIFIER_nondet_", "__CPROVER_nondet_"];
    match plain {
        "__chaincover_requires" => Some(Known::Requires),
        "__chaincover_rounding" => Some(Known::Rounding),
        "abort" | "exit" | "_Exit" | "_exit" | "quick_exit" => Some(Known::End),
        "unreachable" | "trap" if plain != name => Some(Known::End),
        "assume" => Some(Known::Assume),
        "nondet" => Some(Known::Nondet),
        "memcpy" | "memmove" => Some(Known::Copy),
        "memset" => Some(Known::Fill),
        "memcmp" => Some(Known::Compare),
        "malloc" | "calloc" | "realloc" | "free" | "alloca" | "aligned_alloc" | "posix_memalign"
        | "strdup" | "strndup" => {
            Some(Known::Refused("dynamic memory is not supported; use objects of static storage duration"))
        }
        "pthread_create" | "thrd_create" | "pthread_exit" | "thrd_exit" | "fork" | "setjmp" | "_setjmp"
        | "sigsetjmp" | "longjmp" | "siglongjmp" => {
            Some(Known::Refused("threads and jumps out of functions are not supported"))
        }
        name if name.starts_with("__CPROVER_uninterpreted_") => {
            Some(Known::Refused("equal arguments would have to give equal results; give the function a body"))
        }
        name if TextFunction::named(name).is_some() => TextFunction::named(name).map(Known::Text),
        name if is_undescribed(name) => {
            Some(Known::Refused("define the function in one of the model's files"))
        }
        name if format_position(name).is_some() => Some(Known::Scan),
        name if is_nondet.iter().any(|prefix| name.starts_with(prefix)) => Some(Known::Nondet),
        name if IGNORED.contains(&name) && function.is_result_used => Some(Known::Nondet),
        name if IGNORED.contains(&name) => Some(Known::Ignored),
        name if name.starts_with("__CPROVER_")
            && (function.is_result_used || !function.parameters.is_empty()) =>
        {
            Some(Known::Refused("it is one of CBMC's own; define it, or leave it out with `-D`"))
        }
        name => math(name).map(Known::Math).or_else(|| {
            let advice = "it is one of the compiler's own; define it, or leave it out with `-D`";
            is_compilers_name(&function.name).then_some(Known::Refused(advice))
        }),
    }
}

impl Machine<'_> {
    /// Executes a call of a function known here; `None` where it is none.
    pub(super) fn special_call(
        &mut self,
        frame: &Frame,
        state: &State,
        result: Option<&Place>,
        id: FunctionId,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<Option<Option<State>>> {
        let function = &self.program.functions[id];
        let Some(known) = classify(function) else { return Ok(None) };
        let plain = function.name.strip_prefix("__builtin_").unwrap_or(&function.name);
        if matches!(known, Known::Copy | Known::Compare | Known::Fill | Known::Text(_) | Known::Math(_)) {
            self.check_signature(function, plain, arguments, span)?;
        }
        let mut state = state.clone();
        match known {
            Known::Assume => return self.assume_call(frame, state, arguments, span).map(Some),
            Known::Assert => {
                self.assert_call(frame, &state, id, arguments, span)?;
                if function.body.is_some() && self.property.is_none() {
                    return Ok(None);
                }
            }
            Known::AssertFailed => return self.assertion_failed(frame, state, id, arguments, span).map(Some),
            Known::Cover => {
                let condition = self.condition_argument(frame, &state, arguments)?;
                let always = self.system.terms.truth(true);
                self.note_mark(&state, id, (always, condition));
                self.note_cover(&state, condition, (None, false), span);
            }
            Known::Error => return self.error_call(frame, state, id, arguments, span).map(Some),
            Known::End => {
                self.compute_unused(frame, &state, arguments)?;
                self.end(&state, &function.name, span);
                return Ok(Some(None));
            }
            Known::Nondet => {
                self.compute_unused(frame, &state, arguments)?;
                self.refuse_counts(function, arguments, span)?;
                self.nondet_call(frame, &mut state, result, id, span)?;
            }
            Known::Scan => self.scan_call(frame, &mut state, result, id, arguments, span)?,
            Known::Copy => self.copy_call(frame, &mut state, result, arguments, span)?,
            Known::Compare => self.compare_call(frame, &mut state, result, arguments, span)?,
            Known::Fill => self.fill_call(frame, &mut state, result, arguments, span)?,
            Known::Text(text) => self.text_call(frame, &mut state, result, text, arguments, span)?,
            Known::Ignored if result.is_none() => {
                self.compute_unused(frame, &state, arguments)?;
                self.ignored_call(function, arguments, span)?;
            }
            Known::Ignored => {
                let advice = "its result cannot be known where it is called through a pointer";
                return Err(self.unsupported_call(&function.name, span, advice));
            }
            Known::Math(math) => {
                self.math_call(frame, &mut state, result, (math, function), arguments, span)?;
            }
            Known::Requires => {
                let holds = self.condition_argument(frame, &state, arguments)?;
                let fails = self.system.terms.not(holds);
                self.hazard(&state, fails, HazardKind::Argument, span);
            }
            Known::Rounding => {
                let message = "only rounding to nearest is supported (`FE_TONEAREST`)".to_owned();
                let advice = "leave out what changes the mode of rounding, or compute with integers there";
                return Err(self.fail_with(Code::UnsupportedRounding, span, message, advice));
            }
            Known::Refused(advice) => return Err(self.unsupported_call(&function.name, span, advice)),
        }
        Ok(Some(Some(state)))
    }

    fn condition_argument(&mut self, frame: &Frame, state: &State, arguments: &[Expr]) -> Outcome<TermId> {
        match arguments.first() {
            Some(condition) => self.truth(frame, state, condition),
            None => Ok(self.system.terms.truth(true)),
        }
    }

    fn assume_call(
        &mut self,
        frame: &Frame,
        state: State,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<Option<State>> {
        let condition = self.condition_argument(frame, &state, arguments)?;
        self.note_assumption(&state, condition, (span, Premise::Said));
        if let (true, Some(_), Some(argument)) = (self.keep_wording, &self.property, arguments.first()) {
            let operands = self.operand_truths(frame, &state, argument, condition);
            self.note_operands(&state, &operands, span);
        }
        let fails = self.ranges.decide(&self.system.terms, condition) == Some(false);
        Ok((!fails).then_some(state))
    }

    /// The truths of the operands of `&&` on top of a condition, each alone; the whole where one of
    /// them makes sense only behind another.
    pub(crate) fn operand_truths(
        &mut self,
        frame: &Frame,
        state: &State,
        condition: &Expr,
        whole: TermId,
    ) -> Vec<TermId> {
        let said = self.diagnostics.entries.len();
        let operands = wording::operands(condition);
        let truths: Outcome<Vec<TermId>> =
            operands.into_iter().map(|operand| self.truth(frame, state, operand)).collect();
        truths.unwrap_or_else(|_| {
            self.diagnostics.entries.truncate(said);
            self.wanted = None;
            vec![whole]
        })
    }

    /// Ends the program.
    fn end(&mut self, state: &State, function: &str, span: Span) {
        if self.property.is_some() && self.events.error_calls > 0 {
            // A property that reports an error says what must not be; it does not ask for
            // executions in which that is so.
            return;
        }
        if self.events.is_behind_loop && self.events.error_calls == 0 {
            self.events.ends.push(state.clone());
            return;
        }
        let never = self.system.terms.truth(false);
        let premise = match self.events.error_calls {
            0 => Premise::Ends(function.to_owned()),
            _ => Premise::Error(function.to_owned()),
        };
        self.note_assumption(state, never, (span, premise));
    }

    fn assert_call(
        &mut self,
        frame: &Frame,
        state: &State,
        function: FunctionId,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<()> {
        let Some(formula) = arguments.first() else { return Ok(()) };
        let ((premise, claim), read) =
            self.watched(None, |machine| machine.implication(frame, state, formula))?;
        self.note_mark(state, function, (premise, claim));
        let is_never = is_written_false(formula);
        self.note_assertion(state, (premise, claim), (read, is_never), span);
        Ok(())
    }

    /// The truths of the premise and of the claim of an asserted formula.
    fn implication(&mut self, frame: &Frame, state: &State, formula: &Expr) -> Outcome<(TermId, TermId)> {
        let (premises, claims) = split_implication(formula);
        let mut premise = self.system.terms.truth(true);
        let mut guarded = Some(state.clone());
        for expr in premises {
            let Some(state) = &guarded else { break };
            let truth = self.truth(frame, state, expr)?;
            guarded = self.assume(state, truth);
            premise = self.system.terms.and(premise, truth);
        }
        let mut claim = self.system.terms.truth(false);
        for expr in claims {
            let Some(state) = &guarded else { break };
            let truth = self.truth(frame, state, expr)?;
            claim = self.system.terms.or(claim, truth);
            let negated = self.system.terms.not(truth);
            guarded = self.assume(state, negated);
        }
        Ok((premise, claim))
    }

    /// An assertion that has failed, which ends the program unless the function is defined and
    /// returns.
    fn assertion_failed(
        &mut self,
        frame: &Frame,
        state: State,
        function: FunctionId,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<Option<State>> {
        if self.events.error_calls == 0 {
            let terms = &mut self.system.terms;
            let (always, never) = (terms.truth(true), terms.truth(false));
            self.note_mark(&state, function, (always, never));
            self.note_assertion(&state, (always, never), (Vec::new(), true), span);
        }
        let contents = self.contents(frame, &state, arguments)?;
        self.run_failing(state, function, &contents, span)
    }

    fn contents(&mut self, frame: &Frame, state: &State, arguments: &[Expr]) -> Outcome<Vec<Content>> {
        arguments.iter().map(|argument| self.content(frame, state, argument)).collect()
    }

    /// Executes a function that is called where something has gone wrong: its body, or the end of
    /// the program where it has none.
    fn run_failing(
        &mut self,
        state: State,
        function: FunctionId,
        contents: &[Content],
        span: Span,
    ) -> Outcome<Option<State>> {
        self.events.error_calls += 1;
        let inlined = match self.program.functions[function].body {
            Some(_) => self.inline(state, function, contents, span).map(|(state, _)| state),
            None => {
                self.end(&state, &self.program.functions[function].name, span);
                Ok(None)
            }
        };
        self.events.error_calls -= 1;
        inlined
    }

    /// A goal: the program runs into its error function. That ends it, unless the function is
    /// defined and returns.
    fn error_call(
        &mut self,
        frame: &Frame,
        state: State,
        function: FunctionId,
        arguments: &[Expr],
        span: Span,
    ) -> Outcome<Option<State>> {
        let contents = self.contents(frame, &state, arguments)?;
        let name = match contents.as_slice() {
            [Content::Scalar(number)] => {
                self.system.terms.as_const(*number).map(|number| format!("error_{}", number.signed()))
            }
            _ => None,
        };
        let always = self.system.terms.truth(true);
        self.note_mark(&state, function, (always, always));
        self.note_cover(&state, always, (name, true), span);
        self.run_failing(state, function, &contents, span)
    }

    fn nondet_call(
        &mut self,
        frame: &Frame,
        state: &mut State,
        result: Option<&Place>,
        id: FunctionId,
        span: Span,
    ) -> Outcome<()> {
        let function = &self.program.functions[id];
        let assigned = self.assigned.take();
        self.note_outside_call(state, id);
        let Some(place) = result else { return Ok(()) };
        let name = match is_printing(function) {
            true => self.printed_result(function),
            false => self.result_name(frame, state, assigned.as_ref().unwrap_or(place), function)?,
        };
        let content = self.unknown_content(function.result, &name, Some((Slot::Result, 0)), span)?;
        self.store(frame, state, place, &content)
    }

    /// The name of what a function returns that only prints: how much it printed, or that it
    /// failed, is for the environment to say.
    fn printed_result(&mut self, function: &Function) -> String {
        let name = &function.name;
        let reason = format!("`{name}` only prints, but its result is used: that is an input");
        self.note_extern(name, Topic::Extern, reason);
        format!("{name}.{RESULT}")
    }

    /// The name of an input that is stored in a place: that of the variable, or the function's.
    fn result_name(
        &mut self,
        frame: &Frame,
        state: &State,
        place: &Place,
        function: &Function,
    ) -> Outcome<String> {
        let targets = self.locate(frame, state, place)?;
        Ok(self.cell_named(&targets).unwrap_or_else(|| nondet_name(function)))
    }

    fn ignored_call(&mut self, function: &Function, arguments: &[Expr], span: Span) -> Outcome<()> {
        self.refuse_counts(function, arguments, span)?;
        let reason = format!("calls of `{}` are ignored; they only print", function.name);
        self.note_extern(&function.name, Topic::Ignored, reason);
        Ok(())
    }

    /// Refuses a format that stores how much was printed so far (`%n`), which is no mere printing.
    fn refuse_counts(&mut self, function: &Function, arguments: &[Expr], span: Span) -> Outcome<()> {
        let is_formatted =
            is_printing(function) && ["printf", "syslog"].iter().any(|part| function.name.contains(part));
        if !is_formatted || !arguments.iter().filter_map(format_text).any(stores_count) {
            return Ok(());
        }
        let advice = "`%n` in its format stores a number; leave it out";
        Err(self.unsupported_call(&function.name, span, advice))
    }

    /// Computes arguments whose values play no part, for what is undefined in them. What the model
    /// cannot express, such as the number of an address, is left out as the value is.
    fn compute_unused(&mut self, frame: &Frame, state: &State, arguments: &[Expr]) -> Outcome<()> {
        for argument in arguments.iter().filter(|argument| format_text(argument).is_none()) {
            let said = self.diagnostics.entries.len();
            match self.content(frame, state, argument) {
                Ok(_) => {}
                Err(Stop::Restart) => return Err(Stop::Restart),
                Err(Stop::Failed) => self.diagnostics.entries.truncate(said),
            }
        }
        Ok(())
    }
}

/// What a replay does where a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Calls it.
    Ordinary,
    /// Nothing; it has no result that is used.
    Nothing,
    /// Calls it if it is defined, else ends the program.
    Error,
    /// Ends the program.
    End,
    /// Calls it if it is defined, else ends the program.
    FailedAssertion,
    /// `memmove`.
    Copy,
    /// `memset`.
    Fill,
    /// `memcmp`.
    Compare,
    /// A function on texts.
    Text(TextFunction),
    /// Calls the host's function.
    Math,
    /// It cannot.
    Refused,
}

/// What a replay does where the function is called.
pub(crate) fn meaning(function: &Function) -> Meaning {
    match classify(function) {
        None | Some(Known::Nondet | Known::Scan) => Meaning::Ordinary,
        // What the program does where the assertion fails is up to the function.
        Some(Known::Assert) if function.body.is_some() => Meaning::Ordinary,
        Some(Known::Assume | Known::Assert | Known::Cover | Known::Ignored | Known::Requires) => {
            Meaning::Nothing
        }
        Some(Known::AssertFailed) => Meaning::FailedAssertion,
        Some(Known::Error) => Meaning::Error,
        Some(Known::End | Known::Rounding) => Meaning::End,
        Some(Known::Copy) => Meaning::Copy,
        Some(Known::Fill) => Meaning::Fill,
        Some(Known::Compare) => Meaning::Compare,
        Some(Known::Text(text)) => Meaning::Text(text),
        Some(Known::Math(_)) => Meaning::Math,
        Some(Known::Refused(_)) => Meaning::Refused,
    }
}

/// What a replay sees of a call of a function that makes a goal of its place, or that says what is
/// assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The call, and the truth of its argument.
    Truth,
    /// The call alone.
    Reached,
    /// An assertion that has failed.
    Failed,
    /// Where the argument is false, the execution ends.
    Assumed,
}

/// What a replay sees of calls of the function; `None` where they are of no interest.
pub(crate) fn seen(function: &Function) -> Option<Seen> {
    match classify(function)? {
        Known::Cover | Known::Assert => Some(Seen::Truth),
        Known::Error => Some(Seen::Reached),
        Known::AssertFailed => Some(Seen::Failed),
        Known::Assume => Some(Seen::Assumed),
        _ => None,
    }
}

/// Whether the function's result is arbitrary and it does nothing else.
pub(crate) fn is_nondet(function: &Function) -> bool {
    classify(function) == Some(Known::Nondet)
}

/// Whether a formula is nothing but the number zero.
fn is_written_false(formula: &Expr) -> bool {
    match &formula.kind {
        ExprKind::Integer(number) => *number == 0,
        ExprKind::Convert(inner) => is_written_false(inner),
        _ => false,
    }
}

/// Whether a function asserts its argument.
pub(crate) fn is_assertion(function: &Function) -> bool {
    classify(function) == Some(Known::Assert)
}

/// Whether a function makes a goal of the place where it is called.
pub(crate) fn is_cover(function: &Function) -> bool {
    classify(function) == Some(Known::Cover)
}

fn nondet_name(function: &Function) -> String {
    function
        .name
        .trim_start_matches('_')
        .trim_start_matches("VERIFIER_")
        .trim_start_matches("CPROVER_")
        .to_owned()
}

/// The premises of an asserted formula (with whether each is negated) and its claims, of which one
/// must hold.
///
/// `!(A) || C` and `A ? C : 1` have the premise A and the claim C, `!a || !b || c` the premises a
/// and b; any other formula has no premise. A premise may be a negation itself.
fn split_implication(formula: &Expr) -> (Vec<&Expr>, Vec<&Expr>) {
    let formula = truth_of(formula);
    if let ExprKind::Conditional(condition, then, otherwise) = &formula.kind
        && matches!(truth_of(otherwise).kind, ExprKind::Integer(number) if number != 0)
    {
        return (vec![condition], vec![then]);
    }
    let mut disjuncts = Vec::new();
    collect_disjuncts(formula, &mut disjuncts);
    let is_negated = |expr: &&&Expr| matches!(plain(expr).kind, ExprKind::Unary(CUnary::Not, _));
    let most = disjuncts.len() - 1;
    let count = disjuncts.iter().take(most).take_while(is_negated).count();
    let premises = disjuncts[..count].iter().map(|expr| match &plain(expr).kind {
        ExprKind::Unary(CUnary::Not, premise) => &**premise,
        _ => *expr,
    });
    (premises.collect(), disjuncts[count..].to_vec())
}

fn collect_disjuncts<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
    match &plain(expr).kind {
        ExprKind::Or(left, right) => {
            collect_disjuncts(left, found);
            collect_disjuncts(right, found);
        }
        _ => found.push(expr),
    }
}

/// The expression without what does not change its truth: widening, `!= 0`, double negation.
fn truth_of(expr: &Expr) -> &Expr {
    let expr = plain(expr);
    match &expr.kind {
        ExprKind::Unary(CUnary::Not, inner) => match &truth_of(inner).kind {
            ExprKind::Unary(CUnary::Not, again) if is_truth(again) => truth_of(again),
            _ => expr,
        },
        _ => expr,
    }
}

/// The expression without widening and `!= 0`.
fn plain(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Convert(inner) if is_truth(inner) => plain(inner),
        ExprKind::Binary(COp::NotEqual, inner, zero)
            if is_truth(inner) && matches!(zero.kind, ExprKind::Integer(0)) =>
        {
            plain(inner)
        }
        _ => expr,
    }
}

/// Whether an expression is 0 or 1 by its form.
fn is_truth(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Unary(CUnary::Not, _) => true,
        ExprKind::Integer(number) => (0..=1).contains(number),
        ExprKind::Binary(op, ..) => super::expression::is_comparison(*op),
        ExprKind::Convert(inner) => is_truth(inner),
        ExprKind::Conditional(_, then, otherwise) => is_truth(then) && is_truth(otherwise),
        _ => false,
    }
}
