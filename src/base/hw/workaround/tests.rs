//! Tests of the table of workarounds.

use super::*;
use crate::device_table::DEVICES;

#[test]
fn workarounds_are_unique_and_apply_to_some_device() {
    for (i, row) in WORKAROUNDS.iter().enumerate() {
        assert!(
            WORKAROUNDS[..i].iter().all(|other| other.wa != row.wa),
            "{:?}",
            row.wa
        );
        assert!(DEVICES.iter().any(|d| d.needs(row.wa)), "{:?}", row.wa);
        assert!(
            !row.requirement.is_empty() && !row.prm.is_empty(),
            "{:?}",
            row.wa
        );
    }
}

#[test]
fn workarounds_apply_to_the_right_devices() {
    let needs = |name: &str, wa| Device::by_name(name).expect("a device").needs(wa);
    assert!(needs("bxt", Wa::Align64BitRegions) && needs("glk", Wa::Align64BitRegions));
    assert!(!needs("skl", Wa::Align64BitRegions) && !needs("tgl", Wa::Align64BitRegions));
    assert!(needs("glk", Wa::BarrierMode) && !needs("bxt", Wa::BarrierMode));
    assert!(
        needs("skl", Wa::NoTiledTargetsOver16382) && !needs("kbl", Wa::NoTiledTargetsOver16382)
    );
    assert!(!needs("skl-1932", Wa::NoTiledTargetsOver16382));
    assert!(needs("skl-1932", Wa::NoVertexCacheWithTessellation));
    assert!(!needs("skl", Wa::NoVertexCacheWithTessellation));
    assert!(needs("skl-1902", Wa::FewVertexUrbEntries) && !needs("bxt", Wa::FewVertexUrbEntries));
    assert!(!needs("kbl-5913", Wa::FewVertexUrbEntries));
    assert!(needs("kbl-5902", Wa::FewGeometryUrbEntries));
    assert!(!needs("kbl-5913", Wa::FewGeometryUrbEntries));
    assert!(needs("icl", Wa::StallWithTextureInvalidateOnGpgpu));
    assert!(!needs("icl", Wa::NullPipeControlBeforeVfInvalidate));
}
