//! The data that passes between the units of the 3D pipeline.

use std::sync::Arc;

/// A vertex as laid out in the URB (Vertex URB Entry): dwords from the first dword of the entry on.
/// Dword 0 of the header is reserved, 1 is the render target array index, 2 the viewport index, 3
/// the point width (float); dwords 4..8 are the position in clip space; then, if present, eight
/// clip distances; then attributes of four dwords. Units that read attributes use an offset in
/// 256-bit units (3DSTATE_SBE, Vertex URB Entry Read Offset).
/// Ref: SKL PRM vol. 7, "Vertex URB Entry (VUE) Formats".
pub(crate) type Vue = Arc<[u32]>;

/// A dword of a vertex; zero beyond the end of the entry.
pub(crate) fn dword(vue: &[u32], index: usize) -> u32 {
    vue.get(index).copied().unwrap_or(0)
}

/// Position in clip space: x, y, z, w.
pub(crate) fn position(vue: &[u32]) -> [f32; 4] {
    [4, 5, 6, 7].map(|i| f32::from_bits(dword(vue, i)))
}

/// The kinds of objects that the clipper receives.
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

/// An object assembled from vertices, as the clipper receives it. The vertices of odd triangles of
/// strips are in an order that keeps their winding.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub kind: Kind,
    /// As many as the kind has. The clipper appends the original provoking vertex to the vertices
    /// of an object that it cut.
    pub vertices: Vec<Vue>,
    /// The vertex that gives flat attributes, the viewport index and the render target array index.
    pub provoking: usize,
    pub primitive_id: u32,
    /// For wireframe fill: true if edge i, from vertex i to the next, is drawn.
    pub edges: [bool; 3],
    /// A line of a strip that continues the stipple pattern of the line before.
    pub continues: bool,
    /// Set for a piece of an object that the clipper cut.
    pub cut: Option<Box<ClippedPiece>>,
}

/// Where a piece lies within the object that it was cut from. Attributes are interpolated from the
/// vertices of the uncut object, because what is linear in clip space and what is linear on the
/// screen differ at new vertices.
#[derive(Clone, Debug)]
pub(crate) struct ClippedPiece {
    /// Vertices of the uncut object; a line's third vertex repeats the second.
    pub whole: [Vue; 3],
    /// For each vertex of the piece: weights of the vertices of the uncut object, in clip space.
    pub weights: [[f64; 3]; 3],
}

/// A vertex on the screen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ScreenVertex {
    /// Pixels, y down. 3DSTATE_MULTISAMPLE gives where in a pixel integers lie; already rounded to
    /// the sub-pixel grid.
    pub x: f32,
    pub y: f32,
    /// After the viewport transform, before the depth offset.
    pub z: f32,
    /// 1 / w of clip space (1 if the perspective divide is disabled).
    pub inverse_w: f32,
}

/// An object after setup: the input of the rasteriser and of the pixel pipeline.
#[derive(Clone, Debug)]
pub(crate) struct SetupObject {
    pub kind: Kind,
    /// As many as the kind has. A rectangle has its three given vertices; a point the upper left,
    /// upper right and lower left corner of its square. A line's third vertex repeats the second.
    pub vertices: [ScreenVertex; 3],
    /// Attributes after the swizzle of 3DSTATE_SBE, as bits: `[attribute][vertex][component]`.
    /// Those with constant interpolation hold the provoking vertex's value three times. Point
    /// sprite coordinates are included, as values at the corners of the vertices' triangle.
    pub attributes: Vec<[[u32; 4]; 3]>,
    /// Depth.
    pub depth: Plane,
    /// 1/w.
    pub inverse_w: Plane,
    /// Weights of vertices 1 and 2, linear in screen space.
    pub weights: [Plane; 2],
    /// The same weights, each divided by the w of its vertex.
    pub weights_over_w: [Plane; 2],
    pub front_facing: bool,
    pub viewport: u32,
    /// Render target array index.
    pub layer: u32,
    /// A line that continues the stipple pattern of the line before.
    pub continues: bool,
}

/// A quantity that is linear on the screen: `c + x * dx + y * dy`, with x and y in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Plane {
    pub c: f64,
    pub dx: f64,
    pub dy: f64,
}

impl Plane {
    /// The value at a position in pixels.
    pub fn evaluate(&self, x: f64, y: f64) -> f64 {
        self.c + x * self.dx + y * self.dy
    }
}

impl SetupObject {
    /// Perspective-correct weights of vertices 1 and 2 at a position in pixels.
    pub fn perspective(&self, x: f64, y: f64) -> [f64; 2] {
        let w = 1.0 / self.inverse_w.evaluate(x, y);
        let [b, c] = &self.weights_over_w;
        [b.evaluate(x, y) * w, c.evaluate(x, y) * w]
    }

    /// Weights of vertices 1 and 2 without perspective correction, at a position in pixels.
    pub fn linear(&self, x: f64, y: f64) -> [f64; 2] {
        [
            self.weights[0].evaluate(x, y),
            self.weights[1].evaluate(x, y),
        ]
    }
}

/// Log2 of the side of a block of [`ObjectCoverage`], in pixels.
pub(crate) const LOG_BLOCK: u32 = 5;

/// The samples that an object covers.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectCoverage {
    /// Blocks of 32 × 32 pixels all of whose samples are covered, by their upper left pixels; both
    /// coordinates are multiples of 32.
    pub blocks: Vec<[u32; 2]>,
    /// The mask of all samples of a pixel.
    pub all: u16,
    /// The subspans that are covered outside these blocks.
    pub subspans: Vec<Subspan>,
}

impl ObjectCoverage {
    /// Removes all blocks and subspans.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.subspans.clear();
    }

    /// True if nothing is covered.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.subspans.is_empty()
    }
}

/// The subspans of a fully covered block.
pub(crate) fn block_subspans([x, y]: [u32; 2], all: u16) -> impl Iterator<Item = Subspan> {
    // In squares of eight pixels, the order in which the rasteriser emits subspans of partly
    // covered blocks.
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

/// A block of 2 × 2 pixels that an object covers at least partly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subspan {
    /// Upper left pixel, both even.
    pub x: u32,
    pub y: u32,
    /// Covered samples of the pixels (0,0), (1,0), (0,1), (1,1), after scissor and drawing
    /// rectangle. For a smooth line: sixteenths of each pixel.
    pub samples: [u16; 4],
    /// A bit for each pixel that lies entirely within the object; computed only for conservative
    /// rasterisation and for blocks that are covered entirely.
    pub inner: u8,
}
