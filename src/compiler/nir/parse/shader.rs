//! Parses a whole shader.

use super::parser::{Parser, Result};
use crate::ir::Shader;

/// Parses a shader. Fails at the first syntax error, with its line.
pub fn parse(text: &str) -> Result<Shader> {
    let mut p = Parser::new(text)?;
    p.find_shapes()?;
    p.shader_text()?;
    p.finish()
}
