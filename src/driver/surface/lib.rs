//! Image description to size, pitch, tiling and auxiliary surfaces.
