//! Parses the header of a shader: stage, `Info`, types and variables.

use super::parser::{Parser, Result};
use crate::ir::{Access, ConstValue, MAX_COMPONENTS, Variable};
use crate::lex::Tok;
use crate::print::{DERIVATIVE_GROUPS, MODES, STAGES};
use crate::tex::{BASES, DIMS, IMAGE_FORMATS};
use crate::types::{StructMember, Type, VariableMode};
use entity::Id;
use smallvec::SmallVec;

impl Parser {
    pub(super) fn shader_text(&mut self) -> Result<()> {
        if !self.eat_word("shader") {
            return self.err("expected 'shader'");
        }
        let stage = self.word()?;
        match STAGES.iter().find(|s| s.1 == stage) {
            Some(s) => self.shader.stage = s.0,
            None => return self.err_at_previous(format!("'{stage}' is not a stage")),
        }
        if let Some(Tok::Str(_)) = self.peek() {
            self.shader.name = self.string()?;
        }
        self.expect('{')?;
        self.header()?;
        self.body()?;
        if self.peek().is_some() {
            return self.err("text after the end of the shader");
        }
        Ok(())
    }

    fn header(&mut self) -> Result<()> {
        loop {
            let Some(Tok::Word(w)) = self.peek().cloned() else {
                return Ok(());
            };
            // The first word that begins no line of the header ends it: usually a block's label.
            self.pos += 1;
            match w.as_str() {
                "workgroup_size" => {
                    self.shader.info.workgroup_size =
                        [self.number32()?, self.number32()?, self.number32()?];
                }
                "derivative_group" => {
                    self.shader.info.derivative_group = self.keyword(&DERIVATIVE_GROUPS)?;
                }
                "shared_bytes" => self.shader.info.shared_bytes = self.number32()?,
                "scratch_bytes" => self.shader.info.scratch_bytes = self.number32()?,
                "push_constant_bytes" => self.shader.info.push_constant_bytes = self.number32()?,
                "float_controls" => self.float_controls()?,
                "distances" => self.distances_line()?,
                "capture" => self.capture_line()?,
                "capture_stride" => self.capture_stride_line()?,
                "linked" => self.linked_line()?,
                "shared_blocks" => self.shader.info.shared_explicit_layout = true,
                "clips_before" => self.shader.info.input_clip_distances = Some(self.number8()?),
                "views" => self.shader.info.views = self.number32()?,
                "fragment" => self.fragment_line()?,
                "geometry" => self.geometry_line()?,
                "tess" => self.tess_line()?,
                "type" => self.type_line()?,
                "var" => self.var_line()?,
                _ => {
                    self.pos -= 1;
                    return Ok(());
                }
            }
        }
    }

    fn float_controls(&mut self) -> Result<()> {
        while let Some(Tok::Word(w)) = self.peek().cloned() {
            if !["denorm_preserve", "denorm_flush", "preserve", "rte", "rtz"].contains(&w.as_str())
            {
                break;
            }
            self.pos += 1;
            self.expect('=')?;
            let v = self.number()? as u8 & 7;
            let c = &mut self.shader.info.float_controls;
            match w.as_str() {
                "denorm_preserve" => c.denorm_preserve = v,
                "denorm_flush" => c.denorm_flush = v,
                "preserve" => c.signed_zero_inf_nan_preserve = v,
                "rte" => c.rounding_rte = v,
                _ => c.rounding_rtz = v,
            }
        }
        Ok(())
    }

    pub(super) fn mode(&mut self) -> Result<VariableMode> {
        let w = self.word()?;
        match MODES.iter().find(|m| m.1 == w) {
            Some(m) => Ok(m.0),
            None => self.err_at_previous(format!("'{w}' is not a storage mode")),
        }
    }

    pub(super) fn type_id(&mut self) -> Result<Id<Type>> {
        let id = self.id('t')?;
        if self.shader.types.get(id).is_none() {
            return self.err_at_previous("this type is not defined yet");
        }
        Ok(id)
    }

    fn type_line(&mut self) -> Result<()> {
        let id: Id<Type> = self.id('t')?;
        self.expect('=')?;
        let w = self.word()?;
        let ty = match w.as_str() {
            "bool" => Type::Bool,
            "int8" => Type::Int(8),
            "int16" => Type::Int(16),
            "int32" => Type::Int(32),
            "int64" => Type::Int(64),
            "float16" => Type::Float(16),
            "float32" => Type::Float(32),
            "float64" => Type::Float(64),
            "vector" => Type::Vector {
                elem: self.type_id()?,
                len: self.number8()?,
            },
            "matrix" => {
                let (column, columns) = (self.type_id()?, self.number8()?);
                Type::Matrix {
                    column,
                    columns,
                    stride_bytes: self.stride()?,
                    row_major: self.eat_word("row_major"),
                }
            }
            "array" => {
                let elem = self.type_id()?;
                let len = if self.eat_word("runtime") {
                    None
                } else {
                    Some(self.number32()?)
                };
                Type::Array {
                    elem,
                    len,
                    stride_bytes: self.stride()?,
                }
            }
            "struct" => {
                let name = self.string()?;
                self.expect('{')?;
                let mut members = Vec::new();
                while !self.eat('}') {
                    members.push(StructMember {
                        ty: self.type_id()?,
                        name: self.string()?,
                        offset_bytes: self.number32()?,
                    });
                }
                Type::Struct { name, members }
            }
            "image" | "texture" => self.image_type(w == "image")?,
            "sampler" => Type::Sampler,
            "sampled_image" => Type::SampledImage(self.type_id()?),
            "pointer" => Type::Pointer {
                mode: self.mode()?,
                to: self.type_id()?,
            },
            _ => return self.err_at_previous(format!("'{w}' is not a type")),
        };
        if self.shader.types.intern(ty) != id {
            return self.err("types must be numbered in order and differ from each other");
        }
        Ok(())
    }

    fn image_type(&mut self, storage: bool) -> Result<Type> {
        let dim = self.keyword(&DIMS)?;
        let w = self.word()?;
        let kind = BASES.iter().find_map(|(base, name)| {
            let bits = w.strip_prefix(name)?.parse::<u8>().ok()?;
            Some((*base, bits))
        });
        let Some((base, bits)) = kind else {
            return self.err_at_previous(format!("'{w}' is not a texel type"));
        };
        let array = self.eat_word("array");
        let multisampled = self.eat_word("ms");
        let mut format = 0;
        if self.eat_word("format") {
            let w = self.word()?;
            match IMAGE_FORMATS.iter().position(|f| *f == w) {
                Some(f) => format = f as u32,
                None => return self.err_at_previous(format!("'{w}' is not a format")),
            }
        }
        Ok(Type::Image {
            dim,
            array,
            multisampled,
            base,
            bits,
            storage,
            format,
        })
    }

    fn var_line(&mut self) -> Result<()> {
        let id: Id<Variable> = self.id('v')?;
        if id != self.shader.vars.next_id() {
            return self.err_at_previous("variables must be numbered in order");
        }
        self.expect('=')?;
        let mut v = Variable {
            mode: self.mode()?,
            ty: self.type_id()?,
            name: self.string()?,
            set: 0,
            binding: 0,
            io: None,
            access: Access::default(),
            init: None,
            offset_bytes: None,
        };
        while let Some(Tok::Word(w)) = self.peek().cloned() {
            self.pos += 1;
            match w.as_str() {
                "set" => v.set = self.number32()?,
                "binding" => v.binding = self.number32()?,
                "location" => self.io_var(&mut v)?,
                "access" => v.access = Access::from_bits(self.number32()?),
                "offset" => v.offset_bytes = Some(self.number32()?),
                "init" => v.init = Some(self.init()?),
                _ => {
                    self.pos -= 1;
                    break;
                }
            }
        }
        self.shader.vars.push(v);
        Ok(())
    }

    fn init(&mut self) -> Result<ConstValue> {
        let mut open: Vec<Vec<ConstValue>> = Vec::new();
        loop {
            let value = if self.eat('{') {
                open.push(Vec::new());
                continue;
            } else if self.eat('(') {
                let mut v = SmallVec::new();
                loop {
                    v.push(self.number()?);
                    if v.len() > MAX_COMPONENTS {
                        return self.err("too many components");
                    }
                    if !self.eat(',') {
                        break;
                    }
                }
                self.expect(')')?;
                ConstValue::Vector(v)
            } else if self.eat('}') {
                match open.pop() {
                    Some(parts) => ConstValue::Composite(parts),
                    None => return self.err_at_previous("unmatched '}'"),
                }
            } else {
                return self.err("expected a constant");
            };
            match open.last_mut() {
                Some(parts) => parts.push(value),
                None => return Ok(value),
            }
        }
    }
}
