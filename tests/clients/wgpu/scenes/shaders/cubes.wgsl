struct Uniforms {
    light: vec4<f32>,
    // Sine and cosine of the turns about y and x.
    turns: vec4<f32>,
}

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) normal: vec3<f32>,
    @location(1) @interpolate(flat) which: u32,
}

@group(0) @binding(0) var<uniform> uniforms: Uniforms;

fn turned(v: vec3<f32>) -> vec3<f32> {
    let t = uniforms.turns;
    let a = vec3<f32>(v.x * t.y + v.z * t.x, v.y, v.z * t.y - v.x * t.x);
    return vec3<f32>(a.x, a.y * t.w - a.z * t.z, a.z * t.w + a.y * t.z);
}

@vertex
fn vertex(
    @location(0) place: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @builtin(instance_index) which: u32,
) -> Varying {
    let i = f32(which) - 2.0;
    let at = turned(place * 0.8) + vec3<f32>(i * 1.1, i * 0.75, 6.0 + i * 0.7);
    // Between the planes at 1 and 16.
    let depth = (at.z - 1.0) * 16.0 / 15.0;
    return Varying(vec4<f32>(at.xy * 1.5, depth, at.z), turned(normal), which);
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    let light = max(dot(normalize(in.normal), uniforms.light.xyz), 0.0);
    let colour = vec3<f32>(0.9, 0.2 + 0.15 * f32(in.which), 0.9 - 0.2 * f32(in.which));
    return vec4<f32>(colour * (0.25 + 0.75 * light), 1.0);
}
