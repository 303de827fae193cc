//! Numbers of the surface formats that the driver or the simulator names, as packet fields hold
//! them.
//!
//! Ref: SKL PRM vol. 2d, "SURFACE_FORMAT". [`crate::FORMATS`] has the numbers.

use crate::format::FORMATS;

/// The number of a format; evaluation fails at compile time if there is none with this name.
const fn number(name: &str) -> u64 {
    let mut i = 0;
    while i < FORMATS.len() {
        if is_same(FORMATS[i].name.as_bytes(), name.as_bytes()) {
            return FORMATS[i].number as u64;
        }
        i += 1;
    }
    panic!("no format has this name");
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

macro_rules! formats {
    ($($name:ident)*) => {
        $(#[doc = concat!("\"", stringify!($name), "\".")]
        pub const $name: u64 = number(stringify!($name));)*
    };
}

formats! {
    R32G32_UINT
    B8G8R8A8_UNORM
    R32_UINT
    R32_FLOAT
    R24_UNORM_X8_TYPELESS
    R16_UNORM
    R16_UINT
    R8_UINT
    RAW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_table() {
        // Names of which one begins the other, and the last of the table.
        assert_eq!((R32_UINT, R32G32_UINT, RAW), (0x0d7, 0x087, 0x1ff));
        assert_eq!((R16_UNORM, R24_UNORM_X8_TYPELESS), (0x10a, 0x0d9));
    }
}
