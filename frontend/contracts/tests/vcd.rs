//! Runs that simulators of hardware record: which values belong to which step.

use crate::support::document;
use contracts::log::parse;
use contracts::syntax::Role;
use contracts::vcd::{Sampling, Steps};
use contracts::{Document, values};
use frontend::limit::Limit;

const SPEC: &str = "type Mode = { OFF, ON }
    input ask : bool  input n : -4..3
    output ack : bool  output mode : Mode  output t : 0..2 step 0.5
    req r1 always guarantee ack' or not ack'";

const HEAD: &str = "$timescale 1 ns $end
    $scope module top $end
    $var wire 1 ! clk $end
    $scope module dut $end
    $var wire 1 \" ask $end $var wire 3 # n [2:0] $end $var reg 1 $ ack $end
    $var wire 1 % mode $end $var real 64 & t $end $upscope $end
    $scope module bench $end $var wire 1 \" ask $end $upscope $end $upscope $end
    $enddefinitions $end\n";

fn read(
    document: &Document,
    dump: &str,
    steps: Option<Steps>,
    names: &[(&str, &str)],
) -> Result<String, String> {
    let names = names.iter().map(|(name, path)| ((*name).to_owned(), (*path).to_owned())).collect();
    let found = parse(&document.interface, dump, &Sampling { steps, names }, &Limit::default())
        .map_err(|error| error.to_string())?;
    let step = |now| {
        let mut known = values::fields(&document.interface, Role::Input, now);
        known.extend(values::fields(&document.interface, Role::Output, now));
        known.values().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    Ok(found.iter().map(step).collect::<Vec<_>>().join("; "))
}

const BODY: &str = "$dumpvars 0! 0\" b110 # x$ 0% r0.5 & $end
    #0
    #5 1! 1$
    #7 1\" b11 #
    #10 0! 1%
    #15 1! 0$ r1.5 &
    #20 0!
    #25 1! z$
    #30 0!\n";

#[test]
fn values_before_the_edge_count() {
    let document = document(SPEC);
    let edges = |clock: &str| Some(Steps::Edges(clock.to_owned()));
    let dump = format!("{HEAD}{BODY}");
    let expected = "false -2 \"OFF\" \"0.5\"; true 3 true \"ON\" \"0.5\"; true 3 false \"ON\" \"1.5\"";
    for clock in ["clk", "top.clk"] {
        assert_eq!(read(&document, &dump, edges(clock), &[]).as_deref(), Ok(expected));
    }
    // A clock that is high from the beginning has no edge there; unknown levels are none.
    let high = dump.replace("$dumpvars 0!", "$dumpvars 1!");
    assert_eq!(read(&document, &high, edges("clk"), &[]).map(|text| text.matches(';').count()), Ok(1));
}

#[test]
fn periods_have_their_last_values() {
    let document = document(SPEC);
    let every = |text: &str| Some(Steps::periods(text).expect("a time"));
    let dump = format!("{HEAD}{BODY}");
    let expected = "true 3 true \"OFF\" \"0.5\"; true 3 false \"ON\" \"1.5\"; true 3 \"ON\" \"1.5\"; true 3 \"ON\" \"1.5\"";
    assert_eq!(read(&document, &dump, every("10ns"), &[]).as_deref(), Ok(expected));
    let found = read(&document, &dump, every("20 ns"), &[]).expect("steps");
    assert_eq!(found, "true 3 false \"ON\" \"1.5\"; true 3 \"ON\" \"1.5\"");
    // The first step ends when 5 ns are over, whatever unit they are told in.
    let found = read(&document, &dump, every("5000ps"), &[]).expect("steps");
    assert_eq!(
        (found.matches(';').count(), found.starts_with("false -2 \"OFF\" \"0.5\"; true 3 true")),
        (6, true)
    );
    // No period begins where the simulation ends, which writers tell by a time without changes.
    let ended = format!("{dump}#40\n");
    assert_eq!(read(&document, &ended, every("10ns"), &[]).as_deref(), Ok(expected));
    let found = read(&document, &format!("{dump}#41\n"), every("10ns"), &[]).expect("steps");
    assert_eq!(found.matches(';').count(), 4);
    for wrong in ["", "ns", "5", "0ns", "5 parsecs", "-1ns", "1e3ns"] {
        assert!(Steps::periods(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn what_cannot_be_read_is_told() {
    let document = document(SPEC);
    let edges = || Some(Steps::Edges("clk".to_owned()));
    let dump = format!("{HEAD}{BODY}");
    let table = [
        (dump.clone(), None, vec![], "say which times are steps (--clock SIGNAL or --every TIME)"),
        (dump.clone(), Some(Steps::Edges("clock".to_owned())), vec![], "the log has no variable `clock`"),
        (dump.clone(), edges(), vec![("ask", "dut.nothing")], "the log has no variable `dut.nothing`"),
        (dump.clone(), edges(), vec![("rq", "dut.ask")], "the interface has no input or output `rq`"),
        (
            dump.replace(" n [2:0]", " m [2:0]"),
            edges(),
            vec![],
            "no variable for the input `n`; name one (--map n=PATH)",
        ),
        (
            dump.replace("bench $end $var wire 1 \" ask", "bench $end $var wire 1 ( ask"),
            edges(),
            vec![],
            "several variables are called `ask`: top.dut.ask, top.bench.ask; name one (--map ask=PATH)",
        ),
        (
            dump.replace("b110 #", "b1x0 #"),
            edges(),
            vec![],
            "step 0: the input `n` is unknown: `top.dut.n` has no value yet",
        ),
        (
            dump.replace("wire 1 % mode", "wire 2 % mode").replace("0% r0.5", "b10 % r0.5"),
            edges(),
            vec![],
            "step 0: 2 of `top.dut.mode` is no value of `mode`",
        ),
        (
            dump.replace("r0.5 &", "b1 &"),
            edges(),
            vec![],
            "step 0: the vector 1 of `top.dut.t` is no value of `t`",
        ),
        (dump.replace("1!", "0!"), edges(), vec![], "`clk` never rises: the log has no steps"),
        (dump.replace("#20", "#3"), edges(), vec![], "the time goes back to 3"),
        (dump.replace("#20", "#twenty"), edges(), vec![], "invalid digit found in string"),
        ("$scope".to_owned(), edges(), vec![], ""),
        (
            format!("{HEAD}#0 0! 0\" b0 # #99999999999 1!"),
            Some(Steps::Periods(1_000_000)),
            vec![],
            "more than 10000000 steps",
        ),
    ];
    for (text, steps, names, expected) in table {
        let why = read(&document, &text, steps, &names).expect_err(expected);
        assert!(why.contains(expected), "{expected}\n{why}");
    }
    let sampling = Sampling { steps: edges(), ..Sampling::default() };
    let why = parse(&document.interface, "req,n\n1,1\n", &sampling, &Limit::default())
        .expect_err("a table")
        .to_string();
    assert!(why.contains("this log is none"), "{why}");
    // A variable in two scopes is one where it is one signal, or where one of them is named.
    let two = dump.replace("bench $end $var wire 1 \" ask", "bench $end $var wire 1 ( ask");
    assert!(read(&document, &two, edges(), &[("ask", "dut.ask")]).is_ok());
    // Integers have no point, whatever their step is.
    let even = crate::support::document("output n : 0..6 step 2  req r always guarantee n' = 4");
    let short = "$timescale 1ns $end $var wire 3 ! n $end $enddefinitions $end #0 b100 !\n";
    assert_eq!(read(&even, short, Some(Steps::Periods(1_000_000)), &[]).as_deref(), Ok("4"));
    // Outputs that are missing are unknown.
    let found = read(&document, &dump.replace(" ack ", " nack "), edges(), &[]).expect("steps");
    assert!(found.starts_with("false -2 \"OFF\" \"0.5\"; true 3 \"ON\""), "{found}");
}
