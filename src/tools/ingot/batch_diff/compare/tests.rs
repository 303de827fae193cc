use super::*;

fn values(list: &[&str]) -> Values {
    list.iter().map(|value| ((*value).to_owned(), 1)).collect()
}

#[test]
fn a_field_is_set_by_one_by_both_or_the_same() {
    let of = |a: &[&str], b: &[&str]| side(&values(a), &values(b));
    assert_eq!(of(&["0", "1"], &["0", "1"]), None);
    assert_eq!(of(&["0"], &["0", "1"]), Some(Side::OnlyB));
    assert_eq!(of(&["1"], &["0"]), Some(Side::OnlyA));
    assert_eq!(of(&["1"], &["2"]), Some(Side::Values));
    // Zero is not set.
    assert_eq!(of(&["0", "1"], &["1"]), None);
    assert_eq!(
        of(&["0 (KEEP)"], &["0 (KEEP)", "2 (REPLACE)"]),
        Some(Side::OnlyB)
    );
    // A register that only one writes, even with zero.
    assert_eq!(of(&[], &["0"]), Some(Side::OnlyB));
}

#[test]
fn how_often_is_no_difference() {
    let usage = |count: u64, value: &str| {
        let fields = [("F".to_owned(), [(value.to_owned(), count)].into())].into();
        let packets = [("P".to_owned(), PacketUsage { count, fields })].into();
        Usage {
            packets,
            ..Usage::default()
        }
    };
    assert!(differences(&usage(1, "2"), &usage(9, "2")).is_empty());
    let found = differences(&usage(1, "2"), &usage(1, "3"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].field.as_deref(), Some("F"));
    let found = differences(&usage(1, "2"), &Usage::default());
    assert_eq!((found[0].side, &found[0].field), (Side::OnlyA, &None));
}
