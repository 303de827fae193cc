//! What each dispatch and draw cost: threads, instructions by class, messages, cycles.
//!
//! In:  the counts of a stage's threads. Out: a table for people, and a timeline as SVG.
//! Cycles are those in which the EUs' FPUs are busy, spread over all EUs: a lower bound of what a real machine takes, which
//! also waits for memory.

use eu::Statistics;
use hw::Device;
use std::fmt::Write;
use std::time::Duration;

/// What the threads of one stage did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageWork {
    /// "CS", "VS" and so on.
    pub stage: &'static str,
    /// Address of the kernel.
    pub kernel: u64,
    /// Threads.
    pub threads: u64,
    /// Messages.
    pub messages: u64,
    /// Instructions, channels, classes, cycles.
    pub statistics: Statistics,
}

/// One dispatch or draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Name of the command.
    pub command: &'static str,
    /// Address of the command.
    pub at: u64,
    /// Its stages that ran threads.
    pub stages: Vec<StageWork>,
    /// How long the simulator took.
    pub host: Duration,
}

/// Columns of the table after stage and kernel, and their widths.
const COLUMNS: [(&str, usize); 11] = [
    ("threads", 9),
    ("instr", 11),
    ("lanes", 8),
    ("move", 10),
    ("logic", 10),
    ("arith", 10),
    ("math", 9),
    ("flow", 9),
    ("send", 9),
    ("messages", 9),
    ("cycles", 10),
];

/// Cycles that all EUs of a device take for what one would take `cycles` for.
fn spread(cycles: u64, device: &Device) -> u64 {
    cycles.div_ceil(u64::from(device.total_eus()).max(1))
}

/// A table, a line for each stage.
pub fn table(work: &[Work], device: &Device) -> String {
    let mut text = format!("{:<34}{:<6}{:>14}", "command", "stage", "kernel");
    for (name, width) in COLUMNS {
        let _ = write!(text, "{name:>width$}");
    }
    let _ = writeln!(text, "{:>10}", "host ms");
    for item in work {
        for (index, stage) in item.stages.iter().enumerate() {
            let command = match index {
                0 => format!("{} at {:#x}", item.command, item.at),
                _ => String::new(),
            };
            let s = &stage.statistics;
            let _ = write!(
                text,
                "{command:<34}{:<6}{:>#14x}",
                stage.stage, stage.kernel
            );
            // Of an instruction, on average.
            let lanes = format!("{:.1}", s.lanes as f64 / s.instructions.max(1) as f64);
            let cells = [stage.threads, s.instructions].map(|n| n.to_string());
            let classes = s.by_class.map(|n| n.to_string());
            let last = [stage.messages, spread(s.cycles, device)].map(|n| n.to_string());
            let cells = cells.iter().chain([&lanes]).chain(&classes).chain(&last);
            for (cell, (_, width)) in cells.zip(COLUMNS) {
                let _ = write!(text, "{cell:>width$}");
            }
            let host = match index {
                0 => format!("{:.3}", item.host.as_secs_f64() * 1e3),
                _ => String::new(),
            };
            let _ = writeln!(text, "{host:>10}");
        }
    }
    text
}

/// Height of a row, width of the picture and of its labels, in pixels of the SVG.
const ROW_PX: u64 = 18;
const WIDTH_PX: u64 = 900;
const LABEL_PX: u64 = 260;

/// A timeline as an SVG picture: a bar for each stage, as long as its cycles, beginning where the one before ends.
pub fn timeline(work: &[Work], device: &Device) -> String {
    let stages: Vec<(&Work, &StageWork)> = work
        .iter()
        .flat_map(|item| item.stages.iter().map(move |stage| (item, stage)))
        .collect();
    let cycles = |stage: &StageWork| spread(stage.statistics.cycles, device);
    let total: u64 = stages.iter().map(|(_, s)| cycles(s)).sum::<u64>().max(1);
    let height = (stages.len() as u64 + 1) * ROW_PX + 6;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH_PX}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <text x=\"4\" y=\"13\">{} stages, {total} cycles of busy EUs on {}</text>\n",
        stages.len(),
        device.name
    );
    let mut before = 0;
    for (row, (item, stage)) in stages.iter().enumerate() {
        let y = (row as u64 + 1) * ROW_PX;
        let scale = |cycles: u64| cycles as f64 * (WIDTH_PX - LABEL_PX - 4) as f64 / total as f64;
        let colour = match stage.stage {
            "CS" => "#4878a8",
            "PS" => "#a85848",
            "VS" => "#58a048",
            _ => "#a09048",
        };
        let s = &stage.statistics;
        let _ = writeln!(
            text,
            "<text x=\"4\" y=\"{}\">{} {:#x} {}</text>\n\
             <rect x=\"{:.1}\" y=\"{}\" width=\"{:.1}\" height=\"{}\" fill=\"{colour}\">\
             <title>{}: {} threads, {} instructions, {} messages, {} cycles</title></rect>",
            y + 13,
            item.command,
            item.at,
            stage.stage,
            LABEL_PX as f64 + scale(before),
            y + 2,
            scale(cycles(stage)).max(1.0),
            ROW_PX - 4,
            stage.stage,
            stage.threads,
            s.instructions,
            stage.messages,
            cycles(stage)
        );
        before += cycles(stage);
    }
    text.push_str("</svg>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work() -> Vec<Work> {
        let statistics = Statistics {
            instructions: 10,
            lanes: 80,
            by_class: [1, 2, 3, 1, 1, 2],
            cycles: 241,
        };
        let stage = |stage| StageWork {
            stage,
            kernel: 0x40,
            threads: 2,
            messages: 3,
            statistics,
        };
        vec![Work {
            command: "3DPRIMITIVE",
            at: 0x1000,
            stages: vec![stage("VS"), stage("PS")],
            host: Duration::from_micros(1500),
        }]
    }

    #[test]
    fn the_table_has_a_line_for_each_stage() {
        let device = Device::by_name("skl").unwrap();
        let text = table(&work(), device);
        let lines: Vec<Vec<&str>> = text
            .lines()
            .map(|l| l.split_whitespace().collect())
            .collect();
        assert_eq!(lines.len(), 3);
        // 80 channels in 10 instructions; 241 cycles over 24 EUs.
        let cells = [
            "2", "10", "8.0", "1", "2", "3", "1", "1", "2", "3", "11", "1.500",
        ];
        assert_eq!(lines[1][..5], ["3DPRIMITIVE", "at", "0x1000", "VS", "0x40"]);
        assert_eq!(lines[1][5..], cells);
        assert_eq!(lines[2][..2], ["PS", "0x40"]);
    }

    #[test]
    fn bars_follow_one_another() {
        let device = Device::by_name("skl").unwrap();
        let text = timeline(&work(), device);
        let starts: Vec<&str> = text
            .split("<rect x=\"")
            .skip(1)
            .filter_map(|r| r.split('"').next())
            .collect();
        assert_eq!(starts, ["260.0", "578.0"]);
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    }
}
