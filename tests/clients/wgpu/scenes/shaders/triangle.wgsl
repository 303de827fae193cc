struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) colour: vec3<f32>,
}

@vertex
fn vertex(@location(0) place: vec2<f32>, @location(1) colour: vec3<f32>) -> Varying {
    return Varying(vec4<f32>(place, 0.0, 1.0), colour);
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    return vec4<f32>(in.colour, 1.0);
}
