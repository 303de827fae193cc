//! 3DSTATE_TE, decoded.
//!
//! In:  the latched command. Out: [`Engine`].
//! Ref: SKL PRM vol. 2a, "3DSTATE_TE".

use crate::draw_state::DrawState;
use hw::draw::state_te as te;
use hw::value::draw::{te_domain, te_output_topology, te_partitioning};

/// 3DSTATE_TE, TE Domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    Quad,
    Triangle,
    Isoline,
}

/// 3DSTATE_TE, Partitioning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Partitioning {
    Integer,
    Odd,
    Even,
}

/// 3DSTATE_TE, Output Topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    Point,
    Line,
    /// Clockwise with v pointing down: a positive area in (u, v).
    Clockwise,
    CounterClockwise,
}

/// Decoded 3DSTATE_TE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Engine {
    pub domain: Domain,
    pub partitioning: Partitioning,
    pub output: Output,
    /// Maximum Tessellation Factor Odd, Not Odd.
    pub max_odd: f32,
    pub max_not_odd: f32,
}

impl Engine {
    /// Reads 3DSTATE_TE; `None` if the engine is disabled, an error if a field has a reserved
    /// value.
    pub fn new(state: &DrawState) -> Result<Option<Engine>, &'static str> {
        let get = |field| state.get(&te::PACKET, field);
        if get(te::TE_ENABLE) == 0 {
            return Ok(None);
        }
        Ok(Some(Engine {
            domain: match get(te::TE_DOMAIN) {
                te_domain::QUAD => Domain::Quad,
                te_domain::TRI => Domain::Triangle,
                te_domain::ISOLINE => Domain::Isoline,
                _ => return Err("a reserved TE Domain"),
            },
            partitioning: match get(te::PARTITIONING) {
                te_partitioning::INTEGER => Partitioning::Integer,
                te_partitioning::ODD_FRACTIONAL => Partitioning::Odd,
                te_partitioning::EVEN_FRACTIONAL => Partitioning::Even,
                _ => return Err("a reserved Partitioning"),
            },
            output: match get(te::OUTPUT_TOPOLOGY) {
                te_output_topology::POINT => Output::Point,
                te_output_topology::LINE => Output::Line,
                te_output_topology::TRI_CW => Output::Clockwise,
                _ => Output::CounterClockwise,
            },
            max_odd: f32::from_bits(get(te::MAXIMUM_TESSELLATION_FACTOR_ODD) as u32),
            max_not_odd: f32::from_bits(get(te::MAXIMUM_TESSELLATION_FACTOR_NOT_ODD) as u32),
        }))
    }
}
