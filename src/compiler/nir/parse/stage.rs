//! Reading a stage's execution modes, and what variables are of its interface.

use super::{Parser, Result};
use crate::capture::{CAPTURE_BUFFERS, Captured};
use crate::io::{
    DEPTH_LAYOUTS, Interp, IoVar, PRIMITIVES, Sampling, Slot, TESS_DOMAINS, TESS_SPACINGS,
};
use crate::ir::Variable;
use crate::lex::Tok;
use crate::link::{Link, Linked};

impl Parser {
    /// The word that comes next, if it is none that begins the next line.
    fn mode_word(&mut self, known: &[&str]) -> Option<String> {
        match self.peek() {
            Some(Tok::Word(w)) if known.contains(&w.as_str()) => {
                let w = w.clone();
                self.at += 1;
                Some(w)
            }
            _ => None,
        }
    }

    pub(super) fn distances_line(&mut self) -> Result<()> {
        while let Some(w) = self.mode_word(&["clip", "cull"]) {
            self.expect('=')?;
            let n = self.small()?;
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
            Some(place) => *place = stride,
            None => return self.back(format!("{buffer} is no buffer")),
        }
        Ok(())
    }

    /// A slot's name.
    fn slot(&mut self) -> Result<Slot> {
        let w = self.word()?;
        match Slot::from_name(&w) {
            Some(slot) => Ok(slot),
            None => self.back(format!("'{w}' is no slot")),
        }
    }

    /// A slot's name, and a component of it.
    fn dword_of_slot(&mut self) -> Result<(Slot, u8)> {
        let slot = self.slot()?;
        if self.mode_word(&["component"]).is_none() {
            return self.back("'component' is missing");
        }
        self.expect('=')?;
        match self.small()? {
            component @ 0..4 => Ok((slot, component)),
            _ => self.back("no such component"),
        }
    }

    pub(super) fn linked_line(&mut self) -> Result<()> {
        let (slot, component) = self.dword_of_slot()?;
        let to = match self.mode_word(&["to", "constant"]).as_deref() {
            Some("to") => {
                let (slot, component) = self.dword_of_slot()?;
                Linked::At(slot, component)
            }
            Some(_) => Linked::Constant(self.number32()?),
            None => return self.back("neither 'to' nor 'constant'"),
        };
        self.shader.info.links.push(Link {
            slot,
            component,
            to,
        });
        Ok(())
    }

    pub(super) fn capture_line(&mut self) -> Result<()> {
        let slot = self.slot()?;
        let mut numbers = [0; 4];
        for (place, name) in numbers
            .iter_mut()
            .zip(["component", "buffer", "offset", "stream"])
        {
            if self.mode_word(&[name]).is_none() {
                return self.back(format!("'{name}' is missing"));
            }
            self.expect('=')?;
            *place = self.number32()?;
        }
        let [component, buffer, offset_bytes, stream] = numbers;
        if component > 3 || buffer as usize >= CAPTURE_BUFFERS || stream > 3 {
            return self.back("no such component, buffer or stream");
        }
        self.shader.info.capture.dwords.push(Captured {
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
        while let Some(w) = self.mode_word(&words) {
            match w.as_str() {
                "early_fragment_tests" => self.shader.info.fragment.early_fragment_tests = true,
                "post_depth_coverage" => self.shader.info.fragment.post_depth_coverage = true,
                "alpha_to_coverage" => {
                    self.expect('=')?;
                    self.shader.info.fragment.alpha_to_coverage = self.small()?;
                }
                "sample_shading" => self.shader.info.fragment.sample_shading = true,
                _ => {
                    self.expect('=')?;
                    self.shader.info.fragment.depth_layout = self.one_of(&DEPTH_LAYOUTS)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn geometry_line(&mut self) -> Result<()> {
        while let Some(w) = self.mode_word(&["input", "output", "vertices_out", "invocations"]) {
            self.expect('=')?;
            match w.as_str() {
                "input" => self.shader.info.geometry.input = self.one_of(&PRIMITIVES)?,
                "output" => self.shader.info.geometry.output = self.one_of(&PRIMITIVES)?,
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
        while let Some(w) = self.mode_word(&words) {
            match w.as_str() {
                "ccw" => self.shader.info.tess.ccw = Some(true),
                "cw" => self.shader.info.tess.ccw = Some(false),
                "point_mode" => self.shader.info.tess.point_mode = true,
                _ => {
                    self.expect('=')?;
                    match w.as_str() {
                        "vertices_in" => self.shader.info.tess.vertices_in = self.number32()?,
                        "vertices_out" => self.shader.info.tess.vertices_out = self.number32()?,
                        "domain" => self.shader.info.tess.domain = self.one_of(&TESS_DOMAINS)?,
                        _ => self.shader.info.tess.spacing = self.one_of(&TESS_SPACINGS)?,
                    }
                }
            }
        }
        Ok(())
    }

    /// Behind the word `location`.
    pub(super) fn io_var(&mut self, v: &mut Variable) -> Result<()> {
        let w = self.word()?;
        let Some(slot) = Slot::from_name(&w) else {
            return self.back(format!("'{w}' is no slot"));
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
        ];
        while let Some(w) = self.mode_word(&words) {
            match w.as_str() {
                "component" => io.component = self.small()?,
                "index" => io.index = self.small()?,
                "stream" => io.stream = self.small()?,
                "flat" => io.interp = Interp::Flat,
                "noperspective" => io.interp = Interp::NoPerspective,
                "centroid" => io.sampling = Sampling::Centroid,
                "sample" => io.sampling = Sampling::Sample,
                "patch" => io.patch = true,
                _ => io.compact = true,
            }
        }
        v.io = Some(io);
        Ok(())
    }
}
