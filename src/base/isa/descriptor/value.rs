//! The values of descriptor fields that enumerate something: one module for each enumeration.
//!
//! In:  nothing. Out: constants.
//! Ref: SKL PRM vol. 2d, the MDC_* structures named. Tests: `value/tests` compares them, and
//!      message types, with what `iga64` calls them.

macro_rules! values {
    ($($(#[doc = $doc:literal])+ $module:ident { $($value:ident $number:literal;)* })*) => {$(
        $(#[doc = $doc])+
        pub mod $module {
            $(#[allow(missing_docs, reason = "the PRM's names")]
            pub const $value: u32 = $number;)*
        }
    )*};
}

#[rustfmt::skip]
values! {
    /// `sample::SIMD_MODE`.
    sampler_simd_mode { SIMD8 1; SIMD16 2; }
    /// MDC_RT_SUBTYPE, `render_target::SUBTYPE`. The dual source forms are for the low and the high
    /// eight of 16 pixels.
    render_target_subtype { SIMD16 0; SIMD16_REPLICATED 1; SIMD8_DUAL_SOURCE_LOW 2; SIMD8_DUAL_SOURCE_HIGH 3; SIMD8 4; }
    /// MDC_SM3, `untyped::SIMD_MODE`.
    untyped_simd_mode { SIMD4X2 0; SIMD16 1; SIMD8 2; }
    /// MDC_SG3, `typed::SLOT_GROUP`.
    typed_slot_group { SIMD4X2 0; LOW 1; HIGH 2; }
    /// MDC_DB_OW, `oword_block::BLOCK_SIZE`. One OWord is in the low or the high half of a
    /// register.
    oword_block_size { OWORD_LOW 0; OWORD_HIGH 1; OWORDS_2 2; OWORDS_4 3; OWORDS_8 4; }
    /// MDC_DB_OWD, `oword_dual_block::BLOCK_SIZE`.
    oword_dual_block_size { OWORDS_1 0; OWORDS_4 2; }
    /// MDC_DS, `byte_scattered::DATA_SIZE`.
    byte_data_size { BYTES_1 0; BYTES_2 1; BYTES_4 2; }
    /// `a64_block::SUBTYPE`: blocks at multiples of an OWord, and of a dword.
    a64_block_subtype { ALIGNED 0; UNALIGNED 1; DUAL 2; HWORDS 3; }
    /// `a64_scattered::SUBTYPE`: the size of an element.
    a64_element { BYTE 0; DWORD 1; QWORD 2; }
    /// MDC_AOP, `atomic::OPERATION`, `typed_atomic::OPERATION` and `a64_atomic::OPERATION`.
    atomic_operation {
        AND 1; OR 2; XOR 3; MOV 4; INC 5; DEC 6; ADD 7; SUB 8; REVSUB 9; IMAX 10; IMIN 11; UMAX 12;
        UMIN 13; CMPWR 14; PREDEC 15;
    }
    /// MDC_FOP, the same fields in messages on floats.
    float_atomic_operation { FMAX 1; FMIN 2; FCMPWR 3; FADD 4; }
}

#[cfg(test)]
mod tests;
