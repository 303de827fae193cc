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

#[test]
fn a_kept_pipeline_is_found_by_its_key() {
    let kept = KeptPipelines::default();
    let key = |word: u32| {
        let mut key = KeyWords::new();
        key.add(&word);
        key
    };
    let pipeline = Arc::new("pipeline");
    kept.insert(key(1), &pipeline, std::iter::empty());
    assert!(Arc::ptr_eq(&kept.get(&key(1)).unwrap(), &pipeline));
    assert!(kept.get(&key(2)).is_none());
}

#[test]
fn the_number_of_kept_pipelines_is_bounded() {
    let kept = KeptPipelines::default();
    let pipeline = Arc::new(());
    for word in 0..3 * MAX_KEPT as u32 + 1 {
        let mut key = KeyWords::new();
        key.add(&word);
        kept.insert(key, &pipeline, std::iter::empty());
    }
    assert!(Arc::strong_count(&pipeline) <= MAX_KEPT + 1);
}
