struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) colour: vec3<f32>,
    @location(1) place: vec3<f32>,
}

struct Targets {
    @location(0) colour: vec4<f32>,
    @location(1) normal: vec4<f32>,
    @location(2) place: vec4<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Varying {
    let which = index / 3u;
    let corner = index % 3u;
    let x = f32(corner & 1u) * 1.5 - 0.75 + f32(which) * 0.25 - 0.25;
    let y = f32(corner >> 1u) * 1.5 - 0.75 + f32(which) * 0.125;
    let z = 0.25 + 0.25 * f32((which + corner) % 3u);
    let colour = vec3<f32>(f32(which == 0u), f32(which == 1u), f32(which == 2u)) * 0.75 + 0.125;
    return Varying(vec4<f32>(x, y, z, 1.0), colour, vec3<f32>(x, y, z));
}

@fragment
fn fragment(in: Varying) -> Targets {
    let normal = normalize(cross(dpdx(in.place), dpdy(in.place)));
    return Targets(vec4<f32>(in.colour, 1.0), vec4<f32>(normal, 1.0), vec4<f32>(in.place, 1.0));
}
