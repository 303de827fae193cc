//! The tessellation engine: tessellation factors to domain points and how they are connected.
//!
//! In:  3DSTATE_TE, the factors that the hull shader left in the patch header. Out: [`Tessellation`]: points of the domain
//! in fixed point with 16 fraction bits, and points, lines or triangles of them.
//! Points lie where Vulkan's and D3D11's rules put them, on a grid that is equal for equal factors, so that patches which
//! share an edge share its points. Vulkan leaves open how they are connected and in which order; machines that run D3D11 have
//! no choice, so points, triangles and their order are D3D11's here.
//! Ref: SKL PRM vol. 7, "Tessellation Engine (TE)"; Vulkan specification, chapter "Tessellation"; D3D11.3 functional
//! specification, "Tessellator". Witness: lavapipe, whose tessellator is D3D11's reference.

mod factor;
mod mesh;
mod state;
mod stitch;
mod tessellate;
#[cfg(test)]
mod tests;

pub(crate) use state::{Domain, Engine, Output};
