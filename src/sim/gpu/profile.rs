//! The cost of each dispatch and draw: threads, instructions by class, messages, cycles.
//!
//! In:  the counts of a stage's threads. Out: a table for people, a timeline as SVG, and
//!      tab-separated lines for programs. Cycles come from `eu::ThreadStatistics`: cycles in which
//!      an FPU is busy, cycles of a thread running alone, and the resulting estimate for one EU.
//!      The table and the timeline divide them by the number of EUs. Caches always hit and units
//!      are never contended, so the result is a lower bound for a real machine.

use eu::ThreadStatistics;
use hw::Device;
use std::fmt::Write;
use std::time::Duration;

/// Message counts by shared function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCounts([u64; 16]);

impl MessageCounts {
    /// Names of the message kinds.
    pub const KINDS: [&'static str; 6] = ["sampler", "const", "data", "urb", "render", "other"];

    /// Counts one message to this shared function.
    pub(crate) fn add(&mut self, sfid: u8) {
        self.0[usize::from(sfid & 15)] += 1;
    }

    /// Number of messages.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Counts by kind, in the order of [`MessageCounts::KINDS`]. Ref: SKL PRM vol. 7, "Message
    /// Descriptor", SFID.
    pub fn by_kind(&self) -> [u64; 6] {
        let [sampler, render, urb, constant] = [2, 5, 6, 9].map(|sfid: usize| self.0[sfid]);
        let data = self.0[10] + self.0[12];
        let known = sampler + render + urb + constant + data;
        [sampler, constant, data, urb, render, self.total() - known]
    }
}

impl std::ops::AddAssign for MessageCounts {
    fn add_assign(&mut self, other: MessageCounts) {
        for (to, from) in self.0.iter_mut().zip(other.0) {
            *to += from;
        }
    }
}

/// The cost of one stage's threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageWork {
    /// "CS", "VS" and so on; pixel shaders with their SIMD width.
    pub stage: &'static str,
    /// Address of the kernel.
    pub kernel: u64,
    /// Hash of the kernel's code: the same in every run.
    pub shader: u32,
    /// Number of threads.
    pub threads: u64,
    /// Number of channels enabled at dispatch: vertices, pixels, compute invocations.
    pub invocations: u64,
    /// Messages.
    pub messages: MessageCounts,
    /// Instructions, channels, classes, cycles.
    pub statistics: ThreadStatistics,
}

impl std::ops::AddAssign for StageWork {
    /// Adds the cost of other threads of the same stage.
    fn add_assign(&mut self, other: StageWork) {
        self.threads += other.threads;
        self.invocations += other.invocations;
        self.messages += other.messages;
        self.statistics += &other.statistics;
    }
}

/// One dispatch or draw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkProfile {
    /// Number of the submission, set by the code that collects the work of several submissions.
    pub submission: u64,
    /// Name of the command.
    pub command: &'static str,
    /// Size of the dispatch or draw, as text.
    pub extent: String,
    /// Address of the command.
    pub address: u64,
    /// Stages that ran threads.
    pub stages: Vec<StageWork>,
    /// Host time that the simulation took.
    pub host: Duration,
}

/// Columns of the table after stage and kernel: heading and width.
const COLUMNS: [(&str, usize); 19] = [
    ("threads", 9),
    ("invocs", 11),
    ("instr", 11),
    ("lanes", 8),
    ("move", 10),
    ("logic", 10),
    ("arith", 10),
    ("math", 9),
    ("flow", 9),
    ("send", 9),
    ("sampler", 9),
    ("const", 8),
    ("data", 9),
    ("urb", 9),
    ("render", 9),
    ("other", 8),
    ("busy", 10),
    ("alone", 10),
    ("cycles", 10),
];

/// Cycles that one EU of a device takes for all threads of a stage.
fn estimate(stage: &StageWork, device: &Device) -> u64 {
    stage.statistics.estimate(u32::from(device.threads))
}

/// Divides the cycles of one EU by the number of EUs of the device.
fn spread(cycles: u64, device: &Device) -> u64 {
    cycles.div_ceil(u64::from(device.total_eus()).max(1))
}

/// Labels each item with its submission and its number within the submission, from 1.
fn numbered(work: &[WorkProfile]) -> impl Iterator<Item = (String, &WorkProfile)> {
    let mut last = (None, 0);
    work.iter().map(move |item| {
        last = match last {
            (Some(submission), number) if submission == item.submission => {
                (Some(submission), number + 1)
            }
            _ => (Some(item.submission), 1),
        };
        (format!("{}.{}", item.submission, last.1), item)
    })
}

/// Formats a table with one line for each stage.
pub fn table(work: &[WorkProfile], device: &Device) -> String {
    let mut text = format!(
        "{:<12}{:<40}{:<6}{:>9}{:>14}",
        "submit.no", "command", "stage", "shader", "kernel"
    );
    for (name, width) in COLUMNS {
        let _ = write!(text, "{name:>width$}");
    }
    let _ = writeln!(text, "{:>10}", "host ms");
    for (number, item) in numbered(work) {
        for (index, stage) in item.stages.iter().enumerate() {
            let (number, command) = match index {
                0 => (
                    number.as_str(),
                    format!("{}, {}", item.command, item.extent),
                ),
                _ => ("", String::new()),
            };
            let s = &stage.statistics;
            let _ = write!(
                text,
                "{number:<12}{command:<40}{:<6}{:>9}{:>#14x}",
                stage.stage,
                format!("{:08x}", stage.shader),
                stage.kernel
            );
            // Average number of enabled channels of an instruction.
            let lanes = format!("{:.1}", s.lanes as f64 / s.instructions.max(1) as f64);
            let cells = [stage.threads, stage.invocations, s.instructions].map(|n| n.to_string());
            let classes = s.by_class.map(|n| n.to_string());
            let kinds = stage.messages.by_kind().map(|n| n.to_string());
            let cycles = [s.busy, s.alone, estimate(stage, device)];
            let cycles = cycles.map(|cycles| spread(cycles, device).to_string());
            let cells = cells.iter().chain([&lanes]).chain(&classes);
            let cells = cells.chain(&kinds).chain(&cycles);
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

/// Heading of the tab-separated lines that [`lines`] writes.
pub const HEADER: &str = "submission\tnumber\tcommand\textent\tstage\tshader\tkernel\tthreads\tinvocations\t\
                          instructions\tlanes\tmessages\tbusy\talone\tcycles\tprocess\n";

/// Writes one tab-separated line for each stage of a submission's work. Cycles are those of one EU,
/// not divided by the number of EUs.
pub fn lines(work: &[WorkProfile], device: &Device, process: u32) -> String {
    let mut text = String::new();
    for (number, item) in (1..).zip(work) {
        for stage in &item.stages {
            let s = &stage.statistics;
            let _ = write!(
                text,
                "{}\t{number}\t{}\t{}\t{}\t{:08x}\t{:#x}",
                item.submission, item.command, item.extent, stage.stage, stage.shader, stage.kernel
            );
            let counts = [
                stage.threads,
                stage.invocations,
                s.instructions,
                s.lanes,
                stage.messages.total(),
                s.busy,
                s.alone,
                estimate(stage, device),
                process.into(),
            ];
            for count in counts {
                let _ = write!(text, "\t{count}");
            }
            text.push('\n');
        }
    }
    text
}

/// Height of a row, width of the SVG and of its labels, in pixels.
const ROW_PX: u64 = 18;
const WIDTH_PX: u64 = 900;
const LABEL_PX: u64 = 340;

fn colour(stage: &str) -> &'static str {
    match stage {
        "CS" => "#4878a8",
        "VS" => "#58a048",
        "HS" => "#a09048",
        "DS" => "#c0a838",
        "GS" => "#48a090",
        _ => "#a85848",
    }
}

/// Draws a timeline as SVG: a row for each dispatch and draw, in it a bar for each stage, as long
/// as its cycles; each bar begins where the one before ends.
pub fn timeline(work: &[WorkProfile], device: &Device) -> String {
    let cycles = |stage: &StageWork| spread(estimate(stage, device), device);
    let all = work.iter().flat_map(|item| &item.stages);
    let total: u64 = all.map(cycles).sum::<u64>().max(1);
    let height = (work.len() as u64 + 1) * ROW_PX + 6;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH_PX}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <text x=\"4\" y=\"13\">{} dispatches and draws, {total} cycles on {}</text>\n",
        work.len(),
        device.name
    );
    let scale = |cycles: u64| cycles as f64 * (WIDTH_PX - LABEL_PX - 4) as f64 / total as f64;
    let mut before = 0;
    for (row, (number, item)) in numbered(work).enumerate() {
        let y = (row as u64 + 1) * ROW_PX;
        let own: u64 = item.stages.iter().map(cycles).sum();
        let _ = writeln!(
            text,
            "<text x=\"4\" y=\"{}\">{number} {}, {}: {own}<title>at {:#x}</title></text>",
            y + 13,
            item.command,
            item.extent,
            item.address,
        );
        for stage in item.stages.iter().filter(|stage| stage.threads > 0) {
            let s = &stage.statistics;
            let _ = writeln!(
                text,
                "<rect x=\"{:.1}\" y=\"{}\" width=\"{:.1}\" height=\"{}\" fill=\"{}\">\
                 <title>{} {:08x} at {:#x}: {} threads, {} instructions, {} messages, {} cycles</title></rect>",
                LABEL_PX as f64 + scale(before),
                y + 2,
                scale(cycles(stage)).max(1.0),
                ROW_PX - 4,
                colour(stage.stage),
                stage.stage,
                stage.shader,
                stage.kernel,
                stage.threads,
                s.instructions,
                stage.messages.total(),
                cycles(stage)
            );
            before += cycles(stage);
        }
    }
    text.push_str("</svg>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work() -> Vec<WorkProfile> {
        let statistics = ThreadStatistics {
            instructions: 10,
            lanes: 80,
            by_class: [1, 2, 3, 1, 1, 2],
            busy: 241,
            extended: 8,
            alone: 1500,
        };
        let mut messages = MessageCounts::default();
        // Three to the URB, two to the render cache, one to each data port, one to the gateway.
        for sfid in [6, 6, 6, 5, 5, 10, 12, 3] {
            messages.add(sfid);
        }
        let stage = |stage| StageWork {
            stage,
            kernel: 0x40,
            shader: 0x3f2a,
            threads: 2,
            invocations: 11,
            messages,
            statistics,
        };
        vec![WorkProfile {
            command: "3DPRIMITIVE",
            submission: 4,
            extent: "3 x 1 vertices".into(),
            address: 0x1000,
            stages: vec![stage("VS"), stage("PS8")],
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
        // 80 channels in 10 instructions; 241 cycles over 24 EUs, 1500 alone, which are 215 of an
        // EU of 7 threads.
        let cells = [
            "2", "11", "10", "8.0", "1", "2", "3", "1", "1", "2", "0", "0", "2", "3", "2", "1",
            "11", "63", "9", "1.500",
        ];
        let draw = ["4.1", "3DPRIMITIVE,", "3", "x", "1", "vertices"];
        assert_eq!(lines[1][..6], draw);
        assert_eq!(lines[1][6..9], ["VS", "00003f2a", "0x40"]);
        assert_eq!(lines[1][9..], cells);
        assert_eq!(lines[2][..3], ["PS8", "00003f2a", "0x40"]);
    }

    #[test]
    fn tab_separated_output_has_a_line_for_each_stage() {
        let device = Device::by_name("skl").unwrap();
        let both = [work(), work()].concat();
        let text = lines(&both, device, 77);
        let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split('\t').collect()).collect();
        let names: Vec<&str> = HEADER.trim_end().split('\t').collect();
        assert_eq!(rows.len(), 4);
        let want = [
            "4",
            "2",
            "3DPRIMITIVE",
            "3 x 1 vertices",
            "PS8",
            "00003f2a",
            "0x40",
            "2",
            "11",
            "10",
            "80",
            "8",
            "241",
            "1500",
            "215",
            "77",
        ];
        assert_eq!(rows[3], want);
        assert_eq!(names.len(), want.len());
        assert_eq!(
            names[11..],
            ["messages", "busy", "alone", "cycles", "process"]
        );
        assert!(text.ends_with('\n') && HEADER.ends_with('\n'));
    }

    #[test]
    fn bars_follow_one_another() {
        let device = Device::by_name("skl").unwrap();
        let both = [work(), work()].concat();
        let text = timeline(&both, device);
        let starts: Vec<&str> = text
            .split("<rect x=\"")
            .skip(1)
            .filter_map(|r| r.split('"').next())
            .collect();
        // A row for each draw, two bars in each.
        assert_eq!(starts, ["340.0", "479.0", "618.0", "757.0"]);
        for draw in ["4.1", "4.2"] {
            let label = format!("{draw} 3DPRIMITIVE, 3 x 1 vertices: 18<title>at 0x1000<");
            assert_eq!(text.matches(&label).count(), 1, "{text}");
        }
        let rows: Vec<_> = text.match_indices("y=\"20\" width").collect();
        assert_eq!(rows.len(), 2);
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"));
    }
}
