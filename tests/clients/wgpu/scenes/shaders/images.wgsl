struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) place: vec2<f32>,
    @location(1) @interpolate(flat) part: u32,
}

@group(0) @binding(0) var cube: texture_cube<f32>;
@group(0) @binding(1) var layers: texture_2d_array<f32>;
@group(0) @binding(2) var volume: texture_3d<f32>;
@group(0) @binding(3) var filtered: sampler;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Varying {
    let i = index % 3u;
    let place = vec2<f32>(f32(i & 1u), f32(i >> 1u)) * 4.0 - 1.0;
    return Varying(vec4<f32>(place, 0.0, 1.0), place, index / 3u);
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    let p = in.place;
    // Directions around a corner of the cube, elements by columns, slices along x.
    let around = textureSampleLevel(cube, filtered, vec3<f32>(1.0 + p.x, 1.0 + p.y, 1.5 - p.x * p.y), 0.0);
    let element = textureSampleLevel(layers, filtered, p * 0.5 + 0.5, i32((p.x + 1.0) * 3.0), 0.0);
    let inside = textureSampleLevel(volume, filtered, vec3<f32>(p.y * 0.5 + 0.5, 0.625, p.x * 0.5 + 0.5), 0.0);
    switch in.part {
        case 0u: { return around; }
        case 1u: { return element; }
        default: { return inside; }
    }
}
