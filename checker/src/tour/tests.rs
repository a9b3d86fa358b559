//! Certificates that should be accepted, and what is wrong with others. Those that the search makes
//! are tested where it is.

use super::rounded::Rounded;
use super::*;

/// A generator of numbers that look random (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) % bound
    }
}

/// All tours, each as its arcs.
fn tours(n: usize) -> Vec<Vec<(usize, usize)>> {
    let mut orders = vec![vec![0]];
    for _ in 1..n {
        let longer = |order: &Vec<usize>| {
            let left: Vec<usize> = (0..n).filter(|vertex| !order.contains(vertex)).collect();
            left.into_iter().map(|vertex| [order.clone(), vec![vertex]].concat()).collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    let arcs = |order: Vec<usize>| (0..n).map(|place| (order[place], order[(place + 1) % n])).collect();
    orders.into_iter().map(arcs).collect()
}

fn reader(text: &str) -> Reader<'_> {
    Reader { lines: text.lines().peekable(), line: 0 }
}

fn random_vertices(n: usize, random: &mut Random) -> String {
    let chosen: Vec<String> =
        (0..n).filter(|_| random.below(2) == 0).map(|vertex| vertex.to_string()).collect();
    chosen.join(" ")
}

/// What is added up in an inequality, some of it of earlier ones.
fn random_sum(n: usize, earlier: usize, random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(6) {
        let factor = random.below(5) as i64 - 1;
        text += &match random.below(4) {
            0 => format!("leave {factor} {}\n", random_vertices(n, random)),
            1 => format!("enter {factor} {}\n", random_vertices(n, random)),
            2 => format!("within {} {}\n", factor, random_vertices(n, random)),
            _ => format!("earlier {} {}\n", factor, random.below(earlier as u64 + 1)),
        };
    }
    text
}

/// Whatever is added up and divided: an inequality that is accepted holds for every tour, and that
/// with a smaller right-hand side is not accepted.
#[test]
fn inequalities_by_rounding_hold_for_all_tours() {
    let (n, mut random) = (5, Random(8));
    let tours = tours(n);
    let (mut accepted, mut tight) = (0, 0);
    for _ in 0..300 {
        let mut before: Vec<Rounded> = Vec::new();
        for _ in 0..12 {
            let (divisor, sum) = (1 + random.below(4), random_sum(n, before.len(), &mut random));
            let read = |right: i64| {
                Rounded::read(&mut reader(&format!("round {divisor} {right}\n{sum}")), n, &before)
            };
            let Some(right) = (-60..60).find(|&right| read(right).is_ok()) else { continue };
            let rounded = read(right).expect("as before");
            let value = |tour: &Vec<(usize, usize)>| {
                let uses = |&(arc, factor): &(usize, i32)| {
                    if tour.contains(&(arc / n, arc % n)) { i64::from(factor) } else { 0 }
                };
                rounded.factors().iter().map(uses).sum::<i64>()
            };
            let greatest = tours.iter().map(value).max().expect("a tour");
            assert!(greatest <= right, "{greatest} > {right}: round {divisor}\n{sum}");
            tight += usize::from(greatest == right);
            accepted += 1;
            let wrong = read(right - 1).map(|_| ()).expect_err("a smaller right-hand side");
            assert_eq!(wrong.why, "the right-hand side is not the sum's, divided and rounded down");
            before.push(rounded);
        }
    }
    assert!(accepted > 500 && tight > 50, "{accepted} {tight}");
}

#[test]
fn sums_that_prove_nothing_are_refused() {
    let earlier = Rounded::read(&mut reader("round 2 0\nleave 1 0"), 4, &[]).expect("half an equation");
    let read = |text: &str| {
        let read = Rounded::read(&mut reader(text), 4, std::slice::from_ref(&earlier));
        read.map(|rounded| rounded.right()).map_err(|wrong| wrong.why)
    };
    assert_eq!(read("round 2 1\nleave 1 0 1\nenter 1 2"), Ok(1));
    assert_eq!(read("round 3 -1\nleave -1 0\nearlier 2 0"), Ok(-1));
    let sum = "what is added up should have a factor, and ascending vertices or an earlier number";
    for (text, why) in [
        ("round 2\nleave 1 0", "rounding should have a divisor and a right-hand side"),
        ("round 0 1\nleave 1 0", "a divisor should be positive"),
        ("round -2 0\nleave 1 0", "a divisor should be positive"),
        ("round 2 1\nwithin -1 0 1", sum),
        ("round 2 1\nwithin 1 0 1 2 3", sum),
        ("round 2 1\nwithin 1 1 0", sum),
        ("round 2 1\nwithin 1 1 1", sum),
        ("round 2 1\nleave 1 4", sum),
        ("round 2 1\nleave", sum),
        ("round 2 1\nearlier -1 0", sum),
        ("round 2 1\nearlier 1 1", sum),
        ("round 2 1\nleave 4294967296 0", sum),
        ("round 1 4\nleave 2147483647 0\nleave 2147483647 0", "numbers are too great"),
    ] {
        assert_eq!(read(text), Err(why), "{text}");
    }
}

/// Two halves of two vertices each: ways within a half cost 2, ways between them 3. All tours are
/// even, the shortest ones 10 long.
fn halves() -> Matrix {
    Matrix::new(4, |from, to| Some(if from % 2 == to % 2 { 2 } else { 3 }))
}

#[test]
fn lengths_that_no_tour_has_are_skipped() {
    let matrix = halves();
    let length =
        |tour: Vec<(usize, usize)>| tour.iter().filter_map(|&(from, to)| matrix.cost(from, to)).sum::<u64>();
    assert_eq!(tours(4).into_iter().map(length).min(), Some(10));
    let even = "congruent 2\nrows 0 1 0 1\ncolumns 0 1 0 1\n";
    let dual = "dual 1\nrows 3 3 3 3\ncolumns 0 0 0 0\nset 1 0 2\nset 2 1 3\n";
    let show = |bound, text: &str| check(&matrix, bound, text).map_err(|wrong| wrong.why);
    let certificate = format!("{TITLE}\n{even}{dual}closed\n");
    assert_eq!(show(10, &certificate), Ok(()));
    assert_eq!(show(9, &format!("{TITLE}\n{dual}closed\n")), Ok(()));
    let shorter = "the node may have a shorter tour";
    assert_eq!(show(10, &format!("{TITLE}\n{dual}closed\n")), Err(shorter));
    assert_eq!(show(11, &certificate), Err(shorter));
    let remainder = "an arc has another remainder than the numbers of its row and column";
    for (from, to, why) in [
        ("congruent 2", "congruent 3", remainder),
        ("congruent 2", "congruent 0", "a modulus should be positive"),
        ("congruent 2", "congruent 2 2", "there should be one number"),
        ("congruent 2", "congruent", "there should be a number, rows and columns"),
        ("rows 0 1", "rows 1 1", remainder),
        ("columns 0 1 0 1", "columns 0 1 0 0", remainder),
        ("rows 0 1 0", "rows 0 1", "there should be a number for each row and each column"),
        ("dual 1", "dual 0", "the scale of a dual should be positive and not too great"),
        ("rows 3 3 3 3", "rows 3 3 3 4", "an arc costs less than the numbers of its row and column"),
        ("set 2 1 3", "set 0 1 3", "an arc costs less than the numbers of its row and column"),
        ("set 2 1 3", "set 3 1 3", shorter),
    ] {
        assert_eq!(show(10, &certificate.replacen(from, to, 1)), Err(why), "{from} -> {to}");
    }
}

/// An arc that all tours of a node use already may be split at again; that closes nothing.
#[test]
fn to_split_twice_at_the_same_arc_proves_nothing() {
    let matrix = Matrix::new(3, |_, _| Some(1));
    let forged = format!(
        "{TITLE}\nsplit 0 1\nsplit 0 2\nclosed\nsplit 0 2\nclosed\nclosed\nsplit 0 1\nclosed\nclosed\n"
    );
    for bound in [4, 1_000_000] {
        let wrong = check(&matrix, bound, &forged).expect_err("all tours are 3 long");
        assert_eq!(wrong, Rejection { line: 7, why: "the node may have a shorter tour" });
    }
}

/// Splits alone close the nodes of which no tour is left, and no other: with the arcs of a tour, in
/// any order and repeated, the last node stays open.
#[test]
fn splits_close_no_node_that_has_a_tour() {
    let (n, mut random) = (4, Random(3));
    let matrix = Matrix::new(n, |_, _| Some(1));
    for _ in 0..2_000 {
        let mut node = Node::root(&matrix, 100);
        let mut chosen: Vec<((usize, usize), bool)> = Vec::new();
        for _ in 0..1 + random.below(8) {
            let arc = (random.below(n as u64) as usize, random.below(n as u64) as usize);
            let is_with = random.below(2) == 0;
            node = if is_with { node.with(arc.0, arc.1) } else { node.without(arc.0, arc.1) };
            chosen.push((arc, is_with));
        }
        let fits =
            |tour: &Vec<(usize, usize)>| chosen.iter().all(|(arc, is_with)| tour.contains(arc) == *is_with);
        let is_left = tours(n).iter().any(fits);
        assert!(!is_left || !(node.closed || node.has_no_tour()), "{chosen:?}");
    }
}

/// The deepest tree that is read, of the most vertices, fits into memory: a node does not copy the
/// matrix.
#[test]
fn the_deepest_tree_is_refused_without_taking_all_memory() {
    let matrix = Matrix::new(MOST_VERTICES, |_, _| Some(1));
    let arcs = (0..).map(|arc: usize| (arc / MOST_VERTICES, arc % MOST_VERTICES));
    let splits: String =
        arcs.take(MOST_SPLITS + 1).map(|(from, to)| format!("split {from} {to}\n")).collect();
    let wrong = check(&matrix, 1_000_000, &format!("{TITLE}\n{splits}")).expect_err("no end");
    assert_eq!(wrong, Rejection { line: MOST_SPLITS + 2, why: "there is no such arc to split at" });
}
