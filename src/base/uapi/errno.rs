//! Error numbers, as the kernel returns them.

/// A Linux error number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Errno(pub i32);

macro_rules! errnos {
    ($( $(#[$doc:meta])* $name:ident = $value:literal; )*) => {
        impl Errno {
            $( $(#[$doc])* pub const $name: Errno = Errno($value); )*

            /// The symbol, such as `EINVAL`; `None` for numbers that are not listed here.
            pub fn name(self) -> Option<&'static str> {
                match self {
                    $( Self::$name => Some(stringify!($name)), )*
                    _ => None,
                }
            }
        }
    };
}

// asm-generic/errno-base.h, errno.h.
errnos! {
    /// Operation not permitted.
    EPERM = 1;
    /// No such object.
    ENOENT = 2;
    /// Interrupted by a signal.
    EINTR = 4;
    /// The GPU is wedged, or the context banned.
    EIO = 5;
    /// No such address; of lseek: no data from there to the end of the file.
    ENXIO = 6;
    /// Argument list too long.
    E2BIG = 7;
    /// Not a descriptor, or not one of the right kind.
    EBADF = 9;
    /// Try again.
    EAGAIN = 11;
    /// Out of memory.
    ENOMEM = 12;
    /// Permission denied.
    EACCES = 13;
    /// Bad address.
    EFAULT = 14;
    /// Busy.
    EBUSY = 16;
    /// Already exists.
    EEXIST = 17;
    /// No such device.
    ENODEV = 19;
    /// Invalid argument.
    EINVAL = 22;
    /// Too many open files.
    EMFILE = 24;
    /// Not an ioctl of this descriptor.
    ENOTTY = 25;
    /// File too large.
    EFBIG = 27;
    /// No space left.
    ENOSPC = 28;
    /// Out of range.
    ERANGE = 34;
    /// Timer expired.
    ETIME = 62;
    /// Value too large.
    EOVERFLOW = 75;
    /// Not supported.
    EOPNOTSUPP = 95;
    /// The wait was cancelled.
    ECANCELED = 125;
}

impl std::fmt::Debug for Errno {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl std::fmt::Display for Errno {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "errno {}", self.0),
        }
    }
}

impl std::error::Error for Errno {}
