struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) kind: u32,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Varying {
    if index < 6u {
        // A diamond of two triangles.
        var corners = array<vec2<f32>, 6>(
            vec2<f32>(0.0, 0.8), vec2<f32>(-0.8, 0.0), vec2<f32>(0.8, 0.0),
            vec2<f32>(0.8, 0.0), vec2<f32>(-0.8, 0.0), vec2<f32>(0.0, -0.8),
        );
        return Varying(vec4<f32>(corners[index], 0.5, 1.0), 0u);
    }
    // All of the picture.
    let i = index % 3u;
    let place = vec2<f32>(f32(i & 1u), f32(i >> 1u)) * 4.0 - 1.0;
    return Varying(vec4<f32>(place, 0.5, 1.0), index / 3u - 1u);
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    let at = vec2<u32>(in.position.xy);
    if in.kind == 0u {
        return vec4<f32>(1.0, 1.0, 1.0, 1.0);
    }
    if in.kind == 1u {
        let stripe = (at.x + at.y) / 6u % 2u;
        return vec4<f32>(1.0, f32(stripe), 0.2, 1.0);
    }
    let dot = u32(at.x % 8u < 3u && at.y % 8u < 3u);
    return vec4<f32>(0.1, 0.3 + 0.5 * f32(dot), 0.6, 1.0);
}
