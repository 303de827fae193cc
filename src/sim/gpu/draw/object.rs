//! What passes between the units of the 3D pipeline.

use std::sync::Arc;

/// A vertex as it stands in the URB (Vertex URB Entry): dwords from the entry's first on. Dword 0 of the header is
/// reserved, 1 is the render target array index, 2 the viewport index, 3 the point width (float); dwords 4..8 are the
/// position in clip space; then, where there are any, eight clip distances; then attributes of four dwords. ThreadFunctions that
/// read attributes count from an offset in 256-bit units (3DSTATE_SBE, Vertex URB Entry Read Offset).
/// Ref: SKL PRM vol. 7, "Vertex URB Entry (VUE) Formats".
pub(crate) type Vue = Arc<[u32]>;

/// A dword of a vertex; what the entry does not have is zero.
pub(crate) fn dword(vue: &[u32], index: usize) -> u32 {
    vue.get(index).copied().unwrap_or(0)
}

/// Position in clip space: x, y, z, w.
pub(crate) fn position(vue: &[u32]) -> [f32; 4] {
    [4, 5, 6, 7].map(|i| f32::from_bits(dword(vue, i)))
}

/// Kinds of objects that reach the clipper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Point,
    Line,
    Triangle,
    /// _3DPRIM_RECTLIST: three vertices, the fourth is implied; never clipped.
    Rectangle,
}

impl Kind {
    pub fn vertices(self) -> usize {
        match self {
            Kind::Point => 1,
            Kind::Line => 2,
            Kind::Triangle | Kind::Rectangle => 3,
        }
    }
}

/// An object assembled from vertices, as the clipper gets it. Odd triangles of strips have been put in order, so that
/// winding can be computed from the vertices as they stand.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub kind: Kind,
    /// As many as the kind has. The clipper appends the original provoking vertex to those of an object that it cut.
    pub vertices: Vec<Vue>,
    /// Which vertex gives flat attributes, the viewport index and the render target array index.
    pub provoking: usize,
    pub primitive_id: u32,
    /// For wireframe fill: edge i goes from vertex i to the next and is drawn where true.
    pub edges: [bool; 3],
    /// Line strips continue the stipple pattern of the line before.
    pub continues: bool,
    /// Of a piece that the clipper left of an object.
    pub cut: Option<Box<ClippedPiece>>,
}

/// How a piece of an object lies in it. Attributes stay those of the object's own vertices: what is linear in clip space and
/// what is linear on the screen differ at new vertices.
#[derive(Clone, Debug)]
pub(crate) struct ClippedPiece {
    /// The object's vertices; a line's third repeats the second.
    pub whole: [Vue; 3],
    /// Of each vertex of the piece: its weights of the object's vertices, in clip space.
    pub weights: [[f64; 3]; 3],
}

/// A vertex on the screen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ScreenVertex {
    /// PixelPipeline, y down, pixel centres at halves as 3DSTATE_MULTISAMPLE says; already rounded to the sub-pixel grid.
    pub x: f32,
    pub y: f32,
    /// After the viewport transform, before depth offset.
    pub z: f32,
    /// 1 / w of clip space (1 where the perspective divide is off).
    pub inverse_w: f32,
}

/// An object set up: what the rasteriser and the pixel pipeline need of it.
#[derive(Clone, Debug)]
pub(crate) struct SetupObject {
    pub kind: Kind,
    /// As many as the kind has; for a rectangle the three given ones, for a point the upper left, upper right and
    /// lower left corner of its square. A line's third vertex repeats the second.
    pub vertices: [ScreenVertex; 3],
    /// Attributes after 3DSTATE_SBE's swizzle, as bits: `[attribute][vertex][component]`. Those with constant
    /// interpolation hold the provoking vertex's value three times. Point sprite coordinates are here, too, as values at
    /// the corners of the vertices' triangle.
    pub attributes: Vec<[[u32; 4]; 3]>,
    /// Values at (x, y) are `c + x * dx + y * dy` of the pixel coordinates.
    pub depth: Plane,
    /// 1/w in the same form.
    pub inverse_w: Plane,
    /// Weights of attributes 1 and 2, linear in screen space.
    pub weights: [Plane; 2],
    /// The same, each over its vertex's w.
    pub weights_over_w: [Plane; 2],
    pub front_facing: bool,
    pub viewport: u32,
    /// Render target array index.
    pub layer: u32,
    /// Of a line: the stipple pattern goes on from the line before.
    pub continues: bool,
}

/// A quantity that is linear on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Plane {
    pub c: f64,
    pub dx: f64,
    pub dy: f64,
}

impl Plane {
    /// The value at a place in pixels.
    pub fn at(&self, x: f64, y: f64) -> f64 {
        self.c + x * self.dx + y * self.dy
    }
}

impl SetupObject {
    /// Weights of vertices 1 and 2 with perspective at a place in pixels.
    pub fn perspective(&self, x: f64, y: f64) -> [f64; 2] {
        let w = 1.0 / self.inverse_w.at(x, y);
        let [b, c] = &self.weights_over_w;
        [b.at(x, y) * w, c.at(x, y) * w]
    }

    /// Weights of vertices 1 and 2 without perspective.
    pub fn linear(&self, x: f64, y: f64) -> [f64; 2] {
        [self.weights[0].at(x, y), self.weights[1].at(x, y)]
    }
}

/// PixelPipeline along the side of a [`ObjectCoverage`]'s blocks, as a power of two.
pub(crate) const LOG_BLOCK: u32 = 5;

/// What an object covers.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectCoverage {
    /// Blocks of 32 × 32 pixels of which it covers all samples, by their upper left pixels; both are multiples of 32.
    pub blocks: Vec<[u32; 2]>,
    /// The mask of all samples of a pixel.
    pub all: u16,
    /// What else it touches.
    pub subspans: Vec<Subspan>,
}

impl ObjectCoverage {
    /// Nothing yet.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.subspans.clear();
    }

    /// Nothing is covered.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.subspans.is_empty()
    }
}

/// The subspans of a block, of which all samples are covered.
pub(crate) fn block_subspans([x, y]: [u32; 2], all: u16) -> impl Iterator<Item = Subspan> {
    // By squares of eight pixels, as the rasteriser has those of blocks that are covered in part.
    let side = 1 << (LOG_BLOCK - 3);
    let squares = (0..side * side).map(move |i| [x + i % side * 8, y + i / side * 8]);
    squares.flat_map(move |[x, y]| {
        (0..16).map(move |i| Subspan {
            x: x + i % 4 * 2,
            y: y + i / 4 * 2,
            samples: [all; 4],
            inner: 15,
        })
    })
}

/// A block of 2 × 2 pixels that an object touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subspan {
    /// Upper left pixel, both even.
    pub x: u32,
    pub y: u32,
    /// Samples covered of the pixels (0,0), (1,0), (0,1), (1,1), scissor and drawing rectangle applied. Of a smooth line:
    /// sixteenths of each pixel.
    pub samples: [u16; 4],
    /// PixelPipeline that lie wholly within the object, a bit each; none where nothing asks for them.
    pub inner: u8,
}
