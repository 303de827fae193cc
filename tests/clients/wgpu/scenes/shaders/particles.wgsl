struct Particle {
    x: f32,
    y: f32,
    colour: array<f32, 4>,
}

@group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
// Vertices, instances, first vertex, first instance.
@group(0) @binding(1) var<storage, read_write> arguments: array<u32, 4>;

@compute @workgroup_size(64)
fn place(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i == 0u {
        arguments = array<u32, 4>(arrayLength(&particles) - 12u, 1u, 4u, 0u);
    }
    // A generator of Weyl's kind, and centres of pixels, so that no rounding decides.
    var state = i * 2654435769u + 12345u;
    state ^= state >> 15u;
    state *= 2246822519u;
    state ^= state >> 13u;
    let at = vec2<f32>(f32(state % 128u), f32((state >> 8u) % 128u)) + 0.5;
    particles[i].x = at.x / 64.0 - 1.0;
    particles[i].y = at.y / 64.0 - 1.0;
    let part = f32(i) / f32(arrayLength(&particles));
    particles[i].colour = array<f32, 4>(0.25 + 0.5 * part, 0.75 - 0.5 * part, 0.5, 1.0);
}
