//! Inputs that reveal mutants: a chain that goes on, each time, to the nearest mutant that it has
//! not revealed yet, from where the runs of all mutants may be.

use super::product::{Inputs, Product};
use super::{Mutant, Verdict, interface};
use crate::interface::Interface;
use crate::read::Document;
use crate::semantics::{Effort, Undecided, Valuation};
use std::collections::VecDeque;

/// What reveals the mutants of an interface.
#[derive(Clone, Debug)]
pub struct Revealing {
    /// What is known of each mutant.
    pub verdicts: Vec<Verdict>,
    /// The inputs of each chain.
    pub chains: Vec<Vec<Valuation>>,
    /// For each mutant the chain and the step in which some run of it is revealed first.
    pub revealed: Vec<Option<(usize, usize)>>,
    /// For each mutant whether every run of it is revealed by the end of that chain.
    pub surely: Vec<bool>,
    /// No set of chains that reveals as much has fewer steps.
    pub lower_bound: usize,
}

/// Finds chains that reveal all mutants that can be revealed. `each` is the work for one mutant, and
/// the limit of all.
pub fn reveal(document: &Document, mutants: &[Mutant], each: &Effort) -> Revealing {
    let mut inputs = Inputs::default();
    let mut products = Vec::new();
    let mut verdicts = Vec::new();
    for mutant in mutants {
        let judged = match each.is_over() {
            true => Err(Undecided::Time),
            false => judge(document, mutant, &mut inputs, each),
        };
        let (product, verdict) = judged.unwrap_or((None, Verdict::Undecided));
        products.push(product.filter(|_| verdict == Verdict::Killed));
        verdicts.push(verdict);
    }
    let mut search = Search { products: &products, inputs: inputs.all.len() };
    let mut open: Vec<usize> = (0..mutants.len()).filter(|&index| products[index].is_some()).collect();
    let nearest = open.iter().filter_map(|&index| search.nearest(index, &[0]).map(|found| found.len()));
    let lower_bound = nearest.max().unwrap_or(0);
    let mut chains = Vec::new();
    let mut revealed = vec![None; mutants.len()];
    let mut surely = vec![false; mutants.len()];
    while !open.is_empty() {
        let chain = search.chain(&open);
        for &(index, step) in &chain.revealed {
            revealed[index] = Some((chains.len(), step));
        }
        for &index in &open {
            surely[index] = revealed[index].is_some() && chain.alive[index].is_empty();
        }
        let before = open.len();
        open.retain(|&index| revealed[index].is_none());
        if open.len() == before {
            break;
        }
        chains.push(chain.steps.iter().map(|&number| inputs.all[number].clone()).collect());
    }
    Revealing { verdicts, chains, revealed, surely, lower_bound }
}

/// The shortest inputs under which `other` may answer what `original` forbids; none where it never
/// does. Both have the same variables.
///
/// # Errors
/// There are too many runs.
pub fn difference(
    original: &Interface,
    other: &Interface,
    effort: &mut Effort,
) -> Result<Option<Vec<Valuation>>, Undecided> {
    let mut inputs = Inputs::default();
    let product = Product::new(original, other, &mut inputs, effort)?;
    let search = Search { products: &[Some(product)], inputs: inputs.all.len() };
    let found = search.nearest(0, &[0]);
    Ok(found.map(|steps| steps.into_iter().map(|number| inputs.all[number].clone()).collect()))
}

fn judge(
    document: &Document,
    mutant: &Mutant,
    inputs: &mut Inputs,
    each: &Effort,
) -> Result<(Option<Product>, Verdict), Undecided> {
    let original = &document.interface;
    let Some(mutated) = interface(document, mutant) else { return Ok((None, Verdict::Undecided)) };
    match Product::new(original, &mutated, inputs, &mut each.clone()) {
        Err(Undecided::Time) => Err(Undecided::Time),
        Err(Undecided::TooLarge | Undecided::Depth) => Ok((None, Verdict::Undecided)),
        Ok(product) if product.reveals() => Ok((Some(product), Verdict::Killed)),
        Ok(_) => {
            let back = Product::new(&mutated, original, &mut Inputs::default(), &mut each.clone());
            Ok((
                None,
                match back {
                    Ok(back) if !back.reveals() => Verdict::Equivalent,
                    Ok(_) => Verdict::Conforms,
                    Err(undecided) if undecided == Undecided::Time => return Err(undecided),
                    Err(_) => Verdict::Conforms,
                },
            ))
        }
    }
}

struct Search<'p> {
    products: &'p [Option<Product>],
    /// Number of different inputs.
    inputs: usize,
}

struct Chain {
    /// Numbers of inputs.
    steps: Vec<usize>,
    /// Mutants and the step in which some run of them is revealed.
    revealed: Vec<(usize, usize)>,
    /// For each mutant the nodes where runs of it may be that were not revealed.
    alive: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// The shortest inputs that reveal some run of a mutant which is at one of these nodes.
    fn nearest(&self, index: usize, from: &[usize]) -> Option<Vec<usize>> {
        let product = self.products[index].as_ref()?;
        let mut parents: Vec<Option<(usize, usize)>> = vec![None; product.edges.len()];
        let mut is_seen = vec![false; product.edges.len()];
        let mut queue: VecDeque<usize> = from.iter().copied().collect();
        from.iter().for_each(|&node| is_seen[node] = true);
        while let Some(node) = queue.pop_front() {
            for number in 0..self.inputs {
                let Some(edge) = product.edges[node].get(&number) else { continue };
                if edge.reveals {
                    let mut steps = vec![number];
                    let mut at = node;
                    while let Some((before, inputs)) = parents[at] {
                        steps.push(inputs);
                        at = before;
                    }
                    steps.reverse();
                    return Some(steps);
                }
                for &next in &edge.next {
                    if !is_seen[next] {
                        is_seen[next] = true;
                        parents[next] = Some((node, number));
                        queue.push_back(next);
                    }
                }
            }
        }
        None
    }
    /// A chain that reveals mutants until none can be revealed any more.
    fn chain(&mut self, open: &[usize]) -> Chain {
        let alive = self.products.iter().map(|product| if product.is_some() { vec![0] } else { Vec::new() });
        let mut chain = Chain { steps: Vec::new(), revealed: Vec::new(), alive: alive.collect() };
        loop {
            let is_open = |index: &&usize| !chain.revealed.iter().any(|(known, _)| known == *index);
            let found =
                open.iter().filter(is_open).filter_map(|&index| self.nearest(index, &chain.alive[index]));
            // Inputs may end the runs of others; the nearest loses least.
            let Some(next) = found.min_by_key(|steps| (steps.len(), steps.clone())) else { return chain };
            for number in next {
                self.advance(&mut chain, open, number);
            }
        }
    }
    fn advance(&self, chain: &mut Chain, open: &[usize], number: usize) {
        let step = chain.steps.len();
        chain.steps.push(number);
        for (index, product) in self.products.iter().enumerate() {
            let Some(product) = product else { continue };
            let mut next = Vec::new();
            let mut reveals = false;
            for &node in &chain.alive[index] {
                if let Some(edge) = product.edges[node].get(&number) {
                    reveals |= edge.reveals;
                    next.extend(&edge.next);
                }
            }
            next.sort_unstable();
            next.dedup();
            chain.alive[index] = next;
            let is_new = open.contains(&index) && !chain.revealed.iter().any(|&(known, _)| known == index);
            if reveals && is_new {
                chain.revealed.push((index, step));
            }
        }
    }
}
