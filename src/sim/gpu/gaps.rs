//! Table of the features that are not simulated.
//!
//! In:  nothing. Out: [`GAPS`], which `ingot sim --gaps` prints. Each row stands for code that ends
//!      a batch with [`StopReason::Unimplemented`](eu::StopReason::Unimplemented). A test parses
//!      the sources of both crates and requires a row for each such error, and an error for each
//!      row, matched by the message text.

/// A feature of the hardware that the simulator lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Source file of the unit, relative to the simulator's folder.
    pub file: &'static str,
    /// Command, structure or message that uses the feature.
    pub asked_by: &'static str,
    /// Message of the error; … stands for parts that depend on the batch.
    pub message: &'static str,
}

macro_rules! gaps {
    ($($file:literal { $($asked_by:literal => $what:literal;)* })*) => {
        /// Every gap, by unit.
        pub static GAPS: &[Gap] = &[$($(Gap { file: $file, asked_by: $asked_by, message: $what }),*),*];
    };
}

#[rustfmt::skip]
gaps! {
    "eu/flow.rs" {
        "JMPI, BRD, BRC" => "computed branch to …, which static control flow does not reach";
    }
    "eu/thread.rs" {
        "destination ip" => "write of … to ip";
    }
    "eu/uop.rs" {
        "operand types that an instruction has, but not here" => "…… of … and …";
    }
    "gpu/bindings.rs" {
        "typed messages" => "a typed message without a surface";
    }
    "gpu/cs/media.rs" {
        "MEDIA_OBJECT" => "the command's name";
        "any other command of the pipelines" => "the command's name";
    }
    "gpu/cs/mi.rs" {
        "any other MI command" => "the command's name";
    }
    "gpu/dataport/block.rs" {
        "OWord Block Read/Write" => "an OWord block of this size";
        "OWord Dual Block Read/Write" => "OWord dual blocks of this size";
        "A64 OWord Dual Block, A64 HWord Block Read" => "an A64 block read of this kind";
        "A64 OWord Dual Block, A64 HWord Block Write" => "an A64 block write of this kind";
    }
    "gpu/dataport/message.rs" {
        "messages to SFIDs 10 and 12" => "a data port message";
        "messages to SFID 9" => "a constant cache message";
        "messages to SFID 3" => "a gateway message";
        "messages to other SFIDs" => "a message";
    }
    "gpu/dataport/scattered.rs" {
        "Byte Scattered Read/Write" => "a byte scattered message of this size";
        "A64 Scattered Read/Write" => "an A64 scattered message of this size";
    }
    "gpu/dataport/typed.rs" {
        "Typed Surface Read/Write" => "a SIMD4x2 message";
        "Typed Atomic" => "a typed atomic of operation … on …";
    }
    "gpu/dataport/untyped.rs" {
        "Untyped Surface Read/Write" => "a SIMD4x2 message";
    }
    "gpu/draw/ds.rs" {
        "3DSTATE_DS, Dispatch Mode" => "a domain shader dispatched in another mode than SIMD8_SINGLE_PATCH";
    }
    "gpu/draw/exec.rs" {
        "Gateway, Barrier" => "a barrier in a thread of the 3D pipeline";
    }
    "gpu/draw/gs.rs" {
        "3DSTATE_GS, Dispatch Mode" => "a geometry shader dispatched in another mode than SIMD8";
    }
    "gpu/draw/hs.rs" {
        "3DSTATE_HS, Dispatch Mode" => "a hull shader dispatched in another mode than SINGLE_PATCH";
        "3DSTATE_HS, Vertex URB Entry Read Length" => "vertices pushed to a hull shader";
    }
    "gpu/draw/pipeline.rs" {
        "3DPRIMITIVE, Vertex Count Per Instance" => "an instance of … vertices";
        "3DSTATE_VF_TOPOLOGY" => "primitive topology …";
        "3DSTATE_RASTER, Scissor Rectangle Enable" => "an object of up to … pixels, more than any surface has";
    }
    "gpu/draw/pixel/depth.rs" {
        "3DSTATE_DEPTH_BUFFER, Surface Format" => "depth format …";
    }
    "gpu/draw/pixel/message.rs" {
        "Render Target Read" => "a render target read";
        "Render Target Write, Message Type" => "a render target write of this kind";
        "messages of pixel shaders" => "message … of SFID … from a pixel shader";
    }
    "gpu/draw/pixel/state.rs" {
        "3DSTATE_WM, Polygon Stipple Enable" => "polygon stipple";
        "3DSTATE_PS_EXTRA, Input Coverage Mask State" => "inner input coverage of what is not conservative";
        "BLEND_STATE, Alpha To Coverage Dither Enable" => "dithered alpha to coverage";
    }
    "gpu/draw/pixel/target.rs" {
        "RENDER_SURFACE_STATE, Surface Format" => "render targets of the format …";
    }
    "gpu/draw/raster/state.rs" {
        "3DSTATE_SF, Last Pixel Enable" => "lines with their last pixel";
        "3DSTATE_RASTER, Smooth Point Enable" => "smooth points";
        "3DSTATE_RASTER, Forced Sample Count" => "a forced sample count other than the target's";
    }
    "gpu/draw/tess.rs" {
        "3DSTATE_HS, 3DSTATE_TE, 3DSTATE_DS" => "a draw with some of HS, TE and DS enabled and others not";
    }
    "gpu/draw/urb.rs" {
        "3DPRIMITIVE" => "more URB entries at once than handles can name";
    }
    "gpu/draw/urb_message.rs" {
        "messages of VS, HS, DS, GS" => "a message to SFID … with descriptor … from a stage of geometry";
    }
    "gpu/draw/vf.rs" {
        "VERTEX_ELEMENT_STATE, Source Element Format" => "vertex elements of format …";
        "VERTEX_ELEMENT_STATE, Component 1 Control" => "quadwords that pass as they are, beside ones";
    }
    "gpu/draw/vs.rs" {
        "3DSTATE_VS, SIMD8 Dispatch Enable" => "a vertex shader of SIMD4x2";
    }
    "gpu/fate/message.rs" {
        "message descriptors, refused fields" => "…, bits … of the descriptor …";
    }
    "gpu/fate/check.rs" {
        "commands that have no unit" => "the command's name";
        "fields that no unit asks for" => "…, …";
    }
    "gpu/fate/length.rs" {
        "commands that are longer than their forms" => "… of … dwords";
    }
    "gpu/fate/register.rs" {
        "registers that no unit asks for" => "…, bits …";
    }
    "gpu/sampler/message.rs" {
        "Sampling Engine messages, SIMD Mode" => "a sampler message of this width";
        "Sampling Engine messages, Return Format" => "a sampler response of halves";
        "Sampling Engine messages, Message Type" => "a sampler message of this type";
    }
    "gpu/sampler/sample.rs" {
        "Sampling Engine messages" => "filtering a buffer, or several samples";
    }
    "gpu/sampler/state.rs" {
        "SAMPLER_STATE, TCX Address Control Mode" => "address control mode 7";
        "SAMPLER_STATE, Min Mode Filter" => "filters of one bit (MAPFILTER_MONO)";
        "SAMPLER_STATE, ChromaKey Enable" => "a chroma key";
    }
    "gpu/surface/image.rs" {
        "RENDER_SURFACE_STATE, Surface Type" => "surfaces of type …";
        "RENDER_SURFACE_STATE, Surface Format" => "surface format …";
        "RENDER_SURFACE_STATE, Tiled Resource Mode" => "… surfaces of Tiled Resource Mode …, of …, … samples";
        "RENDER_SURFACE_STATE, Cube Face Enable" => "cubes without all of their faces";
        "RENDER_SURFACE_STATE, Number of Multisamples" => "surfaces of 2^… samples";
        "RENDER_SURFACE_STATE, Auxiliary Surface Mode" => "auxiliary surfaces of mode …";
    }
    "gpu/surface/texel.rs" {
        "RENDER_SURFACE_STATE, Surface Format" => "texels of the format …";
    }
    "gpu/surface/buffer.rs" {
        "RENDER_SURFACE_STATE, Surface Type" => "surfaces of type …";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    /// Source text that constructs the error: the variant itself, or a helper function.
    const MAKERS: [&str; 3] = ["StopReason::Unimplemented {", "gap(", "unimplemented("];
    /// Stands for a message that is the command's name.
    const NAME: &str = "the command's name";

    /// Source files of both crates, named relative to the simulator's folder.
    fn sources() -> Vec<(String, String)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut folders: Vec<PathBuf> = vec![root.join("gpu"), root.join("eu")];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                let name = path.strip_prefix(&root).expect("below").to_string_lossy();
                let name = name.into_owned();
                if path.is_dir() && !name.ends_with("testing") && !name.ends_with("/tests") {
                    folders.push(path);
                } else if name.ends_with(".rs")
                    && !name.ends_with("tests.rs")
                    && !name.ends_with("testing.rs")
                {
                    let text = std::fs::read_to_string(&path).expect("a text");
                    let code = text.split("#[cfg(test)]\nmod tests {").next();
                    found.push((name, code.unwrap_or_default().to_string()));
                }
            }
        }
        found.retain(|(name, _)| name != "gpu/gaps.rs");
        found
    }

    /// String literals of a piece of code; … replaces each format argument.
    fn literals(code: &str) -> Vec<String> {
        let parts = code.split('"').skip(1).step_by(2);
        parts
            .map(|literal| {
                let mut out = String::new();
                let mut depth = 0;
                for c in literal.chars() {
                    match c {
                        '{' => depth += 1,
                        '}' => {
                            depth -= 1;
                            out.push('…');
                        }
                        _ if depth == 0 => out.push(c),
                        _ => {}
                    }
                }
                out
            })
            .collect()
    }

    /// Returns the code from the constructor to its closing bracket.
    fn site(code: &str, open_at: usize) -> &str {
        let mut depth = 0;
        for (at, c) in code[open_at..].char_indices() {
            match c {
                '(' | '{' | '[' => depth += 1,
                ')' | '}' | ']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return &code[..open_at + at + 1];
            }
        }
        code
    }

    /// Messages of the errors that a file constructs.
    fn messages(code: &str) -> Vec<String> {
        let mut found = Vec::new();
        for maker in MAKERS {
            for (at, _) in code.match_indices(maker) {
                let before = &code[..at];
                let word = before.ends_with(|c: char| c.is_alphanumeric() || "_`\"".contains(c));
                if word || before.ends_with("fn ") || before.ends_with("let ") {
                    continue;
                }
                let text = site(&code[at..], maker.len() - 1);
                let named = literals(text);
                // A helper function whose caller passes the message.
                let passes_on = [
                    "what: what.into()",
                    "{ what, at }",
                    "{what}",
                    "unimplemented()",
                ];
                if passes_on.iter().any(|part| text.contains(part)) {
                    continue;
                }
                if !named.is_empty() {
                    found.extend(named);
                } else if text.contains(".name.into()") {
                    found.push(NAME.into());
                } else {
                    // The message is a variable: it was formatted before, or comes from a list.
                    let made = ["let what =", "what) in ["].map(|made| before.rfind(made));
                    let from = made.into_iter().flatten().max().expect("what");
                    found.extend(literals(&before[from..]));
                }
            }
        }
        found
    }

    #[test]
    fn gap_table_matches_the_sources() {
        let mut in_code = BTreeSet::new();
        for (file, code) in sources() {
            let of_file = messages(&code);
            in_code.extend(of_file.into_iter().map(|what| (file.clone(), what)));
        }
        let rows = GAPS
            .iter()
            .map(|g| (g.file.to_string(), g.message.to_string()));
        let in_table: BTreeSet<_> = rows.collect();
        let missing: Vec<_> = in_code.difference(&in_table).collect();
        let stale: Vec<_> = in_table.difference(&in_code).collect();
        assert!(missing.is_empty(), "not in the table: {missing:#?}");
        assert!(stale.is_empty(), "in the table alone: {stale:#?}");
        assert!(in_code.len() > 20);
    }

    #[test]
    fn rule_names_occur_only_in_tables() {
        for (file, code) in sources() {
            assert!(!code.contains("rule: \""), "{file} names a rule itself");
        }
    }

    #[test]
    fn error_sites_are_found_in_code() {
        let code =
            "fn gap(what: &str) -> StopReason {\n StopReason::Unimplemented { what: what.into(), at }\n}\n
            return gap(at, \"one\");\n
            Err(StopReason::Unimplemented { what: format!(\"two {x:#x} of {}\", y()), at })\n
            for (field, what) in [(a, \"three\"), (b, \"four\")] { return gap(at, what); }\n
            Err(StopReason::Unimplemented { what: other.name.into(), at })";
        let mut found = messages(code);
        found.sort();
        assert_eq!(found, ["four", "one", NAME, "three", "two … of …"]);
    }
}
