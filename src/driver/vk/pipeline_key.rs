//! Keys of whole pipelines in memory.
//!
//! In:  the parameters of pipelines. Out: words that two pipelines have in common only if they are
//!      equal.
//!
//! Every structure that is written to a key is taken apart without `..`, so that a member added to
//! one must be decided about here.

use std::sync::Arc;

use crate::cached;
use crate::code;
use crate::compiler::{BufferRobustness, ShaderInfo, SubgroupSize};
use crate::context::Context;
use crate::descriptor::PipelineLayout;
use crate::shader::SpecializationConstant;

/// Most keys have at most so many words.
const USUAL_WORDS: usize = 256;

/// The words of a key. Lists are preceded by their length, and options by whether there is a value,
/// so that no two lists of parameters have the same words.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct KeyWords(Vec<u32>);

/// Parameters that keys contain.
pub(crate) trait Parameter {
    /// Adds the parameter to a key.
    fn write(&self, key: &mut KeyWords);
}

impl KeyWords {
    /// A key without words.
    pub(crate) fn new() -> Self {
        Self(Vec::with_capacity(USUAL_WORDS))
    }

    /// Adds a parameter.
    #[inline]
    pub(crate) fn add(&mut self, parameter: &impl Parameter) -> &mut Self {
        parameter.write(self);
        self
    }

    #[inline]
    fn push(&mut self, word: u32) {
        self.0.push(word);
    }
}

impl Parameter for u32 {
    #[inline]
    fn write(&self, key: &mut KeyWords) {
        key.push(*self);
    }
}

impl Parameter for i32 {
    #[inline]
    fn write(&self, key: &mut KeyWords) {
        key.push(self.cast_unsigned());
    }
}

impl Parameter for u16 {
    #[inline]
    fn write(&self, key: &mut KeyWords) {
        key.push((*self).into());
    }
}

impl Parameter for u8 {
    #[inline]
    fn write(&self, key: &mut KeyWords) {
        key.push((*self).into());
    }
}

impl Parameter for bool {
    #[inline]
    fn write(&self, key: &mut KeyWords) {
        key.push((*self).into());
    }
}

impl Parameter for u64 {
    #[inline]
    fn write(&self, key: &mut KeyWords) {
        key.push(*self as u32);
        key.push((*self >> 32) as u32);
    }
}

impl Parameter for f32 {
    #[inline]
    fn write(&self, key: &mut KeyWords) {
        key.push(self.to_bits());
    }
}

impl<T: Parameter> Parameter for Option<T> {
    #[inline]
    fn write(&self, key: &mut KeyWords) {
        key.push(self.is_some().into());
        if let Some(value) = self {
            value.write(key);
        }
    }
}

impl<T: Parameter> Parameter for &T {
    #[inline]
    fn write(&self, key: &mut KeyWords) {
        (**self).write(key);
    }
}

impl<T: Parameter> Parameter for &[T] {
    #[inline]
    fn write(&self, key: &mut KeyWords) {
        key.push(self.len() as u32);
        self.iter().for_each(|value| value.write(key));
    }
}

impl<T: Parameter, const N: usize> Parameter for [T; N] {
    #[inline]
    fn write(&self, key: &mut KeyWords) {
        self.iter().for_each(|value| value.write(key));
    }
}

impl<T: Parameter, U: Parameter> Parameter for (T, U) {
    #[inline]
    fn write(&self, key: &mut KeyWords) {
        key.add(&self.0).add(&self.1);
    }
}

impl Parameter for &str {
    fn write(&self, key: &mut KeyWords) {
        key.push(self.len() as u32);
        for chunk in self.as_bytes().chunks(4) {
            let mut bytes = [0; 4];
            for (to, &byte) in bytes.iter_mut().zip(chunk) {
                *to = byte;
            }
            key.push(u32::from_le_bytes(bytes));
        }
    }
}

impl Parameter for SpecializationConstant {
    fn write(&self, key: &mut KeyWords) {
        let Self { id, bits } = self;
        key.add(id).add(bits);
    }
}

impl Parameter for SubgroupSize {
    fn write(&self, key: &mut KeyWords) {
        key.add(&match self {
            Self::Fixed => 0_u32,
            Self::Varying => 1,
            Self::Required(size) => 2 + u32::from(*size),
        });
    }
}

impl Parameter for BufferRobustness {
    fn write(&self, key: &mut KeyWords) {
        let Self { storage, uniform } = self;
        key.add(storage).add(uniform);
    }
}

impl Parameter for PipelineLayout {
    /// A layout is identified by the address of what the compiler sees, which a retained
    /// pipeline holds.
    fn write(&self, key: &mut KeyWords) {
        key.add(&(Arc::as_ptr(self.shared_abi()).addr() as u64));
    }
}

impl Parameter for ShaderInfo {
    fn write(&self, key: &mut KeyWords) {
        let Self {
            stage,
            module,
            entry,
            constants,
            layout,
            dispatch_base,
            subgroup_size,
            robustness,
            // A retained pipeline need not be compiled.
            cached_only: _,
            is_private,
            capture,
        } = self;
        key.push(*stage as u32);
        for bytes in module.identifier().as_chunks().0 {
            key.push(u32::from_le_bytes(*bytes));
        }
        key.add(&entry.as_str())
            .add(&constants.as_slice())
            .add(&**layout);
        key.add(dispatch_base).add(subgroup_size).add(robustness);
        key.add(is_private).add(capture);
    }
}

/// Whether pipelines with this shader may be retained. Those that dump what they compile must
/// compile it; layouts of descriptor heaps belong to one pipeline, and no other has the same
/// address.
pub(crate) fn may_be_retained(context: &Context, shader: &ShaderInfo) -> bool {
    !cached::is_off(context)
        && !shader.capture
        && shader.layout.heap_parameters().is_none()
        && !code::is_dumped(context, shader.stage)
}

#[cfg(test)]
mod tests;
