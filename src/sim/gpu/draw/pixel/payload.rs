//! Payloads of pixel shader threads.
//!
//! In:  an object, up to four subspans. Out: registers as the kernel finds them.
//! Order: R0, R1 with the subspans' places and the pixel mask; barycentric weights of each enabled mode; source depth;
//! source W; position offsets; input coverage; push constants; attribute setup, two components in a register.
//! Ref: SKL PRM vol. 7, "Pixel Shader Thread Payload".

use crate::draw::object::{Kind, Setup, Subspan};

/// What a kernel asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    /// Barycentric modes by bit: perspective pixel, centroid, sample, then the same without perspective.
    pub modes: u32,
    pub depth: bool,
    pub w: bool,
    pub offsets: bool,
    pub coverage: bool,
    /// First register of push constants.
    pub start: usize,
    pub constants: Vec<u32>,
    pub attributes: bool,
    /// R0.3 and R0.5.
    pub scratch: (u32, u32),
    /// The sampler states' offset, in R0.3.
    pub samplers: u32,
    /// Pixel centres are at halves; else at the upper left corner.
    pub centre: f64,
}

/// Place of channel `lane` of a thread: its subspan, and the pixel in it.
fn pixel(subspans: &[Subspan], lane: usize) -> (f64, f64) {
    let corner = subspans.get(lane / 4).or(subspans.first());
    let (x, y) = corner.map_or((0, 0), |s| (s.x, s.y));
    (
        f64::from(x) + (lane & 1) as f64,
        f64::from(y) + (lane >> 1 & 1) as f64,
    )
}

impl Layout {
    /// Writes the payload of a thread of `width` (8 or 16) channels.
    pub fn write(
        &self,
        setup: &Setup,
        subspans: &[Subspan],
        mask: u32,
        width: usize,
        out: &mut Vec<u32>,
    ) {
        out.clear();
        let facing = u32::from(!setup.front_facing) << 15;
        // Primitive Topology Type. Kernels rely on its not being zero when they look at the bit above it.
        let topology = match setup.kind {
            Kind::Point => 1,
            Kind::Line => 2,
            Kind::Triangle => 4,
            Kind::Rectangle => 15,
        };
        let header = topology | facing | (setup.layer & 0x7ff) << 16;
        out.extend([
            header,
            0,
            0,
            self.samplers | self.scratch.1,
            0,
            self.scratch.0,
            0,
            0,
        ]);
        out.extend([0, 0]);
        for i in 0..4 {
            let corner = subspans.get(i).map_or(0, |s| s.x | s.y << 16);
            out.push(corner);
        }
        out.extend([0, mask]);
        let place = |lane| {
            let (x, y) = pixel(subspans, lane);
            (x + self.centre, y + self.centre)
        };
        for mode in (0..6).filter(|mode| self.modes >> mode & 1 == 1) {
            for half in 0..width / 8 {
                let weights: [[f64; 2]; 8] = std::array::from_fn(|lane| {
                    let (x, y) = place(half * 8 + lane);
                    match mode < 3 {
                        true => setup.perspective(x, y),
                        false => setup.linear(x, y),
                    }
                });
                for which in 0..2 {
                    out.extend(weights.iter().map(|w| (w[which] as f32).to_bits()));
                }
            }
        }
        let mut each = |value: &dyn Fn(usize) -> f32| {
            out.extend((0..width).map(|lane| value(lane).to_bits()));
        };
        if self.depth {
            each(&|lane| {
                let (x, y) = place(lane);
                setup.depth.at(x, y) as f32
            });
        }
        if self.w {
            each(&|lane| {
                let (x, y) = place(lane);
                (1.0 / setup.inverse_w.at(x, y)) as f32
            });
        }
        if self.offsets {
            // One sample at the centre: 8 of 16 in x and y, bytes in turn.
            out.extend([0x0808_0808; 8]);
        }
        if self.coverage {
            out.extend((0..width).map(|lane| mask >> lane & 1));
        }
        out.resize(self.start.max(2) * 8, 0);
        out.extend(&self.constants);
        if self.attributes {
            for attribute in &setup.attributes {
                for component in 0..4 {
                    let [a, b, c] = attribute.map(|vertex| vertex[component]);
                    let minus = |bits: u32| (f32::from_bits(bits) - f32::from_bits(a)).to_bits();
                    // Flat values may be integers.
                    let deltas = match a == b && a == c {
                        true => [0, 0],
                        false => [minus(b), minus(c)],
                    };
                    out.extend([deltas[0], deltas[1], 0, a]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::object::{Plane, ScreenVertex};

    #[test]
    fn a_quad_has_its_places_weights_and_attributes() {
        let plane = |c, dx, dy| Plane { c, dx, dy };
        let vertex = ScreenVertex {
            inverse_w: 1.0,
            ..ScreenVertex::default()
        };
        let setup = Setup {
            kind: Kind::Triangle,
            vertices: [vertex; 3],
            attributes: vec![[[7; 4], [7; 4], [7; 4]]],
            depth: plane(0.5, 0.0, 0.0),
            inverse_w: plane(1.0, 0.0, 0.0),
            weights: [plane(0.0, 0.125, 0.0), plane(0.0, 0.0, 0.125)],
            front_facing: false,
            viewport: 0,
            layer: 3,
        };
        let subspan = Subspan {
            x: 4,
            y: 2,
            samples: [1, 1, 0, 1],
        };
        let layout = Layout {
            modes: 1,
            depth: true,
            start: 5,
            constants: vec![42; 8],
            attributes: true,
            centre: 0.5,
            ..Layout::default()
        };
        let mut out = Vec::new();
        layout.write(&setup, &[subspan], 0b1011, 8, &mut out);
        assert_eq!(out[0], 4 | 1 << 15 | 3 << 16);
        assert_eq!((out[10], out[15]), (4 | 2 << 16, 0b1011));
        let float = |at: usize| f32::from_bits(out[at]);
        // Pixel centres 4.5 and 5.5 across, 2.5 and 3.5 down, over eight.
        assert_eq!((float(16), float(17), float(18)), (0.5625, 0.6875, 0.5625));
        assert_eq!((float(24), float(26)), (0.3125, 0.4375));
        assert_eq!(float(32), 0.5);
        assert_eq!(out[40], 42);
        assert_eq!(out[48..52], [0, 0, 0, 7]);
        assert_eq!(out.len(), 48 + 16);
    }
}
