//! Points of a patch, and the objects that connect them.

use super::state::Output;

/// A tessellated patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tessellation {
    /// u and v with 16 fraction bits.
    pub points: Vec<[i32; 2]>,
    /// Indices of points, one object after the other; the output topology gives the number for an
    /// object.
    pub indices: Vec<u32>,
}

/// Points and objects in the order in which they are created.
#[derive(Default)]
pub(super) struct Mesh {
    pub points: Vec<[i32; 2]>,
    pub triangles: Vec<[u32; 3]>,
    pub lines: Vec<[u32; 2]>,
}

impl Mesh {
    /// Appends a point; returns its index.
    pub fn point(&mut self, point: [i32; 2]) -> u32 {
        self.points.push(point);
        self.points.len() as u32 - 1
    }

    /// Appends a triangle, counter-clockwise with v pointing up.
    pub fn triangle(&mut self, corners: [u32; 3]) {
        self.triangles.push(corners);
    }

    /// The tessellation in the output topology.
    pub fn finish(self, output: Output) -> Tessellation {
        let indices = match output {
            Output::Point => (0..self.points.len() as u32).collect(),
            Output::Line => self.lines.into_iter().flatten().collect(),
            Output::Clockwise => self.triangles.into_iter().flatten().collect(),
            Output::CounterClockwise => {
                let turned = self.triangles.into_iter().map(|[a, b, c]| [a, c, b]);
                turned.flatten().collect()
            }
        };
        Tessellation {
            points: self.points,
            indices,
        }
    }
}
