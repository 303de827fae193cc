struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) colour: vec3<f32>,
}

// Places on the sides of a square, so that no function has to be computed.
fn rim(i: i32) -> vec2<f32> {
    let side = i / 8 % 4;
    let along = f32(i % 8) / 4.0 - 1.0;
    switch side {
        case 0: { return vec2<f32>(along, -1.0); }
        case 1: { return vec2<f32>(1.0, along); }
        case 2: { return vec2<f32>(-along, 1.0); }
        default: { return vec2<f32>(-1.0, -along); }
    }
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Varying {
    let blade = i32(index) / 3;
    var place = vec2<f32>(0.0, 0.0);
    switch index % 3u {
        case 1u: { place = rim(blade * 2) * 0.9; }
        case 2u: { place = rim(blade * 2 + 1) * 0.9; }
        default: {}
    }
    let colour = vec3<f32>(f32(blade) / 15.0, 1.0 - f32(blade) / 15.0, f32(blade % 4) / 3.0);
    return Varying(vec4<f32>(place, 0.0, 1.0), colour);
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    return vec4<f32>(in.colour, 1.0);
}
