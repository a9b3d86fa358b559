//! What is wrong with the input, collected and shown with source snippets.

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing: a choice that was made.
    Note,
    /// The result stands, but may not mean what the user thinks.
    Warning,
    /// No result.
    Error,
}

/// One message about the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable short code such as `unsupported-goto`, for tests and searches.
    pub code: &'static str,
    /// One sentence, no full stop.
    pub message: String,
    /// Where, if anywhere.
    pub span: Option<Span>,
    /// What the user can do about it, or more places; each with an optional span.
    pub notes: Vec<(String, Option<Span>)>,
}

/// Messages in the order they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    /// The messages.
    pub entries: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Whether any message is an error.
    pub fn has_errors(&self) -> bool {
        self.entries.iter().any(|entry| entry.severity == Severity::Error)
    }
    /// Adds a message.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.entries.push(diagnostic);
    }
    /// Adds an error and returns it for adding notes.
    pub fn error(
        &mut self,
        code: &'static str,
        span: Option<Span>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.add(Severity::Error, code, span, message.into())
    }
    /// Adds a warning and returns it for adding notes.
    pub fn warning(
        &mut self,
        code: &'static str,
        span: Option<Span>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.add(Severity::Warning, code, span, message.into())
    }
    /// Adds a note and returns it for adding notes.
    pub fn note(
        &mut self,
        code: &'static str,
        span: Option<Span>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.add(Severity::Note, code, span, message.into())
    }

    fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        span: Option<Span>,
        message: String,
    ) -> &mut Diagnostic {
        self.entries.push(Diagnostic { severity, code, message, span, notes: Vec::new() });
        self.entries.last_mut().expect("an entry should have been pushed")
    }
}

impl Diagnostic {
    /// Adds advice without a place.
    pub fn advice(&mut self, text: impl Into<String>) -> &mut Self {
        self.notes.push((text.into(), None));
        self
    }
    /// Adds a related place.
    pub fn related(&mut self, text: impl Into<String>, span: Span) -> &mut Self {
        self.notes.push((text.into(), Some(span)));
        self
    }
}
