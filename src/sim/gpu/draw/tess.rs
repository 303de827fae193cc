//! Tessellation: a patch to points, lines or triangles.
//!
//! In:  the vertices of a patch. Out: objects of the domain shader's vertices. Runs the three units
//!      in turn: hull shader ([`super::hs`]), tessellation engine ([`super::te`]), domain shader
//!      ([`super::ds`]).
//! Ref: SKL PRM vol. 7, "Tessellation Stages"; "Patch URB Entry" for the position of the factors in
//!      the header.

use super::ds;
use super::exec::{Draw, UrbEntries};
use super::gs_output::Provoking;
use super::hs::Hull;
use super::object::{Kind, Object, Vue};
use super::te::{Domain, Engine, Output};
use eu::StopReason;

/// The units for one draw.
pub(crate) struct Tessellator<'a> {
    pub hull: Hull<'a>,
    engine: Engine,
    pub domain: ds::Domain<'a>,
    provoking: Provoking,
    entry: Vec<u32>,
}

/// Outer and inner factors of a patch header.
fn factors(domain: Domain, header: &[u32]) -> ([f32; 4], [f32; 2]) {
    let at = |i: usize| f32::from_bits(header.get(i).copied().unwrap_or(0));
    match domain {
        Domain::Quad => ([at(7), at(6), at(5), at(4)], [at(3), at(2)]),
        Domain::Triangle => ([at(7), at(6), at(5), 0.0], [at(4), 0.0]),
        Domain::Isoline => ([at(6), at(7), 0.0, 0.0], [0.0; 2]),
    }
}

impl<'a> Tessellator<'a> {
    /// Reads the state; `None` if tessellation is disabled. The arguments are the push constants of
    /// the hull and the domain shader.
    pub fn new(
        draw: Draw<'a>,
        hull_constants: Vec<u32>,
        domain_constants: Vec<u32>,
    ) -> Result<Option<Tessellator<'a>>, StopReason> {
        let engine = Engine::new(draw.state).map_err(|what| StopReason::Fault {
            what: what.into(),
            at: draw.at,
        })?;
        let hull = Hull::new(draw, hull_constants)?;
        let domain = ds::Domain::new(draw, domain_constants)?;
        match (hull, engine, domain) {
            (Some(hull), Some(engine), Some(domain)) => Ok(Some(Tessellator {
                hull,
                engine,
                domain,
                provoking: Provoking::new(draw.state),
                entry: Vec::new(),
            })),
            (None, None, None) => Ok(None),
            _ => Err(StopReason::Unimplemented {
                what: "a draw with some of HS, TE and DS enabled and others not".into(),
                at: draw.at,
            }),
        }
    }

    /// Tessellates a patch and appends its objects. The caller may free the URB entries afterwards.
    pub fn patch(
        &mut self,
        urb: &mut dyn UrbEntries,
        vertices: &[Vue],
        primitive_id: u32,
        out: &mut Vec<Object>,
    ) -> Result<(), StopReason> {
        let handle = self.hull.patch(urb, vertices, primitive_id)?;
        urb.read_entry(handle, self.hull.entry, &mut self.entry)?;
        let (outer, inner) = factors(self.engine.domain, &self.entry);
        let Some(tessellation) = self.engine.tessellate(outer, inner) else {
            return Ok(());
        };
        let patch = (handle, self.entry.as_slice());
        let points = self
            .domain
            .points(urb, patch, &tessellation.points, primitive_id)?;
        let (kind, provoking) = match self.engine.output {
            Output::Point => (Kind::Point, 0),
            Output::Line => (Kind::Line, self.provoking.line),
            _ => (Kind::Triangle, self.provoking.triangle),
        };
        for corners in tessellation.indices.chunks_exact(kind.vertices()) {
            let vertices = corners.iter().filter_map(|i| points.get(*i as usize));
            out.push(Object {
                kind,
                vertices: vertices.cloned().collect(),
                provoking,
                primitive_id,
                edges: [true; 3],
                continues: false,
                cut: None,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patch_header_tessellation_factors_are_in_reverse_order() {
        let header: Vec<u32> = (0..8).map(|i| (i as f32).to_bits()).collect();
        let quad = factors(Domain::Quad, &header);
        assert_eq!(quad, ([7.0, 6.0, 5.0, 4.0], [3.0, 2.0]));
        let triangle = factors(Domain::Triangle, &header);
        assert_eq!(triangle, ([7.0, 6.0, 5.0, 0.0], [4.0, 0.0]));
        assert_eq!(factors(Domain::Isoline, &header).0, [6.0, 7.0, 0.0, 0.0]);
    }
}
