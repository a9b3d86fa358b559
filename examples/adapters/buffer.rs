//! A buffer with two places as a system under test: one JSON object a line, one answer a request.
//! `rustc buffer.rs`; the searching in the text does for flat objects of truths.

use std::io::{BufRead, Write, stdin, stdout};

struct Buffer {
    places: u32,
    filled: u32,
}

impl Buffer {
    /// Replace this: what your system does in one step.
    fn step(&mut self, enq: bool, deq: bool, is_first: bool) -> String {
        match (is_first, enq, deq) {
            (false, true, false) if self.filled < self.places => self.filled += 1,
            (false, false, true) if self.filled > 0 => self.filled -= 1,
            _ => {}
        }
        let (empty, full) = (self.filled == 0, self.filled == self.places);
        format!(r#"{{"out":{{"E":{empty},"F":{full},"pc":{}}}}}"#, if enq || deq { 2 } else { 0 })
    }
}

fn main() -> std::io::Result<()> {
    let places = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(2);
    let mut buffer = Buffer { places, filled: 0 };
    for line in stdin().lock().lines() {
        let line = line?;
        let answer = if line.contains("\"reset\"") {
            buffer.filled = 0;
            r#"{"ok":true}"#.to_owned()
        } else {
            let holds = |name: &str| line.contains(&format!("\"{name}\":true"));
            buffer.step(holds("enq"), holds("deq"), line.contains("\"step\":0,"))
        };
        writeln!(stdout(), "{answer}")?;
    }
    Ok(())
}
