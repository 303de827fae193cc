//! Threads that end while they are inside the library, as those of Wine do.
#![allow(unsafe_code, reason = "tests call the C interface")]

use ash::vk;
use ash::vk::Handle as _;
use std::ffi::{c_char, c_void};

type GetProcAddr = unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;

/// Ends the thread in the middle of the driver's call.
unsafe extern "system" fn exit_thread(
    _data: *mut c_void,
    _size: usize,
    _alignment: usize,
    _scope: vk::SystemAllocationScope,
) -> *mut c_void {
    // SAFETY: the thread is the test's own, and nothing waits for a value.
    unsafe { libc::pthread_exit(std::ptr::null_mut()) }
}

unsafe extern "system" fn reallocate(
    _data: *mut c_void,
    _memory: *mut c_void,
    _size: usize,
    _alignment: usize,
    _scope: vk::SystemAllocationScope,
) -> *mut c_void {
    std::ptr::null_mut()
}

unsafe extern "system" fn free(_data: *mut c_void, _memory: *mut c_void) {}

/// Creates an instance whose first allocation ends the thread.
extern "C" fn create_instance(library: *mut c_void) -> *mut c_void {
    // SAFETY: the test passes its library, which outlives the thread.
    let library = unsafe { &*library.cast::<libloading::Library>() };
    let callbacks = vk::AllocationCallbacks {
        pfn_allocation: Some(exit_thread),
        pfn_reallocation: Some(reallocate),
        pfn_free: Some(free),
        ..Default::default()
    };
    let info = vk::InstanceCreateInfo::default();
    let mut instance = vk::Instance::null();
    // SAFETY: the library's function of this name has this type; `vkCreateInstance` needs no
    // instance, and its arguments outlive the call.
    let result = unsafe {
        let get: libloading::Symbol<'_, GetProcAddr> = library
            .get(b"vk_icdGetInstanceProcAddr\0")
            .expect("exported");
        let create = get(vk::Instance::null(), c"vkCreateInstance".as_ptr()).expect("a command");
        let create: vk::PFN_vkCreateInstance = std::mem::transmute(create);
        create(&info, &callbacks, &mut instance)
    };
    println!("returned {result:?}, {:#x}", instance.as_raw());
    std::ptr::dangling_mut()
}

#[test]
fn threads_may_end_inside_the_driver() {
    let tests = std::env::current_exe().expect("this program");
    let folder = tests.parent().expect("its folder");
    // SAFETY: the library's initialisers are Rust's own.
    let library = unsafe { libloading::Library::new(folder.join("libvulkan_ingot.so")) };
    let mut library = library.expect("built with this test");
    let mut thread = 0;
    let mut returned = std::ptr::dangling_mut();
    let argument: *mut libloading::Library = &mut library;
    // SAFETY: the argument outlives the thread, which is joined.
    let codes = unsafe {
        [
            libc::pthread_create(
                &mut thread,
                std::ptr::null(),
                create_instance,
                argument.cast(),
            ),
            libc::pthread_join(thread, &mut returned),
        ]
    };
    assert_eq!(codes, [0, 0]);
    assert!(returned.is_null(), "the thread went on");
}
