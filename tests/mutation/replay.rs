//! Executes a recording again, with words changed.
//!
//! In:  a recording's bytes; of each submission the words to change. Out: how each submission
//!      ended, and what memory it left.

use gpu::{AddressSpaceView, Gpu, HwContext, InstructionLimits, Options};
use ingot_kmd::{Recording, Submission};
use std::collections::BTreeMap;

/// What a submission comes to: how it ended, and a hash of the memory that it left.
pub type Outcome = (Option<String>, u64);

/// Words to change: in which submission, where, to what.
pub type Patch = (usize, u64, u32);

/// Instructions and commands of one submission before it counts as a hang: no recording has as
/// many.
const BUDGET: (u64, u64) = (20_000_000, 200_000);

/// A hash of all memory. Zeros say nothing but where the rest is.
fn memory(submission: &Submission) -> u64 {
    let view = AddressSpaceView::new(&submission.space);
    let mut hash = 0u64;
    let mut words = vec![0; 1 << 10];
    for (start, bytes) in submission.space.ranges() {
        let (mut at, end) = (start, start + bytes);
        while at < end {
            let count = ((end - at) / 4).min(words.len() as u64) as usize;
            let Ok(()) = view.read_block(at, &mut words[..count]) else {
                break;
            };
            if words[..count].iter().any(|word| *word != 0) {
                hash = (hash ^ at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                for word in &words[..count] {
                    hash = (hash.rotate_left(5) ^ u64::from(*word))
                        .wrapping_mul(0x517c_c1b7_2722_0a95);
                }
            }
            at += count as u64 * 4;
        }
    }
    hash
}

/// Executes a recording with changes, or as it is; ends at the first submission that differs from
/// `before`.
pub fn replay(
    bytes: &[u8],
    patches: &[Patch],
    before: Option<&[Outcome]>,
) -> Result<Vec<Outcome>, String> {
    let mut recording = Recording::new(bytes).map_err(|e| e.to_string())?;
    let device = hw::Device::by_name(recording.device()).ok_or("recorded on no device")?;
    let options = Options {
        strict: true,
        // Most recordings are of Mesa's drivers, which break some rules.
        lenient: true,
        instruction_limits: InstructionLimits::of_all(BUDGET.0),
        command_budget: BUDGET.1,
        semaphore_wait: std::time::Duration::from_millis(100),
        ..Options::default()
    };
    let gpu = Gpu::new(device, options);
    let mut contexts: BTreeMap<(u64, u32, u32), HwContext> = BTreeMap::new();
    let mut outcomes: Vec<Outcome> = Vec::new();
    while let Some(submission) = recording.next_submission().map_err(|e| e.to_string())? {
        let number = outcomes.len();
        let view = AddressSpaceView::new(&submission.space);
        let mut old = Vec::new();
        for (_, at, new) in patches.iter().filter(|patch| patch.0 == number) {
            let was = view.read(*at).map_err(|e| e.to_string())?;
            view.write(*at, *new).map_err(|e| e.to_string())?;
            old.push((*at, was, *new));
        }
        let context = contexts.entry(submission.context).or_default();
        let (at, length) = (submission.batch_address, submission.batch_bytes);
        let ended = gpu.execute(context, &submission.space, at, length);
        if ended.is_err() {
            *context = HwContext::new();
        }
        // What the batch itself wrote there is its doing; the change is not.
        for (at, was, new) in old {
            if view.read(at).is_ok_and(|now| now == new) {
                view.write(at, was).map_err(|e| e.to_string())?;
            }
        }
        outcomes.push((
            ended.err().map(|stop| stop.to_string()),
            memory(&submission),
        ));
        if before.is_some_and(|before| before.get(number) != outcomes.get(number)) {
            break;
        }
    }
    Ok(outcomes)
}
