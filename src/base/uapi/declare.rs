//! Macros that declare structures and constants once, both for Rust and for the test that compares
//! them with the C headers.

/// The layout of a C structure.
#[derive(Clone, Copy, Debug)]
pub struct StructLayout {
    /// Name in C, with `struct`.
    pub c_name: &'static str,
    /// Size, in bytes.
    pub size_bytes: usize,
    /// C name and offset, in bytes, of each member.
    pub members: &'static [(&'static str, usize)],
}

/// Declares `repr(C)` structures and a table of their layouts. A field without a C name (padding)
/// is not compared.
macro_rules! structures {
    ($table:ident; $( $(#[$doc:meta])* $name:ident = $c_name:literal { $( $(#[$field_doc:meta])* $field:ident : $ty:ty $(= $c_field:literal)?, )* } )*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
            pub struct $name {
                $( $(#[$field_doc])* pub $field: $ty, )*
            }
        )*
        /// Layout of every structure of this module, for comparison with the C headers.
        pub const $table: &[crate::declare::StructLayout] = &[
            $( crate::declare::StructLayout {
                c_name: $c_name,
                size_bytes: size_of::<$name>(),
                members: &[ $( $( ($c_field, std::mem::offset_of!($name, $field)), )? )* ],
            }, )*
        ];
    };
}

/// Declares constants and a table of their C names and values.
macro_rules! numbers {
    ($table:ident; $( $(#[$doc:meta])* $name:ident : $ty:ty = $value:expr, $c_name:literal; )*) => {
        $( $(#[$doc])* pub const $name: $ty = $value; )*
        /// Every constant of this module with its C name, for comparison with the C headers.
        pub const $table: &[(&str, u64)] = &[ $( ($c_name, $value as u64), )* ];
    };
}

pub(crate) use {numbers, structures};

const WRITE: u32 = 1;
const READ: u32 = 2;

const fn request(direction: u32, number: u32, size_bytes: usize) -> u32 {
    (direction << 30) | ((size_bytes as u32) << 16) | ((b'd' as u32) << 8) | number
}

/// Request code of an ioctl whose argument the kernel only reads.
pub(crate) const fn iow<T>(number: u32) -> u32 {
    request(WRITE, number, size_of::<T>())
}

/// Request code of an ioctl whose argument the kernel only writes.
pub(crate) const fn ior<T>(number: u32) -> u32 {
    request(READ, number, size_of::<T>())
}

/// Request code of an ioctl whose argument the kernel reads and writes.
pub(crate) const fn iowr<T>(number: u32) -> u32 {
    request(READ | WRITE, number, size_of::<T>())
}

/// Request code of an ioctl without an argument.
pub(crate) const fn io(number: u32) -> u32 {
    request(0, number, 0)
}
