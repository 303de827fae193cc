//! What caches hold, and its names.

use std::sync::Arc;

use abi::ShaderBinary;

/// Identifies an item among those of its kind: a hash of all that it depends on.
pub type CacheKey = [u8; 32];

/// Kind and key of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemName {
    /// Kind.
    pub kind: ItemKind,
    /// Key.
    pub key: CacheKey,
}

/// Kinds of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ItemKind {
    /// A compiled shader.
    Shader = 0,
    /// The inputs that a shader reads from the previous stage.
    Inputs = 1,
    /// The tessellation modes of a pair of shaders.
    TessModes = 2,
}

impl ItemKind {
    /// All kinds.
    pub(crate) const ALL: [Self; 3] = [Self::Shader, Self::Inputs, Self::TessModes];
}

/// What caches hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A compiled shader.
    Shader(Arc<ShaderBinary>),
    /// The inputs that a shader reads from the previous stage.
    Inputs(compile::InputsRead),
    /// The tessellation modes of a pair of shaders.
    TessModes(compile::TessInfo),
}
