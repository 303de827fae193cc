struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) corner: vec2<f32>,
    @location(1) @interpolate(flat) colour: vec4<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32, @builtin(instance_index) which: u32) -> Varying {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let centre = vec2<f32>(f32(which * 7u % 11u), f32(which * 5u % 13u)) / vec2<f32>(5.0, 6.0) - 1.0;
    let size = 0.125 + 0.03125 * f32(which % 5u);
    let colour = vec4<f32>(f32(which % 3u) / 2.0, f32(which % 4u) / 3.0, f32(which % 7u) / 6.0, 0.625);
    return Varying(vec4<f32>(centre * 0.75 + corner * size, 0.0, 1.0), corner, colour);
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    let far = dot(in.corner, in.corner);
    if far > 1.0 {
        discard;
    }
    return vec4<f32>(in.colour.rgb, in.colour.a * (1.0 - far * 0.5));
}
