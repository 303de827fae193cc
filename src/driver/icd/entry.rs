//! The macro that defines entry points.
//!
//! In:  a name, C arguments, a body in which `?` works.
//! Out: an `extern "system"` function that catches panics and turns errors into `VkResult`, and a
//!      row of a table.

use ash::vk as c;

use crate::diagnosis;

/// How a command is looked up (Vulkan specification, "Command Function Pointers").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DispatchLevel {
    /// `vkGetInstanceProcAddr` without an instance.
    Global,
    /// `vkGetInstanceProcAddr` with an instance; the first argument is an instance.
    Instance,
    /// `vkGetInstanceProcAddr` with an instance; the first argument is a physical device.
    Physical,
    /// Also `vkGetDeviceProcAddr`; the first argument is a device or one of its children.
    Device,
}

/// An entry point with its signature erased.
pub type FunctionPointer = unsafe extern "system" fn();

/// One entry point.
#[derive(Clone, Copy)]
pub struct EntryPoint {
    /// The command's name, `vk...`.
    pub name: &'static str,
    /// How it is looked up.
    pub level: DispatchLevel,
    /// The extension that must be enabled, or "" for core.
    pub extension: &'static str,
    /// For core, the version that introduced it; the tables say 1.0, `proc_addr` the right one.
    pub core_version: u32,
    /// The function.
    pub pointer: FunctionPointer,
}

/// A return type of entry points.
pub trait ReturnType: Sized {
    /// The type that the body of the entry point returns.
    type Body;
    /// Converts the result of the body to C; reports an error with the command's name.
    fn from_body(name: &'static str, body: Self::Body) -> Self;
    /// The value returned after a panic.
    fn after_panic() -> Self;
}

/// Reports an error, and returns its code.
#[cold]
#[inline(never)]
fn report(name: &'static str, error: vk::Error) -> c::Result {
    diagnosis::report(&format_args!("{name}: {error}"));
    error.code()
}

impl ReturnType for c::Result {
    type Body = vk::Result<c::Result>;
    #[inline]
    fn from_body(name: &'static str, body: Self::Body) -> Self {
        body.unwrap_or_else(|error| report(name, error))
    }
    fn after_panic() -> Self {
        c::Result::ERROR_UNKNOWN
    }
}

impl ReturnType for () {
    type Body = vk::Result<()>;
    #[inline(always)]
    fn from_body(name: &'static str, body: Self::Body) {
        if let Err(error) = body {
            // A void command has no way to return the code.
            _ = report(name, error);
        }
    }
    fn after_panic() {}
}

impl ReturnType for u64 {
    type Body = vk::Result<u64>;
    fn from_body(name: &'static str, body: Self::Body) -> Self {
        body.unwrap_or_else(|error| {
            _ = report(name, error);
            0
        })
    }
    fn after_panic() -> Self {
        0
    }
}

impl ReturnType for c::Bool32 {
    type Body = vk::Result<c::Bool32>;
    fn from_body(name: &'static str, body: Self::Body) -> Self {
        body.unwrap_or_else(|error| {
            _ = report(name, error);
            c::FALSE
        })
    }
    fn after_panic() -> Self {
        c::FALSE
    }
}

impl ReturnType for Option<FunctionPointer> {
    type Body = Self;
    fn from_body(_name: &'static str, body: Self) -> Self {
        body
    }
    fn after_panic() -> Self {
        None
    }
}

/// Runs a body and catches its panic. If nothing in the body can panic, this compiles to no code.
#[inline(always)]
pub fn guard<R: ReturnType>(name: &'static str, body: impl FnOnce() -> R::Body) -> R {
    // A body that panics may leave an object partly modified. Locks of objects ignore poisoning, so
    // they stay usable, and the command returns an error. `from_body` runs inside so that what
    // passes through `catch_unwind` fits a register; the body's error does not.
    let caught = std::panic::AssertUnwindSafe(|| R::from_body(name, body()));
    std::panic::catch_unwind(caught).unwrap_or_else(|_| R::after_panic())
}

/// The result of a body that succeeded.
pub fn done() -> vk::Result<c::Result> {
    Ok(c::Result::SUCCESS)
}

/// The return type of a function, `()` if it is not given.
macro_rules! return_type {
    () => {
        ()
    };
    ($ret:ty) => {
        $ret
    };
}

/// The extension of an entry point, "" if it is not given.
macro_rules! extension_or_core {
    () => {
        ""
    };
    ($name:literal) => {
        $name
    };
}

/// Defines entry points and the table of their rows.
macro_rules! entries {
    ($(#[$meta:meta])* $table:ident:
        $($level:ident $([$extension:literal])? $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block)*
    ) => {
        $(
            #[doc = concat!("`", stringify!($name), "` of the Vulkan specification.")]
            ///
            /// # Safety
            /// The caller obeys the valid usage that the specification lists for this command.
            #[allow(non_snake_case, unused_variables, reason = "names and arguments are Vulkan's")]
            pub unsafe extern "system" fn $name($($arg: $ty),*) $(-> $ret)? {
                $crate::entry::guard::<$crate::entry::return_type!($($ret)?)>(
                    stringify!($name),
                    move || -> <$crate::entry::return_type!($($ret)?) as $crate::entry::ReturnType>::Body {
                        // SAFETY: valid usage makes every pointer argument readable or writable for
                        // as long as the command runs, and every handle one of this driver's; `raw`
                        // and `handle` document what each access relies on.
                        #[allow(unused_unsafe, reason = "not every body needs it")]
                        unsafe { $body }
                    },
                )
            }
        )*
        $(#[$meta])*
        pub static $table: &[$crate::entry::EntryPoint] = &[$(
            $crate::entry::EntryPoint {
                name: stringify!($name),
                level: $crate::entry::DispatchLevel::$level,
                extension: $crate::entry::extension_or_core!($($extension)?),
                core_version: ash::vk::API_VERSION_1_0,
                // SAFETY: function pointers of any type have one representation; the caller casts
                // it back by its name.
                pointer: unsafe {
                    std::mem::transmute::<
                        unsafe extern "system" fn($($ty),*) $(-> $ret)?,
                        $crate::entry::FunctionPointer,
                    >($name)
                },
            },
        )*];
    };
}

pub(crate) use {entries, extension_or_core, return_type};
