//! The Prolog notation: what becomes of it, and what is refused.

use actions::analysis::read_text;
use actions::prolog::{Wishes, import};

fn model(actions: &str, block: &str) -> String {
    format!(
        "type(int, X) :- X in 0..9.\ntype(bit, X) :- X in 0..1.\nvar([x, y], int).\nvar([b], bit).\n\
         state_def([x, b, y]).\ninit([3, 0, 1]).\nas :- actions ({actions}), dood ({block}).\n"
    )
}

fn wishes() -> Wishes {
    Wishes { name: "m".to_owned(), inputs: vec!["A".to_owned()], hidden: vec!["h".to_owned()] }
}

/// Actions and block in the notation, and what becomes of the actions.
#[test]
fn actions_are_written_as_here() {
    let table = [
        ("'A'::(true) => (x := 1)", "'A'", "ctr A is (x := 1)"),
        ("'A'::true => x := 1; y := 2", "'A'", "ctr A is x := 1; y := 2"),
        ("'A'::(x #= 1) => skip", "'A'", "ctr A when (x = 1) is skip"),
        ("'A'::(x #< 2 #/\\ b #\\= 1 #\\/ y #>= 3) => skip", "'A'", "when ((x < 2 and b != 1) or y >= 3) is"),
        ("'A'::(#\\ (x #= 1) #/\\ y #= 2) => skip", "'A'", "when (not ((x = 1)) and y = 2) is"),
        ("'A'::((x + 1) * 2 #= y - -1) => skip", "'A'", "when ((x + 1) * 2) = (y - (-1)) is"),
        ("'A'::(x #=< 1 #<=> y #> 1) => skip", "'A'", "when (x <= 1 <-> y > 1) is"),
        ("'A'::(x #= 1 #=> y #= 1) => skip", "'A'", "when (x = 1 -> y = 1) is"),
        (
            "'A'(P, Q)::(P #= 1) => (x := P) [] (x := max(Q, y))",
            "[Q:int, P:bit]:'A'(P, Q)",
            "ctr A(P : bit, Q : \"int\") when (P = 1) is (x := P) [] (x := max(Q, y))",
        ),
        (
            "'A'::(true) => ((x #= 1) => (x := 2; y := 1)) [] (x := 3)",
            "'A'",
            "is ((x = 1) => (x := 2; y := 1)) [] (x := 3)",
        ),
        ("'A'::(true) => (x #= 1) => x := 2; y := 1", "'A'", "is (x = 1) => x := 2; y := 1"),
        ("'A'::(true) => skip, h::(true) => skip, 'O'::(true) => skip", "'O' [] h [] 'A'", "obs O is skip"),
        ("'A'::(true) => skip, h::(true) => skip", "'A' [] h", "int h is skip"),
    ];
    for (actions, block, expected) in table {
        let given = model(actions, block);
        // Wishes about actions that are not there are refused.
        let wishes = Wishes {
            hidden: if given.contains("h::") { vec!["h".to_owned()] } else { Vec::new() },
            ..wishes()
        };
        let imported = import(&given, &wishes).unwrap_or_else(|why| panic!("{actions}: {why}"));
        assert!(imported.text.contains(expected), "{expected}\n{}", imported.text);
        assert!(
            imported.text.contains("var x : \"int\" := 3\nvar b : bit := 0\nvar y : \"int\" := 1\n"),
            "{}",
            imported.text
        );
        read_text("m.as", &imported.text)
            .unwrap_or_else(|error| panic!("{:?}\n{}", error.diagnostics, imported.text));
    }
    let text = model("'A'::(true) => skip, 'O'::(true) => skip", "'A'");
    let wishes = Wishes { hidden: Vec::new(), ..wishes() };
    let imported = import(&text, &wishes).expect("an action that is never taken");
    assert!(imported.text.contains("# left out: O is not joined"), "{}", imported.text);
    assert_eq!(imported.count, 1);
}

#[test]
fn what_is_not_said_is_refused() {
    let plain = |actions: &str| model(actions, "'A'");
    let table = [
        (plain("'A'::(true) => x := 1; y := 2 [] y := 3"), "7:39: parentheses are needed"),
        (plain("'A'::(true) => (x #= 1) => x := 2 [] y := 3"), "parentheses are needed"),
        (plain("'A'::(true) => x := 1 // y := 2"), "division has no place here"),
        (plain("'A'::(true) => (x := 1) // (y := 2)"), "prioritised composition has no place"),
        (plain("'A'::(true) => z := 1"), "the variable `z` is not declared"),
        (plain("'A'::(z #= 1) => skip"), "the variable `z` is not declared"),
        (plain("'A'::(X #= 1) => skip"), "`X` is no parameter of the action"),
        (plain("'A'(X)::(true) => skip"), "`A` has 0 parameters there, and 1 where it is defined"),
        (plain("'A'(X, X)::(true) => skip"), "the parameter `X` stands twice"),
        (plain("'A'::(x) => skip"), "a comparison (`#=`, `#<` and so on) is expected"),
        (plain("'A'::(x = 1) => skip"), "`=` begins nothing that has a meaning"),
        (plain("'A'::(true) => x := 1 + "), "a number, a variable or a parameter is expected"),
        (plain("'A'::(true) => skip, 'A'::(true) => skip"), "the action `A` is defined twice"),
        (model("'A'::(true) => skip", "'A' [] 'A'"), "the action `A` is joined twice"),
        (model("'A'::(true) => skip", "'B'"), "the action `B` is not defined"),
        (model("'A'(X)::(true) => skip", "'A'(X)"), "`X` has no type: `[X:TYPE]:...`"),
        (model("'A'(X)::(true) => skip", "[X:real]:'A'(X)"), "the type `real` is not declared before"),
        (
            plain("'A'::(true) => skip").replace("init([3, 0, 1])", "init([3, 0])"),
            "3 variables, and `init` 2 values",
        ),
        (plain("'A'::(true) => skip").replace("init([3, 0, 1]).", ""), "`init` is missing"),
        (
            plain("'A'::(true) => skip").replace("[x, b, y]", "[x, b]").replace("[3, 0, 1]", "[3, 0]"),
            "`y` is no part of the state",
        ),
        (plain("'A'::(true) => skip").replace("var([b], bit).", ""), "`b` has no type: `var([b], TYPE).`"),
        (
            plain("'A'::(true) => skip").replace("var([b], bit).", "var([b], bit). var([b], int)."),
            "`b` is declared twice",
        ),
        (plain("'A'::(true) => skip").replace("X in 0..9", "Y in 0..9"), "1:17: the range is that of `X`"),
        (plain("'A'::(true) => skip").replace("init(", "goal("), "`goal` is no part of an action system"),
        (plain("'A'::(true) => skip /* "), "a comment without end"),
        (plain("'A::(true) => skip"), "a name in quotes without end"),
        (plain(&format!("'A'::(true) => {}skip{}", "(".repeat(500), ")".repeat(500))), "nested too deeply"),
        (plain(&format!("'A'::{}x #= 1{} => skip", "(".repeat(500), ")".repeat(500))), "nested too deeply"),
        (String::new(), "`state_def` is missing"),
    ];
    for (text, expected) in table {
        let wishes = Wishes { hidden: Vec::new(), ..wishes() };
        let why = import(&text, &wishes).expect_err(&text).to_string();
        assert!(why.contains(expected), "{expected}: {why}\n{text}");
    }
    let text = plain("'A'::(true) => skip");
    let why = import(&text, &wishes()).expect_err("an unknown action").to_string();
    assert_eq!(why, "there is no action `h`; there are A");
    let both = Wishes { hidden: vec!["A".to_owned()], ..wishes() };
    assert!(
        import(&text, &both).expect_err("both").to_string().starts_with("is `A` an action of the tester")
    );
}
