//! What front ends keep between readings of the same files.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A place where a front end keeps what it can use again when it reads the same files, changed or
/// not by [`edits`](crate::Request::edits). Copies of it are one place. It is for readings between
/// which no file on disk changes.
#[derive(Clone, Default)]
pub struct Kept(Option<Arc<OnceLock<Box<dyn Any + Send + Sync>>>>);

impl Kept {
    /// An empty place; the default keeps nothing.
    pub fn new() -> Self {
        Self(Some(Arc::default()))
    }
    /// What is kept, which begins as the default of its type; none where nothing is kept, or
    /// something of another type is.
    ///
    /// ```
    /// use frontend::Kept;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    /// let kept = Kept::new();
    /// kept.clone().get::<AtomicU32>().expect("a number").store(5, Ordering::Relaxed);
    /// assert_eq!(kept.get::<AtomicU32>().expect("a number").load(Ordering::Relaxed), 5);
    /// assert!(kept.get::<bool>().is_none() && Kept::default().get::<AtomicU32>().is_none());
    /// ```
    pub fn get<T: Any + Default + Send + Sync>(&self) -> Option<&T> {
        self.0.as_ref()?.get_or_init(|| Box::new(T::default())).downcast_ref()
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.is_some() { "Kept" } else { "nothing kept" })
    }
}
