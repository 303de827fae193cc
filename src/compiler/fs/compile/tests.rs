//! Tests of whole compilations.

mod cases;
mod lir_cases;
mod push_ranges;
mod text_cases;

use super::{Estimate, compile, is_simd32_faster};
use crate::options::Options;

fn estimate(cycles: u64, work: u64) -> Estimate {
    Estimate {
        cycles,
        work,
        ..Estimate::default()
    }
}

#[test]
fn simd32_is_faster_if_latency_dominates() {
    // A texture message: seven threads have a latency of 50 cycles each, and need ten FPU
    // cycles.
    let texture = estimate(350, 10);
    assert!(is_simd32_faster(&texture, &estimate(360, 22), 7));
    // Twice the latency, as if the throughput of the shared function is the limit.
    assert!(!is_simd32_faster(&texture, &estimate(700, 22), 7));
    // FPU cycles dominate, of which SIMD32 needs twice as many.
    assert!(!is_simd32_faster(
        &estimate(350, 100),
        &estimate(360, 200),
        7
    ));
    // The gain must exceed the margin, which is larger with branches.
    assert!(!is_simd32_faster(&estimate(350, 41), &estimate(360, 82), 7));
    let branches = Estimate {
        branches: true,
        ..texture
    };
    let simd32 = estimate(530, 22);
    assert!(!is_simd32_faster(&branches, &simd32, 7) && is_simd32_faster(&texture, &simd32, 7));
}

#[test]
fn replicated_colour_is_written_with_one_register() {
    use nir::{Builder, IntrinsicOp, Shader, Slot, Stage};
    let mut shader = Shader::new(Stage::Fragment, "one");
    let mut b = Builder::at_end(&mut shader);
    let (colour, zero) = (b.imm_float(32, 0.5), b.imm_u32(0));
    let colour = b.vec(&[colour; 4]);
    let slot = Slot::var(0).unwrap();
    let indices = [0, 0xf, 0, slot.0.into(), 1, 0, 0];
    b.intrinsic(IntrinsicOp::StoreOutput, None, &[colour, zero], &indices);
    let device = hw::Device::by_name("skl").unwrap();
    let options = Options {
        replicated: true,
        dumps: vec!["asm".into()],
        ..Default::default()
    };
    let made = compile(&shader, device, &options).unwrap();
    let [only] = &made.variants[..] else {
        panic!("{} variants", made.variants.len())
    };
    assert_eq!(only.simd_width, 16);
    let text = &only.dumps[0].1;
    // A message of one register, of type 1.
    assert!(
        text.contains("control 17, mlen 1, rlen 0, end of thread"),
        "{text}"
    );
}
