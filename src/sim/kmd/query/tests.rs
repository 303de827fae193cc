//! What the device reports of itself.

use crate::device::Device;
use crate::options::Options;
use crate::testing::open;
use uapi::i915::{self};
use uapi::{Errno, Kernel};

#[test]
fn queries_describe_the_gpu() {
    let file = open();
    assert_eq!(file.getparam(i915::PARAM_CHIPSET_ID), Ok(0x1912));
    assert_eq!(file.getparam(9999), Err(Errno::EINVAL));
    assert_eq!(
        file.context_getparam(0, i915::CONTEXT_PARAM_GTT_SIZE),
        Ok(1 << 48)
    );
    let topology = file.query(i915::QUERY_TOPOLOGY_INFO, 0).unwrap();
    // One slice; three subslices; eight EUs in each.
    assert_eq!(topology[16..], [1, 0b111, 0xff, 0xff, 0xff]);
    assert_eq!(file.query(i915::QUERY_HWCONFIG_BLOB, 0), Err(Errno::ENODEV));
    assert_eq!(file.query(i915::QUERY_PERF_CONFIG, 1), Err(Errno::EINVAL));
    let before = file.reg_read(i915::TIMESTAMP_REGISTER | 1).unwrap();
    assert!(file.reg_read(i915::TIMESTAMP_REGISTER).unwrap() >= before);
    assert_eq!(file.reg_read(0x1234), Err(Errno::EINVAL));
    assert_eq!(
        file.version().map(|version| version.name),
        Ok("i915".into())
    );
    for device in hw::DEVICES {
        let file = Device::with_hw(device, Options::default()).open();
        assert_eq!(
            file.getparam(i915::PARAM_CHIPSET_ID),
            Ok(i32::from(device.pci_id))
        );
        assert!(file.query(i915::QUERY_ENGINE_INFO, 0).unwrap().len() > 16);
    }
}
