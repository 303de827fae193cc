//! Rules on regions: strides, rows, spans, alignment, execution size.

use super::facts::{GRF_BYTES, direct_address, vstride};
use super::rule::Rule;
use crate::inst::{RegFile, Region};

const PARAMETERS: &str =
    "Register Region Restrictions: General Restrictions on Regioning Parameters";
const ALIGNMENT: &str = "Register Region Restrictions: Region Alignment Rules";

pub static RULES: &[Rule] = &[
    Rule {
        name: "region_width",
        prm: PARAMETERS,
        text: "ExecSize is at least Width",
        broken: |f| f.regions().any(|(_, r)| u32::from(r.width) > f.exec_size()),
    },
    Rule {
        name: "region_one_row",
        prm: PARAMETERS,
        text: "if ExecSize equals Width and HorzStride is not 0, VertStride is Width times HorzStride",
        broken: |f| {
            f.regions().any(|(_, r)| {
                let one = u32::from(r.width) == f.exec_size() && r.hstride != 0;
                one && r.vstride != Region::VX1 && !is_linear(r)
            })
        },
    },
    Rule {
        name: "region_width_one",
        prm: PARAMETERS,
        text: "if Width is 1, HorzStride is 0",
        broken: |f| f.regions().any(|(_, r)| r.width == 1 && r.hstride != 0),
    },
    Rule {
        name: "region_scalar",
        prm: PARAMETERS,
        text: "if ExecSize and Width are 1, VertStride and HorzStride are 0",
        broken: |f| {
            f.regions().any(|(_, r)| {
                let one = f.exec_size() == 1 && r.width == 1;
                one && r.vstride != Region::VX1 && (r.vstride != 0 || r.hstride != 0)
            })
        },
    },
    Rule {
        name: "region_all_zero",
        prm: PARAMETERS,
        text: "if VertStride and HorzStride are 0, Width is 1",
        broken: |f| {
            f.regions()
                .any(|(_, r)| r.vstride == 0 && r.hstride == 0 && r.width != 1)
        },
    },
    Rule {
        name: "region_row_crosses",
        prm: PARAMETERS,
        text: "only VertStride crosses a register boundary: each row is in one register",
        broken: |f| {
            f.regions().any(|(s, r)| {
                let Some((_, sub)) = direct_address(s.addr) else {
                    return false;
                };
                let size = s.ty.size_bytes();
                let columns = u32::from(r.width).saturating_sub(1) * u32::from(r.hstride);
                (0..f.rows(r)).any(|row| {
                    let first = sub + row * vstride(r) * size;
                    let last = first + columns * size + size - 1;
                    first / GRF_BYTES != last / GRF_BYTES
                })
            })
        },
    },
    Rule {
        name: "region_by_address",
        prm: "Register Region Addressing: Indirect Register Addressing",
        text: "the regions Vx1 and VxH are for indirect sources",
        broken: |f| {
            f.regions()
                .any(|(s, r)| r.vstride == Region::VX1 && direct_address(s.addr).is_some())
        },
    },
    Rule {
        name: "source_span",
        prm: ALIGNMENT,
        text: "a source spans at most two adjacent registers",
        broken: |f| {
            f.regions()
                .any(|(s, r)| r.vstride != Region::VX1 && f.src_end_bytes(s) > 2 * GRF_BYTES)
        },
    },
    Rule {
        name: "destination_span",
        prm: ALIGNMENT,
        text: "a destination spans at most two adjacent registers",
        broken: |f| {
            let written = f.written_dst().filter(|_| f.is_align1());
            written.is_some_and(|d| f.dst_end_bytes(d) > 2 * GRF_BYTES)
        },
    },
    Rule {
        name: "past_last_register",
        prm: "General Register File",
        text: "an operand does not extend past r127",
        broken: |f| {
            let over = |file, addr, end: u32| {
                let start = direct_address(addr).map_or(0, |p| u32::from(p.0) * GRF_BYTES);
                file == RegFile::Grf && start + end > 128 * GRF_BYTES
            };
            let written = f.written_dst().filter(|_| f.is_align1());
            written.is_some_and(|d| over(d.file, d.addr, f.dst_end_bytes(d)))
                || f.regions()
                    .any(|(s, _)| over(s.file, s.addr, f.src_end_bytes(s)))
        },
    },
    Rule {
        name: "source_aligned",
        prm: ALIGNMENT,
        text: "a source starts at a multiple of its type's size",
        broken: |f| {
            f.regions()
                .any(|(s, _)| direct_address(s.addr).is_some_and(|p| p.1 % s.ty.size_bytes() != 0))
        },
    },
    Rule {
        name: "destination_aligned",
        prm: ALIGNMENT,
        text: "a destination starts at a multiple of its type's size",
        broken: |f| {
            let written = f.written_dst().filter(|_| f.is_align1());
            written.is_some_and(|d| {
                direct_address(d.addr).is_some_and(|p| p.1 % d.ty.size_bytes() != 0)
            })
        },
    },
    Rule {
        name: "destination_stride",
        prm: PARAMETERS,
        text: "the destination's HorzStride is 1, 2 or 4",
        broken: |f| {
            let written = f.written_dst().filter(|_| f.is_align1());
            written.is_some_and(|d| !matches!(d.hstride, 1 | 2 | 4))
        },
    },
    Rule {
        name: "align16_destination_stride",
        prm: PARAMETERS,
        text: "in align16 the destination's HorzStride is 1",
        broken: |f| {
            let written = f.written_dst().filter(|_| f.is_alu() && f.inst.align16);
            written.is_some_and(|d| d.hstride != 1)
        },
    },
    Rule {
        name: "align16_source_stride",
        prm: PARAMETERS,
        text: "in align16 VertStride is 0, 2 or 4",
        broken: |f| {
            let mut registers = f.sources().iter().filter(|s| s.file != RegFile::Imm);
            let odd = registers.any(|s| !matches!(s.region.vstride, 0 | 2 | 4));
            f.is_alu() && f.inst.align16 && odd
        },
    },
    Rule {
        name: "align16_aligned",
        prm: ALIGNMENT,
        text: "in align16 operands start at multiples of 16 bytes",
        broken: |f| {
            let odd = |addr| direct_address(addr).is_some_and(|p| !p.1.is_multiple_of(16));
            let mut registers = f.sources().iter().filter(|s| s.file == RegFile::Grf);
            let source = registers.any(|s| odd(s.addr));
            f.is_alu() && f.inst.align16 && (source || f.written_dst().is_some_and(|d| odd(d.addr)))
        },
    },
    Rule {
        name: "channel_offset",
        prm: "EU Instruction Format: QtrCtrl, NibCtrl",
        text: "the first channel is a multiple of ExecSize, and of 4",
        broken: |f| {
            let step = f.inst.exec_size.max(4);
            !f.inst.chan_off.is_multiple_of(step) || f.inst.chan_off > 28
        },
    },
    Rule {
        name: "execution_size",
        prm: "EU Instruction Format: ExecSize",
        text: "ExecSize is 1, 2, 4, 8, 16 or 32",
        broken: |f| !f.inst.exec_size.is_power_of_two() || f.inst.exec_size > 32,
    },
];

fn is_linear(r: Region) -> bool {
    u32::from(r.vstride) == u32::from(r.width) * u32::from(r.hstride)
}
