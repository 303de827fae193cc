//! Image description to size, pitch, tiling and auxiliary surfaces.
//!
//! Empty until there are images. Surfaces of buffers need no layout; `vk` packs them.
