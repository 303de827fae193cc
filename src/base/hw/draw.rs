//! Commands of the 3D pipeline: 3DSTATE_* and 3DPRIMITIVE. One file declares those of each part of
//! the pipeline.
//!
//! Ref: SKL PRM vol. 2a. Tests: `tests.rs` compares them with genxml.

mod pixel;
mod raster;
mod shader;
mod vertex_fetch;

pub use pixel::*;
pub use raster::*;
pub use shader::*;
pub use vertex_fetch::*;

use crate::packet::Packet;

const TABLES: [&[&Packet]; 4] = [vertex_fetch::ALL, shader::ALL, raster::ALL, pixel::ALL];

const COUNT: usize = {
    let (mut count, mut i) = (0, 0);
    while i < TABLES.len() {
        count += TABLES[i].len();
        i += 1;
    }
    count
};

/// All packets of these tables.
pub static ALL: &[&Packet] = &{
    let mut all = [TABLES[0][0]; COUNT];
    let (mut count, mut i) = (0, 0);
    while i < TABLES.len() {
        let mut j = 0;
        while j < TABLES[i].len() {
            all[count] = TABLES[i][j];
            (count, j) = (count + 1, j + 1);
        }
        i += 1;
    }
    all
};
