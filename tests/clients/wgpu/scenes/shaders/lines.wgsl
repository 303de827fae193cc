struct Panel {
    colour: vec4<f32>,
    // Sine and cosine.
    turn: vec2<f32>,
}

struct Varying {
    @builtin(position) position: vec4<f32>,
    @location(0) colour: vec4<f32>,
}

@group(0) @binding(0) var<uniform> panel: Panel;

@vertex
fn vertex(@location(0) place: vec2<f32>, @builtin(vertex_index) index: u32) -> Varying {
    // The panel comes first, and lets the background through.
    if index < 3u {
        return Varying(vec4<f32>(place, 0.0, 1.0), vec4<f32>(panel.colour.bgr, 0.25));
    }
    let s = panel.turn.x;
    let c = panel.turn.y;
    let turned = vec2<f32>(place.x * c - place.y * s, place.x * s + place.y * c);
    return Varying(vec4<f32>(turned, 0.0, 1.0), panel.colour);
}

@fragment
fn fragment(in: Varying) -> @location(0) vec4<f32> {
    return in.colour;
}
