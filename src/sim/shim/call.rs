//! One ioctl: its file, request code and argument.
//!
//! In:  a request code and an argument's address. Out: the argument, copied in and back out.

use bytemuck::Pod;
use kmd::File;
use uapi::Result;

use crate::user_memory;

/// One ioctl.
pub(crate) struct Call<'a> {
    /// The file.
    pub(crate) file: &'a File,
    /// The program's request code.
    pub(crate) request: u32,
    /// The address of the argument.
    pub(crate) address: u64,
}

impl Call<'_> {
    /// Copies the argument in, calls `work` with it and copies it out, in the directions that both
    /// `known`, the kernel's request code, and the program's code have.
    pub(crate) fn with_argument<T: Pod>(
        &self,
        known: u32,
        work: impl FnOnce(&mut T) -> Result<()>,
    ) -> Result<()> {
        let directions = (self.request & known) >> 30;
        let len = (self.request >> 16 & 0x3fff) as usize;
        // Bit 0: the program writes, the kernel reads.
        let read_bytes = if directions & 1 != 0 { len } else { 0 };
        let write_bytes = if directions & 2 != 0 { len } else { 0 };
        let mut argument: T = user_memory::read_prefix(self.address, read_bytes)?;
        let result = work(&mut argument);
        user_memory::write_prefix(self.address, &argument, write_bytes.min(size_of::<T>()))?;
        result
    }
}

/// The number of an ioctl, without the size and direction of its argument.
pub(crate) const fn number_of(request: u32) -> u32 {
    request & 0xff
}
