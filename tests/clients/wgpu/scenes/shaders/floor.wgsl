// A quad that is near at its lower edge and far at its upper one: w is the distance.
struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) place: vec2<f32>,
}

@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var filtered: sampler;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Varying {
    let x = f32(index & 1u) * 2.0 - 1.0;
    let far = f32(index >> 1u);
    let w = 1.0 + far * 7.0;
    let y = -1.0 + far * 6.5;
    return Varying(vec4<f32>(x * (1.0 + far * 7.0), y, 0.5 * w, w), vec2<f32>(x * (1.0 + far), far * 4.0));
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    return textureSample(image, filtered, in.place);
}
