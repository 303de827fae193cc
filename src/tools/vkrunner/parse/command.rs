//! `[test]`: one command each line.

use crate::enums;
use crate::number;
use crate::script::{
    Buffer, BufferKind, Command, Compare, Operation, PipelineKey, PipelineState, ProbePlace,
    ShaderStage, Tolerance, VertexSource,
};
use crate::value::{Layout, Type, Values};

const STD430: Layout = Layout {
    std140: false,
    row_major: false,
};
const STD140: Layout = Layout {
    std140: true,
    row_major: false,
};

pub struct TestParser {
    pub buffers: Vec<Buffer>,
    pub push_bytes: usize,
    pub pipelines: Vec<PipelineKey>,
    pub commands: Vec<Command>,
    state: PipelineState,
    entries: [String; 6],
    push_layout: Layout,
    ubo_layout: Layout,
    ssbo_layout: Layout,
    tolerance: Tolerance,
    clear_color: [f32; 4],
    clear_depth: f32,
    clear_stencil: u32,
    /// Line of the command being parsed.
    line: usize,
}

/// Splits off the first word.
fn word(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim_start()),
        None => (text, ""),
    }
}

impl TestParser {
    pub fn new() -> TestParser {
        TestParser {
            buffers: Vec::new(),
            push_bytes: 0,
            pipelines: Vec::new(),
            commands: Vec::new(),
            state: PipelineState::new(),
            entries: std::array::from_fn(|_| "main".to_string()),
            push_layout: STD430,
            ubo_layout: STD140,
            ssbo_layout: STD430,
            tolerance: Tolerance::default(),
            clear_color: [0.0; 4],
            clear_depth: 1.0,
            clear_stencil: 0,
            line: 0,
        }
    }

    pub fn line(&mut self, line: usize, text: &str) -> Result<(), String> {
        self.line = line;
        let invalid = || Err("Invalid test command".to_string());
        let (first, rest) = word(text);
        if let Some(result) = self.entry_point(text) {
            return result;
        }
        match first {
            "draw" => self.draw(rest),
            "compute" => self.compute(rest),
            "patch" => match rest.split_whitespace().collect::<Vec<_>>().as_slice() {
                ["parameter", "vertices", count] => {
                    let count = unsigned(count)?;
                    self.state.set_int("patchControlPoints", count.into());
                    Ok(())
                }
                _ => invalid(),
            },
            "clear" => self.clear(rest),
            "push" => match word(rest) {
                ("layout", layout) => parse_layout(layout, STD430).map(|l| self.push_layout = l),
                _ => self.push(rest),
            },
            "uniform" => match word(rest) {
                ("ubo", rest) => {
                    let (binding, rest) = word(rest);
                    self.subdata(BufferKind::Ubo, binding, rest)
                }
                _ => self.push(rest),
            },
            "ubo" => self.buffer(BufferKind::Ubo, rest),
            "ssbo" => self.buffer(BufferKind::Ssbo, rest),
            "probe" => self.probe(rest, false),
            "relative" => match word(rest) {
                ("probe", rest) => self.probe(rest, true),
                _ => invalid(),
            },
            "tolerance" => parse_tolerance(rest).map(|t| self.tolerance = t),
            _ => match self.state.parse_line(first, rest) {
                Some(result) => result,
                None => invalid(),
            },
        }
    }

    /// `STAGE entrypoint NAME`.
    fn entry_point(&mut self, text: &str) -> Option<Result<(), String>> {
        for (stage, name, ..) in ShaderStage::ALL {
            let words: Vec<&str> = text.split_whitespace().collect();
            let stage_words = name.split(' ').count();
            if words.len() == stage_words + 2
                && words[..stage_words].join(" ") == name
                && words[stage_words] == "entrypoint"
            {
                self.entries[stage as usize] = words[stage_words + 1].to_string();
                return Some(Ok(()));
            }
        }
        None
    }

    fn command(&mut self, op: Operation) {
        self.commands.push(Command {
            line: self.line,
            op,
        });
    }

    fn pipeline(&mut self, key: PipelineKey) -> usize {
        if let Some(at) = self.pipelines.iter().position(|p| *p == key) {
            return at;
        }
        self.pipelines.push(key);
        self.pipelines.len() - 1
    }

    fn compute(&mut self, text: &str) -> Result<(), String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [x, y, z] = words.as_slice() else {
            return Err("Invalid test command".into());
        };
        let groups = [unsigned(x)?, unsigned(y)?, unsigned(z)?];
        let entry = self.entries[ShaderStage::Compute as usize].clone();
        let pipeline = self.pipeline(PipelineKey::Compute(entry));
        self.command(Operation::Dispatch { pipeline, groups });
        Ok(())
    }

    fn draw(&mut self, text: &str) -> Result<(), String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut rest = words.as_slice();
        let mut take = |name: &str| {
            let found = rest.first() == Some(&name);
            if found {
                rest = &rest[1..];
            }
            found
        };
        let mut state = self.state.clone();
        if take("rect") {
            let ortho = take("ortho");
            let patch = take("patch");
            let [x, y, w, h] = rest else {
                return Err("Invalid test command".into());
            };
            let (x, y, w, h) = (float32(x)?, float32(y)?, float32(w)?, float32(h)?);
            state.set_int("topology", if patch { 10 } else { 4 });
            state.set_int("patchControlPoints", 4);
            let pipeline = self.graphics(VertexSource::Rectangle, state);
            self.command(Operation::DrawRect {
                pipeline,
                ortho,
                x,
                y,
                w,
                h,
            });
            return Ok(());
        }
        if !take("arrays") {
            return Err("Invalid test command".into());
        }
        let (mut instanced, mut indexed) = (false, false);
        loop {
            if take("instanced") {
                instanced = true;
            } else if take("indexed") {
                indexed = true;
            } else {
                break;
            }
        }
        let (topology, first, count, instances) = match rest {
            [t, f, c, i] if instanced => (t, f, c, unsigned(i)?),
            [t, f, c] if !instanced => (t, f, c, 1),
            _ => return Err("Invalid test command".into()),
        };
        let topology =
            enums::topology(topology).ok_or_else(|| format!("Invalid topology: {topology}"))?;
        state.set_int("topology", topology);
        let (first, count) = (unsigned(first)?, unsigned(count)?);
        let pipeline = self.graphics(VertexSource::Script, state);
        self.command(Operation::DrawArrays {
            pipeline,
            indexed,
            first,
            count,
            instances,
        });
        Ok(())
    }

    fn graphics(&mut self, vertices: VertexSource, state: PipelineState) -> usize {
        let entries = self.entries.clone();
        self.pipeline(PipelineKey::Graphics {
            vertices,
            state,
            entries,
        })
    }

    fn clear(&mut self, text: &str) -> Result<(), String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            [] => {
                let op = Operation::Clear {
                    color: self.clear_color,
                    depth: self.clear_depth,
                    stencil: self.clear_stencil,
                };
                self.command(op);
            }
            ["color", r, g, b, a] => {
                self.clear_color = [float32(r)?, float32(g)?, float32(b)?, float32(a)?];
            }
            ["depth", depth] => self.clear_depth = float32(depth)?,
            ["stencil", stencil] => self.clear_stencil = unsigned(stencil)?,
            _ => return Err("Invalid test command".into()),
        }
        Ok(())
    }

    fn push(&mut self, text: &str) -> Result<(), String> {
        let (offset, bytes) = typed_values(text, self.push_layout)?;
        self.push_bytes = self.push_bytes.max(offset + bytes.len());
        self.command(Operation::SetPush { offset, bytes });
        Ok(())
    }

    fn buffer(&mut self, kind: BufferKind, text: &str) -> Result<(), String> {
        let (first, rest) = word(text);
        if first == "layout" {
            match kind {
                BufferKind::Ubo => self.ubo_layout = parse_layout(rest, STD140)?,
                BufferKind::Ssbo => self.ssbo_layout = parse_layout(rest, STD430)?,
            }
            return Ok(());
        }
        match word(rest) {
            ("subdata", values) => self.subdata(kind, first, values),
            (size, "") => {
                let size = unsigned(size)? as usize;
                self.name_buffer(kind, first, size).map(|_| ())
            }
            _ => Err("Invalid test command".into()),
        }
    }

    fn subdata(&mut self, kind: BufferKind, binding: &str, text: &str) -> Result<(), String> {
        let layout = match kind {
            BufferKind::Ubo => self.ubo_layout,
            BufferKind::Ssbo => self.ssbo_layout,
        };
        let (offset, bytes) = typed_values(text, layout)?;
        let buffer = self.name_buffer(kind, binding, offset + bytes.len())?;
        self.command(Operation::SetBuffer {
            buffer,
            offset,
            bytes,
        });
        Ok(())
    }

    fn name_buffer(
        &mut self,
        kind: BufferKind,
        binding: &str,
        size: usize,
    ) -> Result<usize, String> {
        let (set, binding) = parse_binding(binding)?;
        let found = self
            .buffers
            .iter()
            .position(|b| (b.set, b.binding) == (set, binding));
        let Some(at) = found else {
            self.buffers.push(Buffer {
                set,
                binding,
                kind,
                size,
            });
            return Ok(self.buffers.len() - 1);
        };
        let buffer = &mut self.buffers[at];
        if buffer.kind != kind {
            return Err(format!(
                "Buffer binding point {set}:{binding} used with different type"
            ));
        }
        buffer.size = buffer.size.max(size);
        Ok(at)
    }

    fn probe(&mut self, text: &str, relative: bool) -> Result<(), String> {
        let invalid = || Err("Invalid test command".to_string());
        let (first, rest) = word(text);
        match first {
            "ssbo" if !relative => return self.probe_ssbo(rest),
            "all" if !relative => {
                let (form, rest) = word(rest);
                let components = color_components(form)?;
                let numbers = floats(rest)?;
                return self.probe_color(None, components, &numbers);
            }
            _ => {}
        }
        let (is_rect, form, rest) = if first == "rect" {
            let (form, rest) = word(rest);
            (true, form, rest)
        } else {
            (false, first, rest)
        };
        // `probe rgb(1, 2) …` equals `probe rgb (1, 2) …`.
        let (form, rest) = match form.find('(') {
            Some(at) => {
                let start = text.find(form).unwrap_or(0) + at;
                (&form[..at], &text[start..])
            }
            None => (form, rest),
        };
        let components = color_components(form)?;
        let Some((place, color)) = parenthesised(rest) else {
            return invalid();
        };
        let Some((color, "")) = parenthesised(color).map(|(c, end)| (c, end.trim())) else {
            return invalid();
        };
        let numbers: Vec<&str> = place.split(',').map(str::trim).collect();
        if numbers.len() != if is_rect { 4 } else { 2 } {
            return invalid();
        }
        let rect = if relative {
            let mut parts = [0.0f32, 0.0, f32::NAN, f32::NAN];
            for (part, text) in parts.iter_mut().zip(&numbers) {
                *part = float32(text)?;
            }
            ProbePlace::Relative(parts)
        } else {
            let mut parts = [0, 0, 1, 1];
            for (part, text) in parts.iter_mut().zip(&numbers) {
                *part = unsigned(text)?;
            }
            ProbePlace::Pixels(parts)
        };
        let color = floats(&color.replace(',', " "))?;
        self.probe_color(Some(rect), components, &color)
    }

    fn probe_color(
        &mut self,
        place: Option<ProbePlace>,
        components: usize,
        numbers: &[f64],
    ) -> Result<(), String> {
        if numbers.len() != components {
            return Err("Invalid test command".into());
        }
        let mut color = [0.0; 4];
        color[..components].copy_from_slice(numbers);
        let tolerance = self.tolerance;
        self.command(Operation::ProbeRect {
            components,
            place,
            color,
            tolerance,
        });
        Ok(())
    }

    fn probe_ssbo(&mut self, text: &str) -> Result<(), String> {
        let (ty, rest) = word(text);
        let ty = Type::from_name(ty).ok_or_else(|| format!("Invalid type: {ty}"))?;
        let (binding, rest) = word(rest);
        let (set, binding) = parse_binding(binding)?;
        let (offset, rest) = word(rest);
        let offset = unsigned(offset)? as usize;
        let (compare, rest) = word(rest);
        let compare = match compare {
            "==" => Compare::Equal,
            "!=" => Compare::NotEqual,
            "<" => Compare::Less,
            "<=" => Compare::LessEqual,
            ">" => Compare::Greater,
            ">=" => Compare::GreaterEqual,
            "~=" => Compare::Fuzzy,
            _ => return Err(format!("Invalid comparison operator: {compare}")),
        };
        let values = Values::parse(ty, rest).ok_or_else(|| bad_values(rest))?;
        let (layout, tolerance) = (self.ssbo_layout, self.tolerance);
        self.command(Operation::ProbeSsbo {
            ty,
            set,
            binding,
            offset,
            compare,
            values,
            layout,
            tolerance,
        });
        Ok(())
    }

    pub fn end(mut self) -> TestParser {
        // Commands name buffers by position: sort and renumber.
        let mut order: Vec<usize> = (0..self.buffers.len()).collect();
        order.sort_by_key(|&i| (self.buffers[i].set, self.buffers[i].binding));
        for command in &mut self.commands {
            if let Operation::SetBuffer { buffer, .. } = &mut command.op
                && let Some(place) = order.iter().position(|i| i == buffer)
            {
                *buffer = place;
            }
        }
        self.buffers = order.iter().map(|&i| self.buffers[i]).collect();
        self
    }
}

fn color_components(form: &str) -> Result<usize, String> {
    match form {
        "rgb" => Ok(3),
        "rgba" => Ok(4),
        _ => Err("Invalid test command".into()),
    }
}

/// `( … )` at the start of `text`: what is inside, and the rest.
fn parenthesised(text: &str) -> Option<(&str, &str)> {
    text.trim_start().strip_prefix('(')?.split_once(')')
}

fn unsigned(text: &str) -> Result<u32, String> {
    match number::integer(text, 32, false) {
        Some((value, "")) => Ok(value as u32),
        _ => Err(format!("Invalid number: {text}")),
    }
}

fn float32(text: &str) -> Result<f32, String> {
    match number::float(text, 32) {
        Some((bits, "")) => Ok(f32::from_bits(bits as u32)),
        _ => Err(format!("Invalid number: {text}")),
    }
}

fn floats(text: &str) -> Result<Vec<f64>, String> {
    let one = |word: &str| match number::float(word, 64) {
        Some((bits, "")) => Ok(f64::from_bits(bits)),
        _ => Err(format!("Invalid number: {word}")),
    };
    text.split_whitespace().map(one).collect()
}

fn bad_values(text: &str) -> String {
    format!("Invalid values: “{text}” (numbers of the type, and whole values of it)")
}

/// `TYPE OFFSET VALUES…`: offset and bytes.
fn typed_values(text: &str, layout: Layout) -> Result<(usize, Vec<u8>), String> {
    let (name, rest) = word(text);
    let ty = Type::from_name(name).ok_or_else(|| format!("Invalid type: {name}"))?;
    let (offset, rest) = word(rest);
    let offset = unsigned(offset)? as usize;
    let values = Values::parse(ty, rest).ok_or_else(|| bad_values(rest))?;
    Ok((offset, values.to_bytes(layout)))
}

/// `N` or `SET:N`.
fn parse_binding(text: &str) -> Result<(u32, u32), String> {
    let bad = || format!("Invalid buffer binding: {text}");
    let (set, binding) = text.split_once(':').unwrap_or(("0", text));
    let number = |text: &str| unsigned(text).map_err(|_| bad());
    Ok((number(set)?, number(binding)?))
}

fn parse_layout(text: &str, default: Layout) -> Result<Layout, String> {
    let mut layout = default;
    for name in text.split_whitespace() {
        match name {
            "std140" => layout.std140 = true,
            "std430" => layout.std140 = false,
            "row_major" => layout.row_major = true,
            "column_major" => layout.row_major = false,
            _ => return Err(format!("Invalid layout: {name}")),
        }
    }
    Ok(layout)
}

fn parse_tolerance(text: &str) -> Result<Tolerance, String> {
    let bad = || Err("Invalid tolerance".to_string());
    let words: Vec<&str> = text.split_whitespace().collect();
    let percent = words.iter().filter(|w| w.ends_with('%')).count();
    if !matches!(words.len(), 1 | 4) || (percent != 0 && percent != words.len()) {
        return bad();
    }
    let mut values = [0.0; 4];
    for (i, value) in values.iter_mut().enumerate() {
        let word = words[if words.len() == 1 { 0 } else { i }];
        match number::float(word.trim_end_matches('%'), 64) {
            Some((bits, "")) => *value = f64::from_bits(bits),
            _ => return bad(),
        }
    }
    Ok(Tolerance {
        values,
        percent: percent != 0,
    })
}
