//! Tests of the divergence analysis.

use super::find_divergent;

#[test]
fn values_leaving_a_loop_with_divergent_exits_are_divergent() {
    let text = "shader compute {
    workgroup_size 8 1 1
b0:
    %0:32 = const 0
    %1:32 = const 1
    %2:32 = load_subgroup_invocation
loop {
    b1:
        %3:32 = phi b0: %0, b4: %4
        %4:32 = iadd %3, %1
        %5:32 = iadd %4, %1
        %6:1 = ilt %4, %2
    if %6 {
        b2:
    } else {
        b3:
            break
    }
    b4:
}
b5:
    %7:32 = iadd %4, %1
}
";
    let shader = nir::parse(text).unwrap();
    let divergent = find_divergent(&shader);
    let names: Vec<usize> = divergent.iter().map(entity::Id::index).collect();
    // %4 and what follows from it; %3 and %5 stay the same for the lanes still in the loop, but %3
    // is made of %4.
    assert_eq!(names, [2, 3, 4, 5, 6, 7]);
}
