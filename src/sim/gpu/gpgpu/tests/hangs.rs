//! Dispatches over their instruction budget.

use super::{WALKER, arrive, nothing, options, shape, wait, walk};
use crate::budget::InstructionLimits;
use crate::options::Options;
use crate::testing::{CODE, Rig, end, walk_batch};
use eu::StopReason;
use isa::{Inst, Opcode};

#[test]
fn dispatch_over_the_instruction_budget_hangs() {
    // Three instructions with the end, of six threads.
    let set = shape([2, 1, 1], [0; 3], [3, 1, 1]);
    for (budget, runs) in [(18, true), (17, false)] {
        let options = Options {
            instruction_limits: InstructionLimits::of_all(budget),
            ..options()
        };
        let found = walk(&[nothing(), nothing()], &set, options);
        assert_eq!(
            found.as_ref().map(|r| (r.threads, r.instructions)).ok(),
            runs.then_some((6, 18))
        );
        let hang =
            matches!(&found, Err(StopReason::Fault { what, .. }) if what.starts_with("hang"));
        assert_eq!(hang, !runs, "{found:?}");
    }
}

#[test]
fn hang_errors_name_the_kernel_and_its_loop() {
    // A nothing, and then a loop of two instructions that nothing leaves: `while` jumps back by as
    // many bytes.
    let mut back = Inst::new(Opcode::While, 8);
    back.jip = -16;
    let set = shape([1; 3], [0; 3], [1; 3]);
    let limited = Options {
        instruction_limits: InstructionLimits::of_all(100_000),
        ..options()
    };
    let found = walk(&[nothing(), nothing(), back], &set, limited);
    let Err(StopReason::Fault { what, .. }) = &found else {
        panic!("{found:?}");
    };
    let (first, last) = (CODE + 16, CODE + 32);
    let position =
        format!("CS that ran last, kernel {CODE:#x}, goes round from {first:#x} to {last:#x}");
    assert!(
        what.starts_with("hang") && what.contains(&position),
        "{what}"
    );
}

#[test]
fn dispatches_of_a_batch_share_its_budget_and_have_their_own() {
    // Two walkers of two threads of two instructions.
    let rows = [
        ([8, 4, 2], None),
        ([7, 4, 2], Some("the batch has run 7 instructions")),
        ([8, 3, 2], Some("a draw or dispatch has run 3 instructions")),
        ([8, 4, 1], Some("a thread has run 2 instructions")),
    ];
    for ([batch, command, thread], expected) in rows {
        let limited = Options {
            instruction_limits: InstructionLimits {
                batch,
                command,
                thread,
            },
            ..options()
        };
        let mut rig = Rig::new(limited);
        rig.load_kernel(&[nothing()], 1);
        let mut batch = walk_batch(2, 1);
        let commands = hw::batch::commands(&batch, hw::Gen::Gen9);
        let walkers = commands.filter(|c| WALKER.matches(c.words[0]));
        let again: Vec<u32> = walkers.flat_map(|c| c.words.to_vec()).collect();
        batch.pop();
        batch.extend(again);
        end(&mut batch);
        let found = rig.execute(&batch);
        match expected {
            None => assert!(found.is_ok(), "{found:?}"),
            Some(text) => {
                let hang =
                    matches!(&found, Err(StopReason::Fault { what, .. }) if what.contains(text));
                assert!(hang, "{text}: {found:?}");
            }
        }
    }
}

#[test]
fn resumed_threads_count_instructions_once() {
    let kernel = [arrive(), wait(), arrive(), wait(), nothing()];
    let two = shape([2, 1, 1], [0; 3], [1; 3]);
    let needed = walk(&kernel, &two, options()).expect("runs").instructions;
    for (budget, runs) in [(needed, true), (needed - 1, false)] {
        let options = Options {
            instruction_limits: InstructionLimits::of_all(budget),
            ..options()
        };
        assert_eq!(walk(&kernel, &two, options).is_ok(), runs, "{budget}");
    }
}
