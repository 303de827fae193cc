use super::*;

fn words(parameter: &impl Parameter) -> Vec<u32> {
    let mut key = KeyWords::new();
    key.add(parameter);
    key.0
}

#[test]
fn parameters_next_to_each_other_do_not_merge() {
    let lists = |first: &[u32], second: &[u32]| words(&(first, second));
    assert_eq!(lists(&[7], &[8, 9]), [1, 7, 2, 8, 9]);
    assert_ne!(lists(&[1], &[2, 3]), lists(&[1, 2], &[3]));
    assert_ne!(words(&Some(0_u32)), words(&None::<u32>));
    let texts = |first: &str, second: &str| [words(&first), words(&second)].concat();
    assert_ne!(texts("main", ""), texts("mai", "n"));
    assert_ne!(texts("a\0", "b"), texts("a", "\0b"));
    assert_eq!(words(&0x1_0000_0002_u64), [2, 1]);
    assert_eq!(words(&SubgroupSize::Required(8)), [10]);
}

#[test]
fn zeroes_of_both_signs_differ() {
    assert_ne!(words(&0.0_f32), words(&-0.0_f32));
}
