//! Coverage as Cobertura XML (coverage-04.dtd), which continuous integration servers read: lines,
//! and branches as `condition-coverage`.

use super::Coverage;
use super::lcov::{SiteGoals, branches, by_file, lines};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The document. Time stamps are 0: equal results make equal files.
pub fn document(name: &str, coverage: &Coverage) -> String {
    let coverage = coverage.of_places();
    let files = by_file(&coverage);
    let all = Rates::of(files.values().flatten());
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n",
    );
    let _ = writeln!(
        text,
        "<coverage {} lines-covered=\"{}\" lines-valid=\"{}\" branches-covered=\"{}\" branches-valid=\"{}\" \
         complexity=\"0\" version=\"chaincover\" timestamp=\"0\">\n  <sources><source>.</source></sources>",
        all.attributes(),
        all.lines.0,
        all.lines.1,
        all.branches.0,
        all.branches.1
    );
    let _ = writeln!(
        text,
        "  <packages>\n    <package name=\"{}\" {} complexity=\"0\">\n      <classes>",
        escaped(name),
        all.attributes()
    );
    for (file, sites) in &files {
        class(&mut text, file, sites);
    }
    text.push_str("      </classes>\n    </package>\n  </packages>\n</coverage>\n");
    text
}

fn class(text: &mut String, file: &str, sites: &[SiteGoals<'_>]) {
    let rates = Rates::of(sites.iter());
    let _ = writeln!(
        text,
        "        <class name=\"{0}\" filename=\"{0}\" {1} complexity=\"0\">\n          <methods/>\n          <lines>",
        escaped(file),
        rates.attributes()
    );
    let mut on_lines: BTreeMap<u32, Vec<bool>> = BTreeMap::new();
    for found in sites {
        on_lines.entry(found.site.line).or_default().extend(branches(found));
    }
    for (line, ran) in lines(sites) {
        let here = on_lines.get(&line).map(Vec::as_slice).unwrap_or_default();
        let _ = write!(text, "            <line number=\"{line}\" hits=\"{}\"", u8::from(ran));
        if here.is_empty() {
            text.push_str(" branch=\"false\"/>\n");
        } else {
            let (covered, valid) = (here.iter().filter(|&&covered| covered).count(), here.len());
            let percent = covered * 100 / valid;
            let _ =
                writeln!(text, " branch=\"true\" condition-coverage=\"{percent}% ({covered}/{valid})\"/>");
        }
    }
    text.push_str("          </lines>\n        </class>\n");
}

/// Covered and possible lines and branches.
#[derive(Default)]
struct Rates {
    lines: (usize, usize),
    branches: (usize, usize),
}

impl Rates {
    fn of<'s>(sites: impl Iterator<Item = &'s SiteGoals<'s>>) -> Self {
        let mut found = Self::default();
        let mut seen: BTreeMap<(&str, u32), bool> = BTreeMap::new();
        for here in sites {
            let file = here.site.file.as_deref().unwrap_or_default();
            for (line, ran) in lines(std::slice::from_ref(here)) {
                *seen.entry((file, line)).or_default() |= ran;
            }
            let branches = branches(here);
            found.branches.0 += branches.iter().filter(|&&covered| covered).count();
            found.branches.1 += branches.len();
        }
        found.lines = (seen.values().filter(|&&ran| ran).count(), seen.len());
        found
    }

    fn attributes(&self) -> String {
        let rate = |(covered, valid): (usize, usize)| match valid {
            0 => 1.0,
            valid => covered as f64 / valid as f64,
        };
        format!("line-rate=\"{:.4}\" branch-rate=\"{:.4}\"", rate(self.lines), rate(self.branches))
    }
}

fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut found, letter| {
        match letter {
            '&' => found.push_str("&amp;"),
            '<' => found.push_str("&lt;"),
            '>' => found.push_str("&gt;"),
            '"' => found.push_str("&quot;"),
            '\'' => found.push_str("&apos;"),
            letter if letter.is_control() => found.push('\u{fffd}'),
            letter => found.push(letter),
        }
        found
    })
}
