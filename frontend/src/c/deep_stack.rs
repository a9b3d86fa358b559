//! A stack deep enough for recursion over programs.
//!
//! Generated code nests deeply (chains of `else if`, long sums, large initialisers). The stages that walk it recursively run on a thread
//! with a large stack, of which only what is used takes memory.

/// Bytes of address space for the stack.
const STACK_SIZE: usize = 1 << 29;

/// Runs a function on a thread with a large stack.
pub fn deep_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, run);
        let thread = thread.expect("the system should allow one more thread");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
