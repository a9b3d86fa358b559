use super::*;
#[test]
#[ignore]
fn measure_local_search() {
    let dir = "/work/shared/data/tsplib";
    let optima = std::fs::read_to_string(format!("{dir}/optima.csv")).unwrap();
    let only = std::env::var("ONLY").unwrap_or_default();
    let seeds: u64 = std::env::var("SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(5);
    let starts: usize = std::env::var("STARTS").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    for line in optima.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        if !f[0].contains(&only) { continue }
        let text = std::fs::read_to_string(format!("{dir}/{}.atsp", f[0])).unwrap();
        let inst = tsplib::parse(&text).unwrap().instance;
        let opt: i64 = f[2].parse().unwrap();
        let t = Instant::now();
        let ap = assign(&inst).unwrap();
        let apt = t.elapsed().as_secs_f64();
        let mut out = String::new();
        for seed in 0..seeds {
            let t = Instant::now();
            let e = local_search::Effort { starts, idle_kicks: local_search::Effort::idle_kicks(inst.len()), target: opt };
            let (_, l) = local_search::search(&inst, &ap, None, &e, seed, &Limits::default()).unwrap();
            out += &format!(" {}{:+}/{:.3}", if l == opt {""} else {"!"}, l - opt, t.elapsed().as_secs_f64());
        }
        println!("{:8} n={} ap={} ({:.2}%) {:.3}s: {}", f[0], inst.len(), ap.cost(), 100.0*(opt-ap.cost()) as f64/opt as f64, apt, out);
    }
}
