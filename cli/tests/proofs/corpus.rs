//! Evidence of whole results: cases of the corpus, configurations, folders.

use crate::proofs::{Case, TWO_WAYS, call, call_in, text};

#[test]
fn evidence_of_corpus_cases_is_accepted() {
    let cases = [
        ("cruise-1", &["no chain of less than 9 steps covers the goals (graph)"][..]),
        ("example-1", &["no chain of less than 4 steps covers the goals (graph)"]),
        ("cruise-defect", &["no chain of less than 11 steps"]),
        (
            "light",
            &[
                "overrun is unreachable (graph)",
                "too_bright is unreachable (graph)",
                "no chain of less than 50 steps",
            ],
        ),
        (
            "window-ext-1",
            &["fewer than 2 chains do not cover the goals", "no 2 chains of less than 29 steps in all"],
        ),
    ];
    for (name, claims) in cases {
        let (code, output) = Case::corpus(name).verify();
        assert_eq!(code, 0, "{name}: {output}");
        for claim in claims {
            assert!(output.contains(&format!("verified       {claim}")), "{name}: {output}");
        }
        assert!(output.contains("claims verified\n") && output.contains("agrees"), "{name}: {output}");
    }
}

#[test]
fn a_changed_configuration_is_rejected() {
    let case = Case::corpus("light");
    let (code, output) =
        case.verify_changed("light/chaincover.toml", |text| text.replacen("overrun", "overran", 1));
    assert_eq!(code, 4, "{output}");
    assert!(output.contains("chaincover.toml has changed since the chain was made"), "{output}");
    assert_eq!(case.verify().0, 0);
}

#[test]
fn final_windows_and_prices_are_covered_by_the_evidence() {
    for (options, claims) in [
        (&[][..], &["fewer than 2 chains do not cover", "no 2 chains of less than 5 steps in all"][..]),
        (&["--reset-cost", "7"], &["no chains cost less than 12, where a further chain costs 7"]),
        (&["--engine", "sat"], &["fewer than 2 chains do not cover"]),
    ] {
        let case = Case::text(TWO_WAYS, options);
        let (code, output) = case.verify();
        assert_eq!(code, 0, "{options:?}: {output}");
        for claim in
            claims.iter().chain(&["p_never is unreachable", "no execution covers p_dead and ends in Final"])
        {
            assert!(output.contains(&format!("verified       {claim}")), "{options:?}: {output}");
        }
    }
}

#[test]
fn folders_without_evidence_are_a_usage_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(call(&["verify", text(folder.path())]).0, 2);
    let case = Case::corpus("example-1");
    std::fs::remove_file(case.path("result/proofs/manifest.json")).expect("a manifest");
    let (code, output) = case.verify();
    assert_eq!(code, 2, "{output}");
    assert!(output.contains("manifest.json: there are no proofs to check"), "{output}");
    assert_eq!(call(&["chain", "m.c", "--proofs"]).0, 2);
}

#[test]
fn a_result_below_the_folder_of_the_search_is_usable_from_where_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path();
    std::fs::write(place.join("m.c"), TWO_WAYS).expect("a file");
    let made = call_in(place, &["chain", "m.c", "-q", "--proofs", "--no-replay", "-o", "out/deep"]);
    assert!([0, 20].contains(&made.0), "{}", made.1);
    for (below, arguments) in [
        ("out/deep", &["verify", "."][..]),
        ("out", &["verify", "deep"]),
        ("out", &["replay", "deep/chain.json"]),
        ("out/deep", &["export", "chain.json", "--format", "csv,html"]),
    ] {
        let (code, output) = call_in(&place.join(below), arguments);
        assert_eq!(code, 0, "{below} {arguments:?}: {output}");
    }
    // A file of that name may be another one.
    std::fs::write(place.join("m.c"), TWO_WAYS.replacen("n = 0", "n = 1", 1)).expect("a file");
    let (code, output) = call_in(&place.join("out"), &["verify", "deep"]);
    assert_eq!(code, 2, "{output}");
    assert!(output.contains("cannot find the source"), "{output}");
    let (code, output) = call_in(place, &["verify", "out/deep"]);
    assert_eq!(code, 4, "{output}");
    assert!(output.contains("m.c has changed since the chain was made"), "{output}");
}
