//! Calls that lead to a piece of code, where coverage goals count for each of them.

use crate::ir::FunctionId;
use frontend::source::Span;
use rustc_hash::FxHashMap;

/// The calls that lead to the code that is executed; [`CallPath::ROOT`]: none, or they do not
/// matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CallPath(u32);

impl CallPath {
    /// Code that is executed without any call of the model.
    pub(crate) const ROOT: Self = Self(0);
}

/// The last call of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LastCall {
    /// The calls before it.
    pub(crate) before: CallPath,
    /// Where it stands.
    pub(crate) span: Span,
    /// The function that it calls.
    pub(crate) callee: FunctionId,
}

/// All paths of calls that are known, callers before what they call.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallPaths {
    last: Vec<LastCall>,
    known: FxHashMap<LastCall, CallPath>,
}

impl CallPaths {
    /// The path that goes on with a call. A call of a function that is running leads to the path of
    /// the running one: depths of recursion are not told apart.
    pub(crate) fn extended(&mut self, before: CallPath, span: Span, callee: FunctionId) -> CallPath {
        let call = LastCall { before, span, callee };
        if let Some(&known) = self.known.get(&call) {
            return known;
        }
        let mut at = before;
        while let Some(outer) = self.last_call(at) {
            if outer.callee == callee {
                return at;
            }
            at = outer.before;
        }
        self.last.push(call);
        let path = CallPath(u32::try_from(self.last.len()).expect("paths should be limited"));
        self.known.insert(call, path);
        path
    }

    /// The last call of a path; `None` for [`CallPath::ROOT`].
    pub(crate) fn last_call(&self, path: CallPath) -> Option<LastCall> {
        self.last.get((path.0 as usize).checked_sub(1)?).copied()
    }

    /// The calls of a path, the outermost one first.
    pub(crate) fn calls(&self, path: CallPath) -> Vec<LastCall> {
        let before = |call: &LastCall| self.last_call(call.before);
        let mut calls: Vec<LastCall> = std::iter::successors(self.last_call(path), before).collect();
        calls.reverse();
        calls
    }

    /// The path of a number from 0, which is that of [`CallPath::ROOT`].
    pub(crate) fn numbered(&self, number: usize) -> Option<CallPath> {
        (number <= self.last.len()).then(|| CallPath(u32::try_from(number).unwrap_or(u32::MAX)))
    }
}
