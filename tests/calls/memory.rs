//! Memory of a buffer by every way of having it: the driver's, the process's own pages, at an
//! address that can be asked for again; and objects in memory that the application lends.

use std::alloc::Layout;
use std::ffi::c_void;

use ash::vk;

use crate::random::Random;
use crate::world::World;

/// Memory, and the process's pages where it is made of them.
pub struct Memory {
    pub memory: vk::DeviceMemory,
    pages: Option<(usize, Layout)>,
}

/// Bytes of a page of the process's, as `minImportedHostPointerAlignment` has it.
const PAGE_BYTES: usize = 4096;

impl Memory {
    /// Memory for a buffer that has not been bound.
    pub fn new(world: &World, random: &mut Random, buffer: vk::Buffer) -> Memory {
        let d = &world.device;
        let wants = unsafe { d.get_buffer_memory_requirements(buffer) };
        match random.below(4) {
            0 => {
                let bytes = (wants.size as usize).next_multiple_of(PAGE_BYTES);
                let layout = Layout::from_size_align(bytes, PAGE_BYTES).expect("a layout");
                let base = unsafe { std::alloc::alloc_zeroed(layout) };
                assert!(!base.is_null());
                let mut host = vk::ImportMemoryHostPointerInfoEXT::default()
                    .handle_type(vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT)
                    .host_pointer(base.cast());
                let info = vk::MemoryAllocateInfo::default()
                    .allocation_size(bytes as u64)
                    .memory_type_index(wants.memory_type_bits.trailing_zeros())
                    .push_next(&mut host);
                let memory = unsafe { d.allocate_memory(&info, None) }.expect("memory");
                Memory {
                    memory,
                    pages: Some((base.expose_provenance(), layout)),
                }
            }
            1 => {
                let kinds = vk::MemoryAllocateFlags::DEVICE_ADDRESS
                    | vk::MemoryAllocateFlags::DEVICE_ADDRESS_CAPTURE_REPLAY;
                let allocate = |address| {
                    let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(kinds);
                    let mut asked = vk::MemoryOpaqueCaptureAddressAllocateInfo::default()
                        .opaque_capture_address(address);
                    let info = vk::MemoryAllocateInfo::default()
                        .allocation_size(wants.size)
                        .memory_type_index(wants.memory_type_bits.trailing_zeros())
                        .push_next(&mut flags)
                        .push_next(&mut asked);
                    unsafe { d.allocate_memory(&info, None) }.expect("memory")
                };
                let mut memory = allocate(0);
                if random.one_in(2) {
                    // There again, as a later run of the program would ask.
                    let info = vk::DeviceMemoryOpaqueCaptureAddressInfo::default().memory(memory);
                    let address = unsafe { d.get_device_memory_opaque_capture_address(&info) };
                    assert_ne!(address, 0);
                    unsafe { d.free_memory(memory, None) };
                    memory = allocate(address);
                }
                Memory {
                    memory,
                    pages: None,
                }
            }
            _ => Memory {
                memory: world.memory(wants),
                pages: None,
            },
        }
    }

    pub fn free(self, world: &World) {
        unsafe {
            world.device.free_memory(self.memory, None);
            if let Some((base, layout)) = self.pages {
                std::alloc::dealloc(std::ptr::with_exposed_provenance_mut(base), layout);
            }
        }
    }
}

/// Callbacks that take memory of the process's allocator, with its size before it.
pub fn lender() -> vk::AllocationCallbacks<'static> {
    const HEAD: usize = 64;
    unsafe extern "system" fn allocate(
        _: *mut c_void,
        bytes: usize,
        align: usize,
        _: vk::SystemAllocationScope,
    ) -> *mut c_void {
        assert!(align.is_power_of_two() && align <= HEAD && bytes > 0);
        let layout = Layout::from_size_align(bytes + HEAD, HEAD).expect("a layout");
        unsafe {
            let base = std::alloc::alloc(layout);
            base.cast::<usize>().write(bytes);
            base.add(HEAD).cast()
        }
    }
    unsafe extern "system" fn free(_: *mut c_void, memory: *mut c_void) {
        if memory.is_null() {
            return;
        }
        unsafe {
            let base = memory.cast::<u8>().sub(HEAD);
            let bytes = base.cast::<usize>().read();
            let layout = Layout::from_size_align(bytes + HEAD, HEAD).expect("a layout");
            std::alloc::dealloc(base, layout);
        }
    }
    unsafe extern "system" fn grow(
        user: *mut c_void,
        memory: *mut c_void,
        bytes: usize,
        align: usize,
        scope: vk::SystemAllocationScope,
    ) -> *mut c_void {
        unsafe {
            let more = allocate(user, bytes, align, scope);
            if !memory.is_null() {
                let had = memory.cast::<u8>().sub(HEAD).cast::<usize>().read();
                memory.copy_to_nonoverlapping(more, had.min(bytes));
                free(user, memory);
            }
            more
        }
    }
    vk::AllocationCallbacks::default()
        .pfn_allocation(Some(allocate))
        .pfn_reallocation(Some(grow))
        .pfn_free(Some(free))
}
