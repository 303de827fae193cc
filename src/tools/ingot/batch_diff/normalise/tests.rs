use super::*;
use hw::draw::{state_depth_buffer, state_vs};
use hw::state::render_surface_state as surface;

#[test]
fn stars_stand_for_any_text() {
    assert!(matches("Width", "Width") && !matches("Width", "Widths"));
    assert!(matches("*", "anything") && matches("*", ""));
    assert!(matches("3DSTATE_*_VS", "3DSTATE_URB_VS") && !matches("3DSTATE_*_VS", "3DSTATE_VS"));
    assert!(matches("*Surface Pitch", "Auxiliary Surface Pitch"));
    assert!(!matches("*Surface Pitch", "Surface Pitches"));
}

fn set(field: hw::Field, value: u64) -> Vec<u32> {
    let mut words = vec![0; 16];
    let at = usize::from(field.lo);
    for bit in (0..64).filter(|bit| value >> bit & 1 == 1) {
        words[(at + bit) / 32] |= 1 << ((at + bit) % 32);
    }
    words
}

#[test]
fn extents_count_as_present_and_modes_by_value() {
    let width = |value| {
        comparable(
            &surface::PACKET,
            &surface::WIDTH,
            &set(surface::WIDTH, value),
        )
    };
    assert_eq!(width(0).as_deref(), Some("0"));
    assert_eq!(width(99), width(7));
    let tail = surface::MIP_TAIL_START_LOD;
    let tail_of = |value| comparable(&surface::PACKET, &tail, &set(tail, value));
    assert_eq!(tail_of(15).as_deref(), Some("15"));
    assert_eq!(tail_of(0).as_deref(), Some("0"));
}

#[test]
fn addresses_differ_by_being_canonical_alone() {
    let field = state_depth_buffer::SURFACE_BASE_ADDRESS;
    let of = |value| comparable(&state_depth_buffer::PACKET, &field, &set(field, value)).unwrap();
    assert_eq!(of(0), "0");
    assert_eq!(of(0x1000), of(0x7fff_ffff_f000));
    assert_eq!(of(0xffff_8000_0000_0000), "address");
    assert_eq!(of(0x8000_0000_0000), "address, not canonical");
    let kernel = state_vs::KERNEL_START_POINTER;
    assert_eq!(
        comparable(&state_vs::PACKET, &kernel, &set(kernel, 3)),
        None
    );
}
