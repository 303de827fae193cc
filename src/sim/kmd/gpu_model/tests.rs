//! GPUs by name.

use crate::device::Device;
use crate::options::Options;

/// A GPU whose batches would be misread is refused by name, in one line that names those that are
/// not.
#[test]
fn generations_without_packets_are_refused() {
    let new = |name: &str| Device::new(name, Options::default()).map(|device| device.hw().name);
    for name in ["bdw", "hsw", "icl", "tgl", "no such"] {
        let line = new(name).unwrap_err().to_string();
        assert!(line.contains(name), "{line}");
        assert!(line.contains("there are ") && !line.contains('\n'));
        assert!(!line[line.find("there are").unwrap()..].contains("bdw"));
    }
    for device in hw::DEVICES
        .iter()
        .filter(|device| device.hw_gen == hw::Gen::Gen9)
    {
        assert_eq!(new(device.name), Ok(device.name));
    }
}
