//! Prints a shader as text.
//!
//! In:  a shader, which may be invalid: an id or value without a name prints as a question mark.
//! Out: text that `parse` reads back. Ids in text are ids in memory. Syntax: tests/nir/README.md.

use crate::exact::FloatControls;
use crate::index_names::value_name;
use crate::io::{
    ClipCullDistances, DEPTH_LAYOUTS, INTERPS, InterpLocation, InterpMode, IoVar, PRIMITIVES,
    TESS_DOMAINS, TESS_SPACINGS,
};
use crate::ir::*;
use crate::shader::CfEvent;
use crate::tex::{BASES, DIMS, IMAGE_FORMATS, TEX_SRCS};
use crate::types::{Type, VariableMode};
use entity::Id;
use std::fmt::{self, Display, Write};

pub(crate) const STAGES: [(Stage, &str); 6] = [
    (Stage::Vertex, "vertex"),
    (Stage::TessControl, "tess_control"),
    (Stage::TessEval, "tess_eval"),
    (Stage::Geometry, "geometry"),
    (Stage::Fragment, "fragment"),
    (Stage::Compute, "compute"),
];

pub(crate) const DERIVATIVE_GROUPS: [(DerivativeGroup, &str); 3] = [
    (DerivativeGroup::None, "none"),
    (DerivativeGroup::Quads, "quads"),
    (DerivativeGroup::Linear, "linear"),
];

pub(crate) const MODES: [(VariableMode, &str); 11] = [
    (VariableMode::FunctionTemp, "function_temp"),
    (VariableMode::ShaderTemp, "shader_temp"),
    (VariableMode::Constant, "constant"),
    (VariableMode::Shared, "shared"),
    (VariableMode::Ubo, "ubo"),
    (VariableMode::Ssbo, "ssbo"),
    (VariableMode::PushConst, "push_const"),
    (VariableMode::Global, "global"),
    (VariableMode::ShaderIn, "shader_in"),
    (VariableMode::ShaderOut, "shader_out"),
    (VariableMode::Uniform, "uniform"),
];

/// Name of a storage mode.
fn mode_name(mode: VariableMode) -> &'static str {
    MODES.iter().find(|m| m.0 == mode).map_or("?", |m| m.1)
}

impl Display for Shader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        print(self, &mut out)?;
        f.write_str(&out)
    }
}

/// A quoted string with backslash escapes for quote, backslash and control characters.
fn quoted(s: &str) -> String {
    let mut out = String::from("\"");
    for c in s.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push('?'),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn print(s: &Shader, out: &mut String) -> fmt::Result {
    let stage = STAGES.iter().find(|x| x.0 == s.stage).map_or("?", |x| x.1);
    writeln!(out, "shader {stage} {} {{", quoted(&s.name))?;
    let i = &s.info;
    if s.stage == Stage::Compute {
        let [x, y, z] = i.workgroup_size;
        writeln!(out, "    workgroup_size {x} {y} {z}")?;
        if i.derivative_group != DerivativeGroup::None {
            let group = name_in(&DERIVATIVE_GROUPS, i.derivative_group);
            writeln!(out, "    derivative_group {group}")?;
        }
    }
    for (name, v) in [
        ("shared_bytes", i.shared_bytes),
        ("scratch_bytes", i.scratch_bytes),
        ("push_constant_bytes", i.push_constant_bytes),
    ] {
        if v != 0 {
            writeln!(out, "    {name} {v}")?;
        }
    }
    print_stage(s, out)?;
    let c = &i.float_controls;
    if *c != FloatControls::default() {
        writeln!(
            out,
            "    float_controls denorm_preserve={} denorm_flush={} preserve={} rte={} rtz={}",
            c.denorm_preserve,
            c.denorm_flush,
            c.signed_zero_inf_nan_preserve,
            c.rounding_rte,
            c.rounding_rtz
        )?;
    }
    for (id, ty) in s.types.iter() {
        write!(out, "    type t{} = ", id.index())?;
        print_type(ty, out)?;
        out.push('\n');
    }
    for (id, v) in s.vars.iter() {
        print_var(id, v, out)?;
    }
    let mut depth = 0usize;
    for event in s.layout() {
        let pad = |out: &mut String, depth: usize| out.extend(std::iter::repeat_n("    ", depth));
        match event {
            CfEvent::Block(b) => {
                pad(out, depth);
                writeln!(out, "b{}:", b.index())?;
                if let Some(block) = s.blocks.get(b) {
                    for &id in &block.instrs {
                        pad(out, depth + 1);
                        match s.instrs.get(id) {
                            Some(instr) => print_instr(s, instr, out)?,
                            None => out.push('?'),
                        }
                        out.push('\n');
                    }
                }
            }
            CfEvent::If(i) => {
                pad(out, depth);
                writeln!(out, "if %{} {{", s.ifs[i].cond.index())?;
                depth += 1;
            }
            CfEvent::Else(_) => {
                pad(out, depth - 1);
                out.push_str("} else {\n");
            }
            CfEvent::Loop(_) => {
                pad(out, depth);
                out.push_str("loop {\n");
                depth += 1;
            }
            CfEvent::EndIf(_) | CfEvent::EndLoop(_) => {
                depth -= 1;
                pad(out, depth);
                out.push_str("}\n");
            }
        }
    }
    out.push_str("}\n");
    Ok(())
}

fn print_type(ty: &Type, out: &mut String) -> fmt::Result {
    match ty {
        Type::Bool => out.write_str("bool"),
        Type::Int(b) => write!(out, "int{b}"),
        Type::Float(b) => write!(out, "float{b}"),
        Type::Vector { elem, len } => write!(out, "vector t{} {len}", elem.index()),
        Type::Matrix {
            column,
            columns,
            stride_bytes,
            row_major,
        } => {
            write!(
                out,
                "matrix t{} {columns} stride {stride_bytes}",
                column.index()
            )?;
            out.write_str(if *row_major { " row_major" } else { "" })
        }
        Type::Array {
            elem,
            len,
            stride_bytes,
        } => {
            write!(out, "array t{} ", elem.index())?;
            match len {
                Some(n) => write!(out, "{n}")?,
                None => out.push_str("runtime"),
            }
            write!(out, " stride {stride_bytes}")
        }
        Type::Struct { name, members } => {
            write!(out, "struct {} {{", quoted(name))?;
            for m in members {
                write!(
                    out,
                    " t{} {} {}",
                    m.ty.index(),
                    quoted(&m.name),
                    m.offset_bytes
                )?;
            }
            out.write_str(" }")
        }
        Type::Image {
            dim,
            array,
            multisampled,
            base,
            bits,
            storage,
            format,
        } => {
            out.push_str(if *storage { "image" } else { "texture" });
            write!(
                out,
                " {} {}{bits}",
                name_in(&DIMS, *dim),
                name_in(&BASES, *base)
            )?;
            for (name, set) in [("array", array), ("ms", multisampled)] {
                if *set {
                    write!(out, " {name}")?;
                }
            }
            match IMAGE_FORMATS.get(*format as usize) {
                Some(_) if *format == 0 => Ok(()),
                Some(f) => write!(out, " format {f}"),
                None => out.write_str(" format ?"),
            }
        }
        Type::Sampler => out.write_str("sampler"),
        Type::SampledImage(image) => write!(out, "sampled_image t{}", image.index()),
        Type::Pointer { mode, to } => {
            write!(out, "pointer {} t{}", mode_name(*mode), to.index())
        }
    }
}

fn print_var(id: Id<Variable>, v: &Variable, out: &mut String) -> fmt::Result {
    write!(
        out,
        "    var v{} = {} t{} {}",
        id.index(),
        mode_name(v.mode),
        v.ty.index(),
        quoted(&v.name)
    )?;
    for (name, value) in [
        ("set", v.set),
        ("binding", v.binding),
        ("access", v.access.bits()),
    ] {
        if value != 0 {
            write!(out, " {name} {value}")?;
        }
    }
    if let Some(io) = &v.io {
        print_io_var(io, out)?;
    }
    if let Some(o) = v.offset_bytes {
        write!(out, " offset {o}")?;
    }
    if let Some(init) = &v.init {
        out.push_str(" init ");
        print_init(init, out)?;
    }
    out.write_char('\n')
}

/// The name of a value in a table of names.
fn name_in<T: PartialEq>(table: &[(T, &'static str)], value: T) -> &'static str {
    table.iter().find(|w| w.0 == value).map_or("?", |w| w.1)
}

fn print_io_var(io: &IoVar, out: &mut String) -> fmt::Result {
    write!(out, " location {}", io.slot.name())?;
    for (name, value) in [
        ("component", io.component),
        ("index", io.index),
        ("stream", io.stream),
    ] {
        if value != 0 {
            write!(out, " {name} {value}")?;
        }
    }
    if io.interp != InterpMode::Smooth {
        write!(out, " {}", name_in(&INTERPS, io.interp))?;
    }
    out.push_str(match io.sampling {
        InterpLocation::Pixel => "",
        InterpLocation::Centroid => " centroid",
        InterpLocation::Sample => " sample",
    });
    for (name, set) in [
        ("patch", io.patch),
        ("compact", io.compact),
        ("signed", io.signed),
    ] {
        if set {
            write!(out, " {name}")?;
        }
    }
    Ok(())
}

/// Execution modes and interface of a graphics stage.
fn print_stage(s: &Shader, out: &mut String) -> fmt::Result {
    let distances = s.info.distances;
    if distances != ClipCullDistances::default() {
        let ClipCullDistances { clip, cull } = distances;
        writeln!(out, "    distances clip={clip} cull={cull}")?;
    }
    crate::capture::print(&s.info.capture, out)?;
    crate::link::print(&s.info.links, out)?;
    if let Some(clips) = s.info.input_clip_distances {
        writeln!(out, "    clips_before {clips}")?;
    }
    if s.info.shared_explicit_layout {
        writeln!(out, "    shared_blocks")?;
    }
    if s.info.views != 0 {
        writeln!(out, "    views {}", s.info.views)?;
    }
    match s.stage {
        Stage::Fragment => {
            let f = &s.info.fragment;
            let mut line = String::new();
            for (name, set) in [
                ("early_fragment_tests", f.early_fragment_tests),
                ("post_depth_coverage", f.post_depth_coverage),
                ("sample_shading", f.sample_shading),
            ] {
                if set {
                    write!(line, " {name}")?;
                }
            }
            if f.alpha_to_coverage != 0 {
                write!(line, " alpha_to_coverage={}", f.alpha_to_coverage)?;
            }
            if f.depth_layout != crate::io::DepthLayout::Any {
                write!(line, " depth={}", name_in(&DEPTH_LAYOUTS, f.depth_layout))?;
            }
            if !line.is_empty() {
                writeln!(out, "    fragment{line}")?;
            }
        }
        Stage::Geometry => {
            let g = &s.info.geometry;
            writeln!(
                out,
                "    geometry input={} output={} vertices_out={} invocations={}",
                name_in(&PRIMITIVES, g.input),
                name_in(&PRIMITIVES, g.output),
                g.vertices_out,
                g.invocations
            )?;
        }
        Stage::TessControl | Stage::TessEval => {
            let t = &s.info.tess;
            write!(
                out,
                "    tess vertices_out={} domain={} spacing={}",
                t.vertices_out,
                name_in(&TESS_DOMAINS, t.domain),
                name_in(&TESS_SPACINGS, t.spacing)
            )?;
            if t.vertices_in > 0 {
                write!(out, " vertices_in={}", t.vertices_in)?;
            }
            out.push_str(match t.ccw {
                None => "",
                Some(true) => " ccw",
                Some(false) => " cw",
            });
            out.push_str(if t.point_mode { " point_mode\n" } else { "\n" });
        }
        Stage::Vertex | Stage::Compute => {}
    }
    Ok(())
}

fn print_init(init: &ConstValue, out: &mut String) -> fmt::Result {
    enum Todo<'a> {
        Value(&'a ConstValue),
        Close,
    }
    let mut stack = vec![Todo::Value(init)];
    let mut first = true;
    while let Some(todo) = stack.pop() {
        match todo {
            Todo::Close => out.push_str(" }"),
            Todo::Value(v) => {
                if !first {
                    out.push(' ');
                }
                match v {
                    ConstValue::Vector(c) => {
                        out.push('(');
                        for (i, x) in c.iter().enumerate() {
                            out.push_str(if i == 0 { "" } else { ", " });
                            print_bits(*x, out)?;
                        }
                        out.push(')');
                    }
                    ConstValue::Composite(parts) => {
                        out.push('{');
                        stack.push(Todo::Close);
                        stack.extend(parts.iter().rev().map(Todo::Value));
                    }
                }
            }
        }
        first = false;
    }
    Ok(())
}

fn print_bits(v: u64, out: &mut String) -> fmt::Result {
    if v < 0x1_0000 {
        write!(out, "{v}")
    } else {
        write!(out, "{v:#x}")
    }
}

fn print_def(s: &Shader, def: Id<Def>, out: &mut String) -> fmt::Result {
    match s.defs.get(def) {
        Some(d) if d.num_components == 1 => write!(out, "%{}:{}", def.index(), d.bit_size),
        Some(d) => write!(out, "%{}:{}x{}", def.index(), d.bit_size, d.num_components),
        None => write!(out, "%{}:?", def.index()),
    }
}

/// Letter of a component of a vector of `of` components: xyzw for up to 4, else a to p.
pub(crate) fn component_char(component: u8, of: u8) -> char {
    if of <= 4 {
        ['x', 'y', 'z', 'w'].get(usize::from(component)).copied()
    } else {
        (component < 16).then(|| char::from(b'a' + component))
    }
    .unwrap_or('?')
}

fn print_instr(s: &Shader, instr: &Instr, out: &mut String) -> fmt::Result {
    if let Some(def) = instr.def() {
        print_def(s, def, out)?;
        out.push_str(" = ");
    }
    match instr {
        Instr::Alu(a) => print_alu(s, a, out),
        Instr::Const { def, values } => print_const(s, *def, values, out),
        Instr::Undef { .. } => out.write_str("undef"),
        Instr::Deref(d) => print_deref(d, out),
        Instr::Intrinsic(i) => print_intrinsic(i, out),
        Instr::Tex(t) => print_tex(t, out),
        Instr::Phi(p) => {
            out.push_str("phi");
            for (i, (b, d)) in p.srcs.iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                write!(out, "{comma} b{}: %{}", b.index(), d.index())?;
            }
            Ok(())
        }
        Instr::Jump(j) => out.write_str(match j {
            Jump::Break => "break",
            Jump::Continue => "continue",
            Jump::Return => "return",
        }),
    }
}

fn print_alu(s: &Shader, a: &Alu, out: &mut String) -> fmt::Result {
    if a.exact {
        out.push_str("exact ");
    }
    if a.preserve_nan_inf_sz {
        out.push_str("preserve ");
    }
    out.push_str(a.op.info().name);
    let n = s.defs.get(a.def).map_or(1, |d| d.num_components);
    for (i, src) in a.srcs.iter().enumerate() {
        write!(
            out,
            "{} %{}",
            if i == 0 { "" } else { "," },
            src.def.index()
        )?;
        let of = s.defs.get(src.def).map_or(1, |d| d.num_components);
        let used = usize::from(a.src_components(i, n)).min(MAX_COMPONENTS);
        let swizzle = &src.swizzle[..used];
        let plain = if of == 1 {
            swizzle.iter().all(|c| *c == 0)
        } else {
            used == usize::from(of)
                && swizzle
                    .iter()
                    .enumerate()
                    .all(|(i, c)| i == usize::from(*c))
        };
        if !plain {
            out.push('.');
            out.extend(swizzle.iter().map(|c| component_char(*c, of)));
        }
    }
    Ok(())
}

fn print_const(s: &Shader, def: Id<Def>, values: &[u64], out: &mut String) -> fmt::Result {
    let bits = s.defs.get(def).map_or(0, |d| d.bit_size);
    out.push_str("const");
    for (i, &v) in values.iter().enumerate() {
        out.push_str(if i == 0 { " " } else { ", " });
        match (bits, v) {
            (1, 0) => out.push_str("false"),
            (1, 1) => out.push_str("true"),
            _ => print_bits(v, out)?,
        }
    }
    // A comment with the values as floats, if one of them is likely to be a float.
    if matches!(bits, 32 | 64)
        && values
            .iter()
            .any(|v| *v >> (bits - 9) != 0 && *v >> (bits - 7) != all_ones_prefix(*v, bits))
    {
        out.push_str(" ;");
        for &v in values {
            write!(out, " {:?}", crate::fold::float_value(bits, v))?;
        }
    }
    Ok(())
}

/// The top seven bits of `v` if they are all ones, which a small negative integer has rather than a
/// float; else a value that they never equal.
fn all_ones_prefix(v: u64, bits: u8) -> u64 {
    if v >> (bits - 7) == 0x7f {
        0x7f
    } else {
        u64::MAX
    }
}

fn print_deref(d: &Deref, out: &mut String) -> fmt::Result {
    match &d.kind {
        DerefKind::Var(v) => write!(out, "deref_var v{}", v.index())?,
        DerefKind::Array { parent, index } => {
            write!(out, "deref_array %{}, %{}", parent.index(), index.index())?;
        }
        DerefKind::PtrAsArray {
            parent,
            index,
            stride_bytes,
        } => write!(
            out,
            "deref_ptr_as_array %{}, %{} stride {stride_bytes}",
            parent.index(),
            index.index()
        )?,
        DerefKind::Struct { parent, member } => {
            write!(out, "deref_struct %{}, {member}", parent.index())?;
        }
        DerefKind::Cast {
            parent,
            stride_bytes,
            align_bytes,
        } => {
            write!(out, "deref_cast %{} stride {stride_bytes}", parent.index())?;
            if *align_bytes != 0 {
                write!(out, " align {align_bytes}")?;
            }
        }
    }
    write!(out, " : {} t{}", mode_name(d.mode), d.ty.index())?;
    if d.access != Access::default() {
        write!(out, " access {}", d.access.bits())?;
    }
    Ok(())
}

fn print_intrinsic(i: &Intrinsic, out: &mut String) -> fmt::Result {
    let info = i.op.info();
    out.push_str(info.name);
    for (k, d) in i.srcs.iter().enumerate() {
        write!(out, "{} %{}", if k == 0 { "" } else { "," }, d.index())?;
    }
    if !i.indices.is_empty() {
        out.push_str(" {");
        for (k, v) in i.indices.iter().enumerate() {
            let name = info.indices.get(k).copied().unwrap_or("?");
            out.push_str(if k == 0 { "" } else { " " });
            match value_name(name, *v) {
                Some(w) => write!(out, "{name}={w}")?,
                None => write!(out, "{name}={v}")?,
            }
        }
        out.push('}');
    }
    Ok(())
}

fn print_tex(t: &Tex, out: &mut String) -> fmt::Result {
    out.push_str(t.op.info().name);
    for (k, (kind, d)) in t.srcs.iter().enumerate() {
        let comma = if k == 0 { "" } else { "," };
        write!(
            out,
            "{comma} %{} ({})",
            d.index(),
            name_in(&TEX_SRCS, *kind)
        )?;
    }
    write!(
        out,
        " {{dim={} dest_type={}",
        name_in(&DIMS, t.dim),
        name_in(&BASES, t.dest_type)
    )?;
    for (name, set) in [
        ("array", t.array),
        ("shadow", t.shadow),
        ("texture_non_uniform", t.texture_non_uniform),
        ("sampler_non_uniform", t.sampler_non_uniform),
        ("offset_non_uniform", t.offset_non_uniform),
    ] {
        if set {
            write!(out, " {name}")?;
        }
    }
    if t.op == crate::tex::TexOp::Tg4 {
        write!(out, " component={}", t.component)?;
    }
    if let Some(offsets) = &t.tg4_offsets {
        out.push_str(" offsets=");
        for (i, [x, y]) in offsets.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(out, "{comma}{x}, {y}")?;
        }
    }
    out.write_char('}')
}
