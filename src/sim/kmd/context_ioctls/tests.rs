//! Errors of context ioctls.

use crate::device::Device;
use crate::options::Options;
use crate::testing::open;
use uapi::i915::{self, EngineClassInstance};
use uapi::{ContextParam, Errno, Kernel};

#[test]
fn invalid_context_parameters_are_rejected() {
    let file = open();
    let create = |params: &[ContextParam]| file.context_create(1, params);
    let value = |param, value| create(&[ContextParam::Value { param, value }]);
    let nowhere = EngineClassInstance {
        engine_class: 7,
        engine_instance: 0,
    };
    assert_eq!(
        create(&[ContextParam::Engines(vec![nowhere])]),
        Err(Errno::ENOENT)
    );
    assert_eq!(create(&[ContextParam::Vm(3)]), Err(Errno::ENOENT));
    assert_eq!(create(&[ContextParam::priority(1024)]), Err(Errno::EINVAL));
    assert!(create(&[ContextParam::priority(-1023)]).is_ok());
    assert_eq!(
        value(i915::CONTEXT_PARAM_PROTECTED_CONTENT, 1),
        Err(Errno::ENODEV)
    );
    assert_eq!(value(i915::CONTEXT_PARAM_GTT_SIZE, 1), Err(Errno::EINVAL));
    assert_eq!(value(0x8000_0000, 0), Err(Errno::EINVAL));
    assert_eq!(file.context_create(4, &[]), Err(Errno::EINVAL));
    assert_eq!(file.context_destroy(0), Err(Errno::ENOENT));
    assert_eq!(file.context_getparam(50, 3), Err(Errno::ENOENT));
    assert_eq!(file.vm_destroy(9), Err(Errno::ENOENT));
    let hsw = hw::Device::by_name("hsw").unwrap();
    let hsw = Device::with_hw(hsw, Options::default()).open();
    assert_eq!(
        hsw.context_setparam(0, &ContextParam::priority(0)),
        Err(Errno::ENODEV)
    );
}
