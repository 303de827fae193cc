//! Accesses to compressed surfaces without their aux surface, each next to a minimally different
//! legal one.
//!
//! Ref: SKL PRM vol. 2d, "RENDER_SURFACE_STATE", Auxiliary Surface Mode; vol. 7, "Render Target
//!      Resolve".

use crate::strict::testing::{
    BLEND, TABLE, TARGET, TARGET_STATE, WRITE, broken_rule, command, flush, legal_draw,
    pipe_control, primitive, rig_with_kernel, target_write,
};
use crate::testing::{CODE, DATA, STATE, send, to};
use hw::draw_state::blend_state_entry as entry;
use hw::state::render_surface_state as rss;
use hw::{Field, draw, media, mi, register};
use isa::{Dst, Inst, Opcode, Src, Type};

const NONE: u64 = 0;
const CCS_D: u64 = 1;
const CCS_E: u64 = 5;

/// The target in Y tiles, with this auxiliary surface mode.
fn tiled(mode: u64) -> Vec<(Field, u64)> {
    [
        &TARGET_STATE[..],
        &[
            (rss::TILE_MODE, 3),
            (rss::SURFACE_PITCH, 127),
            (rss::MIP_TAIL_START_LOD, 15),
            (rss::SURFACE_HORIZONTAL_ALIGNMENT, 3),
            (rss::AUXILIARY_SURFACE_MODE, mode),
            (rss::AUXILIARY_SURFACE_BASE_ADDRESS, DATA + 0x2000),
        ],
    ]
    .concat()
}

/// The state of a legal draw to a target with an aux surface.
fn sound_and_avoided() -> Vec<Vec<u32>> {
    let load = mi::mi_load_register_imm::PACKET.header;
    let avoid = register::CACHE_MODE_1_MSC_RAW;
    let mut commands = vec![vec![load, register::CACHE_MODE_1, avoid]];
    commands.extend(legal_draw());
    commands
}

/// A binding table, of the pixel shader.
fn bound(at: u64) -> Vec<u32> {
    use draw::state_binding_table_pointers_ps as table;
    command(&table::PACKET, &[(table::POINTER_TO_PS_BINDING_TABLE, at)])
}

/// 3DSTATE_PS of the legal draw with more fields set.
fn shader(fields: &[(Field, u64)]) -> Vec<u32> {
    use draw::state_ps as ps;
    let always = [
        (ps::N8_PIXEL_DISPATCH_ENABLE, 1),
        (ps::DISPATCH_GRF_START_REGISTER_FOR_CONSTANT_SETUP_DATA_0, 2),
    ];
    command(&ps::PACKET, &[&always[..], fields].concat())
}

/// A draw by one mode of the control surface, a resolve of a type by another or none, and a draw by
/// a third mode, whose blend state entry has these bits set.
fn drawn(
    first: u64,
    resolve: Option<(u64, u64)>,
    second: u64,
    blend: &[Field],
) -> Option<&'static str> {
    use draw::{state_ps as ps, state_ps_blend as ps_blend};
    use media::pipe_control as f;
    let mut rig = rig_with_kernel(&[target_write(WRITE)]);
    let modes = [first, resolve.map_or(NONE, |r| r.1), second];
    let at = |i: u64| TARGET + 0x40 * i;
    let tables = |i: u64| TABLE + 0x100 + 0x20 * i;
    for (i, of) in (0..).zip(modes) {
        rig.write(STATE + at(i), &command(&rss::PACKET, &tiled(of)));
        rig.write(STATE + tables(i), &[at(i) as u32]);
    }
    let mut words = [0; 2];
    for field in blend {
        field.set(&mut words, 1);
    }
    rig.write(STATE + BLEND + 0x40, &[0, words[0], words[1]]);
    let wait = [
        flush(&[f::RENDER_TARGET_CACHE_FLUSH_ENABLE]),
        pipe_control(&[(f::TEXTURE_CACHE_INVALIDATION_ENABLE, 1)]),
    ];
    let mut commands = sound_and_avoided();
    commands.extend([bound(tables(0)), primitive(3)]);
    commands.extend(wait.clone());
    if let Some((kind, _)) = resolve {
        let resolves = shader(&[(ps::RENDER_TARGET_RESOLVE_TYPE, kind)]);
        commands.extend([bound(tables(1)), resolves, primitive(3)]);
        commands.extend(wait.clone());
    }
    use draw::state_blend_state_pointers as pointers;
    let has = |field| u64::from(blend.contains(&field));
    let ps_blend_fields = [
        (ps_blend::HAS_WRITEABLE_RT, 1),
        (
            ps_blend::COLOR_BUFFER_BLEND_ENABLE,
            has(entry::COLOR_BUFFER_BLEND_ENABLE),
        ),
    ];
    let pointer = [
        (pointers::BLEND_STATE_POINTER, BLEND + 0x40),
        (pointers::BLEND_STATE_POINTER_VALID, 1),
    ];
    commands.extend([
        bound(tables(2)),
        shader(&[]),
        command(&pointers::PACKET, &pointer),
        command(&ps_blend::PACKET, &ps_blend_fields),
        primitive(3),
    ]);
    broken_rule(&mut rig, &commands)
}

const PARTIAL: u64 = 1;
const FULL: u64 = 3;

#[test]
fn compressed_targets_need_a_resolve_before_uncompressed_draws() {
    let rule = Some("target-compressed");
    let with = |resolve, second| drawn(CCS_E, resolve, second, &[]);
    assert_eq!(with(None, CCS_E), None);
    assert_eq!(with(None, CCS_D), rule);
    assert_eq!(with(Some((PARTIAL, CCS_E)), CCS_D), rule);
    assert_eq!(with(Some((FULL, CCS_E)), CCS_D), None);
    // A resolve knows as much as a draw.
    assert_eq!(with(Some((FULL, CCS_D)), CCS_E), rule);
    assert_eq!(with(Some((PARTIAL, CCS_D)), CCS_E), rule);
    assert_eq!(drawn(CCS_D, Some((FULL, CCS_D)), CCS_D, &[]), None);
    assert_eq!(drawn(CCS_D, None, CCS_E, &[]), None);
}

#[test]
fn compressed_targets_need_a_resolve_before_partial_writes_without_aux() {
    let rule = Some("colour-resolve");
    let full = Some((FULL, CCS_E));
    for mask_field in [
        entry::WRITE_DISABLE_ALPHA,
        entry::COLOR_BUFFER_BLEND_ENABLE,
        entry::LOGIC_OP_ENABLE,
    ] {
        assert_eq!(
            drawn(CCS_E, None, NONE, &[mask_field]),
            rule,
            "{}",
            mask_field.name
        );
        assert_eq!(
            drawn(CCS_E, None, CCS_E, &[mask_field]),
            None,
            "{}",
            mask_field.name
        );
        assert_eq!(
            drawn(CCS_E, full, NONE, &[mask_field]),
            None,
            "{}",
            mask_field.name
        );
        assert_eq!(
            drawn(CCS_D, None, NONE, &[mask_field]),
            None,
            "{}",
            mask_field.name
        );
    }
    // What is overwritten need not be known, nor what is not looked at.
    assert_eq!(drawn(CCS_E, None, NONE, &[]), None);
    let all = [
        entry::WRITE_DISABLE_RED,
        entry::WRITE_DISABLE_GREEN,
        entry::WRITE_DISABLE_BLUE,
        entry::WRITE_DISABLE_ALPHA,
    ];
    assert_eq!(drawn(CCS_E, None, NONE, &all), None);
}

#[test]
fn compressed_surfaces_need_a_resolve_before_data_port_reads() {
    use draw::state_ps as ps;
    use media::pipe_control as f;
    const TYPED: u64 = 0x800;
    // Typed messages for texel 0 by entry 1: a read of four channels, a write of them.
    let read = 2 << 25 | 4 << 20 | 5 << 14 | 1 << 12 | 1;
    let write = 6 << 25 | 13 << 14 | 1 << 12 | 1;
    let done = |typed: &[u32], mode: u64| {
        let mut kernel: Vec<Inst> = (112..120)
            .map(|nr| Inst::unary(Opcode::Mov, 8, to(nr), Src::imm_ud(0)).no_mask())
            .collect();
        for desc in typed {
            let response = if *desc == read {
                to(120)
            } else {
                Dst::null(Type::Ud)
            };
            kernel.push(send(12, *desc, response, 112));
        }
        kernel.push(target_write(WRITE));
        let mut rig = rig_with_kernel(&[target_write(WRITE)]);
        rig.code(CODE + TYPED, &kernel);
        let target = |mode| command(&rss::PACKET, &tiled(mode));
        // What is drawn to by the second draw lies elsewhere.
        let mut other = target(NONE);
        rss::SURFACE_BASE_ADDRESS.set(&mut other, DATA + 0x1000);
        let tables = TABLE + 0x100;
        for (i, words) in (0..).zip([target(CCS_E), other, target(mode)]) {
            rig.write(STATE + TARGET + 0x40 * i, &words);
        }
        rig.write(STATE + TABLE, &[TARGET as u32]);
        let second = [TARGET as u32 + 0x40, TARGET as u32 + 0x80];
        rig.write(STATE + tables, &second);
        let mut commands = sound_and_avoided();
        commands.extend([
            primitive(3),
            flush(&[f::RENDER_TARGET_CACHE_FLUSH_ENABLE]),
            bound(tables),
            shader(&[(ps::KERNEL_START_POINTER_0, TYPED)]),
            primitive(3),
        ]);
        broken_rule(&mut rig, &commands)
    };
    let rule = Some("colour-resolve");
    assert_eq!(done(&[read], NONE), rule);
    assert_eq!(done(&[read], CCS_E), None);
    assert_eq!(done(&[write], NONE), None);
    assert_eq!(done(&[write, read], NONE), None, "its own");
}
