//! Printed interfaces read back as the same trees.

use crate::support::BUFFER;
use contracts::{parse, print};
use frontend::diagnostics::{Diagnostics, render};
use frontend::source::SourceMap;
use spec::language::CONTRACTS;
use spec::lexer::tokens;

fn parsed(text: &str) -> contracts::syntax::File {
    let (mut sources, mut diagnostics) = (SourceMap::default(), Diagnostics::default());
    let file = sources.add_text("model.ri".as_ref(), text);
    let tokens = tokens(&sources, file, &CONTRACTS, &mut diagnostics);
    let tree = parse(&tokens, &mut diagnostics);
    assert!(diagnostics.entries.is_empty(), "{}", render(&diagnostics, &sources, false));
    tree
}

#[test]
fn printing_is_a_fixed_point() {
    let texts = [
        BUFFER,
        "type T = { A, B }\ninput t : T\noutput n : 0..1 step 0.1\ndefine d = t = A\nenvironment d'\n\
         req \"SYS-12.3\" \"with \\\"quotes\\\"\" initially guarantee n' = 0 assume d guarantee n' = n always guarantee n' >= 0\n\
         purpose p \"why\": n' = 1",
    ];
    for text in texts {
        let tree = parsed(text);
        let printed = print::file(&tree);
        let again = parsed(&printed);
        assert_eq!(again, tree, "{printed}");
        assert_eq!(print::file(&again), printed);
    }
}
