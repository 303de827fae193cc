//! Copies and fills through internal shaders.
//!
//! In:  addresses and sizes. Out: shaders as NIR (compiled by whoever owns pipelines), and launches of them: surfaces,
//!      push constants, workgroups. Clears, resolves and copies of images join when there are images.
//! Ref: Vulkan specification, "Copying Data Between Buffers", "Filling Buffers", "Query Operation".

mod buffer;
mod kernel;

pub use buffer::{
    Launch, MAX_BUFFERS, RESULT_64, RESULT_AVAILABILITY, RESULT_PARTIAL, Shader, Span,
    copy_launches, fill_launches, query_launch,
};
