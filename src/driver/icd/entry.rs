//! The macro that makes every entry point, and what it puts around a body.
//!
//! In:  a name, arguments of C, a body in which `?` works.
//! Out: an `extern "system"` function that lets no panic out and turns errors into `VkResult`, and a row of a table.

use ash::vk as c;

use crate::diagnosis;

/// Who resolves a name (Vulkan specification, "Command Function Pointers").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Without an instance.
    Global,
    /// With an instance; first argument an instance.
    Instance,
    /// With an instance; first argument a physical device.
    Physical,
    /// With an instance or a device; first argument a device or its child.
    Device,
}

/// An entry point without its type.
pub type Pointer = unsafe extern "system" fn();

/// One entry point.
#[derive(Clone, Copy)]
pub struct Row {
    /// `vk...`
    pub name: &'static str,
    /// Who resolves it.
    pub level: Level,
    /// Extension that must be enabled, or "" for core.
    pub extension: &'static str,
    /// The function.
    pub pointer: Pointer,
}

/// What an entry point returns, and what its body returns.
pub trait Face: Sized {
    /// Type of the body.
    type Body;
    /// The value for C; an error is told with the command's name.
    fn of(name: &'static str, body: Self::Body) -> Self;
    /// The value after a panic.
    fn after_panic() -> Self;
}

/// What becomes of an error: it is told to those who asked, and is a code.
#[cold]
#[inline(never)]
fn failed(name: &'static str, error: vk::Error) -> c::Result {
    diagnosis::say(&format_args!("{name}: {error}"));
    error.code()
}

impl Face for c::Result {
    type Body = vk::Result<c::Result>;
    #[inline]
    fn of(name: &'static str, body: Self::Body) -> Self {
        body.unwrap_or_else(|error| failed(name, error))
    }
    fn after_panic() -> Self {
        c::Result::ERROR_UNKNOWN
    }
}

impl Face for () {
    type Body = vk::Result<()>;
    #[inline(always)]
    fn of(name: &'static str, body: Self::Body) {
        if let Err(error) = body {
            // There is nobody to give the code to.
            _ = failed(name, error);
        }
    }
    fn after_panic() {}
}

impl Face for u64 {
    type Body = vk::Result<u64>;
    fn of(name: &'static str, body: Self::Body) -> Self {
        body.unwrap_or_else(|error| {
            _ = failed(name, error);
            0
        })
    }
    fn after_panic() -> Self {
        0
    }
}

impl Face for c::Bool32 {
    type Body = vk::Result<c::Bool32>;
    fn of(name: &'static str, body: Self::Body) -> Self {
        body.unwrap_or_else(|error| {
            _ = failed(name, error);
            c::FALSE
        })
    }
    fn after_panic() -> Self {
        c::FALSE
    }
}

impl Face for Option<Pointer> {
    type Body = Self;
    fn of(_name: &'static str, body: Self) -> Self {
        body
    }
    fn after_panic() -> Self {
        None
    }
}

/// Runs a body; a panic ends here. Where nothing in a body can panic, this is no code at all.
#[inline(always)]
pub fn guard<R: Face>(name: &'static str, body: impl FnOnce() -> R::Body) -> R {
    // A body that panics may leave an object half changed. Objects keep their locks poisoned-but-usable, and the caller is
    // told that its command failed. What comes out is a value in a register, where a body's errors are larger.
    let caught = std::panic::AssertUnwindSafe(|| R::of(name, body()));
    std::panic::catch_unwind(caught).unwrap_or_else(|_| R::after_panic())
}

/// The end of a body that succeeded.
pub fn done() -> vk::Result<c::Result> {
    Ok(c::Result::SUCCESS)
}

macro_rules! returned {
    () => {
        ()
    };
    ($ret:ty) => {
        $ret
    };
}

macro_rules! extension_of {
    () => {
        ""
    };
    ($name:literal) => {
        $name
    };
}

macro_rules! entries {
    ($(#[$meta:meta])* $table:ident:
        $($level:ident $([$extension:literal])? $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block)*
    ) => {
        $(
            #[doc = concat!("`", stringify!($name), "` of the Vulkan specification.")]
            ///
            /// # Safety
            /// The caller keeps the valid usage that the specification lists for this command.
            #[allow(non_snake_case, unused_variables, reason = "names and arguments are Vulkan's")]
            pub unsafe extern "system" fn $name($($arg: $ty),*) $(-> $ret)? {
                $crate::entry::guard::<$crate::entry::returned!($($ret)?)>(
                    stringify!($name),
                    move || -> <$crate::entry::returned!($($ret)?) as $crate::entry::Face>::Body {
                        // SAFETY: valid usage makes every pointer argument readable or writable for as long as the command
                        // runs, and every handle one of ours; `raw` and `handle` document what each access relies on.
                        #[allow(unused_unsafe, reason = "not every body needs it")]
                        unsafe { $body }
                    },
                )
            }
        )*
        $(#[$meta])*
        pub static $table: &[$crate::entry::Row] = &[$(
            $crate::entry::Row {
                name: stringify!($name),
                level: $crate::entry::Level::$level,
                extension: $crate::entry::extension_of!($($extension)?),
                // SAFETY: function pointers of any type have one representation; the caller casts it back by its name.
                pointer: unsafe {
                    std::mem::transmute::<
                        unsafe extern "system" fn($($ty),*) $(-> $ret)?,
                        $crate::entry::Pointer,
                    >($name)
                },
            },
        )*];
    };
}

pub(crate) use {entries, extension_of, returned};
