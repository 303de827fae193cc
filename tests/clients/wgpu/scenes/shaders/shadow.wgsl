struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) lit: vec3<f32>,
    @location(1) normal: vec3<f32>,
}

@group(0) @binding(0) var map: texture_depth_2d;
@group(0) @binding(1) var compared: sampler_comparison;

@vertex
fn vertex(@location(0) place: vec3<f32>, @location(1) normal: vec3<f32>) -> Varying {
    let at = vec3<f32>(place.x + place.z * 0.25, place.y * 0.8 + place.z * 0.4, 6.0 + place.z - place.y * 0.5);
    let lit = vec3<f32>(place.x + place.y * 0.5, place.z + place.y * 0.25, 0.5 - place.y * 0.125);
    let depth = (at.z - 1.0) * 16.0 / 15.0;
    return Varying(vec4<f32>(at.xy * 1.5, depth, at.z), vec3<f32>(lit.xy * 0.2, lit.z), normal);
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    let place = in.lit.xy * vec2<f32>(0.5, -0.5) + 0.5;
    let seen = textureSampleCompare(map, compared, place, in.lit.z - 0.015625);
    let light = max(dot(normalize(in.normal), vec3<f32>(-0.48, 0.8, -0.36)), 0.0);
    let colour = vec3<f32>(0.8, 0.7, 0.5);
    return vec4<f32>(colour * (0.3 + 0.7 * light * seen), 1.0);
}
