//! The shader stages of an archive's pipelines.
//!
//! In:  an archive. Out: stages that differ in module, entry point, specialization constants or
//!      layout; the words of their modules, on demand; the bindings of their layouts.
//! Ref: Fossilize, fossilize.cpp: names of members are those of the Vulkan structures, without
//!      prefixes; handles are hashes in hexadecimal.

use crate::fossilize::archive::{Archive, Blob, ObjectKind};
use crate::fossilize::error::FossilizeError;
use crate::fossilize::words;
use compile::Stage;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

/// VkPipelineShaderStageRequiredSubgroupSizeCreateInfo.
const REQUIRED_SUBGROUP_SIZE: u64 = 1_000_225_001;

/// Sets of a pipeline layout, at most: more than any driver supports. It bounds what a file that
/// repeats a set's hash costs.
const MAX_SETS: usize = 64;

/// A binding of a descriptor set layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetBinding {
    pub binding: u32,
    /// VkDescriptorType.
    pub kind: u32,
    pub count: u32,
    /// VkShaderStageFlags.
    pub stages: u32,
}

/// What determines the code of a stage.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StageState {
    /// Hash of the shader module.
    pub module: u64,
    /// Bit of VkShaderStageFlags.
    stage_bit: u64,
    pub entry: String,
    /// Constants by id: the value's bytes.
    pub specialization: Vec<(u32, Vec<u8>)>,
    /// Hash of the pipeline layout.
    pub layout: u64,
    /// VkPipelineShaderStageCreateFlags.
    pub flags: u32,
    pub required_subgroup_size: Option<u32>,
}

impl StageState {
    /// The specialization constants as the compiler takes them: elements of eight bytes,
    /// zero-extended.
    pub fn constants(&self) -> impl Iterator<Item = (u32, u64)> {
        let value = |part: &[u8]| part.iter().rev().fold(0, |v, b| v << 8 | u64::from(*b));
        let constants = self.specialization.iter();
        constants.flat_map(move |(id, data)| data.chunks(8).map(move |part| (*id, value(part))))
    }
}

/// A stage of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FossilizedStage {
    /// Unique in the archive: type and hash of the first pipeline with it, and the stage.
    pub name: String,
    pub stage: Stage,
    pub state: StageState,
}

/// An archive and the stages of its pipelines.
pub struct Library<R = File> {
    archive: RefCell<Archive<R>>,
    pub stages: Vec<FossilizedStage>,
    /// What the archive has beyond these stages: one line each.
    pub notes: Vec<String>,
}

/// Stages by their bit in VkShaderStageFlags, with the extension of GLSL files.
const STAGES: [(u64, Stage, &str); 6] = [
    (1, Stage::Vertex, "vert"),
    (2, Stage::TessControl, "tesc"),
    (4, Stage::TessEval, "tese"),
    (8, Stage::Geometry, "geom"),
    (0x10, Stage::Fragment, "frag"),
    (0x20, Stage::Compute, "comp"),
];

/// The JSON of a blob, and what follows it.
fn document(blob: &Blob) -> Result<(Value, &[u8]), FossilizeError> {
    let end = blob.bytes.iter().position(|b| *b == 0);
    let end = end.unwrap_or(blob.bytes.len());
    let (text, rest) = blob.bytes.split_at(end);
    let value = serde_json::from_slice(text)
        .map_err(|error| FossilizeError::malformed(blob.offset, format!("JSON: {error}")))?;
    Ok((value, rest.get(1..).unwrap_or_default()))
}

/// A hash as it stands in JSON.
fn hash(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

/// Reads the members of an object, with errors that name the blob's offset.
#[derive(Clone, Copy)]
struct Reader<'v> {
    offset: u64,
    object: &'v Value,
}

impl<'v> Reader<'v> {
    fn wrong(&self, name: &str, what: &str) -> FossilizeError {
        FossilizeError::malformed(self.offset, format!("member {name:?} {what}"))
    }

    fn reader(&self, object: &'v Value) -> Reader<'v> {
        Reader { object, ..*self }
    }

    fn member(&self, name: &str) -> Result<&'v Value, FossilizeError> {
        let member = self.object.get(name);
        member.ok_or_else(|| self.wrong(name, "is missing"))
    }

    fn integer(&self, name: &str) -> Result<u64, FossilizeError> {
        let number = self.member(name)?.as_u64();
        number.ok_or_else(|| self.wrong(name, "is no whole number"))
    }

    fn dword(&self, name: &str) -> Result<u32, FossilizeError> {
        let number = u32::try_from(self.integer(name)?);
        number.map_err(|_| self.wrong(name, "exceeds 32 bits"))
    }

    fn text(&self, name: &str) -> Result<&'v str, FossilizeError> {
        let text = self.member(name)?.as_str();
        text.ok_or_else(|| self.wrong(name, "is no text"))
    }

    fn hash(&self, name: &str) -> Result<u64, FossilizeError> {
        hash(self.text(name)?).ok_or_else(|| self.wrong(name, "is no hash"))
    }

    /// The elements of a list; none if there is no such member.
    fn list(&self, name: &str) -> impl Iterator<Item = Reader<'v>> + use<'v> {
        let elements = self.object.get(name).and_then(Value::as_array);
        let reader = *self;
        let elements = elements.into_iter().flatten();
        elements.map(move |element| reader.reader(element))
    }
}

/// The objects in a section of a document, with their hashes.
fn section<'v>(
    offset: u64,
    document: &'v Value,
    name: &'static str,
) -> impl Iterator<Item = (Option<u64>, Reader<'v>)> {
    let members = document.get(name).and_then(Value::as_object);
    members
        .into_iter()
        .flatten()
        .map(move |(key, object)| (hash(key), Reader { offset, object }))
}

/// The specialization constants of a stage, sorted by id.
fn specialization(stage: &Reader<'_>) -> Result<Vec<(u32, Vec<u8>)>, FossilizeError> {
    let Some(info) = stage.object.get("specializationInfo") else {
        return Ok(Vec::new());
    };
    let info = stage.reader(info);
    let data = words::base64(info.text("data")?);
    let data = data.ok_or_else(|| info.wrong("data", "is no base64"))?;
    let mut constants = Vec::new();
    for entry in info.list("mapEntries") {
        let (offset, size) = (entry.integer("offset")?, entry.integer("size")?);
        let range = offset as usize..offset.saturating_add(size) as usize;
        let bytes = data.get(range);
        let bytes = bytes.ok_or_else(|| entry.wrong("offset", "lies outside of the data"))?;
        constants.push((entry.dword("constantID")?, bytes.to_vec()));
    }
    constants.sort();
    Ok(constants)
}

fn stage_state(stage: &Reader<'_>, layout: u64) -> Result<StageState, FossilizeError> {
    let size = stage
        .list("pNext")
        .find(|next| next.integer("sType").ok() == Some(REQUIRED_SUBGROUP_SIZE));
    Ok(StageState {
        module: stage.hash("module")?,
        stage_bit: stage.integer("stage")?,
        entry: stage.text("name")?.to_owned(),
        specialization: specialization(stage)?,
        layout,
        flags: stage.dword("flags")?,
        required_subgroup_size: match size {
            Some(next) => Some(next.dword("requiredSubgroupSize")?),
            None => None,
        },
    })
}

impl Library<File> {
    /// Opens an archive and reads all of its pipelines.
    ///
    /// # Errors
    /// The file cannot be read; the offset at which it is cut off or malformed.
    pub fn open(path: &Path) -> Result<Library, FossilizeError> {
        Library::new(File::open(path)?)
    }
}

impl<R: Read + Seek> Library<R> {
    /// [`Library::open`], for an open file.
    pub fn new(file: R) -> Result<Library<R>, FossilizeError> {
        let mut archive = Archive::open(file)?;
        let (mut stages, mut notes) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        let mut pipelines = 0;
        for (kind, name, word) in [
            (ObjectKind::ComputePipeline, "computePipelines", "compute"),
            (
                ObjectKind::GraphicsPipeline,
                "graphicsPipelines",
                "graphics",
            ),
        ] {
            for hash in archive.hashes(kind) {
                let blob = archive.blob(kind, hash)?;
                let (document, _) = document(&blob)?;
                for (_, pipeline) in section(blob.offset, &document, name) {
                    pipelines += 1;
                    let layout = pipeline.hash("layout")?;
                    let only = pipeline.object.get("stage").map(|s| pipeline.reader(s));
                    for stage in pipeline.list("stages").chain(only) {
                        let state = stage_state(&stage, layout)?;
                        let row = STAGES.iter().find(|row| row.0 == state.stage_bit);
                        let Some((_, stage, extension)) = row else {
                            let bit = state.stage_bit;
                            notes.push(format!("{word}-{hash:016x}: no stage {bit:#x} yet"));
                            continue;
                        };
                        if seen.insert(state.clone()) {
                            stages.push(FossilizedStage {
                                name: format!("{word}-{hash:016x}.{extension}"),
                                stage: *stage,
                                state,
                            });
                        }
                    }
                }
            }
        }
        let ray_tracing = archive.hashes(ObjectKind::RayTracingPipeline).len();
        if ray_tracing > 0 {
            notes.push(format!("{ray_tracing} ray tracing pipelines are left out"));
        }
        notes.push(format!(
            "{pipelines} compute and graphics pipelines have {} different stages",
            stages.len()
        ));
        Ok(Library {
            archive: RefCell::new(archive),
            stages,
            notes,
        })
    }

    /// The SPIR-V words of a shader module.
    pub fn module(&self, hash: u64) -> Result<Vec<u32>, FossilizeError> {
        let kind = ObjectKind::ShaderModule;
        let blob = self.archive.borrow_mut().blob(kind, hash)?;
        let (document, binary) = document(&blob)?;
        let wrong = |what: &str| FossilizeError::malformed(blob.offset, what);
        let mut modules = section(blob.offset, &document, "shaderModules");
        let module = modules.find(|(key, _)| *key == Some(hash));
        let (_, module) = module.ok_or_else(|| wrong("the module is not in its entry"))?;
        let size = module.integer("codeSize")?;
        if size % 4 != 0 {
            return Err(module.wrong("codeSize", "is no multiple of 4"));
        }
        if module.object.get("varintOffset").is_none() {
            let bytes = words::base64(module.text("code")?);
            let bytes = bytes.filter(|bytes| bytes.len() as u64 == size);
            let bytes = bytes.ok_or_else(|| module.wrong("code", "is no base64 of its size"))?;
            let dword = |b: &[u8]| b.iter().rev().fold(0, |v, b| v << 8 | u32::from(*b));
            return Ok(bytes.chunks_exact(4).map(dword).collect());
        }
        let (start, length) = (
            module.integer("varintOffset")?,
            module.integer("varintSize")?,
        );
        let range = start as usize..start.saturating_add(length) as usize;
        let encoded = binary.get(range);
        let encoded = encoded.ok_or_else(|| wrong("a module's words exceed its entry"))?;
        words::varint(encoded, size / 4).ok_or_else(|| wrong("a module's words are malformed"))
    }

    /// The sets of a pipeline layout; `None` for the null layout. A null set has no bindings.
    pub fn sets(&self, layout: u64) -> Result<Option<Vec<Vec<SetBinding>>>, FossilizeError> {
        if layout == 0 {
            return Ok(None);
        }
        let mut archive = self.archive.borrow_mut();
        let blob = archive.blob(ObjectKind::PipelineLayout, layout)?;
        let (document, _) = document(&blob)?;
        let mut layouts = section(blob.offset, &document, "pipelineLayouts");
        let found = layouts.find(|(key, _)| *key == Some(layout));
        let (_, object) = found.ok_or_else(|| {
            FossilizeError::malformed(blob.offset, "the layout is not in its entry")
        })?;
        let mut sets = Vec::new();
        for set in object.list("setLayouts") {
            if sets.len() == MAX_SETS {
                return Err(object.wrong("setLayouts", "has too many elements"));
            }
            let hash = set.object.as_str().and_then(hash);
            let hash = hash.ok_or_else(|| object.wrong("setLayouts", "has no hash"))?;
            sets.push(match hash {
                0 => Vec::new(),
                hash => set_bindings(&mut archive, hash)?,
            });
        }
        Ok(Some(sets))
    }
}

/// The bindings of a descriptor set layout.
fn set_bindings<R: Read + Seek>(
    archive: &mut Archive<R>,
    hash: u64,
) -> Result<Vec<SetBinding>, FossilizeError> {
    let blob = archive.blob(ObjectKind::SetLayout, hash)?;
    let (document, _) = document(&blob)?;
    let mut layouts = section(blob.offset, &document, "setLayouts");
    let found = layouts.find(|(key, _)| *key == Some(hash));
    let (_, object) = found
        .ok_or_else(|| FossilizeError::malformed(blob.offset, "the layout is not in its entry"))?;
    let binding = |b: Reader<'_>| {
        Ok(SetBinding {
            binding: b.dword("binding")?,
            kind: b.dword("descriptorType")?,
            count: b.dword("descriptorCount")?,
            stages: b.dword("stageFlags")?,
        })
    };
    object.list("bindings").map(binding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fossilize::writer::{ArchiveWriter, Packing};
    use std::io::Cursor;

    fn library(writer: ArchiveWriter) -> Result<Library<Cursor<Vec<u8>>>, FossilizeError> {
        Library::new(Cursor::new(writer.bytes))
    }

    fn stage(bit: u32, module: u64, more: &str) -> String {
        format!(
            "{{\"flags\":2,\"stage\":{bit},\"module\":\"{module:016x}\",\"name\":\"main\"{more}}}"
        )
    }

    fn compute(layout: u64, more: &str) -> String {
        let stage = stage(0x20, 0xaa, more);
        format!("{{\"flags\":0,\"layout\":\"{layout:016x}\",\"stage\":{stage}}}")
    }

    #[test]
    fn stages_have_constants_and_layouts() {
        let mut writer = ArchiveWriter::new(6);
        writer.add_module(0xaa, &[0x0723_0203, 5, u32::MAX]);
        // Constants 7 and 3: bytes 1 2 3 4 and 5 6.
        let constants = ",\"specializationInfo\":{\"dataSize\":6,\"data\":\"AQIDBAUG\",\
            \"mapEntries\":[{\"offset\":0,\"size\":4,\"constantID\":7},\
            {\"offset\":4,\"size\":2,\"constantID\":3}]},\
            \"pNext\":[{\"sType\":1000225001,\"requiredSubgroupSize\":16}]";
        writer.add_json(7, "computePipelines", 1, &compute(0x50, constants));
        let sets = "{\"flags\":0,\"setLayouts\":[\"0000000000000000\",\"0000000000000060\"]}";
        writer.add_json(3, "pipelineLayouts", 0x50, sets);
        let bindings = "{\"flags\":0,\"bindings\":[{\"binding\":2,\"descriptorType\":7,\
            \"descriptorCount\":3,\"stageFlags\":2147483647}]}";
        writer.add_json(2, "setLayouts", 0x60, bindings);
        let library = library(writer).unwrap();
        let [only] = &library.stages[..] else {
            panic!("{:?}", library.stages)
        };
        assert_eq!(only.name, "compute-0000000000000001.comp");
        assert_eq!((only.stage, only.state.flags), (Stage::Compute, 2));
        let constants = [(3, vec![5, 6]), (7, vec![1, 2, 3, 4])];
        assert_eq!(only.state.specialization, constants);
        assert_eq!(only.state.required_subgroup_size, Some(16));
        let words = library.module(only.state.module).unwrap();
        assert_eq!(words, [0x0723_0203, 5, u32::MAX]);
        let sets = library.sets(only.state.layout).unwrap().unwrap();
        let binding = SetBinding {
            binding: 2,
            kind: 7,
            count: 3,
            stages: 0x7fff_ffff,
        };
        assert_eq!(sets, [vec![], vec![binding]]);
        assert_eq!(library.sets(0).unwrap(), None);
    }

    #[test]
    fn equal_stages_are_listed_once() {
        let mut writer = ArchiveWriter::new(5);
        writer.add_json(7, "computePipelines", 1, &compute(0x50, ""));
        writer.add_json(7, "computePipelines", 2, &compute(0x50, ""));
        writer.add_json(7, "computePipelines", 3, &compute(0x51, ""));
        let stages = [
            stage(1, 0xb, ""),
            stage(0x10, 0xc, ""),
            stage(0x80, 0xd, ""),
        ];
        let pipeline = format!("{{\"layout\":\"50\",\"stages\":[{}]}}", stages.join(","));
        writer.add_json(6, "graphicsPipelines", 9, &pipeline);
        writer.add(9, 4, b"{}", Packing::Plain);
        let library = library(writer).unwrap();
        let names: Vec<&str> = library.stages.iter().map(|s| s.name.as_str()).collect();
        let expected = [
            "compute-0000000000000001.comp",
            "compute-0000000000000003.comp",
            "graphics-0000000000000009.vert",
            "graphics-0000000000000009.frag",
        ];
        assert_eq!(names, expected);
        let notes = [
            "graphics-0000000000000009: no stage 0x80 yet",
            "1 ray tracing pipelines are left out",
            "4 compute and graphics pipelines have 4 different stages",
        ];
        assert_eq!(library.notes, notes);
    }

    #[test]
    fn modules_in_base64_are_read() {
        let mut writer = ArchiveWriter::new(6);
        let module = "{\"flags\":0,\"codeSize\":8,\"code\":\"AwIjBwUAAAA=\"}";
        writer.add_json(4, "shaderModules", 0xaa, module);
        let library = library(writer).unwrap();
        assert_eq!(library.module(0xaa).unwrap(), [0x0723_0203, 5]);
        let error = library.module(0xab).unwrap_err().to_string();
        assert_eq!(error, "the archive has no shader module 00000000000000ab");
    }

    #[test]
    fn malformed_objects_are_errors_with_the_entry_s_offset() {
        let error = |tag, section: &str, object: &str| -> String {
            let mut writer = ArchiveWriter::new(6);
            writer.add_json(tag, section, 0xaa, object);
            match library(writer) {
                Err(error) => error.to_string(),
                Ok(library) => library.module(0xaa).unwrap_err().to_string(),
            }
        };
        let constants = ",\"specializationInfo\":{\"dataSize\":3,\"data\":\"AQID\",\
            \"mapEntries\":[{\"offset\":0,\"size\":4,\"constantID\":7}]}";
        for (tag, section, object, expected) in [
            (
                7,
                "computePipelines",
                "{\"layout\":7}",
                "member \"layout\" is no text",
            ),
            (
                7,
                "computePipelines",
                "{\"layout\":\"x\"}",
                "member \"layout\" is no hash",
            ),
            (
                7,
                "computePipelines",
                "{]",
                "JSON: key must be a string at line 1 column 54",
            ),
            (
                7,
                "computePipelines",
                &compute(1, constants),
                "member \"offset\" lies outside of the data",
            ),
            (4, "shaderModules", "{}", "member \"codeSize\" is missing"),
            (
                4,
                "shaderModules",
                "{\"codeSize\":3}",
                "member \"codeSize\" is no multiple of 4",
            ),
            (
                4,
                "shaderModules",
                "{\"codeSize\":4,\"varintOffset\":0,\"varintSize\":9}",
                "a module's words exceed its entry",
            ),
            (
                4,
                "shaderModules",
                "{\"codeSize\":1000000000000,\"varintOffset\":0,\"varintSize\":0}",
                "a module's words are malformed",
            ),
            (
                4,
                "shaderModules",
                "{\"codeSize\":4,\"code\":\"AQI=\"}",
                "member \"code\" is no base64 of its size",
            ),
        ] {
            assert_eq!(
                error(tag, section, object),
                format!("offset 0x48: {expected}")
            );
        }
    }

    /// An archive without checksums and compression: a changed byte reaches the parsers.
    fn unprotected() -> Vec<u8> {
        let mut writer = ArchiveWriter::new(6);
        writer.add_module(0xaa, &[0x0723_0203, 0x80, u32::MAX]);
        let constants = ",\"specializationInfo\":{\"dataSize\":3,\"data\":\"AQID\",\
            \"mapEntries\":[{\"offset\":1,\"size\":2,\"constantID\":7}]}";
        for (tag, section, hash, object) in [
            (7, "computePipelines", 1, compute(0x50, constants)),
            (
                3,
                "pipelineLayouts",
                0x50,
                "{\"setLayouts\":[\"60\"]}".into(),
            ),
            (
                2,
                "setLayouts",
                0x60,
                "{\"bindings\":[{\"binding\":2,\"descriptorType\":7,\
                  \"descriptorCount\":3,\"stageFlags\":1}]}"
                    .into(),
            ),
        ] {
            let text = format!("{{\"{section}\":{{\"{hash:016x}\":{object}}}}}");
            writer.add(tag, hash, text.as_bytes(), Packing::Plain);
        }
        let (mut bytes, mut entry) = (writer.bytes, 16);
        while entry < bytes.len() {
            let size = u32::from_le_bytes(bytes[entry + 40..entry + 44].try_into().unwrap());
            bytes[entry + 48..entry + 52].fill(0);
            entry += 56 + size as usize;
        }
        bytes
    }

    /// Reads everything in an archive; the number of stages, words and bindings.
    fn read_all(bytes: Vec<u8>) -> Result<[usize; 3], FossilizeError> {
        let library = Library::new(Cursor::new(bytes))?;
        let mut counts = [library.stages.len(), 0, 0];
        for stage in &library.stages {
            counts[1] += library.module(stage.state.module)?.len();
            let sets = library.sets(stage.state.layout)?.unwrap_or_default();
            counts[2] += sets.iter().map(Vec::len).sum::<usize>();
        }
        Ok(counts)
    }

    #[test]
    fn a_changed_byte_is_harmless_or_one_error_with_its_place() {
        let bytes = unprotected();
        assert_eq!(read_all(bytes.clone()).unwrap(), [1, 3, 1]);
        let mut errors = 0;
        for position in 0..bytes.len() {
            for pattern in [1, 0x10, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[position] ^= pattern;
                let Err(error) = read_all(changed) else {
                    continue;
                };
                errors += 1;
                let text = error.to_string();
                let is_clear =
                    text.starts_with("offset 0x") || text.starts_with("the archive has no ");
                assert!(is_clear, "{position}: {text}");
            }
        }
        // Most bytes matter.
        assert!(errors > 2 * bytes.len(), "{errors} of {}", 4 * bytes.len());
    }
}
