use actions::analysis::*;
use actions::explore::cover::*;
use actions::mutate::*;
fn main() {
    let path = std::env::args().nth(1).expect("path");
    let begin = std::time::Instant::now();
    let source = read(path.as_ref(), &[]).expect("right");
    let mutants = source.mutants(&Operators(Operator::PAPER.to_vec()));
    eprintln!("{:?} mutants", begin.elapsed());
    let systems: Vec<_> = mutants.iter().map(|m| m.system.as_ref().ok()).collect();
    let found = explore(&source.system, &systems, Kill::Output, &Bounds::default()).expect("few");
    eprintln!("{:?} explored", begin.elapsed());
    let products: Vec<_> = found
        .mutants
        .iter()
        .flatten()
        .filter_map(|f| f.product.as_ref())
        .filter(|p| p.shortest.is_some())
        .collect();
    let follows = essential(&found.automaton, &products);
    let keep: Vec<usize> = (0..products.len()).filter(|&i| follows[i] == i).collect();
    eprintln!("{:?} {} of {}", begin.elapsed(), keep.len(), products.len());
    let kept: Vec<_> = keep.iter().map(|&i| products[i]).collect();
    for width in [200, 1000] {
        for chains in [1, 2, 3, 4] {
            for weight in [0, 3, 10, 30] {
                for exile in [0, 5, 20] {
                    let b = std::time::Instant::now();
                    let effort = Effort { width, chains, weight, exile, steps: 200, deadline: None };
                    let c = beam(&found.automaton, &kept, effort);
                    let l = c.as_ref().map(|c| c.iter().map(Vec::len).sum::<usize>());
                    let t = c
                        .map(|c| trimmed(&found.automaton, &kept, c))
                        .map(|c| (c.len(), c.iter().map(Vec::len).sum::<usize>()));
                    println!(
                        "w{width} c{chains} weight{weight} exile{exile}: {l:?} trimmed {t:?} {:?}",
                        b.elapsed()
                    );
                }
            }
        }
    }
}
