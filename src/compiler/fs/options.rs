//! What to compile for, and how.
//!
//! In:  the caller's wishes. Out: plain data.

use abi::{PipelineLayout, StageInfo};

/// What to compile for, and how.
#[derive(Clone, Debug, Default, Hash)]
pub struct Options {
    /// Where the launcher puts descriptors.
    pub layout: PipelineLayout,
    /// What the stage before writes. Stages that read the vertices of a primitive or a patch take it without this that what they read
    /// is written, and nothing else; fragment shaders with more than [`abi::FREE_INPUTS`] inputs need it.
    pub before: Option<StageInfo>,
    /// Widths that may be made, as a bit set of 8, 16 and 32; 0 for all.
    pub widths: u8,
    /// The one width to make, if the application asks for it.
    pub required_width: Option<u8>,
    /// Fragments have one colour, whatever the pixel: it is written to target 0 once for sixteen of them.
    pub replicated: bool,
    /// Fragment shaders get a variant of 32 pixels wherever that is legal, faster or not.
    pub wide_fragments: bool,
    /// Stages that draw get ranges of uniform buffers with their push data.
    pub push_ranges: bool,
    /// The EUs' unit for doubles is not used, as if there were none: the shader computes none.
    pub soft_fp64: bool,
    /// Nor is their arithmetic of 64-bit integers.
    pub soft_int64: bool,
    /// Names of the dumps to keep in each [`Variant`]: a pass's name for LIR after it, `all` for every pass,
    /// `asm` for the assembly.
    pub dumps: Vec<String>,
    /// Check LIR after every pass, also in release builds.
    pub validate: bool,
    /// Pretend that there is no register left for anything that can be spilled: for tests.
    pub spill_everything: bool,
}

impl Options {
    /// True if the dump of this name is kept.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.dumps.iter().any(|d| d == name || d == "all")
    }
}
