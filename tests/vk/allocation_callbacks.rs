//! Objects in memory that the application's callbacks give (`VkAllocationCallbacks`): it is
//! allocated for, and given back where it came from; where there is none, the command says so and
//! leaves nothing.

use std::alloc::Layout;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::c_void;

use ash::vk;

use crate::rig::{Rig, entry, fill};

/// An application's allocator: what is out, and after how many times nothing is left.
#[derive(Default)]
struct Lender {
    out: RefCell<BTreeMap<usize, (Layout, vk::SystemAllocationScope)>>,
    left: std::cell::Cell<usize>,
    asked: std::cell::Cell<usize>,
}

unsafe extern "system" fn allocate(
    user: *mut c_void,
    bytes: usize,
    align: usize,
    scope: vk::SystemAllocationScope,
) -> *mut c_void {
    let lender = unsafe { &*user.cast::<Lender>() };
    lender.asked.set(lender.asked.get() + 1);
    let Some(left) = lender.left.get().checked_sub(1) else {
        return std::ptr::null_mut();
    };
    lender.left.set(left);
    let layout = Layout::from_size_align(bytes, align).unwrap();
    assert!(bytes > 0);
    let memory = unsafe { std::alloc::alloc(layout) };
    // Nothing may be assumed of what is in it.
    unsafe { memory.write_bytes(0xdd, bytes) };
    lender
        .out
        .borrow_mut()
        .insert(memory as usize, (layout, scope));
    memory.cast()
}

unsafe extern "system" fn grow(
    _: *mut c_void,
    _: *mut c_void,
    _: usize,
    _: usize,
    _: vk::SystemAllocationScope,
) -> *mut c_void {
    unreachable!("nothing of ours grows")
}

unsafe extern "system" fn free(user: *mut c_void, memory: *mut c_void) {
    let lender = unsafe { &*user.cast::<Lender>() };
    if memory.is_null() {
        return;
    }
    let known = lender.out.borrow_mut().remove(&(memory as usize));
    let (layout, _) = known.expect("memory of this allocator's");
    unsafe { std::alloc::dealloc(memory.cast(), layout) };
}

impl Lender {
    fn callbacks(&self) -> vk::AllocationCallbacks<'_> {
        vk::AllocationCallbacks::default()
            .user_data((&raw const *self).cast_mut().cast())
            .pfn_allocation(Some(allocate))
            .pfn_reallocation(Some(grow))
            .pfn_free(Some(free))
    }

    /// Makes something with more and more memory until it is made, and destroys it.
    fn check<T>(
        &self,
        what: &str,
        make: impl Fn(Option<&vk::AllocationCallbacks<'_>>) -> Result<T, vk::Result>,
        destroy: impl Fn(T, Option<&vk::AllocationCallbacks<'_>>),
        scope: vk::SystemAllocationScope,
    ) {
        let callbacks = self.callbacks();
        for room in 0.. {
            assert!(room < 10, "{what}: never made");
            self.left.set(room);
            self.asked.set(0);
            match make(Some(&callbacks)) {
                Ok(made) => {
                    assert!(self.asked.get() > 0, "{what}: nobody asked");
                    let scopes: Vec<_> = self.out.borrow().values().map(|out| out.1).collect();
                    assert!(scopes.contains(&scope), "{what}: {scopes:?}");
                    destroy(made, Some(&callbacks));
                    assert!(self.out.borrow().is_empty(), "{what}: kept");
                    return;
                }
                Err(error) => {
                    assert_eq!(error, vk::Result::ERROR_OUT_OF_HOST_MEMORY, "{what}");
                    assert!(self.out.borrow().is_empty(), "{what}: kept by a failure");
                }
            }
        }
    }
}

const OBJECT: vk::SystemAllocationScope = vk::SystemAllocationScope::OBJECT;

#[test]
fn objects_use_allocation_callbacks() {
    let rig = Rig::new();
    let d = &rig.device;
    let lender = Lender::default();
    macro_rules! check {
        ($create:ident, $destroy:ident, $info:expr) => {
            lender.check(
                stringify!($create),
                |callbacks| unsafe { d.$create(&$info, callbacks) },
                |made, callbacks| unsafe { d.$destroy(made, callbacks) },
                OBJECT,
            )
        };
    }
    let usage = vk::BufferUsageFlags::TRANSFER_DST | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
    check!(
        create_buffer,
        destroy_buffer,
        vk::BufferCreateInfo::default().size(64).usage(usage)
    );
    check!(
        allocate_memory,
        free_memory,
        vk::MemoryAllocateInfo::default().allocation_size(4096)
    );
    check!(create_fence, destroy_fence, vk::FenceCreateInfo::default());
    check!(
        create_semaphore,
        destroy_semaphore,
        vk::SemaphoreCreateInfo::default()
    );
    check!(create_event, destroy_event, vk::EventCreateInfo::default());
    check!(
        create_query_pool,
        destroy_query_pool,
        vk::QueryPoolCreateInfo::default()
            .query_type(vk::QueryType::OCCLUSION)
            .query_count(2)
    );
    check!(
        create_command_pool,
        destroy_command_pool,
        vk::CommandPoolCreateInfo::default()
    );
    check!(
        create_pipeline_cache,
        destroy_pipeline_cache,
        vk::PipelineCacheCreateInfo::default()
    );
    check!(
        create_sampler,
        destroy_sampler,
        vk::SamplerCreateInfo::default()
    );
    let words = fill();
    check!(
        create_shader_module,
        destroy_shader_module,
        vk::ShaderModuleCreateInfo::default().code(&words)
    );
    let bindings = [vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::COMPUTE)];
    check!(
        create_descriptor_set_layout,
        destroy_descriptor_set_layout,
        vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings)
    );
    let sizes = [vk::DescriptorPoolSize::default()
        .ty(vk::DescriptorType::STORAGE_BUFFER)
        .descriptor_count(4)];
    check!(
        create_descriptor_pool,
        destroy_descriptor_pool,
        vk::DescriptorPoolCreateInfo::default()
            .max_sets(2)
            .pool_sizes(&sizes)
    );
    let image = vk::ImageCreateInfo::default()
        .image_type(vk::ImageType::TYPE_2D)
        .format(vk::Format::R8G8B8A8_UNORM)
        .extent(vk::Extent3D {
            width: 4,
            height: 4,
            depth: 1,
        })
        .mip_levels(1)
        .array_layers(1)
        .samples(vk::SampleCountFlags::TYPE_1)
        .usage(vk::ImageUsageFlags::SAMPLED);
    check!(create_image, destroy_image, image);
    let subpasses = [vk::SubpassDescription::default()];
    let pass = vk::RenderPassCreateInfo::default().subpasses(&subpasses);
    check!(create_render_pass, destroy_render_pass, pass);
    let made = unsafe { d.create_render_pass(&pass, None) }.unwrap();
    check!(
        create_framebuffer,
        destroy_framebuffer,
        vk::FramebufferCreateInfo::default()
            .render_pass(made)
            .width(4)
            .height(4)
            .layers(1)
    );
    unsafe { d.destroy_render_pass(made, None) };
    let push = [vk::PushConstantRange::default()
        .stage_flags(vk::ShaderStageFlags::COMPUTE)
        .size(8)];
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    let layouts = [unsafe { d.create_descriptor_set_layout(&info, None) }.unwrap()];
    let info = vk::PipelineLayoutCreateInfo::default()
        .set_layouts(&layouts)
        .push_constant_ranges(&push);
    check!(create_pipeline_layout, destroy_pipeline_layout, info);
    unsafe {
        let layout = d.create_pipeline_layout(&info, None).unwrap();
        let info = vk::ShaderModuleCreateInfo::default().code(&words);
        let module = d.create_shader_module(&info, None).unwrap();
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(layout); 2];
        lender.check(
            "two compute pipelines",
            |callbacks| {
                let made = d.create_compute_pipelines(vk::PipelineCache::null(), &info, callbacks);
                // One may be there where the other is not.
                made.map_err(|(made, error)| {
                    for pipeline in made {
                        d.destroy_pipeline(pipeline, callbacks);
                    }
                    error
                })
            },
            |made, callbacks| {
                for pipeline in made {
                    d.destroy_pipeline(pipeline, callbacks);
                }
            },
            OBJECT,
        );
        d.destroy_shader_module(module, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_descriptor_set_layout(layouts[0], None);
    }
}

#[test]
fn instances_and_devices_use_allocation_callbacks() {
    let entry = entry();
    let lender = Lender::default();
    lender.check(
        "an instance",
        |callbacks| unsafe { entry.create_instance(&vk::InstanceCreateInfo::default(), callbacks) },
        |made, callbacks| unsafe { made.destroy_instance(callbacks) },
        vk::SystemAllocationScope::INSTANCE,
    );
    let rig = Rig::new();
    let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues);
    lender.check(
        "a device",
        |callbacks| unsafe { rig.instance.create_device(rig.physical, &info, callbacks) },
        |made, callbacks| unsafe { made.destroy_device(callbacks) },
        vk::SystemAllocationScope::DEVICE,
    );
}

#[test]
fn objects_in_application_memory_work() {
    let rig = Rig::new();
    let d = &rig.device;
    let lender = Lender::default();
    lender.left.set(usize::MAX);
    let callbacks = lender.callbacks();
    let given = Some(&callbacks);
    unsafe {
        let info = vk::BufferCreateInfo::default()
            .size(64)
            .usage(vk::BufferUsageFlags::TRANSFER_DST);
        let buffer = d.create_buffer(&info, given).unwrap();
        let info = vk::MemoryAllocateInfo::default().allocation_size(4096);
        let memory = d.allocate_memory(&info, given).unwrap();
        d.bind_buffer_memory(buffer, memory, 0).unwrap();
        let at = d
            .map_memory(memory, 0, 64, vk::MemoryMapFlags::empty())
            .unwrap()
            .cast::<u32>();
        rig.run(|commands| d.cmd_fill_buffer(commands, buffer, 0, 64, 0x1234));
        assert_eq!(at.add(15).read_volatile(), 0x1234);
        assert_eq!(lender.out.borrow().len(), 2);
        d.destroy_buffer(buffer, given);
        d.free_memory(memory, given);
    }
    assert!(lender.out.borrow().is_empty());
}

/// A pipeline layout takes its sets after its memory is allocated; the memory of one that cannot
/// take them all is freed.
#[test]
fn a_pipeline_layout_with_too_many_sets_keeps_no_memory() {
    let rig = Rig::new();
    let lender = Lender::default();
    lender.left.set(usize::MAX);
    let info = vk::DescriptorSetLayoutCreateInfo::default();
    let set = unsafe { rig.device.create_descriptor_set_layout(&info, None) }.unwrap();
    let sets = [set; 33];
    let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
    let created = unsafe { (rig.device).create_pipeline_layout(&info, Some(&lender.callbacks())) };
    assert_eq!(created, Err(vk::Result::ERROR_UNKNOWN));
    assert_eq!(lender.asked.get(), 1);
    assert!(lender.out.borrow().is_empty());
    unsafe { rig.device.destroy_descriptor_set_layout(set, None) };
}
