//! The tessellation engine: tessellation factors to domain points and their connectivity.
//!
//! In:  3DSTATE_TE, the factors that the hull shader wrote to the patch header. Out:
//!      [`mesh::Tessellation`]: points of the domain in fixed point with 16 fraction bits, and the
//!      points, lines or triangles between them. Points lie where Vulkan's and D3D11's rules put
//!      them, at positions that depend only on the edge's factor, so that patches that share an
//!      edge share its points. Vulkan leaves open how points are connected and in which order;
//!      machines that run D3D11 do not, so points, triangles and their order follow D3D11 here.
//! Ref: SKL PRM vol. 7, "Tessellation Engine (TE)"; Vulkan specification, chapter "Tessellation";
//!      D3D11.3 functional specification, "Tessellator". Witness: lavapipe, whose tessellator is
//!      D3D11's reference.

mod factor;
mod mesh;
mod state;
mod stitch;
mod tessellate;
#[cfg(test)]
mod tests;

pub(crate) use state::{Domain, Engine, Output};
