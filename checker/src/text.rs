//! What the texts of graphs, families and parts have in common: a title, then lines that each have
//! a kind and a content.

/// Why a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct Malformed {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub why: &'static str,
}

/// Has every line behind the title read by `read`, kind and content apart; a line without content
/// has an empty one.
///
/// # Errors
/// Where the title is another one (`unknown` says so), or the first thing that `read` calls wrong.
pub(crate) fn read_lines(
    text: &str,
    (title, unknown): (&str, &'static str),
    mut read: impl FnMut(&str, &str) -> Result<(), &'static str>,
) -> Result<(), Malformed> {
    let mut lines = text.lines().enumerate();
    if lines.next().map(|(_, line)| line) != Some(title) {
        return Err(Malformed { line: 1, why: unknown });
    }
    for (index, line) in lines {
        let (kind, content) = line.split_once(' ').unwrap_or((line, ""));
        read(kind, content).map_err(|why| Malformed { line: index + 1, why })?;
    }
    Ok(())
}

/// Whether executions may begin, and whether chains may end, as one word.
pub(crate) fn marks(initial: bool, end: bool) -> &'static str {
    match (initial, end) {
        (true, true) => "ie",
        (true, false) => "i",
        (false, true) => "e",
        (false, false) => "-",
    }
}

/// The meaning of such a word.
pub(crate) fn parse_marks(word: &str) -> Option<(bool, bool)> {
    let all = [(true, true), (true, false), (false, true), (false, false)];
    all.into_iter().find(|&(initial, end)| marks(initial, end) == word)
}

/// Numbers with single spaces between them.
pub(crate) fn joined<N: ToString>(numbers: &[N]) -> String {
    numbers.iter().map(N::to_string).collect::<Vec<_>>().join(" ")
}

/// All words as numbers, if they are.
pub(crate) fn numbers<'t, N: std::str::FromStr>(words: impl Iterator<Item = &'t str>) -> Option<Vec<N>> {
    words.map(|word| word.parse().ok()).collect()
}
