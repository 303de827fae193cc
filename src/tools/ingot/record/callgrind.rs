//! Client requests to valgrind's callgrind.
#![allow(unsafe_code, reason = "a request is a sequence of instructions")]

/// A client request; without valgrind it has no effect.
///
/// Ref: Valgrind's manual, "The Client Request mechanism" and "Callgrind specific client requests".
#[derive(Clone, Copy)]
pub enum Callgrind {
    /// Writes the counts to a file and resets them.
    Dump = 0x4354_0000,
    /// Starts or stops counting.
    Toggle = 0x4354_0002,
}

impl Callgrind {
    /// Issues the request.
    pub fn ask(self) {
        let question = [self as u64, 0, 0, 0, 0, 0];
        // Elsewhere the request has other instructions, and callgrind would count nothing.
        #[cfg(target_arch = "x86_64")]
        // SAFETY: four rotations by 128 in all, and an exchange of a register with itself, change
        // nothing but flags; Valgrind knows them, reads `question` and puts the answer into rdx.
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
