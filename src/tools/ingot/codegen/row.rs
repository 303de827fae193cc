//! The figures of a shader, and the line in which a worker reports them.
//!
//! In:  the measurement of a shader. Out: a line of text; and back, the row of the report.

use crate::codegen::device::{Measurement, Statistics};
use crate::codegen::execute::RunCost;
use std::collections::BTreeMap;

/// Figures of one shader with one driver.
pub struct Row {
    pub stage: String,
    pub micros: f64,
    pub by_width: BTreeMap<u32, Statistics>,
    /// Result of the run; `None` without `--run`.
    pub ran: Option<Result<RunCost, String>>,
}

/// Figures, or the error, by shader name.
pub type Rows = BTreeMap<String, Result<Row, String>>;

/// The text without the separators of fields and lines.
pub fn plain(text: &str) -> String {
    text.replace(['\n', '\t'], " ")
}

/// The line in which a worker reports a shader.
pub fn line(stage: compile::Stage, measured: &Measurement) -> String {
    let micros = measured.time.as_nanos() as f64 / 1e3;
    let ran = match &measured.ran {
        None => String::new(),
        Some(Err(why)) => format!("!{}", plain(why)),
        Some(Ok(ran)) => ran.figures().map(|n| n.to_string()).join(" "),
    };
    let executables = measured.executables.iter().map(|e| {
        let s = &e.statistics;
        let (width, instructions, sends) = (s.width, s.instructions, s.sends);
        format!(
            "\t{width} {instructions} {sends} {} {} {}",
            s.spills, s.fills, s.cycles
        )
    });
    format!(
        "+\t{stage:?}\t{micros}\t{ran}{}",
        executables.collect::<String>()
    )
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(' ').filter_map(|n| n.parse().ok()).collect()
}

/// Parses a line of [`line()`]; `None` if it is malformed.
pub fn parse_line(line: &str) -> Option<Row> {
    let mut fields = line.split('\t').skip(1);
    let stage = fields.next()?.to_string();
    let micros = fields.next()?.parse().ok()?;
    let ran = match fields.next()? {
        "" => None,
        text => Some(match text.strip_prefix('!') {
            Some(why) => Err(why.to_owned()),
            None => Ok(RunCost::of_figures(&numbers(text))?),
        }),
    };
    let mut by_width = BTreeMap::new();
    for field in fields.filter(|f| !f.is_empty()) {
        let &[width, instructions, sends, spills, fills, cycles] = &numbers(field)[..] else {
            return None;
        };
        by_width.insert(
            width as u32,
            Statistics {
                width: width as u32,
                instructions,
                sends,
                spills,
                fills,
                cycles,
            },
        );
    }
    Some(Row {
        stage,
        micros,
        by_width,
        ran,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_s_line_is_read_back() {
        let row = parse_line("+\tFragment\t12.5\t\t8 40 3 0 0 700\t16 41 3 2 1 800").unwrap();
        assert_eq!((row.stage.as_str(), row.micros), ("Fragment", 12.5));
        let wide = &row.by_width[&16];
        assert_eq!(
            (wide.instructions, wide.spills, wide.fills),
            (41.0, 2.0, 1.0)
        );
        assert!(row.ran.is_none());
        assert!(parse_line("+\tFragment\t12.5\t\t8 40 3").is_none());
        let row = parse_line("+\tVertex\t1\t!it hangs\t8 40 3 0 0 700").unwrap();
        assert_eq!(row.ran, Some(Err("it hangs".to_owned())));
        let row = parse_line("+\tVertex\t1\t1 8 40 3 80 700 100 16").unwrap();
        let ran = row.ran.unwrap().unwrap();
        assert_eq!((ran.sends, ran.alone, ran.width), (3.0, 700.0, 16.0));
    }
}
