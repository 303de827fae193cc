use super::*;

/// The texels of a gradient whose pixels round up from the given shade on.
fn gradient(first_up: [u32; 16]) -> Vec<u32> {
    let columns = SHADES * MATRIX_PX;
    let pixels = (0..MATRIX_PX).flat_map(|y| (0..columns).map(move |x| (x, y)));
    let texel = |(x, y): (u32, u32)| {
        let cell = y * MATRIX_PX + x % MATRIX_PX;
        let up = x / MATRIX_PX >= first_up[cell as usize];
        (VALUE + u32::from(up)) << 11
    };
    pixels.map(texel).collect()
}

#[test]
fn thresholds_are_counted_for_each_pixel_of_the_matrix() {
    let first_up = std::array::from_fn(|cell| 4 * cell as u32);
    let texels = gradient(first_up);
    let counts = rounded_up(&texels, &channel("5 bits", 11, 5));
    let expected = first_up.iter().map(|first| SHADES - first).collect();
    assert_eq!(counts, Some(expected));
}

#[test]
fn values_that_are_no_neighbours_are_refused() {
    for wrong in [VALUE - 1, VALUE + 2] {
        let mut texels = gradient([32; 16]);
        texels[77] = wrong << 11;
        assert_eq!(rounded_up(&texels, &channel("5 bits", 11, 5)), None);
    }
}
