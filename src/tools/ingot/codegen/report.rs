//! The report of `ingot bench codegen`.
//!
//! In:  the rows of two drivers. Out: ratios by stage and width, the worst shaders, errors and
//!      different results.

use crate::codegen::args::Args;
use crate::codegen::device::Statistics;
use crate::codegen::execute::RunCost;
use crate::codegen::row::{Row, Rows};

fn geometric_mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = ratios.fold((0.0, 0u32), |(sum, n), r| (sum + r.ln(), n + 1));
    (sum / f64::from(n.max(1))).exp()
}

/// Prints the report.
pub fn print(args: &Args, ours: &Rows, theirs: &Rows) {
    for (name, row) in ours {
        match (row, theirs.get(name)) {
            // Equal errors: the shader's interface is unsupported, and neither driver received it.
            (Err(a), Some(Err(b))) if a == b => println!("not measured   {name}: {a}"),
            (Err(a), Some(Err(b))) => println!("both refuse   {name}: {a}; {b}"),
            (Err(why), _) => println!("ours refuses   {name}: {why}"),
            (_, Some(Err(why))) => println!("theirs refuses {name}: {why}"),
            _ => {}
        }
    }
    for stage in [
        "Vertex",
        "TessControl",
        "TessEval",
        "Geometry",
        "Fragment",
        "Compute",
    ] {
        let both: Vec<(&String, &Row, &Row)> = ours
            .iter()
            .filter_map(|(name, row)| {
                let (a, b) = (row.as_ref().ok()?, theirs.get(name)?.as_ref().ok()?);
                (a.stage == stage).then_some((name, a, b))
            })
            .collect();
        if both.is_empty() {
            continue;
        }
        let time = geometric_mean(both.iter().map(|(_, a, b)| a.micros / b.micros));
        let total = |f: fn(&(&String, &Row, &Row)) -> f64| both.iter().map(f).sum::<f64>();
        let whole = total(|r| r.1.micros) / total(|r| r.2.micros);
        println!(
            "\n{stage}: {} shaders; time of pipelines {time:.2} (geometric mean), {whole:.2} of the total",
            both.len()
        );
        for width in [8, 16, 32] {
            width_report(args, width, &both);
        }
        if args.run {
            run_report(args, &both);
        }
    }
}

/// Prints the costs of the runs, and the shaders with different results.
fn run_report(args: &Args, both: &[(&String, &Row, &Row)]) {
    let mut pairs: Vec<(&String, &RunCost, &RunCost)> = Vec::new();
    let mut unlike = Vec::new();
    for (name, a, b) in both {
        match (&a.ran, &b.ran) {
            (Some(Ok(a)), Some(Ok(b))) => {
                if !alike(a.sum, b.sum) {
                    unlike.push((name, a.sum, b.sum));
                }
                pairs.push((name, a, b));
            }
            (Some(Err(a)), Some(Err(b))) if a == b => println!("not run        {name}: {a}"),
            (a, b) => {
                for (whose, ran) in [("ours", a), ("theirs", b)] {
                    if let Some(Err(why)) = ran {
                        println!("{whose} does not run {name}: {why}");
                    }
                }
            }
        }
    }
    for (name, a, b) in unlike {
        println!("results differ {name}: {a} : {b}");
    }
    pairs.retain(|(_, a, b)| a.cycles > 0.0 && b.cycles > 0.0);
    if pairs.is_empty() {
        return;
    }
    // A shader that only sends messages has no FPU cycles.
    let mean = |f: fn(&RunCost) -> f64| {
        let some = pairs.iter().filter(|p| f(p.1) > 0.0 && f(p.2) > 0.0);
        geometric_mean(some.map(|p| f(p.1) / f(p.2)))
    };
    println!(
        "run: {} shaders; geometric means: cycles {:.3}, busy {:.3}, alone {:.3}, instructions {:.3}, threads {:.3}",
        pairs.len(),
        mean(|r| r.cycles),
        mean(|r| r.busy),
        mean(|r| r.alone),
        mean(|r| r.instructions),
        mean(|r| r.threads),
    );
    let ratio = |p: &(&String, &RunCost, &RunCost)| p.1.cycles / p.2.cycles;
    pairs.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    let shown = if args.all { pairs.len() } else { args.worst };
    for p in pairs.iter().take(shown) {
        let each =
            |r: &RunCost| [r.cycles, r.busy, r.alone, r.instructions].map(|n| n / r.invocations);
        let [cycles, busy, alone, instructions] = each(p.1);
        let [their_cycles, their_busy, their_alone, their_instructions] = each(p.2);
        println!(
            "    {:6.2}  cycles {cycles:.1} : {their_cycles:.1}  busy {busy:.1} : {their_busy:.1}  \
             alone {alone:.1} : {their_alone:.1}  instructions {instructions:.2} : {their_instructions:.2}  {}",
            ratio(p),
            p.0
        );
    }
}

/// True if two sums are equal within rounding.
fn alike(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-3 * a.abs().max(b.abs()) + 1e-3
}

fn width_report(args: &Args, width: u32, both: &[(&String, &Row, &Row)]) {
    let has = |row: &Row| row.by_width.contains_key(&width);
    let alone = both.iter().filter(|r| !has(r.1) && has(r.2)).count();
    let mut pairs: Vec<(&String, &Statistics, &Statistics)> = both
        .iter()
        .filter_map(|r| Some((r.0, r.1.by_width.get(&width)?, r.2.by_width.get(&width)?)))
        .filter(|p| p.1.instructions > 0.0 && p.2.instructions > 0.0)
        .collect();
    if pairs.is_empty() {
        return;
    }
    let ratio = |p: &(&String, &Statistics, &Statistics)| p.1.instructions / p.2.instructions;
    let sum = |f: fn(&Statistics) -> f64| {
        let (a, b) = pairs
            .iter()
            .fold((0.0, 0.0), |s, p| (s.0 + f(p.1), s.1 + f(p.2)));
        format!("{a} : {b}")
    };
    println!(
        "SIMD{width}: {} shaders, instructions {:.3} (geometric mean), {}; sends {}; spills {}; fills {}; {alone} have it in theirs alone",
        pairs.len(),
        geometric_mean(pairs.iter().map(ratio)),
        sum(|s| s.instructions),
        sum(|s| s.sends),
        sum(|s| s.spills),
        sum(|s| s.fills),
    );
    pairs.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    let shown = if args.all { pairs.len() } else { args.worst };
    for p in pairs.iter().take(shown) {
        println!(
            "    {:6.2}  {:>6} : {:<6} sends {:>4} : {:<4} {}",
            ratio(p),
            p.1.instructions,
            p.2.instructions,
            p.1.sends,
            p.2.sends,
            p.0
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_ratios_is_geometric() {
        assert!((geometric_mean([0.5, 2.0].into_iter()) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn rounding_is_no_difference() {
        assert!(alike(1000.0, 1000.5) && alike(0.0, 0.0005));
        assert!(!alike(1000.0, 1010.0) && !alike(0.0, 1.0));
    }
}
