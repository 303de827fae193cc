//! Which fields of surface and sampler states something looks at, by the rest of the state.
//!
//! In:  a RENDER_SURFACE_STATE or SAMPLER_STATE. Out: whether a field of it counts.
//! Ref: SKL PRM vol. 2d, "RENDER_SURFACE_STATE", "SAMPLER_STATE".

use crate::look::Place;
use hw::{Field, state};

/// True for RENDER_SURFACE_STATE's fields that a surface of this kind has.
pub fn surface_field_counts(place: &Place, field: &Field) -> bool {
    use state::render_surface_state as f;
    let get = |field: Field| field.get(&place.words);
    let kind = get(f::SURFACE_TYPE);
    let (buffer, null) = (kind == 4 || kind == 5, kind == 7);
    let image = [
        f::TILE_MODE,
        f::SURFACE_HORIZONTAL_ALIGNMENT,
        f::SURFACE_VERTICAL_ALIGNMENT,
        f::SURFACE_ARRAY,
        f::SURFACE_QPITCH,
        f::MINIMUM_ARRAY_ELEMENT,
        f::RENDER_TARGET_VIEW_EXTENT,
        f::NUMBER_OF_MULTISAMPLES,
        f::MULTISAMPLED_SURFACE_STORAGE_FORMAT,
        f::MIP_COUNT_LOD,
        f::SURFACE_MIN_LOD,
        f::RESOURCE_MIN_LOD,
        f::TILED_RESOURCE_MODE,
        f::X_OFFSET,
        f::Y_OFFSET,
        f::BASE_MIP_LEVEL,
        f::AUXILIARY_SURFACE_MODE,
    ];
    let aux = [
        f::AUXILIARY_SURFACE_PITCH,
        f::AUXILIARY_SURFACE_QPITCH,
        f::AUXILIARY_SURFACE_BASE_ADDRESS,
    ];
    let clear = [
        f::RED_CLEAR_COLOR,
        f::GREEN_CLEAR_COLOR,
        f::BLUE_CLEAR_COLOR,
        f::ALPHA_CLEAR_COLOR,
        f::HIERARCHICAL_DEPTH_CLEAR_VALUE,
    ];
    let null_has = [
        f::SURFACE_TYPE,
        f::SURFACE_FORMAT,
        f::WIDTH,
        f::HEIGHT,
        f::DEPTH,
        f::SURFACE_ARRAY,
        f::TILE_MODE,
    ];
    let layered = get(f::SURFACE_ARRAY) == 1 && get(f::DEPTH) != 0 || kind == 2;
    let row = [
        f::SURFACE_VERTICAL_ALIGNMENT,
        f::SURFACE_HORIZONTAL_ALIGNMENT,
    ];
    match field {
        _ if null => null_has.contains(field),
        _ if image.contains(field) && buffer => false,
        _ if *field == f::AUXILIARY_SURFACE_QPITCH && !layered => false,
        _ if aux.contains(field) || clear.contains(field) => {
            !buffer && get(f::AUXILIARY_SURFACE_MODE) != 0
        }
        // With one level nothing is aligned to another but the layers, whose distance QPitch is.
        _ if row.contains(field) => get(f::MIP_COUNT_LOD) != 0,
        _ if *field == f::SURFACE_QPITCH => layered,
        _ if *field == f::SURFACE_PITCH && !buffer => get(f::HEIGHT) != 0 || get(f::TILE_MODE) != 0,
        _ if *field == f::SURFACE_ARRAY => true,
        _ if *field == f::MULTISAMPLED_SURFACE_STORAGE_FORMAT => {
            get(f::NUMBER_OF_MULTISAMPLES) != 0
        }
        _ if field.name.starts_with("Cube Face Enable") => kind == 3,
        _ => true,
    }
}

/// True for SAMPLER_STATE's fields that its modes look at.
pub fn sampler_field_counts(place: &Place, field: &Field) -> bool {
    use state::sampler_state as f;
    let get = |field: Field| field.get(&place.words);
    let modes = [
        f::TCX_ADDRESS_CONTROL_MODE,
        f::TCY_ADDRESS_CONTROL_MODE,
        f::TCZ_ADDRESS_CONTROL_MODE,
    ];
    let filters = [f::MIN_MODE_FILTER, f::MAG_MODE_FILTER].map(get);
    match field {
        _ if field.name.contains("Min Filter Rounding Enable") => filters[0] != 0,
        _ if field.name.contains("Mag Filter Rounding Enable") => filters[1] != 0,
        // STD_FILTER is what there is without it.
        _ if *field == f::REDUCTION_TYPE_ENABLE => get(f::REDUCTION_TYPE) != 0,
        _ if *field == f::BORDER_COLOR_POINTER => modes.iter().any(|mode| get(*mode) == 4),
        _ if *field == f::MAXIMUM_ANISOTROPY => filters.contains(&2),
        // Levels are clamped before what is magnified is told from what is not: that shows where
        // level 0 is clamped, too.
        _ if *field == f::LOD_PRECLAMP_MODE => get(f::MIN_LOD) != 0 || get(f::MAX_LOD) == 0,
        _ if *field == f::TEXTURE_LOD_BIAS => get(f::MIP_MODE_FILTER) != 0,
        _ if *field == f::REDUCTION_TYPE => get(f::REDUCTION_TYPE_ENABLE) == 1,
        _ => true,
    }
}
