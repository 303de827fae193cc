//! The list of faults: drawn by a seed, kept in `faults.txt`, found again in the sources.
//!
//! In:  the sources of the four crates, a seed, and which draws do not compile. Out: [`Fault`]s.
//! A fault is identified by file, function, operator, original text and ordinal, never by line, so
//! that it survives changes around it.

use super::sites::{self, Site};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The crates that get faults, below `src/compiler`.
pub const CRATES: [&str; 4] = ["spirv", "nir", "opt", "fs"];

/// How many faults are drawn over all crates.
pub const FAULTS: usize = 120;

/// Files and folders without sites: tests, and text that only people read.
const EXCLUDED: &[&str] = &[
    "tests", "tests.rs", "testing", "examples", "print.rs", "error.rs",
];

/// One fault of the list.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Path below `src/compiler`.
    pub file: String,
    /// See [`Site`], as the four below.
    pub function: String,
    /// What is done to the text.
    pub operator: String,
    /// The text.
    pub original: String,
    /// Which of the identical texts of the function.
    pub ordinal: usize,
    /// What noticed it when it was last run, or why nothing has to; empty before the first run.
    pub noticed: String,
}

/// The sites of each file of the four crates, by path below `src/compiler`.
pub type Sources = BTreeMap<String, Vec<Site>>;

fn rust_files(root: &Path) -> Vec<PathBuf> {
    let mut pending: Vec<PathBuf> = CRATES.iter().map(|name| root.join(name)).collect();
    let mut files = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(&folder)
            .expect("a readable folder")
            .flatten()
        {
            let path = entry.path();
            let name = entry.file_name();
            if EXCLUDED.iter().any(|excluded| name == *excluded) {
                continue;
            }
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                files.push(path);
            }
        }
    }
    files
}

/// All sites of the compiler in this checkout, whose `src/compiler` is `root`.
pub fn sources(root: &Path) -> Sources {
    let mut sources = Sources::new();
    for path in rust_files(root) {
        let text = std::fs::read_to_string(&path).expect("readable");
        let relative = path.strip_prefix(root).expect("below the root");
        let found = sites::sites(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        sources.insert(relative.to_string_lossy().into_owned(), found);
    }
    sources
}

/// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators".
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

/// Lines with a site, and the sites of each.
fn lines<'a>(sources: &'a Sources, name: &str) -> Vec<(&'a str, Vec<&'a Site>)> {
    let mut lines: BTreeMap<(&str, usize), Vec<&Site>> = BTreeMap::new();
    let prefix = format!("{name}/");
    for (file, sites) in sources.iter().filter(|(file, _)| file.starts_with(&prefix)) {
        for site in sites {
            lines.entry((file, site.line)).or_default().push(site);
        }
    }
    lines
        .into_iter()
        .map(|((file, _), sites)| (file, sites))
        .collect()
}

/// How many faults each crate gets: in proportion to its lines that have a site.
pub fn quotas(sources: &Sources) -> Vec<usize> {
    let sizes: Vec<usize> = CRATES
        .iter()
        .map(|name| lines(sources, name).len())
        .collect();
    let total: usize = sizes.iter().sum();
    let mut quotas: Vec<usize> = sizes.iter().map(|size| size * FAULTS / total).collect();
    let mut order: Vec<usize> = (0..CRATES.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(sizes[i] * FAULTS % total));
    let missing = FAULTS - quotas.iter().sum::<usize>();
    for &i in &order[..missing] {
        quotas[i] += 1;
    }
    quotas
}

/// `count` sites of a crate in the order of the draw: a line, then one of its sites. No line twice.
pub fn draw(sources: &Sources, seed: u64, name: &str, count: usize) -> Vec<Fault> {
    let salt = name
        .bytes()
        .fold(0, |hash: u64, b| hash.wrapping_mul(257) + u64::from(b));
    let mut random = SplitMix(seed.wrapping_add(salt));
    let lines = lines(sources, name);
    let mut drawn = BTreeSet::new();
    let mut faults = Vec::new();
    while faults.len() < count.min(lines.len()) {
        let line = random.below(lines.len());
        if !drawn.insert(line) {
            continue;
        }
        let (file, sites) = &lines[line];
        let site = sites[random.below(sites.len())];
        faults.push(Fault {
            file: file.to_string(),
            function: site.function.clone(),
            operator: site.operator.clone(),
            original: site.original.clone(),
            ordinal: site.ordinal,
            noticed: String::new(),
        });
    }
    faults
}

/// The site of a fault.
pub fn find<'a>(sources: &'a Sources, fault: &Fault) -> Option<&'a Site> {
    sources.get(&fault.file)?.iter().find(|site| {
        site.function == fault.function
            && site.operator == fault.operator
            && site.original == fault.original
            && site.ordinal == fault.ordinal
    })
}

/// Reads `faults.txt`: the seed and the faults. Nothing if it is not as `print` writes it.
pub fn parse(text: &str) -> Option<(u64, Vec<Fault>)> {
    let mut blocks = text.split("\n\n");
    let seed = blocks.next()?.lines().last()?.strip_prefix("seed ")?;
    let fault = |block: &str| {
        let mut lines = block.lines();
        let (place, operator) = (lines.next()?, lines.next()?);
        let (original, noticed) = (lines.next()?, lines.next()?);
        let mut words = place.split(' ');
        Some(Fault {
            file: words.next()?.to_string(),
            function: words.next()?.to_string(),
            ordinal: words.next().unwrap_or("0").parse().ok()?,
            operator: operator.to_string(),
            original: original.strip_prefix("- ")?.to_string(),
            noticed: noticed.strip_prefix('=')?.trim().to_string(),
        })
    };
    let faults: Option<Vec<Fault>> = blocks.map(fault).collect();
    Some((seed.parse().ok()?, faults?))
}

/// Writes `faults.txt`.
pub fn print(seed: u64, faults: &[Fault]) -> String {
    let mut text = format!(
        "# Faults of the compiler: file, function and index among equal texts there; operator;\n\
         # original text; what noticed it. Drawn and filled in by mutate-compiler.\nseed {seed}\n"
    );
    for fault in faults {
        let (file, function) = (&fault.file, &fault.function);
        let ordinal = match fault.ordinal {
            0 => String::new(),
            n => format!(" {n}"),
        };
        text += &format!("\n{file} {function}{ordinal}\n{}\n", fault.operator);
        text += &format!("- {}\n= {}", fault.original, fault.noticed);
        text.truncate(text.trim_end().len());
        text += "\n";
    }
    text
}
