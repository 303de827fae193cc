//! Vectors and matrices.
//!
//! Matrices are column-major, as in GLSL. Clip space is Vulkan's: y grows downwards, depth goes
//! from 0 to 1.

/// Three coordinates.
pub type Vec3 = [f32; 3];

/// a + b.
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a - b.
pub fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a times s.
pub fn scale(a: Vec3, s: f32) -> Vec3 {
    a.map(|v| v * s)
}

/// Dot product.
pub fn dot(a: Vec3, b: Vec3) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Cross product.
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The unit vector in the direction of `a`.
pub fn normalize(a: Vec3) -> Vec3 {
    scale(a, 1.0 / dot(a, a).sqrt())
}

/// A matrix of four columns.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Mat4(pub [[f32; 4]; 4]);

impl std::ops::Mul for Mat4 {
    type Output = Mat4;

    fn mul(self, right: Mat4) -> Mat4 {
        let mut out = [[0.0; 4]; 4];
        for (column, result) in right.0.iter().zip(&mut out) {
            for (row, value) in result.iter_mut().enumerate() {
                *value = (0..4).map(|i| self.0[i][row] * column[i]).sum();
            }
        }
        Mat4(out)
    }
}

impl Mat4 {
    /// The identity.
    pub const IDENTITY: Mat4 = Mat4([
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ]);

    /// A translation.
    pub fn translate([x, y, z]: Vec3) -> Mat4 {
        let mut m = Self::IDENTITY;
        m.0[3] = [x, y, z, 1.0];
        m
    }

    /// A scaling.
    pub fn scale([x, y, z]: Vec3) -> Mat4 {
        let mut m = Self::IDENTITY;
        (m.0[0][0], m.0[1][1], m.0[2][2]) = (x, y, z);
        m
    }

    /// A rotation around an axis of length 1 by an angle in radians.
    pub fn rotate([x, y, z]: Vec3, angle: f32) -> Mat4 {
        let (s, c) = angle.sin_cos();
        let t = 1.0 - c;
        Mat4([
            [t * x * x + c, t * x * y + s * z, t * x * z - s * y, 0.0],
            [t * x * y - s * z, t * y * y + c, t * y * z + s * x, 0.0],
            [t * x * z + s * y, t * y * z - s * x, t * z * z + c, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ])
    }

    /// The view matrix of an eye that looks at a point; y is up in the world.
    pub fn look_at(eye: Vec3, at: Vec3) -> Mat4 {
        let back = normalize(sub(eye, at));
        let right = normalize(cross([0.0, 1.0, 0.0], back));
        let up = cross(back, right);
        Mat4([
            [right[0], up[0], back[0], 0.0],
            [right[1], up[1], back[1], 0.0],
            [right[2], up[2], back[2], 0.0],
            [-dot(right, eye), -dot(up, eye), -dot(back, eye), 1.0],
        ])
    }

    /// A perspective projection; `angle` is the vertical field of view in radians.
    pub fn perspective(angle: f32, aspect: f32, near: f32, far: f32) -> Mat4 {
        let f = 1.0 / (angle / 2.0).tan();
        Mat4([
            [f / aspect, 0.0, 0.0, 0.0],
            [0.0, -f, 0.0, 0.0],
            [0.0, 0.0, far / (near - far), -1.0],
            [0.0, 0.0, near * far / (near - far), 0.0],
        ])
    }

    /// An orthographic projection of a square with sides of 2 × `half`, between two depths.
    pub fn orthographic(half: f32, near: f32, far: f32) -> Mat4 {
        Mat4([
            [1.0 / half, 0.0, 0.0, 0.0],
            [0.0, -1.0 / half, 0.0, 0.0],
            [0.0, 0.0, 1.0 / (near - far), 0.0],
            [0.0, 0.0, near / (near - far), 1.0],
        ])
    }
}

/// A hash of `seed` as a number from 0 to 1.
pub fn chance(seed: u32) -> f32 {
    let mut x = seed.wrapping_mul(0x9e37_79b9) ^ 0x85eb_ca6b;
    x = (x ^ x >> 16).wrapping_mul(0x7feb_352d);
    x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
    (x ^ x >> 16) as f32 / u32::MAX as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(m: Mat4, [x, y, z]: Vec3) -> [f32; 4] {
        std::array::from_fn(|row| m.0[0][row] * x + m.0[1][row] * y + m.0[2][row] * z + m.0[3][row])
    }

    fn close(a: [f32; 4], b: [f32; 4]) {
        assert!(
            a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5),
            "{a:?} {b:?}"
        );
    }

    #[test]
    fn what_is_right_of_the_right_factor_comes_first() {
        let m = Mat4::translate([1.0, 0.0, 0.0]) * Mat4::scale([2.0, 2.0, 2.0]);
        close(apply(m, [1.0, 1.0, 0.0]), [3.0, 2.0, 0.0, 1.0]);
    }

    #[test]
    fn a_quarter_turn_around_z_takes_x_to_y() {
        let m = Mat4::rotate([0.0, 0.0, 1.0], std::f32::consts::FRAC_PI_2);
        close(apply(m, [1.0, 0.0, 0.0]), [0.0, 1.0, 0.0, 1.0]);
    }

    #[test]
    fn the_point_looked_at_is_in_the_middle() {
        let (eye, at) = ([3.0, 4.0, 5.0], [1.0, 1.0, 1.0]);
        let m = Mat4::perspective(1.0, 1.5, 0.5, 100.0) * Mat4::look_at(eye, at);
        let [x, y, z, w] = apply(m, at);
        close([x, y, 0.0, 0.0], [0.0; 4]);
        let distance = dot(sub(eye, at), sub(eye, at)).sqrt();
        assert!((w - distance).abs() < 1e-4 && z > 0.0 && z < w);
        // What is above is further up in the picture.
        assert!(apply(m, add(at, [0.0, 1.0, 0.0]))[1] < 0.0);
    }

    #[test]
    fn lenses_map_near_and_far_to_0_and_1() {
        for m in [
            Mat4::perspective(1.0, 1.0, 2.0, 9.0),
            Mat4::orthographic(3.0, 2.0, 9.0),
        ] {
            for (z, depth) in [(-2.0, 0.0), (-9.0, 1.0)] {
                let v = apply(m, [0.0, 0.0, z]);
                assert!((v[2] / v[3] - depth).abs() < 1e-5);
            }
        }
    }
}
