// As the light sees it, from above and to the left: x and y of the map, and the distance.
@vertex
fn vertex(@location(0) place: vec3<f32>) -> @builtin(position) vec4<f32> {
    let at = vec3<f32>(place.x + place.y * 0.5, place.z + place.y * 0.25, 0.5 - place.y * 0.125);
    return vec4<f32>(at.xy * 0.2, at.z, 1.0);
}
