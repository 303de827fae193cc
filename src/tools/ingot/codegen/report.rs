//! The report of `ingot bench codegen`.
//!
//! In:  the rows of two drivers. Out: ratios by stage and width, the worst shaders, errors and
//!      different results.

use crate::codegen::args::Args;
use crate::codegen::device::Statistics;
use crate::codegen::execute::RunCost;
use crate::codegen::row::{Row, Rows};
use crate::codegen::worker_process::SKIPPED;
use std::collections::{BTreeMap, BTreeSet};

/// The rows of both drivers, and the differences of their results.
#[derive(Default)]
pub struct Comparison {
    pub ours: Rows,
    pub theirs: Rows,
    /// One line for each resource that differs, by shader name.
    pub differences: BTreeMap<String, Vec<String>>,
}

impl Comparison {
    /// The first lines of a shader's two listings: what its run cost, if it ran.
    pub fn heads(&self, name: &str) -> [String; 2] {
        [&self.ours, &self.theirs].map(|rows| {
            let row = rows.get(name).and_then(|row| row.as_ref().ok());
            let Some(Some(Ok(cost))) = row.map(|row| row.ran.as_ref()) else {
                return String::new();
            };
            format!(
                "; executed at SIMD{}: {} threads, {} instructions, {} messages, {} cycles \
                 (busy {}, alone {})\n",
                cost.width,
                cost.threads,
                cost.instructions,
                cost.sends,
                cost.cycles,
                cost.busy,
                cost.alone
            )
        })
    }
}

fn geometric_mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = ratios.fold((0.0, 0u32), |(sum, n), r| (sum + r.ln(), n + 1));
    (sum / f64::from(n.max(1))).exp()
}

/// Prints the report; returns the names of the shaders listed as worst.
pub fn print(args: &Args, comparison: &Comparison) -> BTreeSet<String> {
    let (ours, theirs) = (&comparison.ours, &comparison.theirs);
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
    let mut listed = BTreeSet::new();
    let mut runs = Vec::new();
    let mut stages = 0;
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
        stages += 1;
        let time = geometric_mean(both.iter().map(|(_, a, b)| a.micros / b.micros));
        let total = |f: fn(&(&String, &Row, &Row)) -> f64| both.iter().map(f).sum::<f64>();
        let whole = total(|r| r.1.micros) / total(|r| r.2.micros);
        println!(
            "\n{stage}: {} shaders; time of pipelines {time:.2} (geometric mean), {whole:.2} of the total",
            both.len()
        );
        for width in [8, 16, 32] {
            let names = width_report(args, width, &both);
            if !args.run {
                listed.extend(names);
            }
        }
        if args.run {
            let pairs = run_pairs(&both);
            for line in run_report(args, &pairs) {
                println!("{line}");
            }
            listed.extend(worst(args, pairs.clone()).iter().map(|p| p.0.clone()));
            runs.extend(pairs);
        }
    }
    if stages > 1 && args.run {
        println!("\nall stages");
        for line in run_totals(&runs) {
            println!("{line}");
        }
    }
    for (name, lines) in &comparison.differences {
        for line in lines {
            println!("results differ {name}: {line}");
        }
    }
    listed
}

/// A shader's runs with both drivers.
type RunPair<'a> = (&'a String, &'a RunCost, &'a RunCost);

/// The runs that both drivers complete. Prints a line for each other one.
fn run_pairs<'a>(both: &[(&'a String, &'a Row, &'a Row)]) -> Vec<RunPair<'a>> {
    let mut pairs = Vec::new();
    for (name, a, b) in both {
        match (&a.ran, &b.ran) {
            (Some(Ok(a)), Some(Ok(b))) => pairs.push((*name, a, b)),
            (Some(Err(a)), Some(Err(b))) if a == b => match a.strip_prefix(SKIPPED) {
                Some(why) => println!("skipped        {name}: {why}"),
                None => println!("not run        {name}: {a}"),
            },
            (a, b) => {
                for (whose, ran) in [("ours", a), ("theirs", b)] {
                    match ran {
                        Some(Err(why)) => match why.strip_prefix(SKIPPED) {
                            Some(why) => println!("skipped        {name}: {whose}: {why}"),
                            None => println!("{whose} does not run {name}: {why}"),
                        },
                        _ => continue,
                    }
                }
            }
        }
    }
    pairs
}

/// Geometric means of the ratios and totals of runs, as lines.
fn run_totals(pairs: &[RunPair<'_>]) -> Vec<String> {
    type Figure = fn(&RunCost) -> f64;
    let figures: [(&str, Figure); 6] = [
        ("cycles", |r| r.cycles),
        ("instructions", |r| r.instructions),
        ("messages", |r| r.sends),
        ("busy", |r| r.busy),
        ("alone", |r| r.alone),
        ("threads", |r| r.threads),
    ];
    let mut lines = vec![format!("run: {} shaders, ours : theirs", pairs.len())];
    for (name, figure) in figures {
        // A shader that only sends messages has no FPU cycles.
        let some = pairs
            .iter()
            .filter(|p| figure(p.1) > 0.0 && figure(p.2) > 0.0);
        let mean = geometric_mean(some.map(|p| figure(p.1) / figure(p.2)));
        let (a, b) = pairs
            .iter()
            .fold((0.0, 0.0), |(a, b), p| (a + figure(p.1), b + figure(p.2)));
        lines.push(format!(
            "    {name:<12} {mean:.3} (geometric mean), {a} : {b} = {:.3} (total)",
            a / f64::max(b, 1.0)
        ));
    }
    lines
}

/// The runs with the highest ratios of cycles, as many as are to be listed.
fn worst<'a>(args: &Args, mut pairs: Vec<RunPair<'a>>) -> Vec<RunPair<'a>> {
    let ratio = |p: &RunPair<'_>| p.1.cycles / p.2.cycles.max(1.0);
    pairs.sort_by(|a, b| ratio(b).total_cmp(&ratio(a)));
    if !args.all {
        pairs.truncate(args.worst);
    }
    pairs
}

/// The costs of runs as lines: totals, then the worst shaders.
fn run_report(args: &Args, pairs: &[RunPair<'_>]) -> Vec<String> {
    if pairs.is_empty() {
        return Vec::new();
    }
    let mut lines = run_totals(pairs);
    let columns = ["cycles", "instructions", "messages", "threads", "SIMD"];
    let heads: String = columns.iter().map(|c| format!("{c:>24}")).collect();
    lines.push(format!("     ratio{heads}  shader"));
    for (name, a, b) in worst(args, pairs.to_vec()) {
        let figures: String = [
            (a.cycles, b.cycles),
            (a.instructions, b.instructions),
            (a.sends, b.sends),
            (a.threads, b.threads),
            (a.width, b.width),
        ]
        .map(|(a, b)| format!("{:>24}", format!("{a} : {b}")))
        .concat();
        let ratio = a.cycles / b.cycles.max(1.0);
        lines.push(format!("    {ratio:6.2}{figures}  {name}"));
    }
    lines
}

/// Prints the static statistics of one width; returns the names of the shaders listed as worst.
fn width_report(args: &Args, width: u32, both: &[(&String, &Row, &Row)]) -> Vec<String> {
    let has = |row: &Row| row.by_width.contains_key(&width);
    let alone = both.iter().filter(|r| !has(r.1) && has(r.2)).count();
    let mut pairs: Vec<(&String, &Statistics, &Statistics)> = both
        .iter()
        .filter_map(|r| Some((r.0, r.1.by_width.get(&width)?, r.2.by_width.get(&width)?)))
        .filter(|p| p.1.instructions > 0.0 && p.2.instructions > 0.0)
        .collect();
    if pairs.is_empty() {
        return Vec::new();
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
    pairs.truncate(shown);
    for p in &pairs {
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
    pairs.into_iter().map(|p| p.0.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        args: Args,
    }

    fn args(words: &[&str]) -> Args {
        let words = ["test", "folder"].iter().chain(words);
        Command::try_parse_from(words).unwrap().args
    }

    #[test]
    fn the_mean_of_ratios_is_geometric() {
        assert!((geometric_mean([0.5, 2.0].into_iter()) - 1.0).abs() < 1e-9);
    }

    fn cost(cycles: f64, instructions: f64, sends: f64) -> RunCost {
        RunCost {
            threads: 2.0,
            invocations: 32.0,
            instructions,
            sends,
            cycles,
            width: 16.0,
            ..RunCost::default()
        }
    }

    #[test]
    fn runs_have_means_totals_and_the_worst_first() {
        let names = ["a".to_owned(), "b".to_owned()];
        let ours = [cost(100.0, 10.0, 4.0), cost(900.0, 40.0, 4.0)];
        let theirs = [cost(200.0, 10.0, 2.0), cost(450.0, 10.0, 2.0)];
        let pairs: Vec<RunPair<'_>> = (0..2).map(|k| (&names[k], &ours[k], &theirs[k])).collect();
        let lines = run_report(&args(&["--worst", "1"]), &pairs);
        assert_eq!(lines[0], "run: 2 shaders, ours : theirs");
        let text = "    cycles       1.000 (geometric mean), 1000 : 650 = 1.538 (total)";
        assert_eq!(lines[1], text);
        let text = "    instructions 2.000 (geometric mean), 50 : 20 = 2.500 (total)";
        assert_eq!(lines[2], text);
        let text = "    messages     2.000 (geometric mean), 8 : 4 = 2.000 (total)";
        assert_eq!(lines[3], text);
        // One shader is listed after the six figures and the heading.
        assert_eq!(lines.len(), 9);
        let words: Vec<&str> = lines[8].split_whitespace().collect();
        let expected = "2.00 900 : 450 40 : 10 4 : 2 2 : 2 16 : 16 b";
        assert_eq!(words, expected.split(' ').collect::<Vec<_>>());
        let all = run_report(&args(&["--worst", "1", "--all"]), &pairs);
        assert_eq!(all.len(), 10);
        assert!(run_report(&args(&[]), &[]).is_empty());
    }

    #[test]
    fn a_listing_begins_with_the_cost_of_the_run() {
        let row = |ran| Row {
            stage: "Compute".into(),
            micros: 1.0,
            by_width: BTreeMap::new(),
            ran,
        };
        let mut comparison = Comparison::default();
        let ran = Some(Ok(cost(450.0, 10.0, 2.0)));
        comparison.ours.insert("a".into(), Ok(row(ran)));
        comparison.theirs.insert("a".into(), Ok(row(None)));
        let text = "; executed at SIMD16: 2 threads, 10 instructions, 2 messages, 450 cycles \
            (busy 0, alone 0)\n";
        assert_eq!(comparison.heads("a"), [text.to_owned(), String::new()]);
    }
}
