//! The shader cache on disk: a second process compiles nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

use ash::vk;

use crate::rig::{Kernel, Rig, fill};

/// Names the folder of the cache for [`crate::rig::entry`].
pub const FOLDER: &str = "INGOT_TEST_SHADER_CACHE";

/// Tests of every way to compile a shader: pipelines, libraries, shader objects, meta operations.
const TESTS: [&str; 9] = [
    "blits::multisampled_images_are_resolved",
    "commands::copies_of_any_alignment",
    "draws::clear_attachments_rectangles",
    "draws::triangle_coverage",
    "pipeline_libraries::a_library_has_all_stages_before_rasterization",
    "pipelines::unread_vertex_outputs_are_eliminated",
    "shader_objects::all_stages_are_bound",
    "shader_objects::linked_shaders_draw_what_unlinked_ones_draw",
    "shader_objects::one_stage_is_bound_anew_between_draws",
];

/// A folder that is deleted on drop.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let name = format!("ingot-shader-cache-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// How many shaders a process compiled, analysed, found in pipeline caches, and found on disk.
type Counts = [u32; 4];

/// Whether [`run`] started this process: a test that runs itself does its work.
pub fn is_child() -> bool {
    std::env::var_os(FOLDER).is_some()
}

/// Runs tests in a process of their own, which must pass, and sums what its devices report.
pub fn run(tests: &[&str], folder: &Path) -> Counts {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture"])
        .args(tests)
        .env(FOLDER, folder)
        .env("INGOT_DEBUG", "perf")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains(&format!("{} passed", tests.len())), "{text}");
    let mut sum = [0; 4];
    let messages = String::from_utf8_lossy(&output.stderr);
    for line in messages.lines().filter(|line| line.contains("compiled")) {
        let numbers = line.split([' ', ',']).filter_map(|word| word.parse().ok());
        for (sum, number) in sum.iter_mut().zip(numbers.collect::<Vec<u32>>()) {
            *sum += number;
        }
    }
    sum
}

#[test]
fn a_second_process_compiles_nothing() {
    let folder = Folder::new("second");
    let [compiled, analysed, ..] = run(&TESTS, &folder.0);
    assert!(compiled > 20 && analysed > 4, "{compiled}, {analysed}");
    let [compiled, analysed, _, loaded] = run(&TESTS, &folder.0);
    assert_eq!((compiled, analysed), (0, 0));
    assert!(loaded > 20, "{loaded}");
}

#[test]
fn processes_that_start_together_share_the_cache() {
    let folder = Folder::new("together");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| run(&TESTS, &folder.0));
        }
    });
    assert_eq!(run(&TESTS, &folder.0)[0], 0);
}

#[test]
fn a_damaged_cache_is_compiled_again() {
    let folder = Folder::new("damaged");
    let [compiled, ..] = run(&TESTS[..1], &folder.0);
    let mut damaged = 0;
    for folder in std::fs::read_dir(&folder.0).unwrap().flatten() {
        for file in std::fs::read_dir(folder.path()).into_iter().flatten() {
            let path = file.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            damaged += 1;
        }
    }
    assert!(damaged > 0);
    assert_eq!(run(&TESTS[..1], &folder.0)[0], compiled);
    assert_eq!(run(&TESTS[..1], &folder.0)[0], 0);
}

#[test]
fn creation_feedback_distinguishes_the_caches() {
    if is_child() {
        return assert_feedback();
    }
    let folder = Folder::new("feedback");
    let child = ["shader_cache::creation_feedback_distinguishes_the_caches"];
    run(&child, &folder.0);
    assert_eq!(run(&child, &folder.0)[0], 0);
}

/// A hit of the cache on disk needs no compilation, but is none of the application's cache, which
/// has the shader afterwards.
fn assert_feedback() {
    let rig = Rig::new();
    let d = &rig.device;
    let words = fill();
    let buffer = rig.buffer(64);
    let kind = vk::DescriptorType::STORAGE_BUFFER;
    let kernel = Kernel::new(&rig, &words, kind, &[&buffer], vk::PipelineCache::null());
    unsafe {
        let cache = d.create_pipeline_cache(&Default::default(), None).unwrap();
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let module = d.create_shader_module(&info, None).unwrap();
        let create = |cache| {
            let mut feedback = vk::PipelineCreationFeedback::default();
            let mut chain = vk::PipelineCreationFeedbackCreateInfo::default()
                .pipeline_creation_feedback(&mut feedback);
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let flags = vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED
                | vk::PipelineCreateFlags::DISPATCH_BASE;
            let info = [vk::ComputePipelineCreateInfo::default()
                .flags(flags)
                .stage(stage)
                .layout(kernel.layout)
                .push_next(&mut chain)];
            let pipelines = d.create_compute_pipelines(cache, &info, None).unwrap();
            d.destroy_pipeline(pipelines[0], None);
            feedback.flags
        };
        let valid = vk::PipelineCreationFeedbackFlags::VALID;
        let hit = vk::PipelineCreationFeedbackFlags::APPLICATION_PIPELINE_CACHE_HIT;
        assert_eq!(create(vk::PipelineCache::null()), valid);
        assert_eq!(create(cache), valid);
        assert_eq!(create(cache), valid | hit);
        d.destroy_shader_module(module, None);
        d.destroy_pipeline_cache(cache, None);
    }
    kernel.destroy(&rig);
}

#[test]
fn simulated_gpus_have_no_cache_without_a_folder() {
    let folder = Folder::new("none");
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", TESTS[1]])
        .env("MESA_SHADER_CACHE_DIR", &folder.0)
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(!folder.0.exists());
}
