//! Shader sources to SPIR-V words.
//!
//! GLSL goes through glslang, linked in, unless `PIGLIT_GLSLANG_VALIDATOR_BINARY` names a validator
//! to run instead; assembly through our own assembler, unless `PIGLIT_SPIRV_AS_BINARY` names one.

use crate::script::{ShaderSource, ShaderStage};
use glslang::{
    Compiler, CompilerOptions, ShaderInput, ShaderMessage, SourceLanguage, SpirvVersion, Target,
    VulkanVersion,
};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// The built-in vertex shader: SPIR-V 1.0, input vec4 at location 0 copied to Position.
const PASSTHROUGH: &str = "
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Vertex %main \"main\" %out %in
               OpMemberDecorate %block 0 BuiltIn Position
               OpMemberDecorate %block 1 BuiltIn PointSize
               OpMemberDecorate %block 2 BuiltIn ClipDistance
               OpMemberDecorate %block 3 BuiltIn CullDistance
               OpDecorate %block Block
               OpDecorate %in Location 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
       %vec4 = OpTypeVector %float 4
       %uint = OpTypeInt 32 0
        %one = OpConstant %uint 1
  %distances = OpTypeArray %float %one
      %block = OpTypeStruct %vec4 %float %distances %distances
    %ptr_out = OpTypePointer Output %block
     %ptr_in = OpTypePointer Input %vec4
   %ptr_vec4 = OpTypePointer Output %vec4
        %int = OpTypeInt 32 1
       %zero = OpConstant %int 0
        %out = OpVariable %ptr_out Output
         %in = OpVariable %ptr_in Input
       %main = OpFunction %void None %fn
      %label = OpLabel
      %value = OpLoad %vec4 %in
      %place = OpAccessChain %ptr_vec4 %out %zero
               OpStore %place %value
               OpReturn
               OpFunctionEnd
";

/// Words of a stage, or the compiler's messages.
pub fn compile(
    stage: ShaderStage,
    source: &ShaderSource,
    version: (u32, u32, u32),
) -> Result<Vec<u32>, String> {
    match source {
        ShaderSource::SpirvWords(words) => Ok(words.clone()),
        ShaderSource::Passthrough => assemble(PASSTHROUGH, (1, 0, 0)),
        ShaderSource::SpirvText(line, text) => match std::env::var_os("PIGLIT_SPIRV_AS_BINARY") {
            Some(binary) => external_assembler(&binary, text, version),
            None => assemble(text, version),
        }
        .map_err(|message| format!("SPIR-V assembly starting at line {line}: {message}")),
        ShaderSource::Glsl(parts) => match std::env::var_os("PIGLIT_GLSLANG_VALIDATOR_BINARY") {
            Some(binary) => external_glslang(&binary, stage, parts, version),
            None => glsl(stage, parts, version),
        },
    }
}

fn assemble(text: &str, version: (u32, u32, u32)) -> Result<Vec<u32>, String> {
    // The SPIR-V version that each Vulkan version brought.
    let spirv = match version {
        (1, 0, _) => (1, 0),
        (1, 1, _) => (1, 3),
        (1, 2, _) => (1, 5),
        _ => (1, 6),
    };
    spirv_front::asm::assemble(text, spirv).map_err(|error| error.to_string())
}

fn target(version: (u32, u32, u32)) -> Target {
    let (version, spirv_version) = match version {
        (1, 0, _) => (VulkanVersion::Vulkan1_0, SpirvVersion::SPIRV1_0),
        (1, 1, _) => (VulkanVersion::Vulkan1_1, SpirvVersion::SPIRV1_3),
        (1, 2, _) => (VulkanVersion::Vulkan1_2, SpirvVersion::SPIRV1_5),
        _ => (VulkanVersion::Vulkan1_3, SpirvVersion::SPIRV1_6),
    };
    Target::Vulkan {
        version,
        spirv_version,
    }
}

fn glsl(
    stage: ShaderStage,
    parts: &[(usize, String)],
    version: (u32, u32, u32),
) -> Result<Vec<u32>, String> {
    let compiler = Compiler::acquire().ok_or("glslang cannot be initialised")?;
    let options = CompilerOptions {
        source_language: SourceLanguage::GLSL,
        target: target(version),
        version_profile: None,
        messages: ShaderMessage::DEFAULT | ShaderMessage::SPV_RULES | ShaderMessage::VULKAN_RULES,
    };
    let glslang_stage = match stage {
        ShaderStage::Vertex => glslang::ShaderStage::Vertex,
        ShaderStage::TessControl => glslang::ShaderStage::TesselationControl,
        ShaderStage::TessEval => glslang::ShaderStage::TesselationEvaluation,
        ShaderStage::Geometry => glslang::ShaderStage::Geometry,
        ShaderStage::Fragment => glslang::ShaderStage::Fragment,
        ShaderStage::Compute => glslang::ShaderStage::Compute,
    };
    let mut sources = Vec::new();
    for (_, text) in parts {
        sources.push(glslang::ShaderSource::from(text.as_str()));
    }
    let mut shaders = Vec::new();
    for ((line, _), source) in parts.iter().zip(&sources) {
        let explain = |error: glslang::error::GlslangError| {
            format!(
                "{} shader starting at line {line}: {}",
                stage.short_name(),
                tidy(&error.to_string())
            )
        };
        let none: Option<&[(&str, Option<&str>)]> = None;
        let input =
            ShaderInput::new(source, glslang_stage, &options, none, None).map_err(explain)?;
        shaders.push(compiler.create_shader(input).map_err(explain)?);
    }
    let mut program = compiler.create_program();
    for shader in &shaders {
        program.add_shader(shader);
    }
    program.compile(glslang_stage).map_err(|error| {
        format!(
            "{} shader: {}",
            stage.short_name(),
            tidy(&error.to_string())
        )
    })
}

/// glslang's log without its empty lines and banner.
fn tidy(log: &str) -> String {
    let lines: Vec<&str> = log
        .lines()
        .map(str::trim_end)
        .filter(|l| !l.is_empty() && *l != "Log:" && *l != "DebugLog:")
        .collect();
    lines.join("\n")
}

fn external_glslang(
    binary: &OsString,
    stage: ShaderStage,
    parts: &[(usize, String)],
    (major, minor, _): (u32, u32, u32),
) -> Result<Vec<u32>, String> {
    let dir = TempDir::new()?;
    let out = dir.path.join("out.spv");
    let mut command = Command::new(binary);
    command
        .args(["--quiet", "-V", "--target-env"])
        .arg(format!("vulkan{major}.{minor}"))
        .args(["-S", stage.short_name(), "-o"])
        .arg(&out);
    for (i, (_, text)) in parts.iter().enumerate() {
        let file = dir.path.join(format!("{i}.{}", stage.short_name()));
        write(&file, text)?;
        command.arg(file);
    }
    run_compiler(command, &out)
}

fn external_assembler(
    binary: &OsString,
    text: &str,
    (major, minor, _): (u32, u32, u32),
) -> Result<Vec<u32>, String> {
    let dir = TempDir::new()?;
    let (source, out) = (dir.path.join("in.spvasm"), dir.path.join("out.spv"));
    write(&source, text)?;
    let mut command = Command::new(binary);
    command
        .arg("--target-env")
        .arg(format!("vulkan{major}.{minor}"))
        .arg("-o")
        .arg(&out)
        .arg(&source);
    run_compiler(command, &out)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

fn run_compiler(mut command: Command, out: &Path) -> Result<Vec<u32>, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{name}: {e}"))?;
    if !output.status.success() {
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        return Err(format!("{name} failed: {}", text.trim()));
    }
    let bytes = std::fs::read(out).map_err(|e| format!("{}: {e}", out.display()))?;
    let words = bytes.chunks_exact(4);
    Ok(words
        .map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]))
        .collect())
}

/// A directory that goes away with its owner.
struct TempDir {
    path: std::path::PathBuf,
}

impl TempDir {
    fn new() -> Result<TempDir, String> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let unique = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("vkrunner-{}-{unique}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(TempDir { path })
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        // What cannot be removed stays in the system's temporary folder.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
