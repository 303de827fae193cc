//! Pipelines that are created from binaries (VK_KHR_pipeline_binary).
//!
//! Structures are written as quadwords: type, chain, members.

use std::ffi::CStr;

use ash::vk::Handle;
use ash::{ext, vk};

use crate::canvas::{Canvas, FRAGMENT, VERTEX};
use crate::library_maker::{ALL, Maker, all_stages, parts};
use crate::pipeline_libraries::{DEEP_VERTEX, SCENE_VERTICES, draw, scene, scene_pixel, telling};
use crate::rig::{Buffer, Kernel, Rig, fill};
use crate::shader_cache::{Folder, is_child, run};

/// The type of a structure of the extension.
const TYPE: u64 = 1_000_483_000;

const MISSING: vk::Result = vk::Result::from_raw(1_000_483_000);
const NOT_ENOUGH_SPACE: vk::Result = vk::Result::from_raw(-1_000_483_000);

type Flags = vk::PipelineCreateFlags;

/// Fails where anything would have to be compiled.
const FOUND: Flags = Flags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;

/// `VkPipelineBinaryKeyKHR`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Key {
    ty: u64,
    chain: u64,
    size: u32,
    bytes: [u8; 32],
}

const NO_KEY: Key = Key {
    ty: TYPE + 3,
    chain: 0,
    size: 0,
    bytes: [0; 32],
};

/// The extension's commands, and the binaries that were created.
struct Binaries<'a> {
    rig: &'a Rig,
    made: std::cell::RefCell<Vec<u64>>,
}

/// What binaries are created from.
enum Source<'a> {
    Pipeline(vk::Pipeline),
    /// Keys, and addresses and sizes of data.
    Data(&'a [Key], &'a [[u64; 2]]),
    /// A create info.
    Cache(u64),
}

impl<'a> Binaries<'a> {
    fn new(rig: &'a Rig) -> Self {
        Self {
            rig,
            made: Default::default(),
        }
    }

    fn pointer(&self, name: &CStr) -> unsafe extern "system" fn() {
        let load = self.rig.instance.fp_v1_0().get_device_proc_addr;
        unsafe { load(self.rig.device.handle(), name.as_ptr()) }.unwrap()
    }

    /// Creates binaries in an array of `room` elements, or counts them. Returns the count.
    fn create(&self, source: &Source<'_>, room: Option<usize>) -> (vk::Result, Vec<u64>, u32) {
        type Command =
            unsafe extern "system" fn(vk::Device, *const u64, *const u64, *mut u64) -> vk::Result;
        let (mut list, mut chained) = ([0; 3], [TYPE + 7, 0]);
        let mut info = [TYPE + 1, 0, 0, 0, 0];
        match source {
            Source::Pipeline(pipeline) => info[3] = pipeline.as_raw(),
            Source::Data(keys, data) => {
                assert_eq!(keys.len(), data.len());
                list = [
                    keys.len() as u64,
                    keys.as_ptr() as u64,
                    data.as_ptr() as u64,
                ];
                info[2] = list.as_ptr() as u64;
            }
            Source::Cache(create_info) => {
                chained[1] = *create_info;
                info[4] = chained.as_ptr() as u64;
            }
        }
        let mut handles = vec![7; room.unwrap_or(0)];
        let array = room.map_or(0, |_| handles.as_mut_ptr() as u64);
        let mut out = [TYPE + 9, 0, handles.len() as u64, array];
        let result = unsafe {
            let command = std::mem::transmute::<unsafe extern "system" fn(), Command>(
                self.pointer(c"vkCreatePipelineBinariesKHR"),
            );
            let device = self.rig.device.handle();
            command(device, info.as_ptr(), std::ptr::null(), out.as_mut_ptr())
        };
        std::hint::black_box((&list, &chained));
        let valid = handles
            .iter()
            .copied()
            .filter(|&handle| handle != 0 && handle != 7);
        self.made.borrow_mut().extend(valid);
        (result, handles, out[2] as u32)
    }

    /// All binaries of a source.
    fn all(&self, source: &Source<'_>) -> Vec<u64> {
        let (result, _, count) = self.create(source, None);
        assert_eq!(result, vk::Result::SUCCESS);
        let (result, handles, written) = self.create(source, Some(count as usize));
        assert_eq!((result, written), (vk::Result::SUCCESS, count));
        assert!(handles.iter().all(|&handle| handle != 0 && handle != 7));
        handles
    }

    /// Reads key and data of a binary into `room` bytes, or reads their size.
    fn read(&self, binary: u64, room: Option<usize>) -> (vk::Result, Key, Vec<u8>, usize) {
        type Command = unsafe extern "system" fn(
            vk::Device,
            *const u64,
            *mut Key,
            *mut usize,
            *mut u8,
        ) -> vk::Result;
        let (info, mut key) = ([TYPE + 6, 0, binary], NO_KEY);
        let mut data = vec![0; room.unwrap_or(0)];
        let mut size = data.len();
        let out = room.map_or(std::ptr::null_mut(), |_| data.as_mut_ptr());
        let result = unsafe {
            let command = std::mem::transmute::<unsafe extern "system" fn(), Command>(
                self.pointer(c"vkGetPipelineBinaryDataKHR"),
            );
            let device = self.rig.device.handle();
            command(device, info.as_ptr(), &mut key, &mut size, out)
        };
        (result, key, data, size)
    }

    fn key_and_data(&self, binary: u64) -> (Key, Vec<u8>) {
        let (result, key, _, size) = self.read(binary, None);
        assert_eq!(result, vk::Result::SUCCESS);
        assert!(key.size == 32 && size > 64);
        let (result, _, data, small) = self.read(binary, Some(size - 1));
        assert_eq!((result, small), (NOT_ENOUGH_SPACE, size));
        assert!(data.iter().all(|&byte| byte == 0));
        let (result, same, data, all) = self.read(binary, Some(size));
        assert_eq!((result, same, all), (vk::Result::SUCCESS, key, size));
        (key, data)
    }

    /// Other binaries of the data of some.
    fn copies(&self, binaries: &[u64]) -> Vec<u64> {
        let read: Vec<_> = binaries.iter().map(|&b| self.key_and_data(b)).collect();
        let keys: Vec<_> = read.iter().map(|row| row.0).collect();
        let data = read
            .iter()
            .map(|row| [row.1.len() as u64, row.1.as_ptr() as u64]);
        let copies = self.all(&Source::Data(&keys, &data.collect::<Vec<_>>()));
        for (&copy, (key, data)) in copies.iter().zip(&read) {
            assert_eq!(self.key_and_data(copy), (*key, data.clone()));
        }
        copies
    }

    /// The key of a create info; 0: the global key.
    fn key(&self, create_info: u64) -> Key {
        type Command = unsafe extern "system" fn(vk::Device, *const u64, *mut Key) -> vk::Result;
        let (info, mut key) = ([TYPE + 7, create_info], NO_KEY);
        let pointer = match create_info {
            0 => std::ptr::null(),
            _ => info.as_ptr(),
        };
        unsafe {
            let command = std::mem::transmute::<unsafe extern "system" fn(), Command>(
                self.pointer(c"vkGetPipelineKeyKHR"),
            );
            let result = command(self.rig.device.handle(), pointer, &mut key);
            assert_eq!(result, vk::Result::SUCCESS);
        }
        assert_eq!(key.size, 32);
        key
    }

    fn release(&self, pipeline: vk::Pipeline) {
        type Command = unsafe extern "system" fn(vk::Device, *const u64, *const u64) -> vk::Result;
        let info = [TYPE + 5, 0, pipeline.as_raw()];
        unsafe {
            let command = std::mem::transmute::<unsafe extern "system" fn(), Command>(
                self.pointer(c"vkReleaseCapturedPipelineDataKHR"),
            );
            let result = command(self.rig.device.handle(), info.as_ptr(), std::ptr::null());
            assert_eq!(result, vk::Result::SUCCESS);
        }
    }
}

impl Drop for Binaries<'_> {
    fn drop(&mut self) {
        type Command = unsafe extern "system" fn(vk::Device, u64, *const u64);
        unsafe {
            let destroy = std::mem::transmute::<unsafe extern "system" fn(), Command>(
                self.pointer(c"vkDestroyPipelineBinaryKHR"),
            );
            for &binary in self.made.borrow().iter().chain([&0]) {
                destroy(self.rig.device.handle(), binary, std::ptr::null());
            }
        }
    }
}

/// A compute pipeline that stores a value, and what it is created with.
struct Fill<'a> {
    rig: &'a Rig,
    buffer: Buffer<'a>,
    kernel: Kernel,
    module: vk::ShaderModule,
}

impl<'a> Fill<'a> {
    fn new(rig: &'a Rig) -> Self {
        let (words, buffer) = (fill(), rig.buffer(64));
        let kind = vk::DescriptorType::STORAGE_BUFFER;
        let kernel = Kernel::new(rig, &words, kind, &[&buffer], vk::PipelineCache::null());
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let module = unsafe { rig.device.create_shader_module(&info, None) }.unwrap();
        Self {
            rig,
            buffer,
            kernel,
            module,
        }
    }

    /// The create info of its pipeline, without a chain.
    fn info(&self, module: vk::ShaderModule, flags: Flags) -> vk::ComputePipelineCreateInfo<'_> {
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        vk::ComputePipelineCreateInfo::default()
            .flags(flags)
            .stage(stage)
            .layout(self.kernel.layout)
    }

    /// A pipeline from binaries, without a module.
    fn create(&self, binaries: &[u64]) -> Result<vk::Pipeline, vk::Result> {
        let chain = [TYPE + 2, 0, binaries.len() as u64, binaries.as_ptr() as u64];
        let mut info = self.info(vk::ShaderModule::null(), FOUND);
        info.p_next = chain.as_ptr().cast();
        let cache = vk::PipelineCache::null();
        let created = unsafe {
            self.rig
                .device
                .create_compute_pipelines(cache, &[info], None)
        };
        created
            .map(|created| created[0])
            .map_err(|(_, error)| error)
    }

    /// Checks that a pipeline stores a value, and destroys it.
    fn check(&self, pipeline: vk::Pipeline, value: u32) {
        let d = &self.rig.device;
        self.rig.run(|commands| {
            self.kernel.bind(self.rig, commands, &[], &[value, 16]);
            unsafe {
                d.cmd_bind_pipeline(commands, vk::PipelineBindPoint::COMPUTE, pipeline);
                d.cmd_dispatch(commands, 1, 1, 1);
            }
        });
        assert_eq!(self.buffer.dwords(), [value; 16]);
        unsafe { d.destroy_pipeline(pipeline, None) };
    }

    fn destroy(self) {
        unsafe { self.rig.device.destroy_shader_module(self.module, None) };
        self.kernel.destroy(self.rig);
    }
}

#[test]
fn compute_pipelines_are_created_from_binaries() {
    let rig = Rig::new();
    let binaries = Binaries::new(&rig);
    let fill = Fill::new(&rig);
    let first = binaries.all(&Source::Pipeline(fill.kernel.pipeline));
    assert_eq!(first.len(), 1);
    binaries.release(fill.kernel.pipeline);
    fill.check(fill.create(&first).unwrap(), 3);
    let copies = binaries.copies(&first);
    let pipeline = fill.create(&copies).unwrap();
    // A pipeline that was created from binaries has the same ones.
    let again = binaries.all(&Source::Pipeline(pipeline));
    assert_eq!(
        binaries.key_and_data(again[0]),
        binaries.key_and_data(first[0])
    );
    fill.check(pipeline, 4);
    // Without binaries, the module is missing.
    assert!(fill.create(&[]).is_err());
    fill.destroy();
}

#[test]
fn damaged_data_is_refused() {
    let rig = Rig::new();
    let binaries = Binaries::new(&rig);
    let fill = Fill::new(&rig);
    let whole = binaries.all(&Source::Pipeline(fill.kernel.pipeline));
    let (key, data) = binaries.key_and_data(whole[0]);
    let refused = |key: Key, data: &[u8]| {
        let pairs = [[data.len() as u64, data.as_ptr() as u64]];
        let (result, handles, _) = binaries.create(&Source::Data(&[key], &pairs), Some(1));
        (result, handles) == (vk::Result::ERROR_INITIALIZATION_FAILED, vec![0])
    };
    for index in 0..data.len() {
        let mut damaged = data.clone();
        damaged[index] ^= 1 << (index % 8);
        assert!(refused(key, &damaged), "byte {index}");
    }
    assert!(refused(key, &data[..data.len() - 1]) && refused(key, &[]));
    let mut other = key;
    other.bytes[31] ^= 1;
    assert!(refused(other, &data));
    assert!(refused(Key { size: 31, ..key }, &data));
    // The others are created all the same.
    let pairs = [[data.len() as u64, data.as_ptr() as u64]; 3];
    let keys = [key, other, key];
    let (result, handles, count) = binaries.create(&Source::Data(&keys, &pairs), Some(3));
    assert_eq!(
        (result, count),
        (vk::Result::ERROR_INITIALIZATION_FAILED, 3)
    );
    assert!(handles[0] != 0 && handles[1] == 0 && handles[2] != 0);
    fill.destroy();
}

/// A maker of pipelines with all stages.
fn maker_of_all_stages<'a>(canvas: &'a Canvas<'a>) -> Maker<'a> {
    let mut maker = Maker::new(canvas, VERTEX, FRAGMENT);
    maker.shaders = all_stages();
    maker.look.bindings = &[];
    maker.look.attributes = &[];
    maker.look.topology = vk::PrimitiveTopology::PATCH_LIST;
    maker
}

#[test]
fn graphics_pipelines_are_created_from_binaries() {
    let rig = Rig::new();
    let binaries = Binaries::new(&rig);
    let canvas = Canvas::new(&rig, None);
    let mut maker = maker_of_all_stages(&canvas);
    let compiled = maker.create(parts(15), &[], Flags::empty()).unwrap();
    let source = Source::Pipeline(compiled);
    let all = binaries.all(&source);
    assert_eq!(all.len(), 5);
    let (result, handles, count) = binaries.create(&source, Some(2));
    assert_eq!((result, count), (vk::Result::INCOMPLETE, 2));
    assert_eq!(
        binaries.key_and_data(handles[1]),
        binaries.key_and_data(all[1])
    );
    let buffer = rig.buffer(64);
    for binaries in [all.clone(), binaries.copies(&all)] {
        maker.binaries = binaries;
        let pipeline = maker.create(parts(15), &[], FOUND).unwrap();
        draw(&canvas, pipeline, &buffer, 3);
        canvas.colour.check(|_, _| [6, 3, 9, 255]);
    }
    // Too few, or in another order.
    maker.binaries = all[..4].to_vec();
    assert!(maker.create(parts(15), &[], FOUND).is_err());
    maker.binaries = all.iter().rev().copied().collect();
    assert!(maker.create(parts(15), &[], FOUND).is_err());
}

#[test]
fn libraries_are_created_from_binaries() {
    let rig = Rig::new();
    let binaries = Binaries::new(&rig);
    let canvas = Canvas::new(&rig, Some(vk::Format::D32_SFLOAT));
    let mut maker = Maker::new(&canvas, DEEP_VERTEX, FRAGMENT);
    maker.look = telling();
    let buffer = scene(&rig);
    let retained = Flags::LIBRARY_KHR | Flags::RETAIN_LINK_TIME_OPTIMIZATION_INFO_EXT;
    let compiled = ALL.map(|part| maker.library(part));
    let all = compiled.map(|library| binaries.all(&Source::Pipeline(library)));
    assert_eq!(all.each_ref().map(Vec::len), [0, 1, 1, 0]);
    let copies: Vec<_> = ALL
        .iter()
        .zip(&all)
        .map(|(part, all)| {
            maker.binaries = binaries.copies(all);
            maker.create(*part, &[], retained | FOUND).unwrap()
        })
        .collect();
    // The binary of another stage.
    maker.binaries = all[1].clone();
    assert!(maker.create(ALL[2], &[], retained).is_err());
    maker.binaries.clear();
    // Link-time optimisation compiles the SPIR-V of the binaries.
    let optimised = Flags::LINK_TIME_OPTIMIZATION_EXT;
    let linked = maker.link(&copies, FOUND).unwrap();
    assert!(binaries.all(&Source::Pipeline(linked)).is_empty());
    let together = maker.link(&copies, optimised).unwrap();
    let own = binaries.all(&Source::Pipeline(together));
    assert_eq!(own.len(), 2);
    maker.binaries = own;
    let again = maker.link(&copies, optimised | FOUND).unwrap();
    for pipeline in [linked, together, again] {
        draw(&canvas, pipeline, &buffer, SCENE_VERTICES);
        canvas.colour.check(|x, _| scene_pixel(x));
    }
}

/// A fragment shader with more inputs than attribute setup connects freely is compiled again when
/// it is linked.
#[test]
fn a_fragment_shader_that_is_compiled_again_has_a_binary() {
    let rig = Rig::new();
    let binaries = Binaries::new(&rig);
    let canvas = Canvas::new(&rig, None);
    let vertex = "#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 colour;
layout(location = 3) out vec4 shades[20];
void main()
{
    gl_Position = vec4(position, 0.0, 1.0);
    for (int i = 0; i < 20; i++)
        shades[i] = i == 19 ? colour : vec4(0.0);
}";
    let fragment = "#version 450
layout(location = 3) in vec4 shades[20];
layout(location = 0) out vec4 colour;
void main()
{
    colour = vec4(0.0);
    for (int i = 0; i < 20; i++)
        colour += shades[i];
}";
    let mut maker = Maker::new(&canvas, vertex, fragment);
    let libraries = ALL.map(|part| maker.library(part));
    let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]];
    let buffer =
        crate::canvas::vertices(&rig, &corners.map(|corner| (corner, crate::canvas::GREEN)));
    let linked = maker.link(&libraries, Flags::empty()).unwrap();
    let own = binaries.all(&Source::Pipeline(linked));
    assert_eq!(own.len(), 1);
    assert_eq!(
        maker.link(&libraries, FOUND),
        Err(vk::Result::PIPELINE_COMPILE_REQUIRED)
    );
    maker.binaries = binaries.copies(&own);
    let again = maker.link(&libraries, FOUND).unwrap();
    for pipeline in [linked, again] {
        draw(&canvas, pipeline, &buffer, 3);
        let green = crate::canvas::stored(crate::canvas::GREEN);
        canvas.colour.check(|_, _| green);
    }
}

#[test]
fn keys_depend_on_what_binaries_depend_on() {
    let rig = Rig::new();
    let binaries = Binaries::new(&rig);
    let fill = Fill::new(&rig);
    let key_of =
        |info: &vk::ComputePipelineCreateInfo<'_>| binaries.key(std::ptr::from_ref(info) as u64);
    let key = key_of(&fill.info(fill.module, Flags::empty()));
    assert_ne!(key, binaries.key(0));
    assert_eq!(binaries.key(0), binaries.key(0));
    assert_eq!(key, key_of(&fill.info(fill.module, FOUND)));
    assert_ne!(key, key_of(&fill.info(fill.module, Flags::DISPATCH_BASE)));
    // The identifier stands for the module.
    let names = ext::shader_module_identifier::Device::new(&rig.instance, &rig.device);
    let mut name = vk::ShaderModuleIdentifierEXT::default();
    unsafe {
        (names.fp().get_shader_module_identifier_ext)(rig.device.handle(), fill.module, &mut name)
    };
    let identifier = &name.identifier[..name.identifier_size as usize];
    let mut chain =
        vk::PipelineShaderStageModuleIdentifierCreateInfoEXT::default().identifier(identifier);
    let mut info = fill.info(vk::ShaderModule::null(), Flags::empty());
    info.stage = info.stage.push_next(&mut chain);
    assert_eq!(key, key_of(&info));
    fill.destroy();
    // Graphics pipelines: state that shaders do not depend on has no effect.
    let canvas = Canvas::new(&rig, None);
    let mut maker = Maker::new(&canvas, VERTEX, FRAGMENT);
    let key_of = |maker: &Maker<'_>, bits, flags| {
        maker.with_info(parts(bits), &[], flags, |info| {
            binaries.key(std::ptr::from_ref(info) as u64)
        })
    };
    let key = key_of(&maker, 15, Flags::empty());
    assert_ne!(key, key_of(&maker, 7, Flags::LIBRARY_KHR));
    assert_ne!(key, key_of(&maker, 15, Flags::LIBRARY_KHR));
    maker.look.cull = vk::CullModeFlags::BACK;
    assert_eq!(key, key_of(&maker, 15, Flags::empty()));
    maker.alpha_to_coverage = true;
    maker.look.samples = vk::SampleCountFlags::TYPE_4;
    assert_ne!(key, key_of(&maker, 15, Flags::empty()));
    let other = Maker::new(&canvas, DEEP_VERTEX, FRAGMENT);
    assert_ne!(key, key_of(&other, 15, Flags::empty()));
}

/// The result of looking for the binaries of a create info on disk.
fn look_up(binaries: &Binaries<'_>, info: &vk::ComputePipelineCreateInfo<'_>) -> vk::Result {
    let source = Source::Cache(std::ptr::from_ref(info) as u64);
    let (result, handles, _) = binaries.create(&source, Some(1));
    assert_eq!(handles[0] == 0, result != vk::Result::SUCCESS);
    result
}

#[test]
fn without_a_cache_binaries_are_missing() {
    let rig = Rig::new();
    let binaries = Binaries::new(&rig);
    let fill = Fill::new(&rig);
    let info = fill.info(fill.module, Flags::DISPATCH_BASE);
    assert_eq!(look_up(&binaries, &info), MISSING);
    assert_eq!(internal_cache(&rig), [0; 2]);
    fill.destroy();
}

/// Whether there is an internal cache, and whether it can be disabled.
fn internal_cache(rig: &Rig) -> [u32; 2] {
    // VkPhysicalDevicePipelineBinaryPropertiesKHR: type, chain, five properties.
    let mut chain = [TYPE + 4, 0, 7, 7, 7];
    let mut query = vk::PhysicalDeviceProperties2 {
        p_next: chain.as_mut_ptr().cast(),
        ..Default::default()
    };
    unsafe {
        rig.instance
            .get_physical_device_properties2(rig.physical, &mut query)
    };
    let chain = std::hint::black_box(&chain);
    assert_eq!(
        chain[3] as u32 | (chain[3] >> 32) as u32 | chain[4] as u32,
        0
    );
    [chain[2] as u32, (chain[2] >> 32) as u32]
}

#[test]
fn binaries_are_found_on_disk() {
    if !is_child() {
        let folder = Folder::new("binaries");
        let child = ["pipeline_binaries::binaries_are_found_on_disk"];
        run(&child, &folder.0);
        assert_eq!(run(&child, &folder.0)[0], 0);
        return;
    }
    let rig = Rig::new();
    let binaries = Binaries::new(&rig);
    assert_eq!(internal_cache(&rig), [1; 2]);
    let fill = Fill::new(&rig);
    // What was compiled with these flags is on disk.
    let info = fill.info(fill.module, Flags::DISPATCH_BASE);
    assert_eq!(look_up(&binaries, &info), vk::Result::SUCCESS);
    let found = binaries.all(&Source::Cache(&raw const info as u64));
    fill.check(fill.create(&found).unwrap(), 5);
    assert_eq!(
        look_up(&binaries, &fill.info(fill.module, Flags::empty())),
        MISSING
    );
    let canvas = Canvas::new(&rig, None);
    let mut maker = maker_of_all_stages(&canvas);
    let buffer = rig.buffer(64);
    let compiled = maker.create(parts(15), &[], Flags::empty()).unwrap();
    let source = Source::Pipeline(compiled);
    let keys: Vec<_> = binaries
        .all(&source)
        .iter()
        .map(|&b| binaries.key_and_data(b))
        .collect();
    let found = maker.with_info(parts(15), &[], Flags::empty(), |info| {
        binaries.all(&Source::Cache(std::ptr::from_ref(info) as u64))
    });
    let found_keys: Vec<_> = found.iter().map(|&b| binaries.key_and_data(b)).collect();
    assert!(keys == found_keys && keys.len() == 5);
    maker.binaries = found;
    let pipeline = maker.create(parts(15), &[], FOUND).unwrap();
    draw(&canvas, pipeline, &buffer, 3);
    canvas.colour.check(|_, _| [6, 3, 9, 255]);
    fill.destroy();
}

/// The cache can be disabled for a device, and is not used for pipelines whose binaries the
/// application stores.
#[test]
fn the_cache_can_be_disabled() {
    if !is_child() {
        let folder = Folder::new("disabled");
        let child = ["pipeline_binaries::the_cache_can_be_disabled"];
        run(&child, &folder.0);
        assert!(run(&child, &folder.0)[0] > 0);
        return;
    }
    let rig = Rig::new();
    let binaries = Binaries::new(&rig);
    let fill = Fill::new(&rig);
    // VkPipelineCreateFlags2CreateInfo with VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR.
    let capture = [1_000_470_005_u64, 0, 1 << 31];
    let mut info = fill.info(fill.module, Flags::empty());
    info.p_next = capture.as_ptr().cast();
    let cache = vk::PipelineCache::null();
    unsafe {
        let created = rig.device.create_compute_pipelines(cache, &[info], None);
        rig.device.destroy_pipeline(created.unwrap()[0], None);
    }
    assert_eq!(
        look_up(&binaries, &fill.info(fill.module, Flags::empty())),
        MISSING
    );
    // VkDevicePipelineBinaryInternalCacheControlKHR.
    let control = [TYPE + 8, 0, 1];
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
    let names = [c"VK_KHR_pipeline_binary".as_ptr()];
    let mut info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&names);
    info.p_next = control.as_ptr().cast();
    unsafe {
        let device = rig
            .instance
            .create_device(rig.physical, &info, None)
            .unwrap();
        let layout = vk::PipelineLayoutCreateInfo::default();
        let layout = device.create_pipeline_layout(&layout, None).unwrap();
        let words =
            crate::rig::compile("#version 450\nlayout(local_size_x = 1) in;\nvoid main() {}");
        let create = |flags| {
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            let module = device.create_shader_module(&info, None).unwrap();
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let info = vk::ComputePipelineCreateInfo::default()
                .flags(flags)
                .stage(stage)
                .layout(layout);
            let created = device.create_compute_pipelines(cache, &[info], None);
            device.destroy_shader_module(module, None);
            created.map(|created| device.destroy_pipeline(created[0], None))
        };
        assert!(create(Flags::empty()).is_ok());
        assert!(create(FOUND).is_err());
        device.destroy_pipeline_layout(layout, None);
        device.destroy_device(None);
    }
    fill.destroy();
}
