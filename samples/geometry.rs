//! Solids as triangles: positions, normals, texture coordinates.

use crate::math::{Vec3, add, normalize, scale};
use crate::vulkan::{Buffer, Error, Gpu, Rate, Stream, vk};
use std::f32::consts::TAU;

/// Position, normal, texture coordinates.
pub type Vertex = [f32; 8];

/// Vertex input of [`Vertex`]: locations 0 to 2.
pub const VERTICES: Stream<'static> = Stream {
    rate: Rate::Vertex,
    stride_bytes: size_of::<Vertex>() as u32,
    attributes: &[
        (vk::Format::R32G32B32_SFLOAT, 0),
        (vk::Format::R32G32B32_SFLOAT, 12),
        (vk::Format::R32G32_SFLOAT, 24),
    ],
};

/// The same without texture coordinates: locations 0 and 1.
pub const UNTEXTURED: Stream<'static> = Stream {
    attributes: &[
        (vk::Format::R32G32B32_SFLOAT, 0),
        (vk::Format::R32G32B32_SFLOAT, 12),
    ],
    ..VERTICES
};

/// A triangle mesh, counter-clockwise seen from outside.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Vertices.
    pub vertices: Vec<Vertex>,
    /// Indices, three for each triangle.
    pub indices: Vec<u32>,
}

/// A mesh in buffers.
#[derive(Clone, Copy)]
pub struct Model {
    /// Vertices.
    pub vertices: Buffer,
    /// 32-bit indices.
    pub indices: Buffer,
    /// Number of indices.
    pub count: u32,
}

impl Mesh {
    /// Uploads it to buffers.
    pub fn upload(&self, gpu: &Gpu) -> Result<Model, Error> {
        Ok(Model {
            vertices: gpu.buffer(self.vertices.as_flattened())?,
            indices: gpu.buffer(&self.indices)?,
            count: self.indices.len() as u32,
        })
    }

    /// A grid of columns and rows of quads; `at` maps (u, v), each from 0 to 1, to position and
    /// normal.
    pub fn grid(columns: u32, rows: u32, at: impl Fn(f32, f32) -> (Vec3, Vec3)) -> Mesh {
        let mut mesh = Mesh::default();
        for row in 0..=rows {
            for column in 0..=columns {
                let (u, v) = (column as f32 / columns as f32, row as f32 / rows as f32);
                let ([x, y, z], [nx, ny, nz]) = at(u, v);
                mesh.vertices.push([x, y, z, nx, ny, nz, u, v]);
            }
        }
        let wide = columns + 1;
        for row in 0..rows {
            for column in 0..columns {
                let a = row * wide + column;
                let (b, c, d) = (a + 1, a + wide, a + wide + 1);
                mesh.indices.extend([a, c, b, b, c, d]);
            }
        }
        mesh
    }

    fn append(&mut self, other: &Mesh) {
        let base = self.vertices.len() as u32;
        self.vertices.extend(&other.vertices);
        self.indices.extend(other.indices.iter().map(|i| i + base));
    }

    /// A cube from -1 to 1, each face with the whole texture.
    pub fn cube() -> Mesh {
        let mut mesh = Mesh::default();
        for axis in 0..3 {
            for sign in [-1.0, 1.0] {
                let unit = |axis: usize, s: f32| {
                    let mut v = [0.0; 3];
                    v[axis % 3] = s;
                    v
                };
                let normal = unit(axis, sign);
                // Upright on the four sides.
                let (right, up) = match axis {
                    0 => (unit(2, -sign), unit(1, 1.0)),
                    1 => (unit(0, 1.0), unit(2, -sign)),
                    _ => (unit(0, sign), unit(1, 1.0)),
                };
                mesh.append(&Mesh::grid(1, 1, |u, v| {
                    let across = scale(right, 2.0 * u - 1.0);
                    (add(normal, add(across, scale(up, 1.0 - 2.0 * v))), normal)
                }));
            }
        }
        mesh
    }

    /// A square at y = 0 with sides of 2 × `half`, whose texture repeats `times`.
    pub fn floor(half: f32, times: f32) -> Mesh {
        let mut mesh = Mesh::grid(1, 1, |u, v| {
            let (x, z) = ((2.0 * u - 1.0) * half, (2.0 * v - 1.0) * half);
            ([x, 0.0, z], [0.0, 1.0, 0.0])
        });
        for vertex in &mut mesh.vertices {
            vertex[6] *= times;
            vertex[7] *= times;
        }
        mesh
    }

    /// A sphere of radius 1.
    pub fn sphere(columns: u32, rows: u32) -> Mesh {
        Mesh::grid(columns, rows, |u, v| {
            let ((sv, cv), (su, cu)) = ((v * TAU / 2.0).sin_cos(), (u * TAU).sin_cos());
            let p = [sv * su, cv, sv * cu];
            (p, p)
        })
    }

    /// A torus in the plane y = 0 with major radius 1 and minor radius `tube`.
    pub fn torus(tube: f32, columns: u32, rows: u32) -> Mesh {
        Mesh::grid(columns, rows, |u, v| {
            let ((su, cu), (sv, cv)) = ((u * TAU).sin_cos(), (v * TAU).sin_cos());
            let normal = normalize([cv * su, -sv, cv * cu]);
            (add([su, 0.0, cu], scale(normal, tube)), normal)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{cross, dot, sub};

    #[test]
    fn triangles_are_counter_clockwise_seen_from_outside() {
        for mesh in [
            Mesh::cube(),
            Mesh::floor(2.0, 3.0),
            Mesh::sphere(12, 6),
            Mesh::torus(0.3, 12, 6),
        ] {
            assert!(mesh.indices.len().is_multiple_of(3));
            for triangle in mesh.indices.chunks_exact(3) {
                let corner = |i: usize| -> Vec3 {
                    let v = mesh.vertices[triangle[i] as usize];
                    [v[0], v[1], v[2]]
                };
                let across = cross(sub(corner(1), corner(0)), sub(corner(2), corner(0)));
                let v = mesh.vertices[triangle[0] as usize];
                // The poles of a ball have triangles without area.
                assert!(dot(across, [v[3], v[4], v[5]]) > -1e-6);
            }
        }
    }
}
