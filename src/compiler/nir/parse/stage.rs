//! Parses a stage's execution modes, transform feedback, links, and the slots of variables.

use super::parser::{Parser, Result};
use crate::capture::{CAPTURE_BUFFERS, TransformFeedbackOutput};
use crate::io::{
    DEPTH_LAYOUTS, InterpLocation, InterpMode, IoVar, PRIMITIVES, Slot, TESS_DOMAINS, TESS_SPACINGS,
};
use crate::ir::Variable;
use crate::lex::Tok;
use crate::link::{LinkTarget, OutputLink};

impl Parser {
    /// The next word, if it is one of `known`; else the line ends.
    fn eat_word_of(&mut self, known: &[&str]) -> Option<String> {
        match self.peek() {
            Some(Tok::Word(w)) if known.contains(&w.as_str()) => {
                let w = w.clone();
                self.pos += 1;
                Some(w)
            }
            _ => None,
        }
    }

    pub(super) fn distances_line(&mut self) -> Result<()> {
        while let Some(w) = self.eat_word_of(&["clip", "cull"]) {
            self.expect('=')?;
            let n = self.number8()?;
            let distances = &mut self.shader.info.distances;
            match w.as_str() {
                "clip" => distances.clip = n,
                _ => distances.cull = n,
            }
        }
        Ok(())
    }

    pub(super) fn capture_stride_line(&mut self) -> Result<()> {
        let (buffer, stride) = (self.number32()?, self.number32()?);
        let strides = &mut self.shader.info.capture.strides_bytes;
        match strides.get_mut(buffer as usize) {
            Some(entry) => *entry = stride,
            None => {
                return self
                    .err_at_previous(format!("{buffer} is not a transform feedback buffer"));
            }
        }
        Ok(())
    }

    /// A slot's name.
    fn slot(&mut self) -> Result<Slot> {
        let w = self.word()?;
        match Slot::from_name(&w) {
            Some(slot) => Ok(slot),
            None => self.err_at_previous(format!("'{w}' is not a slot")),
        }
    }

    /// A slot's name and a component.
    fn slot_component(&mut self) -> Result<(Slot, u8)> {
        let slot = self.slot()?;
        if self.eat_word_of(&["component"]).is_none() {
            return self.err_at_previous("'component' is missing");
        }
        self.expect('=')?;
        match self.number8()? {
            component @ 0..4 => Ok((slot, component)),
            _ => self.err_at_previous("the component is out of range"),
        }
    }

    pub(super) fn linked_line(&mut self) -> Result<()> {
        let (slot, component) = self.slot_component()?;
        let to = match self.eat_word_of(&["to", "constant"]).as_deref() {
            Some("to") => {
                let (slot, component) = self.slot_component()?;
                LinkTarget::At(slot, component)
            }
            Some(_) => LinkTarget::Constant(self.number32()?),
            None => return self.err_at_previous("expected 'to' or 'constant'"),
        };
        self.shader.info.links.push(OutputLink {
            slot,
            component,
            to,
        });
        Ok(())
    }

    pub(super) fn capture_line(&mut self) -> Result<()> {
        let slot = self.slot()?;
        let mut numbers = [0; 4];
        for (number, name) in numbers
            .iter_mut()
            .zip(["component", "buffer", "offset", "stream"])
        {
            if self.eat_word_of(&[name]).is_none() {
                return self.err_at_previous(format!("'{name}' is missing"));
            }
            self.expect('=')?;
            *number = self.number32()?;
        }
        let [component, buffer, offset_bytes, stream] = numbers;
        if component > 3 || buffer as usize >= CAPTURE_BUFFERS || stream > 3 {
            return self.err_at_previous("the component, buffer or stream is out of range");
        }
        self.shader
            .info
            .capture
            .dwords
            .push(TransformFeedbackOutput {
                slot,
                component: component as u8,
                buffer: buffer as u8,
                offset_bytes,
                stream: stream as u8,
            });
        Ok(())
    }

    pub(super) fn fragment_line(&mut self) -> Result<()> {
        let words = [
            "early_fragment_tests",
            "post_depth_coverage",
            "sample_shading",
            "alpha_to_coverage",
            "depth",
        ];
        while let Some(w) = self.eat_word_of(&words) {
            match w.as_str() {
                "early_fragment_tests" => self.shader.info.fragment.early_fragment_tests = true,
                "post_depth_coverage" => self.shader.info.fragment.post_depth_coverage = true,
                "alpha_to_coverage" => {
                    self.expect('=')?;
                    self.shader.info.fragment.alpha_to_coverage = self.number8()?;
                }
                "sample_shading" => self.shader.info.fragment.sample_shading = true,
                _ => {
                    self.expect('=')?;
                    self.shader.info.fragment.depth_layout = self.keyword(&DEPTH_LAYOUTS)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn geometry_line(&mut self) -> Result<()> {
        while let Some(w) = self.eat_word_of(&["input", "output", "vertices_out", "invocations"]) {
            self.expect('=')?;
            match w.as_str() {
                "input" => self.shader.info.geometry.input = self.keyword(&PRIMITIVES)?,
                "output" => self.shader.info.geometry.output = self.keyword(&PRIMITIVES)?,
                "vertices_out" => self.shader.info.geometry.vertices_out = self.number32()?,
                _ => self.shader.info.geometry.invocations = self.number32()?,
            }
        }
        Ok(())
    }

    pub(super) fn tess_line(&mut self) -> Result<()> {
        let words = [
            "vertices_in",
            "vertices_out",
            "domain",
            "spacing",
            "ccw",
            "cw",
            "point_mode",
        ];
        while let Some(w) = self.eat_word_of(&words) {
            match w.as_str() {
                "ccw" => self.shader.info.tess.ccw = Some(true),
                "cw" => self.shader.info.tess.ccw = Some(false),
                "point_mode" => self.shader.info.tess.point_mode = true,
                _ => {
                    self.expect('=')?;
                    match w.as_str() {
                        "vertices_in" => self.shader.info.tess.vertices_in = self.number32()?,
                        "vertices_out" => self.shader.info.tess.vertices_out = self.number32()?,
                        "domain" => self.shader.info.tess.domain = self.keyword(&TESS_DOMAINS)?,
                        _ => self.shader.info.tess.spacing = self.keyword(&TESS_SPACINGS)?,
                    }
                }
            }
        }
        Ok(())
    }

    /// The slot and interpolation of a variable, after the word `location`.
    pub(super) fn io_var(&mut self, v: &mut Variable) -> Result<()> {
        let w = self.word()?;
        let Some(slot) = Slot::from_name(&w) else {
            return self.err_at_previous(format!("'{w}' is not a slot"));
        };
        let mut io = IoVar {
            slot,
            ..IoVar::default()
        };
        let words = [
            "component",
            "index",
            "stream",
            "flat",
            "noperspective",
            "centroid",
            "sample",
            "patch",
            "compact",
            "signed",
        ];
        while let Some(w) = self.eat_word_of(&words) {
            match w.as_str() {
                "component" => io.component = self.number8()?,
                "index" => io.index = self.number8()?,
                "stream" => io.stream = self.number8()?,
                "flat" => io.interp = InterpMode::Flat,
                "noperspective" => io.interp = InterpMode::NoPerspective,
                "centroid" => io.sampling = InterpLocation::Centroid,
                "sample" => io.sampling = InterpLocation::Sample,
                "patch" => io.patch = true,
                "compact" => io.compact = true,
                _ => io.signed = true,
            }
        }
        v.io = Some(io);
        Ok(())
    }
}
