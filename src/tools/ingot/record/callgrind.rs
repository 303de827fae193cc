//! Requests to valgrind's callgrind, under which a bench may run.
#![allow(unsafe_code, reason = "a request is a sequence of instructions")]

/// What callgrind is asked to do; nothing where it does not run.
///
/// Ref: Valgrind's manual, "The Client Request mechanism" and "Callgrind specific client requests".
#[derive(Clone, Copy)]
pub enum Callgrind {
    /// Writes what it has counted to a file, and begins anew.
    Dump = 0x4354_0000,
    /// Begins or ends to count.
    Toggle = 0x4354_0002,
}

impl Callgrind {
    /// Asks.
    pub fn ask(self) {
        let question = [self as u64, 0, 0, 0, 0, 0];
        // Elsewhere the request has other instructions, and callgrind would count nothing.
        #[cfg(target_arch = "x86_64")]
        // SAFETY: four rotations by 128 in all, and an exchange of a register with itself, change nothing but flags; Valgrind knows
        // them, reads `question` and puts the answer into rdx.
        unsafe {
            std::arch::asm!(
                "rol rdi, 3",
                "rol rdi, 13",
                "rol rdi, 61",
                "rol rdi, 51",
                "xchg rbx, rbx",
                in("rax") question.as_ptr(),
                inout("rdx") 0u64 => _,
                inout("rdi") 0u64 => _,
            );
        }
    }
}
