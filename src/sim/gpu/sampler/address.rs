//! Texture addressing: address modes of an axis, and cube faces.
//!
//! In:  a coordinate in texels, sizes, a mode; a direction. Out: texel indices or the border; a
//!      face and a point on it.
//! Ref: SKL PRM vol. 7, "Texture Address Control"; Vulkan, "Wrapping Operation", "Cube Map Face
//!      Selection", "Cube Map Edge Handling".

use super::state::AddressMode;

/// Fixed-point steps of a texel in coordinates: eight bits of fraction.
pub(super) const STEPS: i64 = 256;

/// Applies an address mode to a texel index; `None` is the border.
pub(super) fn apply_address_mode(mode: AddressMode, i: i64, size: u32) -> Option<u32> {
    let size = i64::from(size.max(1));
    let inside = match mode {
        AddressMode::Wrap => i.rem_euclid(size),
        AddressMode::Mirror => {
            let i = i.rem_euclid(2 * size);
            if i < size { i } else { 2 * size - 1 - i }
        }
        AddressMode::Clamp | AddressMode::Cube => i.clamp(0, size - 1),
        AddressMode::MirrorOnce => (if i < 0 { -1 - i } else { i }).min(size - 1),
        AddressMode::ClampBorder | AddressMode::HalfBorder => {
            if !(0..size).contains(&i) {
                return None;
            }
            i
        }
    };
    Some(inside as u32)
}

/// Converts a coordinate in texels to steps of 1/[`STEPS`], rounded to nearest or down. NaN is 0.
pub(super) fn quantise(coordinate: f64, rounded: bool) -> i64 {
    // Far outside of all surfaces, and exact in the type.
    const FAR: f64 = 1e9;
    let scaled = coordinate.clamp(-FAR, FAR) * STEPS as f64;
    let scaled = if rounded { scaled + 0.5 } else { scaled };
    // The floor by truncation: faster than `floor` without SSE4.1.
    let cut = scaled as i64;
    cut - i64::from(cut as f64 > scaled)
}

/// A point on a cube: the face, and coordinates on it from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CubePoint {
    /// +x, -x, +y, -y, +z, -z.
    pub face: u32,
    pub s: f64,
    pub t: f64,
}

/// The coordinates of a vector relative to a face: s, t and major axis.
pub(super) fn to_face_axes(face: u32, [x, y, z]: [f64; 3]) -> [f64; 3] {
    match face {
        0 => [-z, -y, x],
        1 => [z, -y, -x],
        2 => [x, z, y],
        3 => [x, -z, -y],
        4 => [x, -y, z],
        _ => [-x, -y, -z],
    }
}

/// The vector of a face's coordinates: what [`to_face_axes`] undoes.
fn from_face_axes(face: u32, [s, t, m]: [f64; 3]) -> [f64; 3] {
    match face {
        0 => [m, -t, -s],
        1 => [-m, -t, s],
        2 => [s, m, t],
        3 => [s, -m, -t],
        4 => [s, -t, m],
        _ => [-s, -t, -m],
    }
}

/// The face that a direction selects. Of equally long axes, z takes precedence over y, and y over
/// x.
pub(super) fn cube_face([x, y, z]: [f64; 3]) -> u32 {
    let [ax, ay, az] = [x.abs(), y.abs(), z.abs()];
    if az >= ax && az >= ay {
        4 + u32::from(z < 0.0)
    } else if ay >= ax {
        2 + u32::from(y < 0.0)
    } else {
        u32::from(x < 0.0)
    }
}

/// Projects a direction onto the cube.
pub(super) fn project_to_face(direction: [f64; 3]) -> CubePoint {
    let face = cube_face(direction);
    let [s, t, m] = to_face_axes(face, direction);
    let half = |c: f64| if m == 0.0 { 0.5 } else { (c / m + 1.0) / 2.0 };
    CubePoint {
        face,
        s: half(s),
        t: half(t),
    }
}

/// The texel of a cube that lies at (`i`, `j`) of a face's grid, at most one texel outside: on the
/// face beyond the edge. `None` at corners, which have no such texel.
pub(super) fn texel_across_edge(face: u32, [i, j]: [i64; 2], size: u32) -> Option<(u32, [u32; 2])> {
    let n = i64::from(size.max(1));
    let outside = |k: i64| !(0..n).contains(&k);
    match (outside(i), outside(j)) {
        (false, false) => return Some((face, [i as u32, j as u32])),
        (true, true) => return None,
        _ => {}
    }
    // Texel centres between -1 and 1. Beyond an edge, the old face's major axis is half a texel
    // shorter.
    let centre = |k: i64| match outside(k) {
        true if k < 0 => -1.0,
        true => 1.0,
        false => (2 * k + 1) as f64 / n as f64 - 1.0,
    };
    let inner = 1.0 - 1.0 / n as f64;
    let vector = from_face_axes(face, [centre(i), centre(j), inner]);
    // On a cube of one texel a side that axis is 0, and the neighbour's is still the longest.
    let place = project_to_face(vector);
    let index = |c: f64| ((c * n as f64).floor() as i64).clamp(0, n - 1) as u32;
    Some((place.face, [index(place.s), index(place.t)]))
}

#[cfg(test)]
mod tests;
