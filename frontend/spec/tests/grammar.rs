//! The grammars for editors say what the tables of words say.

use serde_json::{Value as Json, json};
use spec::language::{DECLARATIONS, FUNCTIONS, LANGUAGES, Language, OPERATOR_WORDS, TYPES, VALUES};
use std::path::PathBuf;

fn words(words: &[&str]) -> String {
    format!("\\b({})\\b", words.join("|"))
}

/// A TextMate grammar: comments, texts, numbers, primes, and the words of the language.
fn grammar(language: &Language) -> Json {
    let scope = |name: &str| format!("{name}.{}", language.ending);
    let rule = |name: &str, pattern: String| json!({"name": scope(name), "match": pattern});
    let declarations = [&DECLARATIONS[..], language.declarations].concat();
    let mut patterns = vec![
        rule("comment.line.number-sign", "#.*$".to_owned()),
        json!({
            "name": scope("string.quoted.double"), "begin": "\"", "end": "\"|$",
            "patterns": [{"name": scope("constant.character.escape"), "match": "\\\\[\"\\\\]"}],
        }),
        rule("constant.numeric", "\\b[0-9]+(\\.[0-9]+)?\\b".to_owned()),
        rule("keyword.declaration", words(&declarations)),
        rule("keyword.control", words(&[language.keywords, language.contextual].concat())),
        rule("keyword.operator.word", words(&OPERATOR_WORDS)),
        rule("constant.language", words(&VALUES)),
        rule("storage.type", words(&TYPES)),
        rule("support.function", words(&FUNCTIONS)),
        rule("keyword.operator.prime", "'".to_owned()),
        rule("keyword.operator", "<->|:=|->|=>|\\.\\.|<=|>=|!=|\\[\\]|//|[=<>+*/?!-]".to_owned()),
    ];
    patterns.retain(|pattern| pattern["match"] != "\\b()\\b");
    json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": format!("ChainCover {}", language.name),
        "scopeName": format!("source.chaincover.{}", language.ending),
        "fileTypes": [language.ending],
        "patterns": patterns,
    })
}

/// `CHAINCOVER_WRITE_GRAMMARS=1` writes the files anew.
#[test]
fn grammars_are_those_of_the_tables() {
    for language in LANGUAGES {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../editors");
        let path = folder.join(format!("{}.tmLanguage.json", language.ending));
        let expected = serde_json::to_string_pretty(&grammar(language)).expect("JSON") + "\n";
        if std::env::var_os("CHAINCOVER_WRITE_GRAMMARS").is_some() {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(&path, &expected).expect("a file");
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(found, expected, "{} should be written anew", path.display());
    }
}

/// A word has one meaning within a language.
#[test]
fn words_stand_in_one_table() {
    for language in LANGUAGES {
        let tables: [&[&str]; 8] = [
            &DECLARATIONS,
            &OPERATOR_WORDS,
            &VALUES,
            &TYPES,
            &FUNCTIONS,
            language.declarations,
            language.keywords,
            language.contextual,
        ];
        let mut all: Vec<&str> = tables.into_iter().flatten().copied().collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count, "{}", language.name);
        assert!(language.keyword(language.declarations[0]).is_some());
    }
}
