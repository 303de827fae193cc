@group(0) @binding(0) var colours: texture_2d<f32>;
@group(0) @binding(1) var normals: texture_2d<f32>;
@group(0) @binding(2) var places: texture_2d<f32>;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment
fn fragment(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    let at = vec2<i32>(position.xy);
    let colour = textureLoad(colours, at, 0);
    let normal = textureLoad(normals, at, 0);
    let place = textureLoad(places, at, 0);
    if place.a == 0.0 {
        return vec4<f32>(0.05, 0.05, 0.1, 1.0);
    }
    let to = vec3<f32>(0.5, 0.5, -1.0) - place.xyz;
    let light = abs(dot(normalize(to), normal.xyz));
    return vec4<f32>(colour.rgb * (0.25 + 0.75 * light), 1.0);
}
