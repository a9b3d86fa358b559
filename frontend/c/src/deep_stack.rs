//! A stack deep enough for recursion over programs.
//!
//! Generated code nests deeply (chains of `else if`, long sums, large initialisers). The stages
//! that walk it recursively run on a thread with a large stack, of which only what is used takes
//! memory.

use frontend::limit::address_space;
use std::sync::{Mutex, PoisonError};

/// Bytes of address space for the stack.
const STACK_SIZE: usize = 1 << 29;

/// Part of the address space that a stack may take, where that is limited.
const PART: u64 = 8;

/// Least bytes of a stack that is worth a thread.
const LEAST: usize = 1 << 23;

/// Runs a function on a thread with a large stack; where the address space is limited, with a
/// smaller one, and where no thread can be had, on this one.
pub fn deep_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    deep_stack_of(STACK_SIZE, run)
}

/// Runs a function on a thread with so many bytes of stack, where they can be had.
pub(crate) fn deep_stack_of<T: Send>(most: usize, run: impl FnOnce() -> T + Send) -> T {
    let run = Mutex::new(Some(run));
    let take = || run.lock().unwrap_or_else(PoisonError::into_inner).take();
    let work = || take().map(|run| run());
    let done = std::thread::scope(|scope| {
        let mut size = affordable(most, address_space());
        while size >= LEAST {
            let thread = std::thread::Builder::new().stack_size(size).spawn_scoped(scope, work);
            if let Ok(thread) = thread {
                return thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            }
            size /= 2;
        }
        work()
    });
    done.expect("what is to be run should be run once")
}

/// Bytes for a stack where the address space is limited to so much.
fn affordable(most: usize, space: Option<u64>) -> usize {
    let part = space.map_or(u64::MAX, |space| space / PART);
    usize::try_from(part).unwrap_or(usize::MAX).clamp(LEAST, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_smaller_where_space_is_short() {
        assert_eq!(affordable(STACK_SIZE, None), STACK_SIZE);
        assert_eq!(affordable(STACK_SIZE, Some(600 << 20)), 75 << 20);
        assert_eq!(affordable(STACK_SIZE, Some(1)), LEAST);
        assert_eq!(deep_stack(|| 7), 7);
    }
}
