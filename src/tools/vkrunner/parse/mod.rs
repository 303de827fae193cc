//! The parser of sections; the contents of each section are parsed in their own files.

mod command;
mod property;
mod require;
mod vertex;

use crate::script::{Script, ShaderSource, ShaderStage};
use crate::source::{self, Line, Replacement, ScriptError};

/// The kind of the current section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    None,
    Comment,
    Require,
    Glsl(ShaderStage),
    SpirvText(ShaderStage),
    SpirvWords(ShaderStage),
    Passthrough,
    VertexData,
    Indices,
    Test,
}

/// Parses a whole script.
pub fn parse(text: &str, replacements: &[Replacement]) -> Result<Script, ScriptError> {
    let mut parser = Parser::new();
    for line in source::lines(text, replacements)? {
        parser.line(&line)?;
    }
    parser.end()
}

struct Parser {
    section: Section,
    seen_content: bool,
    require: require::RequireParser,
    shaders: Vec<(ShaderStage, ShaderSource)>,
    vertex: Option<(usize, vertex::VertexParser)>,
    indices: Vec<u16>,
    test: command::TestParser,
}

impl Parser {
    fn new() -> Parser {
        Parser {
            section: Section::None,
            seen_content: false,
            require: require::RequireParser::new(),
            shaders: Vec::new(),
            vertex: None,
            indices: Vec::new(),
            test: command::TestParser::new(),
        }
    }

    fn line(&mut self, line: &Line) -> Result<(), ScriptError> {
        if line.text.starts_with('[') {
            return self.header(line);
        }
        let comment_free = line.text.split('#').next().unwrap_or("").trim();
        let result = match self.section {
            Section::Comment => Ok(()),
            Section::None if comment_free.is_empty() => Ok(()),
            Section::None => Err("expected empty line".to_string()),
            Section::Passthrough if comment_free.is_empty() => Ok(()),
            Section::Passthrough => Err("expected empty line".to_string()),
            Section::Glsl(_) | Section::SpirvText(_) => {
                if let Some((_, ShaderSource::SpirvText(_, text))) = self.shaders.last_mut() {
                    text.push_str(&line.text);
                    text.push('\n');
                } else if let Some((_, ShaderSource::Glsl(parts))) = self.shaders.last_mut()
                    && let Some((_, text)) = parts.last_mut()
                {
                    text.push_str(&line.text);
                    text.push('\n');
                }
                Ok(())
            }
            _ if comment_free.is_empty() => Ok(()),
            Section::SpirvWords(_) => self.words(comment_free),
            Section::Require => self.require.line(comment_free),
            Section::VertexData => match &mut self.vertex {
                Some((_, vertex)) => vertex.line(comment_free),
                None => Ok(()),
            },
            Section::Indices => self.index_line(comment_free),
            Section::Test => self.test.line(line.number, comment_free),
        };
        result.map_err(|message| ScriptError::new(line.number, message))
    }

    fn words(&mut self, text: &str) -> Result<(), String> {
        let Some((_, ShaderSource::SpirvWords(words))) = self.shaders.last_mut() else {
            return Ok(());
        };
        for word in text.split_whitespace() {
            let value =
                u32::from_str_radix(word, 16).map_err(|_| format!("Invalid hex value: {word}"))?;
            words.push(value);
        }
        Ok(())
    }

    fn index_line(&mut self, text: &str) -> Result<(), String> {
        for word in text.split_whitespace() {
            match crate::number::integer(word, 16, false) {
                Some((value, "")) => self.indices.push(value as u16),
                _ => return Err(format!("Invalid index: {word}")),
            }
        }
        Ok(())
    }

    fn header(&mut self, line: &Line) -> Result<(), ScriptError> {
        let error = |message: String| Err(ScriptError::new(line.number, message));
        let Some((name, rest)) = line.text[1..].split_once(']') else {
            return error("Missing “]”".into());
        };
        if !rest.trim().is_empty() {
            return error("Trailing data after “]”".into());
        }
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let section = match name.as_str() {
            "comment" => Section::Comment,
            "require" => {
                if self.seen_content {
                    return error("[require] must be the first section".into());
                }
                Section::Require
            }
            "vertex data" => {
                if self.vertex.is_some() {
                    return error("Duplicate vertex data section".into());
                }
                self.vertex = Some((line.number, vertex::VertexParser::new()));
                Section::VertexData
            }
            "indices" => Section::Indices,
            "test" => Section::Test,
            "vertex shader passthrough" => Section::Passthrough,
            _ => match shader_section(&name) {
                Some(section) => section,
                None => return error(format!("Unknown section “{name}”")),
            },
        };
        if section != Section::Comment {
            self.seen_content |= section != Section::Require;
        }
        self.section = section;
        let next = line.number + 1;
        match section {
            Section::Glsl(stage) => self.add_glsl(stage, next),
            Section::SpirvText(stage) => {
                self.add_sole(stage, ShaderSource::SpirvText(next, String::new()))
            }
            Section::SpirvWords(stage) => {
                self.add_sole(stage, ShaderSource::SpirvWords(Vec::new()))
            }
            Section::Passthrough => self.add_sole(ShaderStage::Vertex, ShaderSource::Passthrough),
            _ => Ok(()),
        }
        .map_err(|message| ScriptError::new(line.number, message))
    }

    fn add_glsl(&mut self, stage: ShaderStage, line: usize) -> Result<(), String> {
        // The current stage is the last one, where its lines are appended.
        if let Some(at) = self.shaders.iter().position(|s| s.0 == stage) {
            let mut entry = self.shaders.remove(at);
            let ShaderSource::Glsl(parts) = &mut entry.1 else {
                return Err(MIXED.into());
            };
            parts.push((line, String::new()));
            self.shaders.push(entry);
        } else {
            let source = ShaderSource::Glsl(vec![(line, String::new())]);
            self.shaders.push((stage, source));
        }
        Ok(())
    }

    fn add_sole(&mut self, stage: ShaderStage, source: ShaderSource) -> Result<(), String> {
        if self.shaders.iter().any(|s| s.0 == stage) {
            return Err(MIXED.into());
        }
        self.shaders.push((stage, source));
        Ok(())
    }

    fn end(mut self) -> Result<Script, ScriptError> {
        self.shaders.sort_by_key(|s| s.0);
        let vertex_data = match self.vertex {
            None => None,
            Some((line, vertex)) => Some(
                vertex
                    .end()
                    .map_err(|message| ScriptError::new(line, message))?,
            ),
        };
        let test = self.test.end();
        Ok(Script {
            requirements: self.require.end(),
            shaders: self.shaders,
            vertex_data,
            indices: self.indices,
            buffers: test.buffers,
            push_bytes: test.push_bytes,
            pipelines: test.pipelines,
            commands: test.commands,
        })
    }
}

const MIXED: &str = "SPIR-V source can not be linked with other shaders in the same stage";

fn shader_section(name: &str) -> Option<Section> {
    let (stage, form) = name.split_once(" shader")?;
    let stage = ShaderStage::from_name(stage)?;
    match form {
        "" => Some(Section::Glsl(stage)),
        " spirv" => Some(Section::SpirvText(stage)),
        " binary" => Some(Section::SpirvWords(stage)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
